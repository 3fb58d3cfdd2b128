/* SPDX-License-Identifier: MIT */
#include "elf/headers.h"

#include <string.h>

#include "elf/file.h"

static int check_type(const Elf64_Ehdr *ehdr, struct err *err)
{
	switch (ehdr->e_type) {
	case ET_EXEC:
	case ET_DYN:
		return 0;
	case ET_REL:
		return err_set(err, ERR_FAILED, 0,
			       "it is a relocatable object (.o), not a program or shared library");
	case ET_CORE:
		return err_set(err, ERR_FAILED, 0,
			       "it is a core dump, not a program or shared library");
	default:
		return err_set(err, ERR_FAILED, 0, "ELF type %u is neither program nor shared library",
			       ehdr->e_type);
	}
}

static int check_ident(const Elf64_Ehdr *ehdr, struct err *err)
{
	char name[32];

	if (memcmp(ehdr->e_ident, ELFMAG, SELFMAG) != 0)
		return err_set(err, ERR_FAILED, 0, "it is not an ELF image");
	if (ehdr->e_ident[EI_DATA] == ELFDATA2MSB)
		return err_set(err, ERR_FAILED, 0, "it is big-endian, only little-endian is supported");
	if (ehdr->e_ident[EI_DATA] != ELFDATA2LSB)
		return err_set(err, ERR_FAILED, 0, "malformed ELF: byte order %u",
			       ehdr->e_ident[EI_DATA]);
	/* e_machine is at the same place in both classes. */
	if (ehdr->e_ident[EI_CLASS] == ELFCLASS32)
		return err_set(err, ERR_FAILED, 0, "it is 32-bit (%s), only 64-bit is supported",
			       elf_machine_name(ehdr->e_machine, name, sizeof name));
	if (ehdr->e_ident[EI_CLASS] != ELFCLASS64)
		return err_set(err, ERR_FAILED, 0, "malformed ELF: class %u",
			       ehdr->e_ident[EI_CLASS]);
	return 0;
}

int elf_headers_read(struct elf_view *view, uint64_t at, struct elf_headers *headers,
		     struct err *err)
{
	Elf64_Ehdr *ehdr = &headers->ehdr;
	uint64_t table;

	/* A file shorter than a 64-bit header may still say what it is. */
	memset(ehdr, 0, sizeof *ehdr);
	if (elf_view_read(view, at, ehdr, sizeof(Elf32_Ehdr)))
		return err_set(err, ERR_FAILED, 0, "it is too short for an ELF header, or unreadable");
	if (check_ident(ehdr, err))
		return -1;
	if (elf_view_read(view, at, ehdr, sizeof *ehdr))
		return err_set(err, ERR_FAILED, 0, "the ELF header cannot be read");
	if (check_type(ehdr, err))
		return -1;
	if (ehdr->e_phentsize != sizeof(Elf64_Phdr) || ehdr->e_phnum == 0)
		return err_set(err, ERR_FAILED, 0, "malformed ELF: %u program headers of %u bytes",
			       ehdr->e_phnum, ehdr->e_phentsize);
	if (ehdr->e_phnum > ELF_SEGMENTS_MAX)
		return err_set(err, ERR_FAILED, 0, "%u program headers, at most %u are supported",
			       ehdr->e_phnum, ELF_SEGMENTS_MAX);
	headers->count = ehdr->e_phnum;
	if (__builtin_add_overflow(at, ehdr->e_phoff, &table) ||
	    elf_view_read(view, table, headers->phdr, headers->count * sizeof headers->phdr[0]))
		return err_set(err, ERR_FAILED, 0, "the program headers at offset %#llx cannot be read",
			       (unsigned long long)ehdr->e_phoff);
	return 0;
}

/* Segments without bytes in the file (bss, or all of a debug file) have
 * arbitrary offsets, and count only where there are no others. */
static bool is_nearer(const Elf64_Phdr *a, const Elf64_Phdr *b)
{
	if (!a->p_filesz != !b->p_filesz)
		return a->p_filesz != 0;
	if (a->p_offset != b->p_offset)
		return a->p_offset < b->p_offset;
	return a->p_vaddr < b->p_vaddr;
}

uint64_t elf_headers_vaddr(const struct elf_headers *headers)
{
	const Elf64_Phdr *nearest = NULL;

	for (size_t i = 0; i < headers->count; i++) {
		const Elf64_Phdr *phdr = &headers->phdr[i];
		if (phdr->p_type == PT_LOAD && (!nearest || is_nearer(phdr, nearest)))
			nearest = phdr;
	}
	return nearest ? nearest->p_vaddr - nearest->p_offset : 0;
}
