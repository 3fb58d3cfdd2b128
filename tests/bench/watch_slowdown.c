/* SPDX-License-Identifier: MIT */
/* How much less a process with 64 threads computes while it is looked at 100 times a second. */
#include <math.h>
#include <signal.h>
#include <stdio.h>

#include "watch.h"

#define THREADS 64
#define PAIRS_MOST 400
#define WINDOW_MS 600.0
#define BEGINS_MS 250.0         /* a tool that starts is not one that looks */

unsigned bench_pairs = 5;

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

/* Per cent of what is computed before and after, as meanwhile the machine may change. */
struct slower { double mean, error; };  /* error: two standard errors of the mean */

static struct slower measure(const struct tool *tool, const struct watched *watched)
{
	double slower[PAIRS_MOST], before = work_per_ms(watched), sum = 0, squares = 0;
	struct slower result;

	for (unsigned i = 0; i < bench_pairs; i++) {
		double with = while_looked_at(tool, watched), after = work_per_ms(watched);

		slower[i] = 100 * (1 - with / ((before + after) / 2));
		before = after;
		sum += slower[i];
	}
	result.mean = sum / bench_pairs;
	for (unsigned i = 0; i < bench_pairs; i++)
		squares += (slower[i] - result.mean) * (slower[i] - result.mean);
	result.error = bench_pairs > 1 ? 2 * sqrt(squares / (bench_pairs - 1) / bench_pairs) : 100;
	printf("%-28s %14.3f %14.3f %14.3f\n", tool->name, result.mean, result.error, median(slower, bench_pairs));
	return result;
}

/* Each was measured against nobody already: what nobody's own figure is off by is what such a figure may be worth. */
static void compare(const char *what, struct slower is, double limit)
{
	if (is.mean + is.error > limit && is.mean - is.error <= limit)
		printf("%-66s %10.3f  cannot be told: it may be %.2f more or less\n", what, is.mean, is.error);
	else
		expected(what, is.mean, limit);
}

void bench_slowdown(void)
{
	struct watched watched;
	struct slower slower[TOOLS];

	printf("\nslow-down of %u threads that compute, in per cent, %u windows of %.1f s, at 100 Hz\n", THREADS, bench_pairs,
	       WINDOW_MS / 1e3);
	if (bench_pairs > PAIRS_MOST)
		bench_pairs = PAIRS_MOST;
	tools_find(tools, TOOLS);
	printf("%-28s %14s %14s %14s\n", "while they are looked at by", "mean", "more or less", "median");
	if (watched_start(&watched, WATCHED_COMPUTES, THREADS) < 0)
		return;
	for (unsigned i = 0; i < TOOLS; i++)
		slower[i] = !tools[i].argv[0] || tools[i].path[0] ? measure(&tools[i], &watched) : (struct slower){ 0 };
	watched_end(&watched);
	printf("(nobody: what this machine can tell apart)\n");
	compare("expected: sample slows down by at most 0.5 %", slower[1], 0.5);
	compare("expected: sample --stacks all by at most 2 %", slower[2], 2);
}
