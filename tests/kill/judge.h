/* SPDX-License-Identifier: MIT */
/* Run roclatch on a sweep's victim, and judge what it said and did. */
#ifndef ROCLATCH_TESTS_KILL_JUDGE_H
#define ROCLATCH_TESTS_KILL_JUDGE_H

#include "sweep.h"

/* A call on the victim: argument 41, so that 42 must come back. */
struct command {
	char pid[16], thread[16];
	const char *argv[16];
};

/* on NULL and thread 0: roclatch chooses */
void command_make(struct command *c, const struct sweep *w, const char *on, const char *function, int thread);
int command_run(const struct command *c, struct trace *t);

/* Did it end with 0 and print the value? */
bool judge_said_42(const struct trace *t);

/* What roclatch says about how it ended must be so; begun and done count the calls since then. */
void judge_status(struct sweep *w, const struct trace *t, uint64_t begun, uint64_t done);

/* Is the target as it should be, and can it be called into again? */
void judge_target(struct sweep *w, const struct trace *t, uint64_t begun);

#endif
