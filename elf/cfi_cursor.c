/* SPDX-License-Identifier: MIT */
#include "elf/cfi_cursor.h"

#include <string.h>

enum {
	FORM_PLAIN = 0x00, FORM_ULEB = 0x01, FORM_U2 = 0x02, FORM_U4 = 0x03, FORM_U8 = 0x04,
	FORM_SIGNED = 0x08, FORM_SLEB = 0x09, FORM_S2 = 0x0a, FORM_S4 = 0x0b, FORM_S8 = 0x0c,
};
enum { BASE_NONE = 0x00, BASE_PLACE = 0x10, BASE_DATA = 0x30, BASE_FUNCTION = 0x40, BASE_ALIGNED = 0x50 };

uint64_t cfi_fixed(struct cfi_cursor *cursor, size_t size)
{
	uint64_t value = 0;
	/* Both CPUs are little-endian, and so are the images that elf_headers_read takes. */
	if (cursor->bad || cursor->at > cursor->end || size > cursor->end - cursor->at ||
	    elf_view_read(cursor->view, cursor->at, &value, size)) {
		cursor->bad = true;
		return 0;
	}
	cursor->at += size;
	return value;
}

int64_t cfi_fixed_signed(struct cfi_cursor *cursor, size_t size)
{
	uint64_t value = cfi_fixed(cursor, size);
	switch (size) {
	case 1: return (int8_t)value;
	case 2: return (int16_t)value;
	case 4: return (int32_t)value;
	default: return (int64_t)value;
	}
}

/* Bits that do not fit are dropped, as every reader does.  *bits: how many were told. */
static uint64_t leb(struct cfi_cursor *cursor, unsigned *bits, bool *negative)
{
	uint64_t value = 0;
	uint8_t byte;
	*bits = 0;
	do {
		byte = (uint8_t)cfi_fixed(cursor, 1);
		if (*bits < 64)
			value |= (uint64_t)(byte & 0x7f) << *bits;
		*bits += 7;
	} while (byte & 0x80 && *bits < 1024);
	*negative = byte & 0x40;
	return value;
}

uint64_t cfi_uleb(struct cfi_cursor *cursor)
{
	unsigned bits;
	bool negative;
	return leb(cursor, &bits, &negative);
}

int64_t cfi_sleb(struct cfi_cursor *cursor)
{
	unsigned bits;
	bool negative;
	uint64_t value = leb(cursor, &bits, &negative);
	if (negative && bits < 64)
		value |= ~UINT64_C(0) << bits;
	return (int64_t)value;
}

uint64_t cfi_skip(struct cfi_cursor *cursor, uint64_t size)
{
	uint64_t at = cursor->at;
	if (cursor->bad || at > cursor->end || size > cursor->end - at) {
		cursor->bad = true;
		return at;
	}
	cursor->at += size;
	return at;
}

size_t cfi_pointer_size(uint8_t encoding)
{
	if (encoding == CFI_PE_OMIT || (encoding & CFI_PE_BASE) == BASE_ALIGNED)
		return 0;
	switch (encoding & CFI_PE_FORM) {
	case FORM_U2: case FORM_S2: return 2;
	case FORM_U4: case FORM_S4: return 4;
	case FORM_PLAIN: case FORM_SIGNED: case FORM_U8: case FORM_S8: return 8;
	default: return 0;
	}
}

static uint64_t read_form(struct cfi_cursor *cursor, uint8_t form)
{
	switch (form) {
	case FORM_PLAIN: case FORM_SIGNED: case FORM_U8: case FORM_S8: return cfi_fixed(cursor, 8);
	case FORM_ULEB: return cfi_uleb(cursor);
	case FORM_SLEB: return (uint64_t)cfi_sleb(cursor);
	case FORM_U2: return cfi_fixed(cursor, 2);
	case FORM_U4: return cfi_fixed(cursor, 4);
	case FORM_S2: return (uint64_t)cfi_fixed_signed(cursor, 2);
	case FORM_S4: return (uint64_t)cfi_fixed_signed(cursor, 4);
	default:
		cursor->bad = true;
		return 0;
	}
}

uint64_t cfi_pointer(struct cfi_cursor *cursor, uint8_t encoding, const struct cfi_bases *bases)
{
	uint64_t place, value;

	if (encoding == CFI_PE_OMIT) {
		cursor->bad = true;
		return 0;
	}
	if ((encoding & CFI_PE_BASE) == BASE_ALIGNED)
		cfi_skip(cursor, -cursor->at & 7);
	place = cursor->at;
	value = read_form(cursor, encoding & CFI_PE_FORM);
	switch (encoding & CFI_PE_BASE) {
	case BASE_NONE: case BASE_ALIGNED:
		break;
	case BASE_PLACE:
		value += place;
		break;
	case BASE_FUNCTION:
		value += bases->function;
		break;
	case BASE_DATA:
		value += bases->data;
		cursor->bad = cursor->bad || !bases->data;
		break;
	default:        /* of the text section: no linker for these CPUs writes it */
		cursor->bad = true;
	}
	if (encoding & CFI_PE_INDIRECT && !cursor->bad &&
	    elf_view_read(cursor->view, value, &value, sizeof value))
		cursor->bad = true;
	return cursor->bad ? 0 : value;
}
