/* SPDX-License-Identifier: MIT */
/* The dynamic symbol table as an array, and how long it is. */
#ifndef ROCLATCH_ELF_TABLE_H
#define ROCLATCH_ELF_TABLE_H

#include "elf/view.h"

/* More dynamic symbols than any library has; bounds what a hostile one costs. */
#define ELF_TABLE_MAX (1u << 22)

/* Element `index` of an array of `size`-byte elements.  0, or -1 with err. */
int elf_table_read(struct elf_view *view, uint64_t array, uint64_t index, void *element,
		   size_t size, const char *what, struct err *err);

/* How many dynamic symbols there are: from DT_HASH, DT_GNU_HASH, or what lies
 * behind the table; then *guessed is true and the scan must stop at the first
 * entry whose name is outside the string table.  0, or -1 with err. */
int elf_table_count(struct elf_image *image, struct elf_view *view, uint64_t *count,
		    bool *guessed, struct err *err);

/* The header of DT_GNU_HASH and where its parts are. */
struct elf_gnu_hash {
	uint32_t buckets, first, bloom_words, bloom_shift;
	uint64_t bloom, bucket, chain;  /* addresses */
};
int elf_gnu_hash_read(struct elf_image *image, struct elf_view *view,
		      struct elf_gnu_hash *hash, struct err *err);

#endif
