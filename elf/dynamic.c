/* SPDX-License-Identifier: MIT */
/*
 * PT_DYNAMIC.  Its addresses are virtual ones in the file; glibc turns most of
 * them into run-time addresses in place (not DT_VERDEF, and none where the
 * section is read-only), musl and the vdso leave all as they are.  So each
 * value is judged by itself.
 */
#include <string.h>

#include "elf/headers.h"

#define DYNAMIC_ENTRIES_MAX 4096

struct dynamic {
	uint64_t symtab, strtab, strsz, syment;
	uint64_t gnu_hash, hash, versym, verdef, verdefnum;
	uint64_t soname, flags_1;
	bool has_soname;
};

static void note_entry(struct dynamic *dynamic, const Elf64_Dyn *entry)
{
	uint64_t value = entry->d_un.d_val;

	switch (entry->d_tag) {
	case DT_SYMTAB: dynamic->symtab = value; break;
	case DT_STRTAB: dynamic->strtab = value; break;
	case DT_STRSZ: dynamic->strsz = value; break;
	case DT_SYMENT: dynamic->syment = value; break;
	case DT_GNU_HASH: dynamic->gnu_hash = value; break;
	case DT_HASH: dynamic->hash = value; break;
	case DT_VERSYM: dynamic->versym = value; break;
	case DT_VERDEF: dynamic->verdef = value; break;
	case DT_VERDEFNUM: dynamic->verdefnum = value; break;
	case DT_SONAME: dynamic->soname = value; dynamic->has_soname = true; break;
	case DT_FLAGS_1: dynamic->flags_1 = value; break;
	default: break;
	}
}

static bool is_inside(const struct elf_image *image, uint64_t addr)
{
	return addr >= image->low && addr < image->high;
}

/* Does the table that the tag means begin like this? */
static bool looks_right(struct elf_view *view, int64_t tag, uint64_t addr)
{
	static const Elf64_Sym none;
	Elf64_Sym sym[2];
	Elf64_Verdef verdef;
	uint32_t word[4];
	char text[2];

	switch (tag) {
	case DT_SYMTAB:
		return !elf_view_read(view, addr, sym, sizeof sym) &&
		       memcmp(&sym[0], &none, sizeof none) == 0 &&
		       memcmp(&sym[1], &none, sizeof none) != 0;
	case DT_STRTAB:
		return !elf_view_read(view, addr, text, sizeof text) && !text[0] && text[1];
	case DT_VERDEF:
		return !elf_view_read(view, addr, &verdef, sizeof verdef) &&
		       verdef.vd_version == VER_DEF_CURRENT && verdef.vd_ndx == VER_NDX_GLOBAL &&
		       verdef.vd_cnt == 1;
	case DT_GNU_HASH:
		return !elf_view_read(view, addr, word, sizeof word) && word[0] && word[2] &&
		       (word[2] & (word[2] - 1)) == 0 && word[3] < 64;
	default:
		return !elf_view_read(view, addr, word, sizeof word) && word[0] && word[1];
	}
}

/* The run-time address for a value.  Both readings can lie inside an image
 * that was moved by less than its size; then its contents decide. */
static int resolve(struct elf_image *image, struct elf_view *view, int64_t tag,
		   uint64_t value, uint64_t *addr, struct err *err)
{
	uint64_t moved = value + image->bias;

	if (value == 0)
		return 0;
	if (value != moved && is_inside(image, value) && is_inside(image, moved))
		*addr = looks_right(view, tag, moved) && !looks_right(view, tag, value) ? moved : value;
	else if (is_inside(image, value))
		*addr = value;
	else if (is_inside(image, moved))
		*addr = moved;
	else
		return err_set(err, ERR_FAILED, 0,
			       "malformed ELF: dynamic entry %#llx points outside the image (%#llx)",
			       (unsigned long long)tag, (unsigned long long)value);
	return 0;
}

/* Numbers of versions look like anything; but no loader relocates DT_SYMTAB
 * and not DT_VERSYM. */
static int resolve_versym(struct elf_image *image, struct elf_view *view,
			  const struct dynamic *dynamic, struct err *err)
{
	bool moved = image->symtab != dynamic->symtab;
	uint64_t addr = dynamic->versym + (moved ? image->bias : 0);

	if (dynamic->versym && image->symtab && is_inside(image, addr)) {
		image->versym = addr;
		return 0;
	}
	return resolve(image, view, DT_VERSYM, dynamic->versym, &image->versym, err);
}

static int resolve_all(struct elf_image *image, struct elf_view *view,
		       const struct dynamic *dynamic, struct err *err)
{
	if (resolve(image, view, DT_SYMTAB, dynamic->symtab, &image->symtab, err) ||
	    resolve(image, view, DT_STRTAB, dynamic->strtab, &image->strtab, err) ||
	    resolve(image, view, DT_GNU_HASH, dynamic->gnu_hash, &image->gnu_hash, err) ||
	    resolve(image, view, DT_HASH, dynamic->hash, &image->sysv_hash, err) ||
	    resolve_versym(image, view, dynamic, err) ||
	    resolve(image, view, DT_VERDEF, dynamic->verdef, &image->verdef, err))
		return -1;

	image->verdef_count = dynamic->verdefnum;
	image->flags_1 = dynamic->flags_1;
	if (image->strtab) {
		uint64_t room = image->high - image->strtab;
		bool fits = dynamic->strsz && dynamic->strsz <= room;
		image->strtab_size = fits ? dynamic->strsz : room;
	}
	/* A soname that cannot be read is none; the path still names the image. */
	if (dynamic->has_soname && dynamic->soname < image->strtab_size)
		elf_view_text(view, image->strtab + dynamic->soname,
			      image->strtab_size - dynamic->soname,
			      image->soname, sizeof image->soname);
	return 0;
}

int elf_dynamic_read(struct elf_image *image, struct elf_view *view, const Elf64_Phdr *phdr,
		     struct err *err)
{
	struct dynamic dynamic;
	uint64_t addr = phdr->p_vaddr + image->bias;
	uint64_t size = phdr->p_filesz < phdr->p_memsz ? phdr->p_filesz : phdr->p_memsz;
	uint64_t count = size / sizeof(Elf64_Dyn);

	memset(&dynamic, 0, sizeof dynamic);
	if (!is_inside(image, addr))
		return err_set(err, ERR_FAILED, 0,
			       "malformed ELF: the dynamic section lies outside the image");
	image->dynamic = addr;
	if (count > DYNAMIC_ENTRIES_MAX)
		count = DYNAMIC_ENTRIES_MAX;
	for (uint64_t i = 0; i < count; i++) {
		Elf64_Dyn entry;
		if (elf_view_read(view, addr + i * sizeof entry, &entry, sizeof entry))
			return err_set(err, ERR_FAILED, 0, "the dynamic section cannot be read");
		if (entry.d_tag == DT_NULL)
			break;
		note_entry(&dynamic, &entry);
	}
	if (dynamic.syment && dynamic.syment != sizeof(Elf64_Sym))
		return err_set(err, ERR_FAILED, 0, "malformed ELF: symbols of %llu bytes",
			       (unsigned long long)dynamic.syment);
	return resolve_all(image, view, &dynamic, err);
}
