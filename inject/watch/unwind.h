/* SPDX-License-Identifier: MIT */
/*
 * From a copied stack to the functions that are on it.  In order of trust: unwind tables, frame
 * pointers, and, where a register that the tables ask for is not known (a stack that was copied from
 * outside), a search for the return address, taken only if a call of this very function stands before
 * it.  Each frame says how it was found, and the last one why there is no further.
 */
#ifndef ROCLATCH_INJECT_WATCH_UNWIND_H
#define ROCLATCH_INJECT_WATCH_UNWIND_H

#include "inject/images.h"
#include "inject/watch/copy.h"

#define UNWIND_DEPTH_MAX 1024

enum frame_how {
	FRAME_TOP,              /* where the thread is */
	FRAME_CFI,
	FRAME_POINTER,
	FRAME_SEARCH,
	FRAME_SIGNAL,           /* interrupted here by a signal */
};

enum unwind_end {
	END_OUTERMOST,          /* the tables say so, or the caller's address is 0 */
	END_NO_TABLE,           /* no table covers the address, and no other way led on */
	END_NO_CODE,            /* the address is not in code that is mapped */
	END_LOST,               /* a register that is needed is not known */
	END_CUT,                /* the stack goes on behind what was copied */
	END_LOOP,               /* the stack does not rise */
	END_MALFORMED,          /* the table is broken */
	END_DEPTH,              /* more than UNWIND_DEPTH_MAX or what was asked for */
};
const char *unwind_end_text(enum unwind_end end);       /* "no unwind table", ... */
const char *frame_how_text(enum frame_how how);         /* "cfi", ... */

struct frame {
	raddr pc;               /* as it is: a return address, except where exact */
	bool exact;             /* pc is the next instruction, not behind a call: look up pc, else pc - 1 */
	uint8_t how;            /* enum frame_how */
};

struct frames {
	struct frame *v;        /* innermost first */
	size_t n, room;         /* room is given by the caller: at most so many */
	enum unwind_end end;
	raddr end_pc, end_sp;   /* where it ended; END_CUT: of a stack that was not copied, if end_sp is not in the copy */
};

struct unwinder;        /* tables of the images, and what was found in them before */

/* images must outlive it.  NULL: no memory.  The files of images are opened only where their memory has no
 * table (.debug_frame). */
struct unwinder *unwinder_open(struct images *images, struct err *err);
void unwinder_close(struct unwinder *unwinder);
/* The mappings have changed, and images have been opened anew (in the same struct): forget what is not
 * there any more. */
int unwinder_renew(struct unwinder *unwinder, struct err *err);

/* Never fails: what could not be had is told by frames->end.  `live` may be NULL; with it, stack
 * beyond the copy is read from the process (for deep stacks of threads that have not run since). */
void unwind(struct unwinder *unwinder, const struct stack_copy *copy, struct memory *live, struct frames *frames);

/* "libc.so.6 has no unwind table for 0x7f...", for people */
void unwind_why(struct unwinder *unwinder, const struct frames *frames, char *text, size_t size);

#endif
