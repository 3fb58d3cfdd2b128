/* SPDX-License-Identifier: MIT */
/* The table of threads: which columns a window has room for, and what stands in them. */
#include <inttypes.h>
#include <string.h>

#include "bin/top.h"

struct column {
	const char *title;
	int width;              /* as for screen_cell; 0: what is left */
	unsigned from, to;      /* widths of the window that have it */
	void (*text)(struct top *top, struct top_row *row, char *text, size_t size);
};

static void put_tid(struct top *top, struct top_row *row, char *text, size_t size)
{
	(void)top;
	snprintf(text, size, "%d", (int)row->task.tid);
}

static void put_name(struct top *top, struct top_row *row, char *text, size_t size)
{
	(void)top;
	snprintf(text, size, "%s", row->task.name);
}

static void put_letter(struct top *top, struct top_row *row, char *text, size_t size)
{
	(void)top;
	snprintf(text, size, "%c", row->task.letter);
}

static void put_state(struct top *top, struct top_row *row, char *text, size_t size)
{
	(void)top;
	snprintf(text, size, "%s", task_state_text(row->task.state));
}

static void put_cpu(struct top *top, struct top_row *row, char *text, size_t size)
{
	(void)top;
	snprintf(text, size, "%.1f", row->cpu);
}

static void put_time(struct top *top, struct top_row *row, char *text, size_t size)
{
	(void)top;
	snprintf(text, size, "%s", duration_text(row->task.run_ns));
}

static void put_call(struct top *top, struct top_row *row, char *text, size_t size)
{
	char buf[32];
	(void)top;
	if (row->task.state != TASK_RUNNING && row->task.call_known && row->task.call.nr >= 0)
		snprintf(text, size, "%s", task_syscall_name(row->task.call.nr, buf, sizeof buf));
}

static void put_for(struct top *top, struct top_row *row, char *text, size_t size)
{
	(void)top;
	if (row->task.state != TASK_RUNNING)
		snprintf(text, size, "%s", duration_text(top_blocked_ns(row)));
}

/* Where a blocked thread is says its system call; where a running one is only its stack, if there is one. */
static void put_function(struct top *top, struct top_row *row, char *text, size_t size)
{
	const struct profile *profile = sampler_profile(top->sampler);
	const struct task *task = &row->task;
	if (!top->watched.readable)
		return;
	if (row->stack != NO_STACK && row->stack < profile->nodes_n) {
		const struct place *place = &profile->places[profile->nodes[row->stack].place];
		if (!place->end)
			watched_place(&top->watched, place->pc, place->exact, false, text, size);
	} else if (task->state != TASK_RUNNING && task->call_known && task->call.pc) {
		watched_place(&top->watched, task->call.pc, true, false, text, size);
	}
}

#define WIDE SCREEN_COLUMNS_MAX
static const struct column columns[] = {
	{ "TID", -7, 0, WIDE, put_tid },
	{ "S", 1, 0, 59, put_letter },
	{ "%CPU", -5, 0, 59, put_cpu },
	{ "NAME", 0, 0, 39, put_name },
	{ "NAME", 15, 40, WIDE, put_name },
	{ "CALL", 0, 40, 59, put_call },
	{ "STATE", 8, 60, WIDE, put_state },
	{ "%CPU", -5, 60, WIDE, put_cpu },
	{ "TIME", -9, 100, WIDE, put_time },
	{ "CALL", 15, 60, WIDE, put_call },
	{ "FOR", -9, 70, WIDE, put_for },
	{ "FUNCTION", 0, 60, WIDE, put_function },
};

static void put_line(struct top *top, struct top_row *row)
{
	struct screen *screen = &top->terminal.screen;
	for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
		const struct column *column = &columns[i];
		char text[512] = "";
		if (screen->columns < column->from || screen->columns > column->to)
			continue;
		if (row)
			column->text(top, row, text, sizeof text);
		if (screen->column)
			screen_text(screen, " ");
		if (column->width)
			screen_cell(screen, column->width, row ? text : column->title);
		else
			screen_text(screen, row ? text : column->title);
	}
	screen_fill(screen);
}

void top_draw_table(struct top *top, unsigned from, unsigned rows)
{
	struct screen *screen = &top->terminal.screen;
	screen_line(screen, from);
	screen_style(screen, STYLE_BOLD);
	put_line(top, NULL);
	for (unsigned i = 1; i < rows && top->first + i - 1 < top->n; i++) {
		struct top_row *row = top->order[top->first + i - 1];
		screen_line(screen, from + i);
		if (row->task.tid == top->selected)
			screen_style(screen, STYLE_REVERSE);
		put_line(top, row);
	}
}
