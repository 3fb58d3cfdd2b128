/* SPDX-License-Identifier: MIT */
/* What the measured program shows: one page, shared through a descriptor that it inherits. */
#ifndef ROCLATCH_TESTS_BENCH_BEAT_H
#define ROCLATCH_TESTS_BENCH_BEAT_H

#include <stdatomic.h>
#include <stdint.h>

#define BEAT_THREADS 3          /* the first is the one to be borrowed */

struct beat {
	_Atomic uint32_t ready;         /* how many threads beat */
	_Atomic uint32_t fifo;          /* they do so with real-time priority */
	_Atomic uint64_t calls;         /* of bench_call */
	struct {
		_Atomic int32_t tid;
		_Atomic uint64_t longest_ns;    /* between two beats, since it was last set to 0 */
	} thread[BEAT_THREADS];
};

/* In the measured program: threads from that number on beat, and show it through the descriptor.  0, or -1. */
int beat_begin(int fd, unsigned first);
void *beat(void *number);       /* never returns */
int bench_call(int n);          /* the function that the tools call */

#endif
