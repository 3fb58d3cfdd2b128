/* SPDX-License-Identifier: MIT */
/* The longest gap of threads that look at the clock all the time, while somebody looks at them. */
#include <stdio.h>
#include <unistd.h>

#include "watch.h"

#define THREADS 8
#define ROUNDS 3
#define WINDOW_MS 1000.0

#define SAMPLE "roclatch", "sample", TOOL_PID, "--duration-msec", "1000", "-o", "-"

static struct tool tools[] = {
	{ .name = "nobody" },
	{ .name = "roclatch sample", .argv = { SAMPLE } },
	{ .name = "  --stacks all", .argv = { SAMPLE, "--stacks", "all" } },
	{ .name = "  --stacks all --no-perf", .argv = { SAMPLE, "--stacks", "all", "--no-perf" } },
	{ .name = "roclatch stack", .argv = { "roclatch", "stack", TOOL_PID } },
	{ .name = "eu-stack", .argv = { "eu-stack", "-p", TOOL_PID } },
	{ .name = "gdb bt", .argv = { "gdb", "-nx", "-batch", "-iex", "set debuginfod enabled off", "-p", TOOL_PID, "-ex",
				      "thread apply all bt" } },
	{ .name = "perf record -g", .argv = { "perf", "record", "-q", "-g", "-F", "100", "-o", "/dev/null", "-p", TOOL_PID, "--",
					      "sleep", "1" } },
};
enum { TOOLS = sizeof tools / sizeof *tools, STACK = 4 };

/* One that ends before the window is run again: the longest of many is compared with the longest of many. */
static bool fill_window(const struct tool *tool, pid_t target, unsigned *times)
{
	static struct ran ran;
	uint64_t begun = clock_ns();

	*times = 0;
	if (!tool->argv[0]) {
		wait_ms(WINDOW_MS);
		return true;
	}
	do {
		if (!tool_run(tool, target, &ran))
			return false;
		++*times;
	} while ((double)(clock_ns() - begun) < WINDOW_MS * 0.9e6);
	return true;
}

static double measure(const struct tool *tool, struct watched *watched)
{
	double gaps[ROUNDS], middle;
	unsigned times, all = 0;

	for (unsigned i = 0; i < ROUNDS; i++) {
		watched_forget(watched);
		if (!fill_window(tool, watched->pid, &times)) {
			printf("%-28s did not work\n", tool->name);
			return -1;
		}
		all += times;
		gaps[i] = watched_gap_us(watched);
	}
	middle = median(gaps, ROUNDS);
	printf("%-28s %14.1f %14.1f %8u\n", tool->name, middle, gaps[ROUNDS - 1], all);
	return middle;
}

void bench_gaps(void)
{
	struct watched watched;
	double gap[TOOLS];

	printf("\nlongest gap of %u threads that %s, in %u windows of a second\n", THREADS,
	       watched_spins() ? "have a CPU each" : "nap for 20 us at real-time priority", ROUNDS);
	tools_find(tools, TOOLS);
	printf("%-28s %14s %14s %8s\n", "while they are looked at by", "median us", "worst us", "runs");
	if (watched_start(&watched, WATCHED_BEATS, THREADS) < 0)
		return;
	for (unsigned i = 0; i < TOOLS; i++)
		gap[i] = !tools[i].argv[0] || tools[i].path[0] ? measure(&tools[i], &watched) : -1;
	for (unsigned i = 1; i < TOOLS; i++)
		if (gap[i] > 0 && gap[0] > 0)
			printf("%-28s %13.2fx nobody %10.2fx roclatch stack\n", tools[i].name, gap[i] / gap[0], gap[i] / gap[STACK]);
	watched_end(&watched);
}
