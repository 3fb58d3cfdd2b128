/* SPDX-License-Identifier: MIT */
/*
 * Which thread to borrow.  By rule, so that it can be explained:
 *
 *  1. one that is blocked in a call which the allocator and the loader never make
 *     and which the kernel resumes exactly (poll, nanosleep, accept, read, ...);
 *  2. one that waits on a futex which is no lock of the C library or an allocator;
 *  3. one blocked in a call that answers EINTR to any stop (epoll_wait, ...),
 *     which is issued anew;
 *  4. one that runs, if it is in neither the C library, the loader nor an allocator;
 *  5. one as in 3 with a time limit, when it has just begun to wait.
 *
 * Never one that is inside the allocator or the loader, as the call would wait for
 * a lock that this thread holds.
 */
#ifndef ROCLATCH_INJECT_PICK_H
#define ROCLATCH_INJECT_PICK_H

#include "inject/images.h"

enum pick_class { PICK_EXACT, PICK_FUTEX, PICK_REPEATED, PICK_RUNNING, PICK_REPEATED_TIMED, PICK_NONE };

struct candidate {
	pid_t tid;
	enum pick_class class;
	raddr sp, pc;           /* where it is blocked */
	char why[128];
};

#define PICK_RANGES_MAX 24
#define PICK_LOOKS_MAX 128

struct pick_look { pid_t tid; uint64_t switches, at_ns; };
struct pick_seen { pid_t tid; struct proc_syscall call; };

struct pick {
	struct images *images;
	uint64_t since_ns, watch_until_ns;
	/* text in which no borrowed thread may be */
	struct { raddr from, to; bool pc_only; } avoid[PICK_RANGES_MAX];
	size_t avoided;
	bool malloc_known, inner_known;
	raddr restore;
	/* blocked threads that were refused, to know the idle ones */
	struct pick_look look[PICK_LOOKS_MAX];
	size_t looks;
	/* calls in which threads were seen blocked, the newest for each */
	struct pick_seen seen[PICK_LOOKS_MAX];
	size_t seens;
	struct candidate *v;
	size_t n;
	size_t refused;         /* that would be better than some in v, once they are free */
};

/* restore: where signal handlers return to (struct gadgets). */
void pick_open(struct pick *pick, struct images *images, raddr restore);
/* Look at the threads; candidates come out best first.  only != 0: that thread
 * alone.  prefer != 0: that one first, if it is blocked and fit.  To be called
 * again after a while when none will do.  Reads only. */
int pick_candidates(struct pick *pick, pid_t only, pid_t prefer, struct err *err);
void pick_close(struct pick *pick);
/* For so long, those that run are no candidates. */
void pick_watch(struct pick *pick, uint64_t ns);

/* The call in which the thread was last seen blocked, or NULL. */
const struct proc_syscall *pick_seen(const struct pick *pick, pid_t tid);
/* Look at a thread that runs, for a moment: is it blocked now and then?  One that
 * is will better be taken there. */
bool pick_sees_blocked(struct pick *pick, pid_t tid);

/* May a thread that is at pc and sp be borrowed?  (Where it was running a moment
 * ago, only a look while it is stopped is sure.)  NULL, or the reason why not. */
const char *pick_objection(struct pick *pick, pid_t tid, raddr pc, raddr sp,
			   enum pick_class class);

#endif
