/* SPDX-License-Identifier: MIT */
/* A file as a source whose addresses are offsets in the file. */
#ifndef ROCLATCH_ELF_OFFSET_H
#define ROCLATCH_ELF_OFFSET_H

#include "elf/file.h"

/* For struct elf_source; ctx is the struct elf_file. */
int elf_offset_read(void *ctx, uint64_t offset, void *buf, size_t size);

static inline struct elf_source elf_offset_source(struct elf_file *file)
{
	return (struct elf_source){ .read = elf_offset_read, .ctx = file };
}

#endif
