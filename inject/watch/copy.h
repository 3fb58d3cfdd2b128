/* SPDX-License-Identifier: MIT */
/*
 * A thread's registers and the used part of its stack at one instant, copied so that they can be
 * unwound at leisure.  Three ways, by what they cost the thread:
 *   outside  nothing: a blocked thread's stack is copied from outside, and the copy counts only if the
 *            thread has not run meanwhile.  Of its registers only sp and pc are known.
 *   stop     one short stop (ptrace): all registers.
 *   perf     an interrupt on the CPU that it runs on: all registers.
 */
#ifndef ROCLATCH_INJECT_WATCH_COPY_H
#define ROCLATCH_INJECT_WATCH_COPY_H

#include "arch/unwind.h"
#include "inject/memory.h"
#include "inject/proc.h"

#define COPY_SMALL (32u << 10)          /* what is copied first; most stacks are smaller */
#define COPY_LARGE (512u << 10)

enum copy_way { COPY_OUTSIDE, COPY_STOP, COPY_PERF };

struct stack_copy {
	pid_t tid;
	enum copy_way way;
	struct frame_regs regs;
	raddr low;              /* address of bytes[0]: sp less the red zone */
	size_t size, room;
	uint8_t *bytes;
	bool running_only;      /* stop: not if it is blocked by then; of the caller */
	bool whole;             /* up to the end of the stack's mapping; false: cut at `room` */
	struct proc_syscall call;       /* outside: the call that it is blocked in */
	uint64_t stopped_ns;    /* stop: how long the thread was stopped; else 0 */
	/* A handler may stand on a stack of its own: where the one is that it interrupted, to be copied at the same
	 * instant, if that is known beforehand (0: not wanted). */
	raddr second_sp;
	raddr second_low;       /* its bytes are behind the others, as many as there is room for, at most 64 KiB */
	size_t second_size;
};

/* The end of the mapping that sp is in, so that no more is read than there is; 0 if not known. */
typedef raddr copy_end(void *ctx, raddr sp);

/* Prepare one buffer for many copies (room COPY_SMALL or COPY_LARGE).  -1: no memory. */
int copy_init(struct stack_copy *copy, size_t room);
void copy_free(struct stack_copy *copy);

/* From outside, when the thread is blocked.  1 copied; 0 it runs, or ran meanwhile; -1 with err: may not
 * be read, or gone (ERR_TARGET_EXITED). */
int copy_outside(struct stack_copy *copy, struct memory *memory, pid_t pid, pid_t tid,
		 copy_end *end, void *ctx, struct err *err);
/* The same without asking whether it has run, for those who know its call and ask themselves.  0, or -1. */
int copy_blocked(struct stack_copy *copy, struct memory *memory, pid_t tid, const struct proc_syscall *call,
		 copy_end *end, void *ctx, struct err *err);
/* By a stop.  1; 0 it did not stop within wait_ns (it was let go), is in a group stop, or is blocked in a
 * call that a stop would cut short (then copy_outside is the way); -1 with err.  The stop is made by a
 * short-lived process that shares our memory: whatever happens, its end lets the thread go. */
int copy_stop(struct stack_copy *copy, struct memory *memory, pid_t pid, pid_t tid, uint64_t wait_ns,
	      copy_end *end, void *ctx, struct err *err);

#endif
