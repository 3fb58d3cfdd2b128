/* SPDX-License-Identifier: MIT */
#include "call_tool.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "trace.h"

#define RUNS_MAX 100

/* false: it did not do what it should */
static bool run_once(struct tool *tool, const struct target *target, const char **argv, struct trace *t)
{
	uint64_t calls = target->shown->calls;
	bool good;

	t->limit_ms = 60000;
	if (trace_run((char *const *)argv, t) != 0)
		return false;
	good = !t->over_limit && WIFEXITED(t->status) && (tool->peer || WEXITSTATUS(t->status) == 0) &&
	       target->shown->calls == calls + tool->calls && kill(target->pid, 0) == 0;
	if (!good)
		snprintf(tool->said, sizeof tool->said, "status 0x%x, called %d times: %.100s", (unsigned)t->status,
			 (int)(target->shown->calls - calls), t->errors);
	return good;
}

static void fill_in(const struct tool *tool, const struct target *target, char text[2][16], const char **argv)
{
	unsigned i;

	snprintf(text[0], 16, "%d", (int)target->pid);
	snprintf(text[1], 16, "%d", target->shown->thread[0].tid);
	for (i = 0; tool->argv[i]; i++)
		argv[i] = strcmp(tool->argv[i], "PID") == 0 ? text[0] :
			  strcmp(tool->argv[i], "TID") == 0 ? text[1] : tool->argv[i];
	argv[i] = NULL;
}

void tool_measure(struct tool *tool, const struct target *target)
{
	static double wall[RUNS_MAX], borrowed[RUNS_MAX], others[RUNS_MAX];
	unsigned runs = times(tool->runs < RUNS_MAX ? tool->runs : RUNS_MAX), words;
	struct trace t = { .what = TRACE_NOT };
	char text[2][16];
	const char *argv[TOOL_WORDS + PROGRAM_WORDS];
	struct stat st;

	words = program_find(tool->program, argv);
	tool->there = words && stat(argv[words - 1], &st) == 0;
	if (!tool->there)
		return;
	tool->size_kib = (double)st.st_size / 1024;
	fill_in(tool, target, text, argv + words);
	if (!run_once(tool, target, argv, &t))          /* warms the page cache */
		return;
	for (unsigned i = 0; i < runs; i++) {
		gaps_forget(target);
		wait_ms(3);
		if (!run_once(tool, target, argv, &t))
			return;
		wait_ms(3);
		wall[i] = (double)t.wall_ns / 1e6;
		gaps_read(target, &borrowed[i], &others[i]);
	}
	tool->wall_ms = middle(wall, runs);
	tool->borrowed_ms = middle(borrowed, runs);
	tool->others_ms = middle(others, runs);
	t.what = TRACE_COUNT;
	tool->worked = run_once(tool, target, argv, &t);
	tool->system_calls = t.calls;
}
