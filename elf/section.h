/* SPDX-License-Identifier: MIT */
/* The section headers of a file. */
#ifndef ROCLATCH_ELF_SECTION_H
#define ROCLATCH_ELF_SECTION_H

#include "elf/offset.h"
#include "elf/view.h"

struct elf_sections {
	struct elf_file *file;
	struct elf_view view;           /* of file offsets */
	uint64_t count;                 /* 0: it has none */
};

/* 0, or -1 with err. */
int elf_sections_open(struct elf_sections *sections, struct elf_file *file, struct err *err);
int elf_section_read(struct elf_sections *sections, uint64_t index, Elf64_Shdr *section, struct err *err);
/* Is all of it in the file?  (Not for SHT_NOBITS.) */
bool elf_section_is_in_file(const struct elf_file *file, const Elf64_Shdr *section);
/* The first one of that name: 1, 0 none, -1 with err. */
int elf_section_find(struct elf_sections *sections, const char *name, Elf64_Shdr *section, struct err *err);

/* .symtab and its strings, as offsets in the file. */
struct elf_symtab {
	struct elf_sections sections;
	uint64_t symbols, count;
	uint64_t strings, strings_size;
};

/* 1 if there is a symbol table, 0 if the file is stripped, -1 with err. */
int elf_symtab_open(struct elf_symtab *symtab, struct elf_file *file, struct err *err);

#endif
