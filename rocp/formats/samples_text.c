/* SPDX-License-Identifier: MIT */
/* A summary to read: what was looked at, threads, functions; then where threads are blocked and whole stacks. */
#include <inttypes.h>
#include <stdlib.h>

#include "rocp/formats/samples_parts.h"

#define THREADS_MOST 40u
#define FUNCTIONS_MOST 20u
#define FUNCTION_COLUMN 18u

void samples_put(struct file *file, const char *text, size_t width)
{
	char shown[SHOWN_SIZE(TEXT_WIDTH)];
	samples_shown(text, width < TEXT_WIDTH ? width : TEXT_WIDTH, shown, sizeof shown);
	file_text(file, shown);
}

void samples_put_share(struct file *file, uint64_t part, uint64_t whole)
{
	file_format(file, "%6.1f %%", whole ? 100.0 * (double)part / (double)whole : 0.0);
}

/* "1.25 s", "80 us" */
static void put_time(struct file *file, uint64_t ns)
{
	if (ns < 1000000)
		file_format(file, "%.0f us", (double)ns / 1e3);
	else if (ns < 1000000000)
		file_format(file, "%.1f ms", (double)ns / 1e6);
	else
		file_format(file, "%.2f s", (double)ns / 1e9);
}

static void put_ways(struct file *file, const struct profile *profile)
{
	file_format(file, "stacks: %" PRIu64 " taken", profile->stacks_taken);
	if (profile->by_outside)
		file_format(file, ", %" PRIu64 " from outside", profile->by_outside);
	if (profile->by_perf)
		file_format(file, ", %" PRIu64 " by perf", profile->by_perf);
	if (profile->by_stop) {
		file_format(file, ", %" PRIu64 " by stops (the longest ", profile->by_stop);
		put_time(file, profile->stop_longest_ns);
		file_text(file, ")");
	}
	file_format(file, "; %" PRIu64 " missed\n", profile->stacks_missed);
}

static void put_head(struct file *file, const struct profile *profile)
{
	samples_put(file, profile->name, 64);
	file_format(file, " (process %d)\n", (int)profile->pid);
	if (profile->command[0]) {
		samples_put(file, profile->command, TEXT_WIDTH);
		file_text(file, "\n");
	}
	put_time(file, profile->duration_ns);
	file_format(file, " at %g per second: %" PRIu64 " looks, %" PRIu64 " late, %" PRIu64 " left out; %" PRIu64 " samples of %zu thread%s\n",
		    profile->rate, profile->ticks, profile->late, profile->dropped, profile->samples, profile->threads_n,
		    profile->threads_n == 1 ? "" : "s");
	if (profile->why_no_stacks[0]) {
		file_text(file, "no stacks: ");
		samples_put(file, profile->why_no_stacks, TEXT_WIDTH - 11);
		file_text(file, "\n");
	} else {
		put_ways(file, profile);
	}
	if (profile->stretches_cut)
		file_text(file, "states over time were kept for the first part only; sums are of all\n");
}

static uint64_t seen(const struct watched_thread *thread)
{
	uint64_t sum = 0;
	for (size_t i = 0; i < TASK_STATES; i++)
		sum += thread->in_state[i];
	return sum;
}

static int busy_first(const void *left, const void *right)
{
	const struct watched_thread *a = *(const struct watched_thread *const *)left, *b = *(const struct watched_thread *const *)right;
	if (a->in_state[TASK_RUNNING] != b->in_state[TASK_RUNNING])
		return a->in_state[TASK_RUNNING] > b->in_state[TASK_RUNNING] ? -1 : 1;
	if (a->run_ns != b->run_ns)
		return a->run_ns > b->run_ns ? -1 : 1;
	return a->tid < b->tid ? -1 : a->tid > b->tid;
}

static void put_thread(struct file *file, const struct watched_thread *thread)
{
	char name[SHOWN_SIZE(24)];
	size_t columns = samples_shown(thread->name, 24, name, sizeof name);
	file_format(file, "%8d  %s%*s%9" PRIu64, (int)thread->tid, name, (int)(24 - columns), "", seen(thread));
	for (enum task_state state = TASK_RUNNING; state <= TASK_STOPPED; state++) {
		file_text(file, "  ");
		samples_put_share(file, thread->in_state[state], seen(thread));
	}
	file_format(file, "%10.2f s\n", (double)thread->run_ns / 1e9);
}

static int put_threads(struct samples *samples, struct err *err)
{
	const struct profile *profile = samples->profile;
	const struct watched_thread **thread = samples_array(profile->threads_n, sizeof *thread, err);
	if (!thread)
		return -1;
	for (size_t i = 0; i < profile->threads_n; i++)
		thread[i] = &profile->threads[i];
	qsort(thread, profile->threads_n, sizeof *thread, busy_first);
	file_format(samples->file, "\n%8s  %-24s%9s", "thread", "name", "samples");
	for (enum task_state state = TASK_RUNNING; state <= TASK_STOPPED; state++)
		file_format(samples->file, "%10s", task_state_text(state));
	file_format(samples->file, "%12s\n", "cpu");
	for (size_t i = 0; i < profile->threads_n && i < THREADS_MOST; i++)
		put_thread(samples->file, thread[i]);
	if (profile->threads_n > THREADS_MOST)
		file_format(samples->file, "%8s  and %zu more threads\n", "", profile->threads_n - THREADS_MOST);
	free(thread);
	return 0;
}

static int by_self(const void *left, const void *right)
{
	const struct sampled_function *a = *(const struct sampled_function *const *)left, *b = *(const struct sampled_function *const *)right;
	if (a->self != b->self)
		return a->self > b->self ? -1 : 1;
	return a->total != b->total ? (a->total > b->total ? -1 : 1) : a < b ? -1 : a > b;
}

static int by_total(const void *left, const void *right)
{
	const struct sampled_function *a = *(const struct sampled_function *const *)left, *b = *(const struct sampled_function *const *)right;
	return a->total != b->total ? (a->total > b->total ? -1 : 1) : by_self(left, right);
}

static void put_function(const struct samples *samples, const struct sampled_function *function)
{
	char module[SHOWN_SIZE(28)];
	size_t columns = samples_shown(function->module, 28, module, sizeof module);
	samples_put_share(samples->file, function->self, samples->weight);
	samples_put_share(samples->file, function->total, samples->weight);
	file_text(samples->file, "  ");
	samples_put(samples->file, function->label, TEXT_WIDTH - FUNCTION_COLUMN - columns - 3);
	if (columns)
		file_format(samples->file, " (%s)", module);
	file_text(samples->file, "\n");
}

static void put_table(const struct samples *samples, const struct sampled_function **function, size_t n, const char *title,
		      int (*order)(const void *, const void *))
{
	qsort(function, n, sizeof *function, order);
	file_format(samples->file, "\n%8s%8s  %s\n", "self", "total", title);
	for (size_t i = 0; i < n && i < FUNCTIONS_MOST; i++)
		put_function(samples, function[i]);
	if (n > FUNCTIONS_MOST)
		file_format(samples->file, "%16s  and %zu more\n", "", n - FUNCTIONS_MOST);
}

static int put_functions(struct samples *samples, struct err *err)
{
	const struct sampled_function **function = samples_array(samples->functions, sizeof *function, err);
	size_t n = 0;
	if (!function)
		return -1;
	for (size_t i = 0; i < samples->functions; i++)
		if (!samples->function[i].is_end && samples->function[i].total)
			function[n++] = &samples->function[i];
	if (n) {
		put_table(samples, function, n, "functions, by what they do themselves (share of all samples)", by_self);
		put_table(samples, function, n, "functions, by all that they call too", by_total);
	}
	free(function);
	return 0;
}

int samples_text(struct samples *samples, struct err *err)
{
	put_head(samples->file, samples->profile);
	if (!samples->profile->threads_n) {
		file_text(samples->file, "\nno thread was seen\n");
		return 0;
	}
	return put_threads(samples, err) < 0 || put_functions(samples, err) < 0 ? -1 : samples_text_stacks(samples, err);
}
