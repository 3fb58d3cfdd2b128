/* SPDX-License-Identifier: MIT */
/* One run of a call, shared by the files that make it: plan.c (before anything is touched), call.c
 * (the order of things), choose.c and maker.c (the borrowed thread), fresh.c and farewell.c (the
 * fresh one), steps.c (mailboxes), crash.c, verdict.c. */
#ifndef ROCLATCH_INJECT_RUN_H
#define ROCLATCH_INJECT_RUN_H

#include "inject/borrow.h"
#include "inject/call.h"
#include "inject/pick.h"
#include "inject/region.h"
#include "inject/thread.h"

#define LEFTOVERS_MAX 16

struct run {
	struct images *images;
	struct call *call;
	struct gadgets gadgets;
	struct pick pick;
	struct region region;
	struct borrow borrow;
	struct thread fresh;
	bool fresh_exits;               /* it was seen to begin its own end */
	struct leftover leftovers[LEFTOVERS_MAX];       /* of killed runs, seen before a thread was held */
	size_t leftovers_n;
	bool unknown;                   /* a thread was made and not found: it has the region for its stack */
	bool stranded;                  /* the borrowed thread could not be given back */
	uint64_t deadline_ns;
	bool making, stuck;             /* pthread_create runs; it waits for a lock and gets nowhere */
	bool refused;                   /* it answered EAGAIN */
	uint64_t go_ns;                 /* when the fresh thread was let go */
	uint64_t caught_before;         /* signals that the target handled when we came */
	/* functions of the C library; 0 where they are not needed or not there */
	struct { raddr attr_init, attr_setstack, attr_setdetach, create, syscall, errno_at, malloc, free; } libc;
	struct { raddr at; int value; } saved_errno;    /* of the borrowed thread */
};

/* --- plan.c --- */
/* Find and check everything that the call needs, reading only. */
int run_prepare(struct run *run, struct images *images, struct call *call, struct err *err);
/* The functions of the steps are there and begin with instructions. */
int run_check_steps(struct run *run, struct err *err);

/* The signals that are open while called code runs: those of a crash, and those that
 * would be dropped.  A program that blocks one of the latter asks for it later (signalfd),
 * and must block it in each of its threads for that. */
static inline uint64_t run_open_signals(const struct run *run)
{
	return THREAD_CRASHES | (THREAD_IGNORED & ~run->caught_before & ~run->borrow.mask);
}

/* --- steps.c --- */
/* Copy the steps with their data into a mailbox. */
int steps_write(struct run *run, const struct call_step *steps, unsigned n, raddr mailbox,
		const struct mailbox *head, struct err *err);
/* Read back what they returned. */
int steps_read(struct run *run, struct call_step *steps, unsigned n, raddr mailbox, struct err *err);
int mailbox_read(struct run *run, raddr at, struct mailbox *mailbox, struct err *err);

/* --- choose.c: the thread to borrow --- */
/* Choose a thread and stop it; 0, or -1. */
int run_borrow(struct run *run, struct err *err);
int run_give_back(struct run *run, struct err *err);
bool run_is_stopped(const struct run *run);
/* One that was stopped since it was opened will go on some day: until then its threads are not touched. */
void run_await_continue(const struct run *run);

/* --- maker.c: what runs on the borrowed thread --- */
/* Run steps on the borrowed thread until they are done, and put its errno back.
 * A thread that they make is caught in run->fresh if `make` is set.  A crash is
 * in the report, and -1. */
int run_on_borrowed(struct run *run, struct call_step *steps, unsigned n, raddr stack,
		    raddr mailbox, bool make, struct err *err);

/* A thread of ours is gone.  If that is for an exec, it is the main thread of another program now and still traced. */
void run_let_new_program_go(struct run *run);

/* --- fresh.c: the fresh thread's life --- */
int fresh_make(struct run *run, struct err *err);
int fresh_watch(struct run *run, struct err *err);
/* One more round on the held thread, to its end; it is held again then. */
int fresh_round(struct run *run, struct call_step *steps, unsigned n, struct err *err);
int fresh_answer(struct run *run, uint32_t ack, struct err *err);
/* Its whole process is stopped (SIGSTOP), and it with it: until that goes on, or there is no more time. */
int fresh_await_continue(struct run *run, struct err *err);

/* --- farewell.c: its end --- */
/* All rounds are over: prepare the held thread's end, see it off, and let it unmap
 * the region if that can be done. */
int fresh_finish(struct run *run, struct err *err);
#define END_LIMIT_NS 10000000000ull     /* on a machine so crowded that the thread gets no CPU */

/* --- crash.c --- */
/* Is this a signal that would kill the target for what the called code did? */
bool crash_is_one(struct run *run, pid_t tid, int signo);
/* Record it. */
void crash_note(struct run *run, pid_t tid, int signo);
int crash_error(struct run *run, struct err *err);

/* --- verdict.c --- */
void left(struct call_report *report, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void kept(struct call_report *report, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Is our region in the target's mappings? */
bool verdict_region_mapped(const struct run *run);
/* Look at the target again and fill in the report. */
void verdict_look(struct run *run);

#endif
