/* SPDX-License-Identifier: MIT */
/* A process of ours whose threads beat, seen from outside. */
#ifndef ROCLATCH_TESTS_BENCH_BEAT_TARGET_H
#define ROCLATCH_TESTS_BENCH_BEAT_TARGET_H

#include <sys/types.h>

#include "beat.h"

struct target {
	pid_t pid;
	struct beat *shown;
};

/* become runs in the new process, with the descriptor for beat_begin, and does not return.  0 when all threads beat. */
int target_start(struct target *target, void (*become)(int fd, const void *with), const void *with);
void target_end(struct target *target);

/* The longest gaps since they were forgotten, in ms: of the first thread, and of all others. */
void gaps_forget(const struct target *target);
void gaps_read(const struct target *target, double *first, double *others);

#endif
