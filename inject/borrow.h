/* SPDX-License-Identifier: MIT */
/*
 * A borrowed thread: stopped, its whole state saved, a signal frame below its
 * stack on which it can return by itself should we die, and the way back.
 *
 * What is true at each instant: if we are killed, the thread goes on from where
 * it is, and that is either its own code or a path that ends in rt_sigreturn on
 * a frame that holds its own state.
 */
#ifndef ROCLATCH_INJECT_BORROW_H
#define ROCLATCH_INJECT_BORROW_H

#include "arch/arch.h"
#include "inject/images.h"
#include "inject/region.h"
#include "inject/thread.h"

struct borrow {
	struct images *images;
	const struct gadgets *gadgets;
	struct thread thread;
	struct regs regs;               /* as it was stopped */
	struct regs resume;             /* as an orphan would go on: the call issued anew */
	struct vector_state vector;
	uint64_t mask;
	uint64_t blocked[2];            /* what we set in its place, and in that of a thread that it makes */
	enum arch_interrupted how;
	long nr;
	uint64_t arg0;
	uint64_t slept_ns;              /* in a timed call that may have to be made again; 0 if not known */
	bool was_blocked;               /* in the call nr, right before it was stopped */
	bool diverted;                  /* its registers are ours now */
	bool block_lost;                /* a sleep on this thread overwrote its restart block */
	bool restored;                  /* and its own again */
	pid_t child;                    /* a thread that it made while it was being halted */
	int swallow;                    /* a signal that the called code raised */
	raddr frame, scratch;
	size_t frame_size;
	uint8_t *below;                 /* what was where the frame is */
	uint64_t since_ns, stopped_ns;  /* asked to stop; known to have */
	unsigned long syscalls;
	uint64_t deadline_ns;
};

/* Stop the thread and save it.  known: a call in which it was blocked a moment ago,
 * or NULL.  may_sleep: what will run on it may sleep.  0; 1 when this thread will not do just now (err
 * says why; it has been let go or was never held); -1 for what no other thread would change. */
int borrow_begin(struct borrow *borrow, struct images *images, const struct gadgets *gadgets,
		 pid_t tid, const struct proc_syscall *known, bool may_sleep, uint64_t deadline_ns,
		 struct err *err);
/* Save one that is held at a plain stop and is in no call: its state and its frame, as above. */
int borrow_save(struct borrow *borrow, struct err *err);
/* Make a system call on it; *result is as the kernel gave it (-errno). */
int borrow_syscall(struct borrow *borrow, long nr, const uint64_t args[6], long *result,
		   struct err *err);
/* Map the region and write the code into it. */
int borrow_map(struct borrow *borrow, struct region *region, struct err *err);
int borrow_unmap(struct borrow *borrow, struct region *region, struct err *err);
/* Start the trampoline on it.  From then on watch borrow->thread. */
int borrow_start(struct borrow *borrow, const struct region *region, raddr stack, raddr mailbox,
		 uint64_t open_signals, struct err *err);
/* Write the frame for the trampoline's own end into the region. */
int borrow_put_frame(struct borrow *borrow, struct region *region, raddr *at, struct err *err);
/* Held at a plain stop: was it asleep on a futex, and not woken from it?  Then it owns nothing
 * that it was about to get. */
bool borrow_waits_on_futex(struct borrow *borrow);
/* Has its process become another program?  Then its registers are that one's, and nothing of ours is there. */
bool borrow_is_replaced(const struct borrow *borrow);
/* Diverted, it is about to be given a signal of a crash, which we leave open: did another process send it?  Then it is
 * blocked, and to be given all the same: the kernel keeps it until the thread has its own mask again. */
bool borrow_puts_off(struct borrow *borrow);
/* Stop it where it is, so that the next borrow_syscall can take it from there. */
int borrow_halt(struct borrow *borrow, struct err *err);
/* Give it back from wherever it is, exactly as it was; one that is replaced, as it is.  May be tried again if it
 * fails.  *kept_ns (may be NULL) is how long it was kept. */
int borrow_give_back(struct borrow *borrow, uint64_t *kept_ns, struct err *err);
/* handler.c: it is back before its call, with the registers `call`, and about to be given a signal that is caught.
 * Give it, let the call answer EINTR unless the handler wants it restarted, and let the thread go. */
int borrow_handle(struct borrow *borrow, int signo, const struct regs *call, uint64_t deadline_ns, struct err *err);

#endif
