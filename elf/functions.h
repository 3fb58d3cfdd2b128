/* SPDX-License-Identifier: MIT */
/*
 * The functions of an image in order of address, for naming many addresses: from .dynsym, .symtab,
 * the small table in .gnu_debugdata (xz), and a separate debug file.  Built once for each image;
 * a lookup is a binary search.
 */
#ifndef ROCLATCH_ELF_FUNCTIONS_H
#define ROCLATCH_ELF_FUNCTIONS_H

#include "elf/file.h"

struct function {
	uint64_t start;         /* virtual address in the file */
	uint64_t size;          /* 0: reaches to the next one, or the end of its section */
	uint32_t name;          /* offset in names */
	uint8_t rank;           /* enum elf_rank, and whether it has a size: the better of two at one place */
};

struct functions {
	struct function *v;
	size_t n, room;
	char *names;
	size_t names_size, names_room;
	bool sorted;
};

/* Each adds what it finds; 0, also if there is nothing, or -1 (err): malformed, or no memory. */
int functions_add_dynamic(struct functions *functions, struct elf_image *image, struct err *err);
int functions_add_file(struct functions *functions, struct elf_file *file, struct err *err);     /* .symtab, .gnu_debugdata */

/* The name of the function that covers vaddr, as it is in the table (mangled), and the offset in it;
 * NULL if none does.  Sorts at the first call. */
const char *functions_at(struct functions *functions, uint64_t vaddr, uint64_t *offset);
void functions_free(struct functions *functions);

#endif
