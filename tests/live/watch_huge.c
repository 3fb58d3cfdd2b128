// SPDX-License-Identifier: MIT
/* Processes with very many threads or mappings: all of roclatch's looks still work, and hold little meanwhile. */
#include <stdlib.h>
#include <string.h>

#include "watch.h"

#define WAIT_MS (slow_machine() ? 120000u : 60000u)
#define THREADS 24000
#define THREADS_LEAST 2000
#define MAPPINGS 60000
#define FILES_MOST 600          /* descriptors: 512 of threads are kept open, */
#define FILES_MOST_PERF 1150    /* and as many of perf events */
#define KIB_MOST (192 << 10)

static unsigned count(const char *text, const char *part)
{
	unsigned n = 0;

	for (; (text = strstr(text, part)); text += strlen(part))
		n++;
	return n;
}

static void check_bounds(const struct looked *l, const char *command)
{
	unsigned most = strstr(command, "all") ? FILES_MOST_PERF : FILES_MOST;

	looked_well(l, command);
	check(l->files <= most, "%s had %u descriptors open", command, l->files);
	check(l->peak_kib <= KIB_MOST, "%s needed %ld KiB", command, l->peak_kib);
}

static struct target start_huge(const char *what, unsigned n)
{
	char number[16];

	snprintf(number, sizeof(number), "%u", n);
	return start(&(struct start){ .program = "hostile", .state = what, .settings = number });
}

static void check_listed(const struct target *t)
{
	struct looked l = look_at(WAIT_MS, "list --all");
	char line[32];

	check_bounds(&l, "list");
	snprintf(line, sizeof(line), "%d ", (int)t->pid);
	check(strstr(l.out, line), "list has no line for %d", (int)t->pid);
	looked_free(&l);
}

static void check_stacks(const struct target *t, unsigned n)
{
	struct looked l = look_at(WAIT_MS, "stack %d %d", (int)t->pid, (int)t->pid);

	check_bounds(&l, "stack of one");
	check(count(l.out, "TID ") == 1, "stack told of other threads: %.500s", l.out);
	looked_free(&l);
	if (slow_machine())
		return;
	l = look_at(WAIT_MS, "stack --depth 4 %d", (int)t->pid);
	check_bounds(&l, "stack of every thread");
	check(count(l.out, "TID ") == n, "stack told of %u threads and not %u", count(l.out, "TID "), n);
	looked_free(&l);
}

static void check_sample(const struct target *t, const char *words)
{
	struct looked l = look_at(WAIT_MS, "sample -f folded --rate 10 --duration-msec 2000 %s %d", words, (int)t->pid);

	check_bounds(&l, words[0] ? "sample --stacks all" : "sample");
	looked_free(&l);
}

static void run_threads(const void *unused)
{
	struct target t = start_huge("threads", slow_machine() ? THREADS_LEAST : THREADS);
	unsigned n = atomic_load(&t.record->started) + 1;
	struct looked l;

	(void)unused;
	if (n < THREADS_LEAST)
		skip("this machine allows %u threads, not %u", n, THREADS_LEAST);
	l = look_at(WAIT_MS, "threads %d", (int)t.pid);
	check_bounds(&l, "threads");
	check(count(l.out, "nanosleep") >= n - 1, "threads told of %u sleepers and not %u", count(l.out, "nanosleep"), n - 1);
	looked_free(&l);
	check_listed(&t);
	check_stacks(&t, n);
	check_sample(&t, "");
	check_sample(&t, "--stacks all");
	not_held(t.pid, n);
	stop(&t);
}

static void run_mappings(const void *unused)
{
	struct target t = start_huge("mappings", MAPPINGS);
	unsigned n = atomic_load(&t.record->started);
	struct looked l;

	(void)unused;
	require(n >= MAPPINGS, "the target has %u mappings", n);
	check_listed(&t);
	l = look_at(WAIT_MS, "threads %d", (int)t.pid);
	check_bounds(&l, "threads");
	looked_free(&l);
	l = look_at(WAIT_MS, "stack %d", (int)t.pid);
	check_bounds(&l, "stack");
	check(strstr(l.out, "main"), "the stack is not there: %s", l.out);
	looked_free(&l);
	l = look_at(WAIT_MS, "sample -f folded --stacks all --no-perf --duration-msec 1000 %d", (int)t.pid);
	check_bounds(&l, "sample");
	check(strstr(l.out, "main"), "the stack is not sampled: %s", l.out);
	looked_free(&l);
	not_held(t.pid, 1);
	stop(&t);
}

void add_huge_tests(void)
{
	add(ALONE, run_threads, NULL, "a process with thousands of threads is looked at with bounded descriptors and memory");
	add(ALONE, run_mappings, NULL, "a process with 60,000 mappings is looked at with bounded descriptors and memory");
}
