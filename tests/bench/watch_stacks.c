/* SPDX-License-Identifier: MIT */
/* The stacks of 64 threads once. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

#include "watch.h"

#define THREADS 64
#define RUNS 15
#define LIMIT_MS 5000.0         /* with more threads that compute than CPUs each waits for its turn */

static struct tool tools[] = {
	{ .name = "roclatch stack", .argv = { "roclatch", "stack", "--json", TOOL_PID } },
	{ .name = "eu-stack", .who = "eu-stack", .argv = { "eu-stack", "-p", TOOL_PID } },
	{ .name = "gdb bt", .who = "gdb", .argv = { "gdb", "-nx", "-batch", "-iex", "set debuginfod enabled off", "-p", TOOL_PID,
						    "-ex", "thread apply all bt" } },
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

static struct figure measure(const struct tool *tool, pid_t target, struct stops *stops, struct figure *longest)
{
	static struct ran ran;
	double wall[RUNS], cpu[RUNS], stop[RUNS], spent = 0;
	unsigned n = 0;
	struct figure figure;

	for (; n < times(RUNS) && spent < LIMIT_MS; n++) {
		/* eu-stack ends with 1 when a stack has no end that it knows */
		if (!tool_run(tool, target, &ran) && !ran.said[0]) {
			printf("%-28s did not work\n", tool->name);
			return (struct figure){ 0 };
		}
		wall[n] = ran.wall_ms;
		cpu[n] = ran.cpu_ms;
		stop[n] = said_number(ran.said, "\"longest_stop_ns\":") / 1e3;
		spent += wall[n];
		count_stops(ran.said, stops);
	}
	figure = middle(wall, n);
	*longest = middle(stop, n);
	printf("%-28s %6u %12.2f %12.2f %12.0f", tool->name, n, figure.value, middle(cpu, n).value, ran.peak_kib);
	if (longest->value >= 0)
		printf(" %16.1f %10.1f", longest->value, stop[n - 1]);
	putchar('\n');
	if (stops->n)
		printf("%-28s %u stops, %.1f us in the mean, %u of %.0f us and more\n", "", stops->n, stops->sum_us / stops->n,
		       stops->long_ones, LONG_US);
	return figure;
}

/* Each thread stopped and let go at once: the wall time of all, and the mean of a stop. */
static struct figure measure_floor(pid_t target, struct figure *stop)
{
	double wall[RUNS], each[RUNS], spent = 0;
	unsigned n = 0;
	char path[64];

	snprintf(path, sizeof path, "/proc/%d/task", (int)target);
	for (; n < times(RUNS) && spent < LIMIT_MS; n++) {
		uint64_t begun = clock_ns();
		unsigned stops = 0;
		DIR *tasks = opendir(path);
		struct dirent *entry;

		each[n] = 0;
		while (tasks && (entry = readdir(tasks))) {
			pid_t tid = atoi(entry->d_name);
			uint64_t stopped;

			if (tid <= 0 || ptrace(PTRACE_SEIZE, tid, 0, 0) || ptrace(PTRACE_INTERRUPT, tid, 0, 0) ||
			    waitpid(tid, NULL, __WALL) != tid)
				continue;
			stopped = clock_ns();
			ptrace(PTRACE_DETACH, tid, 0, 0);
			each[n] += (double)(clock_ns() - stopped) / 1e3;
			stops++;
		}
		closedir(tasks);
		each[n] /= stops ? stops : 1;
		wall[n] = (double)(clock_ns() - begun) / 1e6;
		spent += wall[n];
	}
	struct figure figure = middle(wall, n);
	*stop = middle(each, n);
	printf("%-28s %6u %12.2f %12s %12s %16.1f us for each\n", "a stop of each", n, figure.value, "", "", stop->value);
	return figure;
}

static void compare(enum watched_kind kind, const char *what, const char *key)
{
	struct watched watched;
	struct figure wall[TOOLS] = { { 0 } }, longest[TOOLS], floor, stop;
	struct stops stops[TOOLS] = { { 0 } };

	printf("\nstacks of %u threads that %s, medians\n", THREADS, what);
	printf("%-28s %6s %12s %12s %12s %16s %10s\n", "", "runs", "wall ms", "CPU ms", "peak KiB", "longest stop us", "worst us");
	if (watched_start(&watched, kind, THREADS) < 0)
		return;
	for (unsigned i = 0; i < TOOLS; i++)
		if (tools[i].there)
			wall[i] = measure(&tools[i], watched.pid, &stops[i], &longest[i]);
	floor = measure_floor(watched.pid, &stop);
	watched_end(&watched);
	figure_say("roclatch", wall[0], "stack.%s", key);
	figure_say("floor", floor, "stack.%s", key);
	for (unsigned i = 1; i < TOOLS; i++)
		if (wall[i].runs)
			figure_say(tools[i].who, wall[i], "stack.%s", key);
	if (stops[0].n) {
		figure_say("roclatch", (struct figure){ stops[0].sum_us / stops[0].n, 0, stops[0].n }, "stop.%s", key);
		figure_say("floor", stop, "stop.%s", key);
	}
}

void bench_stacks(void)
{
	tools_find(tools, TOOLS);
	compare(WATCHED_SLEEPS, "sleep", "asleep");
	compare(WATCHED_COMPUTES, "compute", "computing");
}
