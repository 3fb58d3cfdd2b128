/* SPDX-License-Identifier: MIT */
/* What the two files of the builder share. */
#ifndef ROCLATCH_TESTS_ELF_BUILDER_PARTS_H
#define ROCLATCH_TESTS_ELF_BUILDER_PARTS_H

#include "elf_builder.h"

/* Where a byte of data[] is in the image and in the address space. */
uint64_t built_place(const struct built *b, size_t at);
uint64_t built_vaddr(const struct built *b, size_t at);

/* Append bytes (zeros if NULL); returns where they are. */
size_t built_put(struct built *b, const void *bytes, size_t size);
void built_align(struct built *b, size_t to);
/* Append a text; returns its offset in the string table at `table`. */
size_t built_put_text(struct built *b, size_t table, const char *text);

Elf64_Sym built_make_symbol(const struct built *b, const struct built_symbol *symbol, size_t name);

/* Symbols, strings, versions, hash tables and the dynamic section. */
void built_put_tables(struct built *b);

#endif
