/* SPDX-License-Identifier: MIT */
/* The threads, brought from one look to the next, and their order. */
#include <stdlib.h>
#include <string.h>

#include "bin/top.h"
#include "inject/thread.h"

#define FIRST_NS 90000000u      /* over less than this, CPU use says nothing */
#define WINDOW_NS 950000000u

const char *const top_order_names[] = { "cpu", "state", "time", "for", "name", "tid" };

void top_batch(void *ctx, const struct sample *samples, size_t n)
{
	struct top *top = ctx;
	const struct profile *profile = sampler_profile(top->sampler);
	if (n > top->found_room) {
		struct top_found *more = realloc(top->found, n * sizeof *more);
		if (!more)
			return;
		top->found = more;
		top->found_room = n;
	}
	top->found_n = 0;
	for (size_t i = 0; i < n; i++)
		if (samples[i].thread < profile->threads_n)
			top->found[top->found_n++] =
				(struct top_found){ profile->threads[samples[i].thread].tid, samples[i].stack };
}

static void follow(struct top_row *row, const struct task *task, uint64_t now)
{
	bool stays = row->task.since_ns == task->since_ns;
	row->task = *task;
	row->stack = NO_STACK;
	if (!stays)
		row->blocked_since_ns = task->since_ns;
	uint64_t passed = now - row->from_ns;
	if (passed < (row->seen ? WINDOW_NS : FIRST_NS))
		return;
	row->cpu = task->run_ns > row->from_run_ns ? 100.0 * (double)(task->run_ns - row->from_run_ns) / (double)passed : 0;
	row->from_ns = now;
	row->from_run_ns = task->run_ns;
	row->seen = true;
}

static int make_room(struct top *top, size_t n, struct err *err)
{
	if (n <= top->room)
		return 0;
	size_t room = n + n / 2 + 64;
	struct top_row *rows = realloc(top->rows, room * sizeof *rows);
	if (rows)
		top->rows = rows;
	struct top_row **order = realloc(top->order, room * sizeof *order);
	if (order)
		top->order = order;
	if (!rows || !order)
		return err_set(err, ERR_FAILED, 0, "out of memory for %zu threads", n);
	top->room = room;
	return 0;
}

/* Those that are gone go out; both are in order of tid. */
static void drop_gone(struct top *top, const struct tasks *tasks)
{
	size_t kept = 0;
	for (size_t i = 0, k = 0; i < top->n; i++) {
		while (k < tasks->n && tasks->v[k].tid < top->rows[i].task.tid)
			k++;
		if (k < tasks->n && tasks->v[k].tid == top->rows[i].task.tid)
			top->rows[kept++] = top->rows[i];
	}
	top->n = kept;
}

/* From the back, so that each row moves once. */
static void take_new(struct top *top, const struct tasks *tasks, uint64_t now)
{
	size_t old = top->n;
	top->n = tasks->n;
	for (size_t k = tasks->n; k--;) {
		const struct task *task = &tasks->v[k];
		if (old && top->rows[old - 1].task.tid == task->tid) {
			top->rows[k] = top->rows[--old];
			follow(&top->rows[k], task, now);
		} else {
			top->rows[k] = (struct top_row){ .task = *task, .from_ns = now, .from_run_ns = task->run_ns, .stack = NO_STACK };
		}
	}
}

static int by_tid(const void *key, const void *element)
{
	pid_t a = *(const pid_t *)key, b = ((const struct top_row *)element)->task.tid;
	return (a > b) - (a < b);
}

struct top_row *top_row(struct top *top, pid_t tid)
{
	return top->n ? bsearch(&tid, top->rows, top->n, sizeof *top->rows, by_tid) : NULL;
}

int top_rows(struct top *top, const struct tasks *tasks, struct err *err)
{
	if (make_room(top, tasks->n, err) < 0)
		return -1;
	drop_gone(top, tasks);
	take_new(top, tasks, tasks->tick_ns);
	for (size_t i = 0; i < top->found_n; i++) {
		struct top_row *row = top_row(top, top->found[i].tid);
		if (row)
			row->stack = top->found[i].stack;
	}
	top->found_n = 0;
	top->cpu = 0;
	for (size_t i = 0; i < top->n; i++)
		top->cpu += top->rows[i].cpu;
	task_count_text(tasks, top->counts, sizeof top->counts);
	return 0;
}

void top_rows_free(struct top *top)
{
	free(top->rows);
	free(top->order);
	free(top->found);
}

static enum top_order sorted_by;
static bool sorted_reversed;

static int falling(uint64_t a, uint64_t b)
{
	return (a < b) - (a > b);
}

static int compare_by(const struct top_row *a, const struct top_row *b)
{
	switch (sorted_by) {
	case ORDER_CPU: return (a->cpu < b->cpu) - (a->cpu > b->cpu);
	case ORDER_STATE: return (int)a->task.state - (int)b->task.state;
	case ORDER_TIME: return falling(a->task.run_ns, b->task.run_ns);
	case ORDER_FOR: return falling(b->task.since_ns, a->task.since_ns);
	case ORDER_NAME: return strcmp(a->task.name, b->task.name);
	default: return 0;
	}
}

static int compare(const void *x, const void *y)
{
	const struct top_row *a = *(struct top_row *const *)x, *b = *(struct top_row *const *)y;
	int by = compare_by(a, b);
	if (!by)
		by = (a->task.tid > b->task.tid) - (a->task.tid < b->task.tid);
	return sorted_reversed ? -by : by;
}

void top_sort(struct top *top)
{
	sorted_by = top->by;
	sorted_reversed = top->reversed;
	for (size_t i = 0; i < top->n; i++)
		top->order[i] = &top->rows[i];
	if (top->n)
		qsort(top->order, top->n, sizeof *top->order, compare);
}

size_t top_place(const struct top *top, pid_t tid)
{
	for (size_t i = 0; i < top->n; i++)
		if (top->order[i]->task.tid == tid)
			return i;
	return 0;
}

/* A thread that was blocked before we came is asked of the scheduler, once, when it is shown. */
uint64_t top_blocked_ns(struct top_row *row)
{
	uint64_t now = now_ns();
	if (row->task.state == TASK_RUNNING)
		return 0;
	if (!row->blocked_since_ns)
		row->blocked_since_ns = now - task_blocked_ns(&row->task, now);
	return now - row->blocked_since_ns;
}
