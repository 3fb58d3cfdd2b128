/* SPDX-License-Identifier: MIT */
/*
 * What an ELF image says, wherever its bytes are: in a process, in a file, in
 * a buffer.  Nothing here knows of processes.  Only what a lookup needs is
 * read, so that cost does not grow with the size of the library.  Every number
 * that is read is hostile until checked; loops are bounded by what was read.
 */
#ifndef ROCLATCH_ELF_IMAGE_H
#define ROCLATCH_ELF_IMAGE_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "elf/err.h"

/* Where bytes come from.  read() gives all of `size` bytes at run-time address
 * `addr` and returns 0, or gives nothing and returns -1. */
struct elf_source {
	int (*read)(void *ctx, uint64_t addr, void *buf, size_t size);
	void *ctx;
};

#define ELF_BUILD_ID_MAX 64
#define ELF_NAME_MAX 256

struct elf_image {
	struct elf_source source;
	uint64_t header;        /* run-time address of the ELF header */
	uint64_t bias;          /* run-time address - virtual address in the file */
	uint64_t low, high;     /* run-time extent of the PT_LOAD segments */
	uint16_t machine;       /* e_machine */
	uint16_t type;          /* ET_EXEC or ET_DYN */
	uint64_t dynamic;       /* run-time address of PT_DYNAMIC, 0 if none */
	bool has_interp;
	bool wants_exec_stack;  /* PT_GNU_STACK with PF_X, or none of it where the CPU is taken to want that */
	bool bti_or_ibt;        /* .note.gnu.property says that branch targets are marked */

	/* from PT_DYNAMIC, as run-time addresses; 0 where absent */
	uint64_t symtab, strtab, strtab_size;
	uint64_t gnu_hash, sysv_hash;
	uint64_t versym, verdef, verdef_count;
	uint64_t flags_1;       /* DF_1_PIE, DF_1_NOOPEN, ... */
	char soname[ELF_NAME_MAX];

	size_t build_id_size;
	uint8_t build_id[ELF_BUILD_ID_MAX];

	uint64_t bytes_read;    /* how much was asked of the source so far */
};

/* Read headers, the dynamic section and notes of the image whose ELF header is
 * at `header`.  0, or -1 with err (ERR_FAILED: malformed or unreadable). */
int elf_image_open(struct elf_image *image, struct elf_source source,
		   uint64_t header, struct err *err);

struct elf_symbol {
	uint64_t addr;          /* run-time address (of the resolver, if ifunc); for
				 * STT_TLS the offset in the module's TLS block */
	uint64_t size;
	uint8_t type, bind;     /* STT_*, STB_* */
	bool ifunc;             /* addr is a resolver that must be called to learn the address */
	char version[64];       /* "GLIBC_2.34", or "" */
};

/* Find a defined dynamic symbol: "NAME" (its default version; as with dlsym, a
 * name that has hidden versions only is not there), "NAME@VERSION" (that one,
 * default or hidden) or "NAME@@VERSION" (that one if it is the default).  By
 * DT_GNU_HASH, else DT_HASH, else a bounded scan.  Returns 1 found, 0 not
 * there, -1 malformed (err). */
int elf_symbol_find(struct elf_image *image, const char *name,
		    struct elf_symbol *symbol, struct err *err);

/* The dynamic function symbol that covers `addr`, for reports: its name (cut
 * to name_size - 1) and the offset in it.  A function without a size covers its
 * first byte.  Returns 1 found, 0 none, -1 malformed. */
int elf_symbol_at(struct elf_image *image, uint64_t addr, char *name, size_t name_size,
		  uint64_t *offset, struct err *err);

/* "0a1b2c..." into text (2 * ELF_BUILD_ID_MAX + 1 bytes are always enough). */
void elf_build_id_text(const struct elf_image *image, char *text, size_t size);

/* Does a library known by path (and soname, may be "" or NULL) answer to the
 * name that the user gave: whole path, basename, soname, or any of these
 * without the version behind ".so", or its last parts ("libx.so" and "libx.so.0"
 * match "libx.so.0.6.0" but not "libx-y.so"; "libc.so.6" does not match
 * "libc.so.60")? */
bool elf_name_matches(const char *asked, const char *path, const char *soname);

#endif
