/* SPDX-License-Identifier: MIT */
/* The longest gap of threads that look at the clock all the time, while somebody looks at them. */
#include <stdio.h>

#include "watch.h"

#define THREADS 8
#define ROUNDS 9
#define WINDOW_MS 1000.0

#define SAMPLE "roclatch", "sample", TOOL_PID, "--duration-msec", "1000", "-o", "-"

static struct tool tools[] = {
	{ .name = "nobody" },
	{ .name = "roclatch sample", .argv = { SAMPLE } },
	{ .name = "  --stacks all", .argv = { SAMPLE, "--stacks", "all" } },
	{ .name = "  --stacks all --no-perf", .argv = { SAMPLE, "--stacks", "all", "--no-perf" } },
	{ .name = "roclatch stack", .argv = { "roclatch", "stack", TOOL_PID } },
	{ .name = "eu-stack", .who = "eu-stack", .argv = { "eu-stack", "-p", TOOL_PID } },
	{ .name = "gdb bt", .who = "gdb", .argv = { "gdb", "-nx", "-batch", "-iex", "set debuginfod enabled off", "-p", TOOL_PID,
						    "-ex", "thread apply all bt" } },
	{ .name = "perf record -g", .who = "perf", .argv = { "perf", "record", "-q", "-g", "-F", "100", "-o", "/dev/null", "-p",
							     TOOL_PID, "--", "sleep", "1" } },
};
enum { TOOLS = sizeof tools / sizeof *tools, FIRST_PEER = 5 };

/* One that ends before the window is run again: the longest of many is compared with the longest of many. */
static bool fill_window(const struct tool *tool, pid_t target, unsigned *runs)
{
	static struct ran ran;
	uint64_t begun = clock_ns();

	*runs = 0;
	if (!tool->argv[0]) {
		wait_ms(WINDOW_MS);
		return true;
	}
	do {
		if (!tool_run(tool, target, &ran))
			return false;
		++*runs;
	} while ((double)(clock_ns() - begun) < WINDOW_MS * 0.9e6);
	return true;
}

static struct figure measure(const struct tool *tool, struct watched *watched)
{
	double gaps[ROUNDS];
	unsigned runs, all = 0, rounds = times(ROUNDS);
	struct figure gap;

	for (unsigned i = 0; i < rounds; i++) {
		watched_forget(watched);
		if (!fill_window(tool, watched->pid, &runs)) {
			printf("%-28s did not work\n", tool->name);
			return (struct figure){ 0 };
		}
		all += runs;
		gaps[i] = watched_gap_us(watched);
	}
	gap = middle(gaps, rounds);
	printf("%-28s %14.1f %14.1f %8u\n", tool->name, gap.value, gaps[rounds - 1], all);
	return gap;
}

static void say(const struct figure *gap)
{
	static const char *const keys[] = { "sample", "all", "stops", "stack" };

	for (unsigned i = 1; i < FIRST_PEER; i++) {
		if (!gap[i].runs)
			continue;
		figure_say("roclatch", gap[i], "gap.%s", keys[i - 1]);
		figure_say("floor", gap[0], "gap.%s", keys[i - 1]);
		for (unsigned k = FIRST_PEER; k < TOOLS; k++)
			if (gap[k].runs)
				figure_say(tools[k].who, gap[k], "gap.%s", keys[i - 1]);
	}
}

void bench_gaps(void)
{
	struct watched watched;
	struct figure gap[TOOLS] = { { 0 } };

	printf("\nlongest gap of %u threads that %s, in %u windows of a second\n", THREADS,
	       watched_spins() ? "have a CPU each" : "nap for 20 us at real-time priority", times(ROUNDS));
	tools_find(tools, TOOLS);
	printf("%-28s %14s %14s %8s\n", "while they are looked at by", "median us", "worst us", "runs");
	if (watched_start(&watched, WATCHED_BEATS, THREADS) < 0)
		return;
	for (unsigned i = 0; i < TOOLS; i++)
		if (!tools[i].argv[0] || tools[i].there)
			gap[i] = measure(&tools[i], &watched);
	watched_end(&watched);
	say(gap);
}
