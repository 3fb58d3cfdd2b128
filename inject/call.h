/* SPDX-License-Identifier: MIT */
/*
 * Call C functions in a live process and leave no trace.
 *
 * A call runs on a fresh thread that the target's own pthread_create makes
 * (one existing thread is borrowed for that, well under a millisecond), or on
 * the borrowed thread itself, for short functions.  docs/leave-no-trace.md
 * says how, and what holds at every instant.
 */
#ifndef ROCLATCH_INJECT_CALL_H
#define ROCLATCH_INJECT_CALL_H

#include "inject/images.h"
#include "inject/target.h"

#define CALL_ARGS_MAX 6
#define CALL_STEPS_MAX 4

/* A number, or bytes that are copied into the target for the time of the call. */
struct call_arg {
	uint64_t value;
	const void *data;       /* not NULL: the argument is the address of a copy */
	size_t size;
};

struct call_step {
	raddr fn;               /* must be executable and begin with sane instructions */
	unsigned nargs;
	struct call_arg arg[CALL_ARGS_MAX];
	bool stop_if_nonzero;   /* leave out the steps that follow */
	bool stop_if_zero;
	/* answered */
	bool returned;
	uint64_t result;
};

enum call_on { CALL_ON_FRESH, CALL_ON_BORROWED };

/* How a call ended.  What the verdict is made of. */
struct call_report {
	pid_t borrowed, fresh;          /* 0 where there was none */
	char why_borrowed[160];         /* the rule that chose it */
	raddr region;
	uint64_t region_size;
	uint64_t borrowed_ns;           /* longest time the borrowed thread was kept from its work */
	uint64_t call_ns;               /* from the start of the first function to the last return */
	unsigned long remote_syscalls;
	/* a crash that was contained; signo 0 if there was none */
	struct { int signo, code; raddr addr, pc; char where[160]; char locks[192]; } crash;
	/* what was left behind, in words, one item a line; "" if nothing */
	char left[1024];
	/* what the called code brought (libraries, an arena), or another run did: no fault of the call */
	char kept[1024];
	bool region_unmapped, fresh_gone, untraced;     /* seen, not assumed */
};

struct call {
	enum call_on on;
	pid_t thread;           /* 0: choose by rule */
	pid_t prefer;           /* borrow this one if it is fit; 0: none */
	unsigned timeout_ms;    /* for the whole call */
	bool trust_seccomp;     /* go on although the filters cannot be read */
	long makes;             /* a system call of a step about which the filters are asked, too; 0: none */
	struct call_step step[CALL_STEPS_MAX];
	unsigned steps;
	/* Run while the calling thread is still held after the steps of a round
	 * (thread-local things such as dlerror's text are still there).  May fill
	 * in steps anew and return 1 for another round on the same thread; 0 to end;
	 * -1 with err to end in failure.  NULL: one round. */
	int (*held)(struct call *call, struct images *images, void *ctx, struct err *err);
	void *ctx;
	struct call_report report;
};

/* Everything that can be known without stopping a thread: functions lie in
 * executable mappings and begin with valid instructions, gadgets are there, a
 * thread to borrow is there, the trampoline is sound.  Explains itself through
 * target->say.  0, or -1 with err. */
int call_plan(struct images *images, struct call *call, struct err *err);

/* Plan, then do it.  Returns 0 when every step returned and nothing was left
 * behind.  Else -1: ERR_CALLED_CODE (crash, or the process's own exit),
 * ERR_TIMEOUT, ERR_TARGET_EXITED, ERR_NOT_POSSIBLE, ERR_FAILED, ERR_RESIDUE, or
 * ERR_SIGNAL + n when call_stop_signal became n.  call->report is filled in all cases. */
int call_run(struct images *images, struct call *call, struct err *err);

/* Does a call of another run, or of one that was killed, still go on in the target? */
bool call_goes_on(struct images *images);

/* Set by bin/'s signal handler to ask for a safe end. */
extern volatile int call_stop_signal;
/* Sleep, no longer than until it is set. */
void call_rest(uint64_t ns);

#endif
