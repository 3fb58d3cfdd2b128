/* SPDX-License-Identifier: MIT */
/*
 * What elf/ says of a file, in words that readelf uses too.
 * elf_lookup FILE: for each line NAME, NAME@VERSION or NAME@@VERSION
 *	QUESTION VALUE SIZE TYPE BIND VERSION
 *	QUESTION none
 *	QUESTION error: TEXT
 * elf_lookup FILE --symtab: the same from .symtab.
 * elf_lookup FILE --at: for each line VADDR (hexadecimal)
 *	VADDR OFFSET NAME
 * elf_lookup FILE --about: soname and build id.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "elf/file.h"

static const char *type_name(uint8_t type)
{
	switch (type) {
	case STT_NOTYPE: return "NOTYPE";
	case STT_OBJECT: return "OBJECT";
	case STT_FUNC: return "FUNC";
	case STT_COMMON: return "COMMON";
	case STT_TLS: return "TLS";
	case STT_GNU_IFUNC: return "IFUNC";
	default: return "?";
	}
}

static const char *bind_name(uint8_t bind)
{
	switch (bind) {
	case STB_LOCAL: return "LOCAL";
	case STB_GLOBAL: return "GLOBAL";
	case STB_WEAK: return "WEAK";
	case STB_GNU_UNIQUE: return "UNIQUE";
	default: return "?";
	}
}

static void find(struct elf_file *file, const char *question, bool symtab)
{
	struct elf_symbol symbol;
	struct err err;
	int found = symtab ? elf_file_symbol_find(file, question, &symbol, &err) :
			     elf_symbol_find(&file->image, question, &symbol, &err);

	if (found == 1)
		printf(symbol.size > 99999 ? "%s %016llx 0x%llx %s %s %s\n" : "%s %016llx %llu %s %s %s\n",
		       question, (unsigned long long)symbol.addr, (unsigned long long)symbol.size,
		       type_name(symbol.type), bind_name(symbol.bind),
		       symbol.version[0] ? symbol.version : "-");
	else if (found == 0)
		printf("%s none\n", question);
	else
		printf("%s error: %s\n", question, err.text);
}

static void find_at(struct elf_file *file, const char *question)
{
	char name[8192];
	uint64_t offset;
	struct err err;
	int found = elf_symbol_at(&file->image, strtoull(question, NULL, 16), name, sizeof name,
				  &offset, &err);

	if (found == 1)
		printf("%s %llu %s\n", question, (unsigned long long)offset, name);
	else
		printf("%s %s\n", question, found ? err.text : "none");
}

static void about(const struct elf_image *image)
{
	char id[2 * ELF_BUILD_ID_MAX + 1];

	elf_build_id_text(image, id, sizeof id);
	printf("soname %s\nbuild-id %s\n", image->soname, id);
}

int main(int argc, char **argv)
{
	const char *mode = argc > 2 ? argv[2] : "";
	struct elf_file file;
	struct err err;
	char line[8192];

	int fd = argc > 1 ? open(argv[1], O_RDONLY | O_CLOEXEC) : -1;
	if (fd < 0) {
		fprintf(stderr, "usage: elf_lookup FILE [--at|--symtab|--about]\n");
		return 2;
	}
	if (elf_file_open(&file, fd, &err)) {
		fprintf(stderr, "%s: %s\n", argv[1], err.text);
		return 1;
	}
	if (strcmp(mode, "--about") == 0)
		about(&file.image);
	else while (fgets(line, sizeof line, stdin)) {
		line[strcspn(line, "\n")] = '\0';
		if (strcmp(mode, "--at") == 0)
			find_at(&file, line);
		else
			find(&file, line, strcmp(mode, "--symtab") == 0);
	}
	return 0;
}
