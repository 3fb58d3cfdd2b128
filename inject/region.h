/* SPDX-License-Identifier: MIT */
/*
 * The one mapping that we make in the target.  From low to high:
 *
 *   code page (r-x)      header and trampoline; also the guard of the stack
 *   stack (rw-)          of the called function
 *   small stack (rw-)    of a borrowed thread while it makes a fresh one
 *   data (rw-)           mailbox, signal frame, copies of arguments
 *
 * It is mapped r-x as a whole and then made rw- above the code page, so that no
 * page is ever writable and executable and none is ever made executable (which
 * seccomp filters and PR_SET_MDWE forbid).  The code is written through
 * /proc/PID/mem.
 */
#ifndef ROCLATCH_INJECT_REGION_H
#define ROCLATCH_INJECT_REGION_H

#include "arch/arch.h"
#include "inject/images.h"

struct region {
	raddr base;             /* 0: not mapped */
	uint64_t size;
	size_t page;
	raddr stack, small_stack;       /* their tops */
	raddr data;
	raddr mailbox;          /* of the thread that makes the call */
	raddr maker;            /* of a borrowed thread while it makes a fresh one */
	raddr next_data, end;
};

#define REGION_SIZE ((8u << 20) - (64u << 10))  /* ends off a huge page: touching it stays cheap */
#define REGION_DATA (1u << 20)
#define REGION_SMALL_STACK (128u << 10)
#define REGION_HEADER 64        /* bytes before the trampoline in the code page */

/* Fill in addresses for a region at `base`. */
void region_place(struct region *region, raddr base, size_t page);
/* Where a part of the trampoline is in the target. */
raddr region_code(const struct region *region, const uint8_t *part);
/* Write header and trampoline, read them back and decode them. */
int region_write_code(const struct region *region, struct memory *memory, struct err *err);
/* Copy bytes into the data area; *at tells where. */
int region_put(struct region *region, struct memory *memory, const void *data, size_t size,
	       raddr *at, struct err *err);
/* Reserve bytes there without writing. */
int region_reserve(struct region *region, size_t size, raddr *at, struct err *err);

/* Is this address in a region of ours, or of an earlier run? */
bool region_covers(struct images *images, raddr addr);

/* Regions that killed runs left behind and that no thread uses any more.
 * Fills at most `max`; returns how many.  While a thread is held no other is stopped for that: of those that
 * only this would tell, the ones that were left over `before` are. */
struct leftover { raddr base; uint64_t size; };
size_t region_leftovers(struct images *images, const struct maps *maps, const struct leftover *before, size_t before_n,
			struct leftover *out, size_t max);
/* Does a thread still use one: a call of another run, or of one that was killed? */
bool region_busy(struct images *images, const struct maps *maps);

#endif
