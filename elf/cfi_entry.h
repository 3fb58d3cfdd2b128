/* SPDX-License-Identifier: MIT */
/* The entries of .eh_frame and .debug_frame: what functions share (CIE) and what is of one (FDE). */
#ifndef ROCLATCH_ELF_CFI_ENTRY_H
#define ROCLATCH_ELF_CFI_ENTRY_H

#include "elf/cfi.h"
#include "elf/cfi_cursor.h"

/* One of the two tables, in addresses of its source. */
struct cfi_section {
	struct elf_source source;
	bool is_debug;          /* .debug_frame: addresses are offsets in the file */
	uint64_t start, end;
	uint64_t bias;          /* .debug_frame: from its addresses to run-time ones */
	uint64_t data;          /* base of pointers */
};
struct cfi_section cfi_eh_section(const struct cfi *cfi);
struct cfi_section cfi_debug_section(const struct cfi *cfi);

struct cfi_head {
	uint64_t body, end;     /* behind the id; end is where the next one begins */
	bool is_cie;
	uint64_t cie;           /* of an FDE: where its CIE is */
};

struct cfi_cie {
	uint64_t at;            /* 0: nothing here yet */
	bool has_data;          /* FDEs have a length and data before their instructions */
	bool signal_frame;
	uint8_t encoding;       /* of pointers in FDEs */
	uint64_t code_align;
	int64_t data_align;
	unsigned return_register;
	uint64_t program, end;
};

struct cfi_fde {
	struct cfi_cie cie;     /* is read only if another one is here */
	uint64_t start, end;
	uint64_t program, program_end;
};

/* 1; 0 where the table ends; -1 malformed. */
int cfi_head_read(struct elf_view *view, const struct cfi_section *section, uint64_t at,
		  struct cfi_head *head, struct err *err);
int cfi_fde_read(struct elf_view *view, const struct cfi_section *section, const struct cfi_head *head,
		 struct cfi_fde *fde, struct err *err);

/* The FDE that covers pc: 1, 0, -1. */
int cfi_find(struct cfi *cfi, struct elf_view *view, const struct cfi_section *section, uint64_t pc,
	     struct cfi_fde *fde, struct err *err);

/* Carry out what stands in the CIE and FDE up to pc.  0, or -1. */
int cfi_program(const struct cfi *cfi, struct elf_view *view, const struct cfi_section *section,
		const struct cfi_fde *fde, uint64_t pc, struct cfi_row *row, struct err *err);

/* A table that is not sorted, read once: where each function's entry is, in order of address.
 * NULL with err. */
struct cfi_index;
struct cfi_index *cfi_index_build(const struct cfi_section *section, uint64_t *bytes_read, struct err *err);
void cfi_index_free(struct cfi_index *index);
bool cfi_index_find(const struct cfi_index *index, uint64_t pc, uint64_t *entry);

#endif
