/* SPDX-License-Identifier: MIT */
#include "elf/cfi_entry.h"

/* The last entry of .eh_frame_hdr's table that begins at or before pc. */
static int search_table(const struct cfi *cfi, struct elf_view *view, uint64_t pc, uint64_t *entry, struct err *err)
{
	struct cfi_bases bases = { .data = cfi->header };
	size_t size = cfi_pointer_size(cfi->table_encoding);
	uint64_t low = 0, high = cfi->entries, end = cfi->table + cfi->entries * 2 * size;

	*entry = 0;
	while (low < high) {
		uint64_t middle = low + (high - low) / 2;
		struct cfi_cursor c = { .view = view, .at = cfi->table + middle * 2 * size, .end = end };
		uint64_t start = cfi_pointer(&c, cfi->table_encoding, &bases);
		uint64_t fde = cfi_pointer(&c, cfi->table_encoding, &bases);
		if (c.bad)
			return err_set(err, ERR_FAILED, 0, "the table of .eh_frame_hdr cannot be read");
		if (start <= pc) {
			*entry = fde;
			low = middle + 1;
		} else {
			high = middle;
		}
	}
	return *entry != 0;
}

static int search_index(struct cfi *cfi, const struct cfi_section *section, uint64_t pc, uint64_t *entry,
			struct err *err)
{
	struct cfi_index **index = section->is_debug ? &cfi->debug_index : &cfi->eh_index;

	if (!*index)
		*index = cfi_index_build(section, &cfi->image->bytes_read, err);
	if (!*index)
		return -1;
	return cfi_index_find(*index, pc, entry);
}

int cfi_find(struct cfi *cfi, struct elf_view *view, const struct cfi_section *section, uint64_t pc,
	     struct cfi_fde *fde, struct err *err)
{
	struct cfi_head head;
	uint64_t entry;
	int found = !section->is_debug && cfi->table ? search_table(cfi, view, pc, &entry, err) :
						       search_index(cfi, section, pc, &entry, err);
	if (found != 1)
		return found;
	fde->cie.at = 0;
	found = cfi_head_read(view, section, entry, &head, err);
	if (found == 0)
		return err_set(err, ERR_FAILED, 0, "malformed unwind table: an entry is not there");
	if (found < 0 || cfi_fde_read(view, section, &head, fde, err))
		return -1;
	return pc >= fde->start && pc < fde->end;
}
