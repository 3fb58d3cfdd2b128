/* SPDX-License-Identifier: MIT */
#include "elf/cfi_entry.h"

#include <string.h>

#define LENGTH_64 0xffffffffu
#define AUGMENTATION_MAX 16

int cfi_head_read(struct elf_view *view, const struct cfi_section *section, uint64_t at,
		  struct cfi_head *head, struct err *err)
{
	struct cfi_cursor c = { .view = view, .at = at, .end = section->end };
	size_t id_size = 4;

	if (at < section->start || at >= section->end)
		return at == section->end ? 0 : err_set(err, ERR_FAILED, 0, "malformed unwind table: an entry is outside of it");
	uint64_t length = cfi_fixed(&c, 4);
	if (length == LENGTH_64) {
		length = cfi_fixed(&c, 8);
		if (section->is_debug)
			id_size = 8;
	}
	if (!c.bad && length == 0)
		return 0;
	if (c.bad || length < id_size || length > section->end - c.at)
		return err_set(err, ERR_FAILED, 0, "malformed unwind table: an entry of %llu bytes",
			       (unsigned long long)length);
	head->end = c.at + length;
	uint64_t place = c.at;
	uint64_t id = cfi_fixed(&c, id_size);
	if (c.bad)
		return err_set(err, ERR_FAILED, 0, "the unwind table cannot be read");
	head->body = c.at;
	if (section->is_debug) {
		head->is_cie = id == (id_size == 8 ? UINT64_MAX : UINT32_MAX);
		head->cie = section->start + id;
	} else {
		head->is_cie = id == 0;
		head->cie = place - id;
	}
	return 1;
}

/* The data of a CIE that begins with 'z', by the letters behind it. */
static void read_data(struct cfi_cursor *c, const struct cfi_section *section, const char *letters, struct cfi_cie *cie)
{
	struct cfi_bases bases = { .data = section->data };
	for (; *letters && !c->bad; letters++) {
		switch (*letters) {
		case 'R':
			cie->encoding = (uint8_t)cfi_fixed(c, 1);
			break;
		case 'L':
			cfi_fixed(c, 1);
			break;
		case 'P':       /* where the personality is does not matter: do not follow it */
			cfi_pointer(c, (uint8_t)cfi_fixed(c, 1) & (uint8_t)~CFI_PE_INDIRECT, &bases);
			break;
		case 'S':
			cie->signal_frame = true;
			break;
		case 'B': case 'G':     /* signed by the B key; memory tagging: no data */
			break;
		default:                /* the length tells where the instructions begin all the same */
			return;
		}
	}
}

static void read_augmentation(struct cfi_cursor *c, char text[AUGMENTATION_MAX])
{
	for (size_t i = 0; i < AUGMENTATION_MAX; i++) {
		text[i] = (char)cfi_fixed(c, 1);
		if (!text[i])
			return;
	}
	text[0] = '\0';
	c->bad = true;
}

static int check_cie(const struct cfi_cursor *c, unsigned version, const char *letters, struct err *err)
{
	if (c->bad)
		return err_set(err, ERR_FAILED, 0, "malformed unwind table: a CIE is cut");
	if (version != 1 && version != 3 && version != 4)
		return err_set(err, ERR_FAILED, 0, "malformed unwind table: a CIE of version %u", version);
	if (letters[0] && letters[0] != 'z')
		return err_set(err, ERR_FAILED, 0, "the unwind table has an augmentation that is not known");
	return 0;
}

static int cie_read(struct elf_view *view, const struct cfi_section *section, uint64_t at,
		    struct cfi_cie *cie, struct err *err)
{
	struct cfi_head head;
	char letters[AUGMENTATION_MAX];
	int there = cfi_head_read(view, section, at, &head, err);

	*cie = (struct cfi_cie){ .encoding = 0 };
	if (there < 0)
		return -1;
	if (!there || !head.is_cie)
		return err_set(err, ERR_FAILED, 0, "malformed unwind table: an FDE without a CIE");
	struct cfi_cursor c = { .view = view, .at = head.body, .end = head.end };
	unsigned version = (unsigned)cfi_fixed(&c, 1);
	read_augmentation(&c, letters);
	if (check_cie(&c, version, letters, err))
		return -1;
	/* two bytes, one behind the other.  NOLINTNEXTLINE(misc-redundant-expression) */
	if (version == 4 && (cfi_fixed(&c, 1) != 8 || cfi_fixed(&c, 1) != 0))
		return err_set(err, ERR_FAILED, 0, "the unwind table is not of 64-bit addresses");
	cie->code_align = cfi_uleb(&c);
	cie->data_align = cfi_sleb(&c);
	uint64_t reg = version == 1 ? cfi_fixed(&c, 1) : cfi_uleb(&c);
	cie->return_register = reg < CFI_REGS ? (unsigned)reg : CFI_REGS;
	cie->has_data = letters[0] == 'z';
	if (cie->has_data) {
		uint64_t size = cfi_uleb(&c);
		struct cfi_cursor data = c;
		data.at = cfi_skip(&c, size);
		data.end = c.at;
		read_data(&data, section, letters + 1, cie);
		c.bad = c.bad || data.bad;
	}
	if (c.bad || cie->return_register == CFI_REGS)
		return err_set(err, ERR_FAILED, 0, "malformed unwind table: a CIE is cut or names no return address");
	cie->program = c.at;
	cie->end = head.end;
	cie->at = at;
	return 0;
}

int cfi_fde_read(struct elf_view *view, const struct cfi_section *section, const struct cfi_head *head,
		 struct cfi_fde *fde, struct err *err)
{
	struct cfi_bases bases = { .data = section->data };
	struct cfi_cursor c = { .view = view, .at = head->body, .end = head->end };

	if (head->is_cie)
		return err_set(err, ERR_FAILED, 0, "malformed unwind table: a CIE where an FDE should be");
	if (fde->cie.at != head->cie && cie_read(view, section, head->cie, &fde->cie, err)) {
		fde->cie.at = 0;
		return -1;
	}
	fde->start = cfi_pointer(&c, fde->cie.encoding, &bases) + section->bias;
	/* The length has the form of the pointer, but is relative to nothing. */
	uint64_t length = cfi_pointer(&c, fde->cie.encoding & CFI_PE_FORM, &bases);
	if (fde->cie.has_data)
		cfi_skip(&c, cfi_uleb(&c));
	if (c.bad || __builtin_add_overflow(fde->start, length, &fde->end))
		return err_set(err, ERR_FAILED, 0, "malformed unwind table: an FDE is cut, or covers no code");
	fde->program = c.at;
	fde->program_end = head->end;
	return 0;
}
