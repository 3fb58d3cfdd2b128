/* SPDX-License-Identifier: MIT */
/*
 * The mailbox: how we and the trampoline in the target talk.  It lies at the
 * top of the region that we map there.  Offsets are macros because the
 * trampolines are assembly.
 */
#ifndef ROCLATCH_ARCH_MAILBOX_H
#define ROCLATCH_ARCH_MAILBOX_H

#define MB_GO 0          /* we: the fresh thread may make the call */
#define MB_DONE 4        /* trampoline: this round is over */
#define MB_ACK 8         /* we: MB_ACK_END or MB_ACK_AGAIN */
#define MB_TID 12        /* trampoline: its thread id, to know a forked child */
#define MB_SAVED_SP 16   /* trampoline: where to resume after a contained crash */
#define MB_FRAME 24      /* we: the signal frame that gives a borrowed thread back */
#define MB_MASK 32       /* we: signal mask of the fresh thread */
#define MB_NAP_SEC 40    /* we: struct timespec of one nap in the hold loop */
#define MB_NAP_NSEC 48
#define MB_COUNT 56      /* we: number of steps */
#define MB_STEPS 64

#define MB_ACK_END 1
#define MB_ACK_AGAIN 2

/* one step */
#define ST_FN 0
#define ST_ARGS 8        /* six words */
#define ST_RESULT 56
#define ST_RETURNED 64
#define ST_FLAGS 68
#define ST_SIZE 72
#define ST_STOP_IF_NONZERO 1    /* looks at 32 bits: an int */
#define ST_STOP_IF_ZERO 2       /* looks at 64 bits: a pointer */

/* How many naps an abandoned fresh thread waits for a word from us. */
#define MB_HOLD_NAPS 1000

#ifndef __ASSEMBLER__
#include <stddef.h>
#include <stdint.h>

#define MB_STEPS_MAX 6

struct mailbox_step {
	uint64_t fn, args[6], result;
	uint32_t returned, flags;
};

struct mailbox {
	uint32_t go, done, ack, tid;
	uint64_t saved_sp, frame, mask, nap_sec, nap_nsec, count;
	struct mailbox_step step[MB_STEPS_MAX];
};

_Static_assert(offsetof(struct mailbox, done) == MB_DONE, "mailbox");
_Static_assert(offsetof(struct mailbox, ack) == MB_ACK, "mailbox");
_Static_assert(offsetof(struct mailbox, tid) == MB_TID, "mailbox");
_Static_assert(offsetof(struct mailbox, saved_sp) == MB_SAVED_SP, "mailbox");
_Static_assert(offsetof(struct mailbox, frame) == MB_FRAME, "mailbox");
_Static_assert(offsetof(struct mailbox, mask) == MB_MASK, "mailbox");
_Static_assert(offsetof(struct mailbox, nap_sec) == MB_NAP_SEC, "mailbox");
_Static_assert(offsetof(struct mailbox, nap_nsec) == MB_NAP_NSEC, "mailbox");
_Static_assert(offsetof(struct mailbox, count) == MB_COUNT, "mailbox");
_Static_assert(offsetof(struct mailbox, step) == MB_STEPS, "mailbox");
_Static_assert(offsetof(struct mailbox_step, args) == ST_ARGS, "step");
_Static_assert(offsetof(struct mailbox_step, result) == ST_RESULT, "step");
_Static_assert(offsetof(struct mailbox_step, returned) == ST_RETURNED, "step");
_Static_assert(offsetof(struct mailbox_step, flags) == ST_FLAGS, "step");
_Static_assert(sizeof(struct mailbox_step) == ST_SIZE, "step");
#endif

#endif
