/* SPDX-License-Identifier: MIT */
/*
 * Unwind tables: .eh_frame (by .eh_frame_hdr, else from its beginning to its end) and
 * .debug_frame of a file.  They say for each instruction where the caller's registers are.
 * Every number in them is hostile until checked.
 */
#ifndef ROCLATCH_ELF_CFI_H
#define ROCLATCH_ELF_CFI_H

#include "elf/file.h"

#define CFI_REGS 48             /* DWARF numbers that are followed; others (vectors) are passed over */

enum cfi_kind {
	CFI_SAME,               /* the callee has not touched it */
	CFI_UNDEFINED,          /* lost; of the return address: this is the outermost frame */
	CFI_AT_OFFSET,          /* in memory at CFA + offset */
	CFI_IS_OFFSET,          /* is CFA + offset */
	CFI_IN_REGISTER,        /* in register `reg` */
	CFI_AT_EXPRESSION,      /* in memory where the expression says */
	CFI_IS_EXPRESSION,      /* what the expression says */
};

struct cfi_rule {
	uint8_t kind;           /* enum cfi_kind */
	uint8_t reg;
	int64_t offset;
	uint64_t at;            /* of the expression, as addresses of the table's source; `reg` is then 0 for
				 * .eh_frame and 1 for .debug_frame */
	uint32_t size;
};

/* What holds at one instruction. */
struct cfi_row {
	uint64_t start, end;    /* of the function (FDE), run-time addresses */
	struct cfi_rule cfa;    /* CFI_IS_OFFSET: register `reg` + offset; CFI_IS_EXPRESSION */
	struct cfi_rule reg[CFI_REGS];
	unsigned return_register;
	bool signal_frame;      /* the caller was interrupted, not calling */
	bool ra_signed;         /* the return address carries a signature */
};

/* Where the tables of one image are.  Opened once, asked often. */
struct cfi {
	struct elf_image *image;        /* .eh_frame, by the image's source */
	struct elf_file *file;          /* for .debug_frame and files without program headers; may be NULL */
	uint64_t header, header_size;   /* .eh_frame_hdr, run-time; 0: none */
	uint64_t table, entries;        /* its sorted table; 0: none, then eh_frame is read from the start */
	uint8_t table_encoding;
	uint64_t eh_frame, eh_frame_size;
	uint64_t debug_frame, debug_frame_size; /* offset in the file; 0: none */
	struct cfi_index *eh_index, *debug_index;       /* of tables that are not sorted, made when first asked */
};

/* Look for tables.  0 also if there are none (then cfi_row answers 0). */
int cfi_open(struct cfi *cfi, struct elf_image *image, struct elf_file *file, struct err *err);
void cfi_close(struct cfi *cfi);

/* What holds at run-time address pc: 1, 0 when no table covers it, -1 malformed (err says how). */
int cfi_row(struct cfi *cfi, uint64_t pc, struct cfi_row *row, struct err *err);

/* What an expression may ask for.  Both return 0, or -1: not known, not readable. */
struct cfi_world {
	int (*reg)(void *ctx, unsigned number, uint64_t *value);
	int (*memory)(void *ctx, uint64_t addr, void *buf, size_t size);
	void *ctx;
};

/* The value of an expression of `row` (a rule with `at` and `size`), with `first` (the CFA) on the
 * stack unless has_first is false.  0, or -1 with err.  Ends, whatever it says. */
int cfi_expression(struct cfi *cfi, const struct cfi_rule *rule, bool has_first, uint64_t first,
		   const struct cfi_world *world, uint64_t *value, struct err *err);

/* Many are no more than a register + offset, and perhaps the word there: true, and which. */
struct cfi_simple {
	unsigned reg;
	int64_t offset;
	bool word;
};
bool cfi_expression_simple(struct cfi *cfi, const struct cfi_rule *rule, struct cfi_simple *simple);

#endif
