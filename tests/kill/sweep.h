/* SPDX-License-Identifier: MIT */
/* One kind of interference, at one system call after the other. */
#ifndef ROCLATCH_TESTS_KILL_SWEEP_H
#define ROCLATCH_TESTS_KILL_SWEEP_H

#include "subject.h"
#include "suite.h"
#include "trace.h"

struct sweep {
	const struct suite *suite;
	const char *root;               /* the victim's; NULL: that with glibc */
	const char *state;              /* of the victim: "spinning" or "blocked" */
	const char *on;                 /* "fresh" or "borrowed" */
	enum trace_what what;
	const char *function;           /* of the victim */
	uint64_t without;
	unsigned slow_us;               /* as in struct trace */
	unsigned within_ms;             /* 0, or how long it may take */
	struct subject subject;
	/* answered */
	unsigned long calls, touch;     /* how many there are about, and the first ptrace call */
	unsigned full_points;           /* those after the first touch */
	uint64_t full_ns;
	unsigned points, bad, left_behind, by_status[9];
	char first[256];                /* the first that went wrong, in words */
};

/* Stop at the first trouble of the lab itself (not of roclatch): -1. */
int sweep_run(struct sweep *sweep);

/* One undisturbed call must do all that it should; for the features taken away. */
int sweep_once(struct sweep *sweep);

#endif
