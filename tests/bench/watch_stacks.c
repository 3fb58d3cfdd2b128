/* SPDX-License-Identifier: MIT */
/* The stacks of 64 threads once. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "watch.h"

#define THREADS 64
#define RUNS 15
#define LIMIT_MS 5000.0         /* with more threads that compute than CPUs each waits for its turn */

static struct tool tools[] = {
	{ .name = "roclatch stack", .argv = { "roclatch", "stack", "--json", TOOL_PID } },
	{ .name = "eu-stack", .argv = { "eu-stack", "-p", TOOL_PID } },
	{ .name = "gdb bt", .argv = { "gdb", "-nx", "-batch", "-iex", "set debuginfod enabled off", "-p", TOOL_PID, "-ex",
				      "thread apply all bt" } },
};
enum { TOOLS = sizeof tools / sizeof *tools };

/* How long threads were stopped, of all runs. */
struct stops { unsigned n, long_ones; double sum_us; };
#define LONG_US 100.0           /* none should take that long */

static void count_stops(const char *said, struct stops *stops)
{
	static const char key[] = "\"stopped_ns\":";

	for (const char *at = strstr(said, key); at; at = strstr(at, key)) {
		at += sizeof key - 1;
		double us = strtod(at, NULL) / 1e3;
		if (us <= 0)
			continue;
		stops->n++;
		stops->sum_us += us;
		stops->long_ones += us >= LONG_US;
	}
}

static double measure(const struct tool *tool, pid_t target)
{
	static struct ran ran;
	double wall[RUNS], cpu[RUNS], stop[RUNS], middle, spent = 0;
	unsigned n = 0;
	struct stops stops = { 0 };

	for (; n < RUNS && spent < LIMIT_MS; n++) {
		/* eu-stack ends with 1 when a stack has no end that it knows */
		if (!tool_run(tool, target, &ran) && !ran.said[0]) {
			printf("%-28s did not work\n", tool->name);
			return -1;
		}
		wall[n] = ran.wall_ms;
		cpu[n] = ran.cpu_ms;
		stop[n] = said_number(ran.said, "\"longest_stop_ns\":") / 1e3;
		spent += wall[n];
		count_stops(ran.said, &stops);
	}
	middle = median(wall, n);
	printf("%-28s %6u %12.2f %12.2f %12ld", tool->name, n, middle, median(cpu, n), ran.peak_kib);
	if (median(stop, n) >= 0)
		printf(" %16.1f %10.1f", stop[n / 2], stop[n - 1]);
	putchar('\n');
	if (stops.n)
		printf("%-28s %u stops, %.1f us in the mean, %u of %.0f us and more\n", "", stops.n, stops.sum_us / stops.n,
		       stops.long_ones, LONG_US);
	return middle;
}

static void compare(enum watched_kind kind, const char *what)
{
	struct watched watched;
	double wall[TOOLS];

	printf("\nstacks of %u threads that %s, medians\n", THREADS, what);
	printf("%-28s %6s %12s %12s %12s %16s %10s\n", "", "runs", "wall ms", "CPU ms", "peak KiB", "longest stop us", "worst us");
	if (watched_start(&watched, kind, THREADS) < 0)
		return;
	for (unsigned i = 0; i < TOOLS; i++)
		wall[i] = tools[i].path[0] ? measure(&tools[i], watched.pid) : -1;
	for (unsigned i = 1; i < TOOLS; i++)
		if (wall[i] > 0 && wall[0] > 0)
			printf("%-8s / roclatch stack    %11.2fx\n", tools[i].name, wall[i] / wall[0]);
	watched_end(&watched);
}

void bench_stacks(void)
{
	tools_find(tools, TOOLS);
	compare(WATCHED_SLEEPS, "sleep");
	compare(WATCHED_COMPUTES, "compute");
}
