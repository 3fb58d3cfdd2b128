/* SPDX-License-Identifier: MIT */
/*
 * Run a program and interfere with its system calls, counted from the end of
 * its execve.  The program knows nothing of it.
 */
#ifndef ROCLATCH_TESTS_KILL_TRACE_H
#define ROCLATCH_TESTS_KILL_TRACE_H

#include <stdbool.h>
#include <stdint.h>

#include "fault.h"

enum trace_what {
	TRACE_NOT,              /* run it undisturbed and untraced */
	TRACE_COUNT,
	TRACE_KILL_AT,          /* SIGKILL before the n-th call is executed */
	TRACE_KILL_AFTER,       /* SIGKILL when it has been executed */
	TRACE_KILL_DURING,      /* SIGKILL delay_us after it began */
	TRACE_FAIL,             /* the n-th call is not executed and fails */
	TRACE_STALL,            /* before it the program gets no CPU for stall_us */
};

struct trace {
	enum trace_what what;
	unsigned long n;
	bool from_touch;        /* count n from the first ptrace call, which is 1 */
	unsigned round;         /* chooses among the ways to fail */
	int fail_errno;         /* 0: choose */
	unsigned delay_us, stall_us;
	unsigned slow_us;       /* wait that long at each call from the first touch on, as on a busy machine */
	uint64_t without;       /* features taken away all the time */
	unsigned limit_ms;
	bool list;              /* print each call */
	bool show;              /* the program's output is not caught */
	/* answered */
	unsigned long calls;
	bool came;              /* there was an n-th call */
	bool hit;               /* and it was dealt with: a few cannot fail */
	unsigned long touched;  /* the first ptrace call, from which on another process may know of us; 0: none yet */
	bool over_limit;        /* ended by us, because it took longer than limit_ms */
	int status;             /* as from waitpid */
	uint64_t wall_ns;
	int failed_with;
	char at[96];            /* the n-th call in words */
	char output[256], errors[1024]; /* the beginning of stdout and stderr */
};

/* 0, or -1 with errno when the program could not be run. */
int trace_run(char *const argv[], struct trace *trace);

#endif
