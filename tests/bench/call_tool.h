/* SPDX-License-Identifier: MIT */
/* One tool, run several times on one target, and what that cost the target. */
#ifndef ROCLATCH_TESTS_BENCH_CALL_TOOL_H
#define ROCLATCH_TESTS_BENCH_CALL_TOOL_H

#include <stdbool.h>

#include "beat_target.h"
#include "measure.h"

#define TOOL_WORDS 16

struct tool {
	const char *name;
	const char *program;
	const char *argv[TOOL_WORDS];   /* behind the program's name; PID and TID stand for the target's */
	bool calls;             /* it calls bench_call; else it only looks */
	bool peer;              /* if it did what it should its exit status is its own affair */
	unsigned runs;
	/* answered */
	bool there, worked;
	struct figure wall_ms, borrowed_ms, others_ms;
	unsigned long system_calls;
	double size_kib;
	char said[160];         /* when it did not work */
};

void tool_measure(struct tool *tool, const struct target *target);

#endif
