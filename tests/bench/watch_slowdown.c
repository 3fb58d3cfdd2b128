/* SPDX-License-Identifier: MIT */
/* How much less a process with 64 threads computes while it is looked at 100 times a second. */
#include <signal.h>
#include <stdio.h>

#include "watch.h"

#define THREADS 64
#define PAIRS 5
#define WINDOW_MS 600.0
#define BEGINS_MS 250.0         /* a tool that starts is not one that looks */

#define SAMPLE "roclatch", "sample", TOOL_PID, "--rate", "100", "-o", "-"

static struct tool tools[] = {
	{ .name = "nobody" },
	{ .name = "roclatch sample", .argv = { SAMPLE } },
	{ .name = "  --stacks all", .argv = { SAMPLE, "--stacks", "all" } },
	{ .name = "  --stacks all --no-perf", .argv = { SAMPLE, "--stacks", "all", "--no-perf" } },
	{ .name = "perf record -g", .argv = { "perf", "record", "-q", "-g", "-F", "100", "-o", "/dev/null", "-p", TOOL_PID } },
};
enum { TOOLS = sizeof tools / sizeof *tools };

static double work_per_ms(const struct watched *watched)
{
	uint64_t work = watched_work(watched), begun = clock_ns();

	wait_ms(WINDOW_MS);
	work = watched_work(watched) - work;
	return (double)work / ((double)(clock_ns() - begun) / 1e6);
}

static double while_looked_at(const struct tool *tool, const struct watched *watched)
{
	static struct ran ran;
	double rate;
	pid_t pid = 0;

	if (tool->argv[0])
		pid = tool_begin(tool, watched->pid, NULL);
	wait_ms(BEGINS_MS);
	rate = work_per_ms(watched);
	if (pid > 0) {
		kill(pid, SIGINT);
		tool_finish(pid, -1, &ran);
	}
	return rate;
}

/* Per cent of what is computed before and after, the median: meanwhile the machine may change. */
static double measure(const struct tool *tool, const struct watched *watched, double *spread)
{
	double slower[PAIRS], before = work_per_ms(watched);

	for (unsigned i = 0; i < PAIRS; i++) {
		double with = while_looked_at(tool, watched), after = work_per_ms(watched);

		slower[i] = 100 * (1 - with / ((before + after) / 2));
		before = after;
	}
	double middle = median(slower, PAIRS);
	printf("%-28s %14.3f %14.3f %14.3f\n", tool->name, middle, slower[0], slower[PAIRS - 1]);
	*spread = slower[PAIRS - 1] - slower[0];
	return middle;
}

static void compare(const char *what, const double *slower, double spread, unsigned tool, double limit)
{
	if (spread > 2 * limit)
		printf("%-66s %10.3f  cannot be told: windows with nobody differ by %.1f\n", what, slower[tool] - slower[0], spread);
	else
		expected(what, slower[tool] - slower[0], limit);
}

void bench_slowdown(void)
{
	struct watched watched;
	double slower[TOOLS], spread[TOOLS];

	printf("\nslow-down of %u threads that compute, in per cent, %u windows of %.1f s, at 100 Hz\n", THREADS, PAIRS,
	       WINDOW_MS / 1e3);
	tools_find(tools, TOOLS);
	printf("%-28s %14s %14s %14s\n", "while they are looked at by", "median", "least", "most");
	if (watched_start(&watched, WATCHED_COMPUTES, THREADS) < 0)
		return;
	for (unsigned i = 0; i < TOOLS; i++)
		slower[i] = !tools[i].argv[0] || tools[i].path[0] ? measure(&tools[i], &watched, &spread[i]) : 0;
	watched_end(&watched);
	printf("(nobody: what this machine can tell apart)\n");
	compare("expected: sample slows down by at most 0.5 %, less nobody's", slower, spread[0], 1, 0.5);
	compare("expected: sample --stacks all by at most 2 %, less nobody's", slower, spread[0], 2, 2);
}
