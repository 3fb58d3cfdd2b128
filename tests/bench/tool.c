/* SPDX-License-Identifier: MIT */
#include "tool.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "trace.h"

#define RUNS_MAX 100

/* Where the program lies, or "" if it is not installed. */
static void find_program(const char *name, char *path, size_t size)
{
	char folders[4096];

	snprintf(path, size, "%s", name);
	if (strchr(name, '/'))
		return;
	snprintf(folders, sizeof folders, "%s", getenv("PATH") ? getenv("PATH") : "/usr/bin:/bin");
	for (char *folder = strtok(folders, ":"); folder; folder = strtok(NULL, ":")) {
		snprintf(path, size, "%s/%s", folder, name);
		if (access(path, X_OK) == 0)
			return;
	}
	path[0] = '\0';
}

static int upwards(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(double *values, unsigned n)
{
	qsort(values, n, sizeof *values, upwards);
	return n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

static void forget_gaps(const struct target *target)
{
	for (unsigned i = 0; i < BEAT_THREADS; i++)
		target->shown->thread[i].longest_ns = 0;
}

/* In ms: of the first thread, and the longest of all others. */
static void read_gaps(const struct target *target, double *borrowed, double *others)
{
	*borrowed = (double)target->shown->thread[0].longest_ns / 1e6;
	*others = 0;
	for (unsigned i = 1; i < BEAT_THREADS; i++) {
		double gap = (double)target->shown->thread[i].longest_ns / 1e6;

		*others = gap > *others ? gap : *others;
	}
}

/* false: it did not do what it should */
static bool run_once(struct tool *tool, const struct target *target, char **argv, struct trace *t)
{
	uint64_t calls = target->shown->calls;
	bool good;

	t->limit_ms = 60000;
	if (trace_run(argv, t) != 0)
		return false;
	good = !t->over_limit && WIFEXITED(t->status) && WEXITSTATUS(t->status) == 0 &&
	       target->shown->calls == calls + tool->calls && kill(target->pid, 0) == 0;
	if (!good)
		snprintf(tool->said, sizeof tool->said, "status 0x%x, called %d times: %.100s", (unsigned)t->status,
			 (int)(target->shown->calls - calls), t->errors);
	return good;
}

static void fill_in(const struct tool *tool, const struct target *target, char text[2][16], char **argv)
{
	unsigned i;

	snprintf(text[0], 16, "%d", (int)target->pid);
	snprintf(text[1], 16, "%d", target->shown->thread[0].tid);
	for (i = 0; tool->argv[i]; i++)
		argv[i] = strcmp(tool->argv[i], "PID") == 0 ? text[0] :
			  strcmp(tool->argv[i], "TID") == 0 ? text[1] : (char *)(uintptr_t)tool->argv[i];
	argv[i] = NULL;
}

void tool_measure(struct tool *tool, const struct target *target)
{
	static double wall[RUNS_MAX], borrowed[RUNS_MAX], others[RUNS_MAX];
	unsigned runs = tool->runs < RUNS_MAX ? tool->runs : RUNS_MAX;
	struct trace t = { .what = TRACE_NOT };
	char path[PATH_MAX], text[2][16], *argv[16];
	struct stat st;

	find_program(tool->program, path, sizeof path);
	tool->there = path[0] && stat(path, &st) == 0;
	if (!tool->there)
		return;
	tool->size_kib = (double)st.st_size / 1024;
	fill_in(tool, target, text, argv);
	argv[0] = path;
	if (!run_once(tool, target, argv, &t))          /* warms the page cache */
		return;
	for (unsigned i = 0; i < runs; i++) {
		forget_gaps(target);
		usleep(3000);
		if (!run_once(tool, target, argv, &t))
			return;
		usleep(3000);
		wall[i] = (double)t.wall_ns / 1e6;
		read_gaps(target, &borrowed[i], &others[i]);
	}
	tool->wall_ms = median(wall, runs);
	tool->borrowed_ms = median(borrowed, runs);
	tool->others_ms = median(others, runs);
	t.what = TRACE_COUNT;
	tool->worked = run_once(tool, target, argv, &t);
	tool->system_calls = t.calls;
}
