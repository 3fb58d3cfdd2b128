/* SPDX-License-Identifier: MIT */
/*
 * The functions of an image in order of address, for naming many addresses: from .dynsym, .symtab,
 * the small table in .gnu_debugdata (xz), and a separate debug file.  Built once for each image;
 * a lookup is a binary search.
 */
#ifndef ROCLATCH_ELF_FUNCTIONS_H
#define ROCLATCH_ELF_FUNCTIONS_H

#include "elf/file.h"

/* Which of several at one place is better: enum elf_rank, and above it */
#define FUNCTION_TYPED 4        /* its symbol says that it is a function; else a label in assembler code */
#define FUNCTION_SIZED 8        /* its symbol says how long it is */

struct function {
	uint64_t start;         /* virtual address in the file */
	uint64_t size;          /* not FUNCTION_SIZED: as far as it may reach, cut at the next one */
	uint32_t name;          /* offset in names */
	uint8_t rank;
};

struct functions {
	struct function *v;
	size_t n, room;
	char *names;
	size_t names_size, names_room;
	bool sorted;            /* and of several at one start the best alone is left */
	bool whole;             /* a .symtab was among them, which names all functions */
	bool last_counts;       /* of several at one start the last that was added is the best */
};

/* Each adds what it finds; 0, also if there is nothing, or -1 (err): malformed, or no memory. */
int functions_add_dynamic(struct functions *functions, struct elf_image *image, struct err *err);
int functions_add_file(struct functions *functions, struct elf_file *file, struct err *err);     /* .symtab, .gnu_debugdata */

/* For other tables: room for `size` more bytes of names and a NUL, whose offset is *offset (NULL: no
 * memory); and one function, whose name is there. */
char *functions_names(struct functions *functions, size_t size, uint32_t *offset, struct err *err);
int functions_add(struct functions *functions, const struct function *function, struct err *err);

/* The function that covers vaddr; NULL if none does.  Sorts at the first call. */
const struct function *functions_find(struct functions *functions, uint64_t vaddr);
/* Its name, as it is in the table (mangled), and the offset in it. */
const char *functions_at(struct functions *functions, uint64_t vaddr, uint64_t *offset);
void functions_free(struct functions *functions);

#endif
