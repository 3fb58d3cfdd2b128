/* SPDX-License-Identifier: MIT */
#include "elf/version.h"

int elf_version_entry(struct elf_image *image, struct elf_view *view, uint64_t index,
		      uint16_t *entry, struct err *err)
{
	uint64_t addr;

	*entry = VER_NDX_GLOBAL;
	if (!image->versym)
		return 0;
	if (__builtin_mul_overflow(index, sizeof *entry, &addr) ||
	    __builtin_add_overflow(addr, image->versym, &addr) ||
	    elf_view_read(view, addr, entry, sizeof *entry))
		return err_set(err, ERR_FAILED, 0, "the version of symbol %llu cannot be read",
			       (unsigned long long)index);
	return 0;
}

/* The first auxiliary entry names the version, the others its parents. */
static int read_name(struct elf_image *image, struct elf_view *view, uint64_t addr,
		     const Elf64_Verdef *verdef, uint64_t *offset, struct err *err)
{
	Elf64_Verdaux aux;

	if (verdef->vd_cnt == 0)
		return 0;
	if (__builtin_add_overflow(addr, verdef->vd_aux, &addr) ||
	    elf_view_read(view, addr, &aux, sizeof aux))
		return err_set(err, ERR_FAILED, 0, "the name of version %u cannot be read",
			       verdef->vd_ndx);
	if (aux.vda_name >= image->strtab_size)
		return err_set(err, ERR_FAILED, 0,
			       "malformed ELF: the name of version %u is outside the string table",
			       verdef->vd_ndx);
	*offset = aux.vda_name;
	return 1;
}

int elf_version_name(struct elf_image *image, struct elf_view *view, uint16_t entry,
		     uint64_t *offset, struct err *err)
{
	uint64_t addr = image->verdef;
	uint64_t count = image->verdef_count;
	uint16_t index = entry & ELF_VERSION_INDEX;

	if (index <= VER_NDX_GLOBAL || !image->verdef)
		return 0;
	if (count > ELF_VERSION_INDEX)
		count = ELF_VERSION_INDEX;
	for (uint64_t i = 0; i < count; i++) {
		Elf64_Verdef verdef;
		if (elf_view_read(view, addr, &verdef, sizeof verdef))
			return err_set(err, ERR_FAILED, 0, "the version definitions cannot be read");
		if (verdef.vd_version != VER_DEF_CURRENT)
			return err_set(err, ERR_FAILED, 0,
				       "malformed ELF: version definitions of format %u",
				       verdef.vd_version);
		if ((verdef.vd_ndx & ELF_VERSION_INDEX) == index)
			return read_name(image, view, addr, &verdef, offset, err);
		if (verdef.vd_next == 0)
			return 0;
		if (__builtin_add_overflow(addr, verdef.vd_next, &addr))
			return err_set(err, ERR_FAILED, 0,
				       "malformed ELF: version definitions wrap around");
	}
	return 0;
}
