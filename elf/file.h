/* SPDX-License-Identifier: MIT */
/* An ELF file on disk, read as if it were mapped: virtual addresses become
 * file offsets by PT_LOAD.  pread only, never mmap: the file may shrink. */
#ifndef ROCLATCH_ELF_FILE_H
#define ROCLATCH_ELF_FILE_H

#include "elf/image.h"

#define ELF_FILE_SEGMENTS_MAX 64

struct elf_file {
	int fd;                 /* owned by the caller */
	uint64_t size;
	size_t segments;
	struct elf_segment { uint64_t vaddr, offset, size; } segment[ELF_FILE_SEGMENTS_MAX];
	uint64_t sections;      /* offset of the section headers, 0 if none */
	uint64_t section_count;
	uint32_t section_names; /* which of them holds the names of sections, 0 if none */
	struct elf_image image; /* addresses are the file's virtual addresses; bias 0 */
};

/* Look at the file behind fd, which stays where it is as long as the image is
 * used (the image's source points to it).  0, or -1 (ERR_FAILED: not ELF, malformed, or of
 * another byte order or class; the text says which, in words). */
int elf_file_open(struct elf_file *file, int fd, struct err *err);

/* The same for a file that is to be read by its section headers alone: a debug file, whose program
 * headers may speak of bytes that are in the other file only.  Of the image, machine, type, bias and
 * build id are told; segments are not. */
int elf_file_open_debug(struct elf_file *file, int fd, struct err *err);

/* "x86_64", "aarch64", "i386", "arm", "riscv", ..., or "machine 0x1234". */
const char *elf_machine_name(uint16_t machine, char *buf, size_t size);

/* Could a process of CPU `machine` load this file with dlopen?  A shared
 * object, right CPU, 64-bit, no executable stack wanted.  0, or -1 with
 * ERR_NOT_POSSIBLE, reason and remedy. */
int elf_file_loadable(const struct elf_file *file, uint16_t machine, struct err *err);

/* Find a function in .symtab by section headers, for what the dynamic table
 * does not name (static programs, hidden functions).  As elf_symbol_find;
 * local symbols of the same name at different addresses are -1 "ambiguous".
 * addr is the file's virtual address. */
int elf_file_symbol_find(struct elf_file *file, const char *name,
			 struct elf_symbol *symbol, struct err *err);

/* As elf_symbol_at, but in .symtab. */
int elf_file_symbol_at(struct elf_file *file, uint64_t vaddr, char *name, size_t name_size,
		       uint64_t *offset, struct err *err);

#endif
