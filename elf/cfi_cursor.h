/* SPDX-License-Identifier: MIT */
/* Reading numbers one behind the other out of an unwind table. */
#ifndef ROCLATCH_ELF_CFI_CURSOR_H
#define ROCLATCH_ELF_CFI_CURSOR_H

#include "elf/view.h"

struct cfi_cursor {
	struct elf_view *view;
	uint64_t at, end;
	bool bad;               /* something was not there: what is read from then on is 0 */
};

uint64_t cfi_fixed(struct cfi_cursor *cursor, size_t size);     /* 1, 2, 4 or 8 bytes, unsigned */
int64_t cfi_fixed_signed(struct cfi_cursor *cursor, size_t size);
uint64_t cfi_uleb(struct cfi_cursor *cursor);
int64_t cfi_sleb(struct cfi_cursor *cursor);
/* Pass over bytes; what they are called has its beginning returned. */
uint64_t cfi_skip(struct cfi_cursor *cursor, uint64_t size);

/* DW_EH_PE_* (Linux Standard Base, DWARF extensions): how a pointer is written. */
#define CFI_PE_OMIT 0xff
#define CFI_PE_FORM 0x0f
#define CFI_PE_BASE 0x70
#define CFI_PE_INDIRECT 0x80

/* What pointers may be relative to, besides their own place. */
struct cfi_bases {
	uint64_t data;          /* .eh_frame_hdr; 0: none */
	uint64_t function;
};

/* A pointer; bad if its encoding has no meaning here. */
uint64_t cfi_pointer(struct cfi_cursor *cursor, uint8_t encoding, const struct cfi_bases *bases);
/* The number of bytes of one; 0 if that is not always the same. */
size_t cfi_pointer_size(uint8_t encoding);

#endif
