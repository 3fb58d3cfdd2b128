/* SPDX-License-Identifier: MIT */
#include "elf/section.h"

#include <string.h>

#include "elf/table.h"

#define SECTIONS_MAX (1u << 20)
#define SYMBOLS_MAX (1u << 23)
#define STRINGS_MAX (1u << 30)

bool elf_section_is_in_file(const struct elf_file *file, const Elf64_Shdr *section)
{
	uint64_t end;

	return !__builtin_add_overflow(section->sh_offset, section->sh_size, &end) &&
	       end <= file->size;
}

int elf_section_read(struct elf_sections *sections, uint64_t index, Elf64_Shdr *section, struct err *err)
{
	return elf_table_read(&sections->view, sections->file->sections, index, section, sizeof *section,
			      "section header", err);
}

int elf_sections_open(struct elf_sections *sections, struct elf_file *file, struct err *err)
{
	Elf64_Shdr first;

	sections->file = file;
	sections->count = 0;
	elf_view_init(&sections->view, elf_offset_source(file), &file->image.bytes_read);
	if (!file->sections)
		return 0;
	if (elf_section_read(sections, 0, &first, err))
		return -1;
	/* More than 65279 sections: their number is in the first one. */
	uint64_t count = file->section_count ? file->section_count : first.sh_size;
	if (count > SECTIONS_MAX)
		return err_set(err, ERR_FAILED, 0, "malformed ELF: %llu sections", (unsigned long long)count);
	sections->count = count;
	return 0;
}

static int read_names(struct elf_sections *sections, Elf64_Shdr *names, struct err *err)
{
	Elf64_Shdr first;
	uint64_t index = sections->file->section_names;

	if (index == SHN_XINDEX) {
		if (elf_section_read(sections, 0, &first, err))
			return -1;
		index = first.sh_link;
	}
	if (index >= sections->count)
		return err_set(err, ERR_FAILED, 0, "malformed ELF: the names of its sections are in section %llu",
			       (unsigned long long)index);
	return elf_section_read(sections, index, names, err);
}

int elf_section_find(struct elf_sections *sections, const char *name, Elf64_Shdr *section, struct err *err)
{
	Elf64_Shdr names;
	size_t size = strlen(name) + 1;

	if (!sections->count || !sections->file->section_names)
		return 0;
	if (read_names(sections, &names, err))
		return -1;
	if (!elf_section_is_in_file(sections->file, &names))
		return err_set(err, ERR_FAILED, 0, "malformed ELF: the names of its sections are not in the file");
	for (uint64_t i = 1; i < sections->count; i++) {
		if (elf_section_read(sections, i, section, err))
			return -1;
		if (section->sh_name < names.sh_size && size <= names.sh_size - section->sh_name &&
		    elf_view_equal(&sections->view, names.sh_offset + section->sh_name, name, size) == 1)
			return 1;
	}
	return 0;
}

static int keep(struct elf_symtab *symtab, const Elf64_Shdr *section, struct err *err)
{
	const struct elf_file *file = symtab->sections.file;
	Elf64_Shdr strings;

	if (section->sh_link >= symtab->sections.count || section->sh_entsize != sizeof(Elf64_Sym))
		return err_set(err, ERR_FAILED, 0, "malformed ELF: a bad .symtab header");
	if (elf_section_read(&symtab->sections, section->sh_link, &strings, err))
		return -1;
	if (strings.sh_type != SHT_STRTAB || !elf_section_is_in_file(file, section) ||
	    !elf_section_is_in_file(file, &strings))
		return err_set(err, ERR_FAILED, 0, "malformed ELF: .symtab is not in the file");
	symtab->symbols = section->sh_offset;
	symtab->count = section->sh_size / sizeof(Elf64_Sym);
	symtab->strings = strings.sh_offset;
	symtab->strings_size = strings.sh_size;
	if (symtab->count > SYMBOLS_MAX || symtab->strings_size > STRINGS_MAX)
		return err_set(err, ERR_FAILED, 0, ".symtab is too large: %llu symbols, %llu bytes of names",
			       (unsigned long long)symtab->count, (unsigned long long)symtab->strings_size);
	return 1;
}

int elf_symtab_open(struct elf_symtab *symtab, struct elf_file *file, struct err *err)
{
	Elf64_Shdr section;

	if (elf_sections_open(&symtab->sections, file, err))
		return -1;
	for (uint64_t i = 1; i < symtab->sections.count; i++) {
		if (elf_section_read(&symtab->sections, i, &section, err))
			return -1;
		if (section.sh_type == SHT_SYMTAB)
			return keep(symtab, &section, err);
	}
	return 0;
}
