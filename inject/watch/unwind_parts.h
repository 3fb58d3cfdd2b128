/* SPDX-License-Identifier: MIT */
/* What the files of the unwinder share: tables by image, steps by address, and one walk. */
#ifndef ROCLATCH_INJECT_WATCH_UNWIND_PARTS_H
#define ROCLATCH_INJECT_WATCH_UNWIND_PARTS_H

#include "elf/cfi.h"
#include "elf/functions.h"
#include "inject/watch/segments.h"
#include "inject/watch/unwind.h"

#define STEP_SAVED_MAX 14
#define STEP_WAYS 4
#define STEP_SETS 4096
#define FULL_ROWS_MAX 256
#define CODE_PAGES 64
#define CODE_PAGE 4096u
/* A stack ends, whatever it leads to: far more than a real one needs, less than a tenth of a second. */
#define CODE_BUDGET (1u << 17)
#define LIVE_PAGES_MAX 4096
#define FULL_STEPS_MAX 128

enum step_kind {
	STEP_EMPTY,
	STEP_PLAIN,             /* a register + offset, and words at offsets from that */
	STEP_FULL,              /* the whole row must be asked: expressions */
	STEP_SIGRETURN,         /* the code that ends a signal handler */
	STEP_NO_TABLE,          /* what is told then is what the code itself shows (code_known) */
	STEP_NO_CODE,
	STEP_BROKEN,
};

/* What an unwind table says of one address, in the form that costs least to follow. */
struct step {
	uint64_t key;           /* of the address and whether it is exact */
	raddr start, end;       /* of the function; 0: not known */
	uint64_t lost;          /* registers whose values are gone; bits */
	int32_t cfa_offset;
	int32_t depth;          /* what the prologue took off sp; -1: cannot be told, -2: not looked at yet */
	int32_t ra_offset;      /* of the return address; valid if ra_saved */
	uint16_t full;          /* STEP_FULL: 1 + where the row is kept; 0: nowhere */
	uint8_t kind, cfa_reg, ra_reg, saved;
	bool outermost, ra_saved, code_known, after_signal;
	bool cfa_word;          /* the frame's address is the word there */
	uint16_t by_fp;         /* bits of those that are saved at an offset from the frame pointer, not from it */
	uint8_t reg[STEP_SAVED_MAX];
	int32_t offset[STEP_SAVED_MAX];
};

/* The tables of one image.  A copy of what is known of it: images may be opened anew. */
struct tables {
	raddr start;
	uint64_t inode;
	unsigned dev_major, dev_minor;
	struct elf_image elf;
	struct elf_file file;
	int fd;                 /* -1: not open */
	bool file_tried;
	struct cfi cfi;
	struct segments code;
	struct functions functions;     /* read when code without tables is first met */
	bool functions_tried;
};

struct code_page {
	raddr at;               /* 0: nothing here */
	uint8_t bytes[CODE_PAGE];
};

struct unwinder {
	struct images *images;
	struct tables **tables; /* in order of address */
	size_t tables_n, tables_room;
	unsigned files;         /* that are kept open */
	size_t functions_size;  /* bytes that all functions take */
	struct step *steps;     /* STEP_SETS * STEP_WAYS */
	uint32_t turn;          /* which of a set goes next */
	struct cfi_row *full[FULL_ROWS_MAX];
	unsigned full_n;
	struct code_page *pages;
	unsigned budget;        /* what one stack may still cost in code that is looked at */
};

/* What is known of an address; never fails.  A copy: the next question may drop it. */
struct step step_at(struct unwinder *unwinder, raddr pc, bool exact);
/* The whole row, kept or asked anew, and whose table it is.  false: not to be had. */
bool step_row(struct unwinder *unwinder, const struct step *step, raddr pc, bool exact, struct cfi_row *row,
	      struct cfi **cfi);
/* What the function's prologue took off sp, kept in the step from then on; -1 if that cannot be told. */
int64_t step_depth(struct unwinder *unwinder, struct step *step, raddr pc, bool exact);

struct tables *tables_at(struct unwinder *unwinder, raddr pc);
/* Open the file of an image's tables, for .debug_frame and .symtab; false: it cannot be had. */
bool tables_file(struct unwinder *unwinder, struct tables *tables, raddr pc);
void tables_free(struct unwinder *unwinder, struct tables *tables);
/* Where the function at pc begins, by a symbol that says how long it is; 0: not known. */
raddr symbol_start(struct unwinder *unwinder, raddr pc);

bool is_code(const struct unwinder *unwinder, raddr addr);
/* Bytes of the target's code, from pages that are kept.  What could be had, from `at` on. */
size_t code_read(struct unwinder *unwinder, raddr at, void *buf, size_t size);
/* Does a call end at `after`?  *target: what is called, through stubs; 0: not known. */
bool code_is_call(struct unwinder *unwinder, raddr after, raddr *target);
/* Does a function return to there: a call ends there, or it is the code that ends a signal handler? */
bool code_is_return(struct unwinder *unwinder, raddr ra, raddr *target);
/* Where a call of `at` arrives in the end. */
raddr code_resolve(struct unwinder *unwinder, raddr at);
/* What the code from start to pc has done to the stack; false: cannot be told. */
bool code_follow(struct unwinder *unwinder, raddr start, raddr pc, struct unwind_entered *entered);
/* The same as a step of the kind that it is. */
bool step_from_code(struct unwinder *unwinder, raddr start, raddr pc, struct step *step);

/* One stack on its way. */
struct walk {
	struct unwinder *unwinder;
	const struct stack_copy *copy;
	struct memory *live;
	struct frames *frames;
	struct frame_regs regs;
	bool exact;
	enum frame_how how;     /* by which the present frame was found */
	unsigned live_pages, full_steps;        /* so far */
	bool page_known;
	raddr page;             /* live memory that was read last */
	uint8_t page_bytes[CODE_PAGE];
};

#define WALK_ON (-1)

static inline raddr walk_pc(const struct walk *walk) { return walk->regs.v[UNWIND_PC]; }
/* Where sp is, or, if that is not known (frame_knows), what it is above. */
static inline raddr walk_sp(const struct walk *walk) { return walk->regs.v[UNWIND_SP]; }

bool walk_read(struct walk *walk, raddr addr, void *buf, size_t size);
static inline bool walk_word(struct walk *walk, raddr addr, uint64_t *value)
{
	return walk_read(walk, addr, value, sizeof *value);
}
/* Why a word at addr cannot be had. */
enum unwind_end walk_missing(const struct walk *walk, raddr addr);
/* Up to where words can be searched. */
raddr walk_end(const struct walk *walk);

/* Each makes the caller's frame the present one: WALK_ON, or enum unwind_end. */
int walk_to_caller(struct walk *walk, raddr cfa, raddr ra, enum frame_how how);
int walk_by_plain(struct walk *walk, struct step *step);
int walk_by_record(struct walk *walk, const struct step *step);
int walk_plain_from(struct walk *walk, const struct step *step, raddr cfa, enum frame_how how);
int walk_by_row(struct walk *walk, const struct step *step);
int walk_by_sigreturn(struct walk *walk);
int walk_without_table(struct walk *walk, const struct step *step);
int walk_search(struct walk *walk, struct step *step);
int walk_search_leaf(struct walk *walk, const struct step *step, raddr cfa);

#endif
