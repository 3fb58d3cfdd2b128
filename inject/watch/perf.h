/* SPDX-License-Identifier: MIT */
/*
 * Stacks of running threads by perf_event_open(2): a clock of each thread's own CPU time, which now and
 * then puts the registers and the top of the stack into a ring that is shared with us.  The thread is not
 * stopped; it is interrupted where it is, for a few microseconds.
 */
#ifndef ROCLATCH_INJECT_WATCH_PERF_H
#define ROCLATCH_INJECT_WATCH_PERF_H

#include "inject/watch/copy.h"

#define PERF_THREADS_MAX 512    /* a descriptor and a ring for each; others must do without */
#define PERF_STACK (16u << 10)  /* how much of a stack is copied */
#define PERF_RING (64u << 10)   /* three samples, and what is lost is said */

struct perf {
	uint64_t period_ns;     /* of CPU time of each thread */
	bool kernel;            /* threads that are in a system call are sampled as well */
	unsigned threads, threads_max;  /* that are followed */
	size_t page, ring_size;
	uint8_t *record;        /* one that goes over the ring's end, put together */
	uint64_t lost;          /* samples that found a ring full */
};

/* One thread.  All zero: not followed. */
struct perf_ring {
	struct perf *perf;
	int fd;
	void *pages;            /* the control page, then the ring */
	uint64_t newest_ns;     /* CLOCK_MONOTONIC of the sample that was taken out last */
};

/* Is it possible at all for this process?  -1 with err: the kernel lacks it or does not allow it. */
int perf_open(struct perf *perf, pid_t pid, uint64_t period_ns, struct err *err);
void perf_close(struct perf *perf);

/* Follow a thread.  -1: it has ended, or there is no room for more. */
int perf_begin(struct perf *perf, struct perf_ring *ring, pid_t tid);
void perf_end(struct perf_ring *ring);
/* Go over to the period that perf->period_ns says now. */
void perf_change(struct perf_ring *ring);
static inline bool perf_follows(const struct perf_ring *ring)
{
	return ring->pages != NULL;
}

/* The first sample since the ring was emptied goes to copy; the ring stays as it is.  False if there is none. */
bool perf_oldest(struct perf *perf, struct perf_ring *ring, struct stack_copy *copy);
/* Empty the ring; the newest sample in it goes to copy.  False if there was none. */
bool perf_newest(struct perf *perf, struct perf_ring *ring, struct stack_copy *copy);

#endif
