/* SPDX-License-Identifier: MIT */
/* What a program has that its guests must leave alone. */
#ifndef ROCLATCH_TESTS_DROPIN_STATE_H
#define ROCLATCH_TESTS_DROPIN_STATE_H

#include <sys/types.h>

#define SIGNALS 65
#define KERNEL_MASK 8

struct state {
	struct { void *handler; int flags; } action[SIGNALS];
	unsigned char mask[KERNEL_MASK];
	unsigned files, threads;
	int priority;
	char *environment;
	char folder[4096];
	mode_t umask;
};

struct state look(void);
/* Fails the test for each difference, and frees both. */
void expect_same(struct state *before, struct state *after);

#endif
