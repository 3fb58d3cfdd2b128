/* SPDX-License-Identifier: MIT */
/* How much less a process with 64 threads computes while it is looked at 100 times a second. */
#include <signal.h>
#include <stdio.h>

#include "watch.h"

#define THREADS 64
#define PAIRS_MOST 400
#define WINDOW_MS 600.0
#define BEGINS_MS 250.0         /* a tool that starts is not one that looks */

unsigned bench_pairs;

#define SAMPLE "roclatch", "sample", TOOL_PID, "--rate", "100", "-o", "-"

static struct tool tools[] = {
	{ .name = "nobody" },
	{ .name = "roclatch sample", .argv = { SAMPLE } },
	{ .name = "  --stacks all", .argv = { SAMPLE, "--stacks", "all" } },
	{ .name = "  --stacks all --no-perf", .argv = { SAMPLE, "--stacks", "all", "--no-perf" } },
	{ .name = "perf record -g", .who = "perf", .argv = { "perf", "record", "-q", "-g", "-F", "100", "-o", "/dev/null",
							     "-p", TOOL_PID } },
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
		program_finish(pid, -1, &ran);
	}
	return rate;
}

/* Per cent of what is computed before and after, as meanwhile the machine may change. */
static struct figure measure(const struct tool *tool, const struct watched *watched)
{
	double slower[PAIRS_MOST], before = work_per_ms(watched);
	struct figure result;

	for (unsigned i = 0; i < bench_pairs; i++) {
		double with = while_looked_at(tool, watched), after = work_per_ms(watched);

		slower[i] = 100 * (1 - with / ((before + after) / 2));
		before = after;
	}
	result = mean(slower, bench_pairs);
	printf("%-28s %14.3f %14.3f %14.3f\n", tool->name, result.value, result.error, middle(slower, bench_pairs).value);
	return result;
}

/* Each was measured against nobody already: what nobody's own figure is off by is what such a figure may be worth. */
static void say(const struct figure *slower)
{
	static const char *const keys[] = { "sample", "all", "stops" };

	for (unsigned i = 1; i <= 3; i++) {
		figure_say("roclatch", slower[i], "slowdown.%s", keys[i - 1]);
		figure_say("floor", slower[0], "slowdown.%s", keys[i - 1]);
		if (slower[TOOLS - 1].runs)
			figure_say("perf", slower[TOOLS - 1], "slowdown.%s", keys[i - 1]);
	}
}

void bench_slowdown(void)
{
	struct watched watched;
	struct figure slower[TOOLS] = { { 0 } };

	if (!bench_pairs)
		bench_pairs = times(20);
	if (bench_pairs > PAIRS_MOST)
		bench_pairs = PAIRS_MOST;
	printf("\nslow-down of %u threads that compute, in per cent, %u windows of %.1f s, at 100 Hz\n", THREADS, bench_pairs,
	       WINDOW_MS / 1e3);
	tools_find(tools, TOOLS);
	printf("%-28s %14s %14s %14s\n", "while they are looked at by", "mean", "more or less", "median");
	if (watched_start(&watched, WATCHED_COMPUTES, THREADS) < 0)
		return;
	for (unsigned i = 0; i < TOOLS; i++)
		if (!tools[i].argv[0] || tools[i].there)
			slower[i] = measure(&tools[i], &watched);
	watched_end(&watched);
	printf("(nobody: what this machine can tell apart)\n");
	say(slower);
}
