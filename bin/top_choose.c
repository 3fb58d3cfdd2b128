/* SPDX-License-Identifier: MIT */
/* roclatch top without a process: those that use a GPU, or all, to choose one. */
#include "bin/top_choose.h"

#include <stdio.h>

#include "bin/terminal.h"
#include "inject/thread.h"
#include "rocp/processes.h"

#define LOOK_NS 1000000000u
#define INDENT_MAX 10

struct choice {
	struct terminal terminal;
	struct processes processes;
	pid_t selected;
	size_t first;
};

static size_t place_of(const struct choice *choice)
{
	for (size_t i = 0; i < choice->processes.rows; i++)
		if (choice->processes.row[i]->stat.pid == choice->selected)
			return i;
	return 0;
}

static size_t lines(const struct choice *choice)
{
	return choice->terminal.screen.rows > 3 ? choice->terminal.screen.rows - 3 : 1;
}

static void draw_process(struct screen *screen, const struct process *process)
{
	char text[160];
	unsigned indent = 2 * (process->depth < INDENT_MAX ? process->depth : INDENT_MAX);
	snprintf(text, sizeof text, "%d", (int)process->stat.pid);
	screen_cell(screen, -7, text);
	if (screen->columns >= 40) {
		snprintf(text, sizeof text, "%u", (unsigned)process->uid);
		screen_text(screen, " ");
		screen_cell(screen, 10, process->user ? process->user : text);
	}
	snprintf(text, sizeof text, " %.1f", process->cpu_percent);
	screen_cell(screen, -6, text);
	if (screen->columns >= 60) {
		snprintf(text, sizeof text, "%u", process->stat.threads);
		screen_cell(screen, -8, text);
	}
	if (screen->columns >= 80) {
		runtimes_text(&process->runtimes, text, sizeof text);
		screen_text(screen, " ");
		screen_cell(screen, 24, text);
	}
	screen_format(screen, " %*s", (int)indent, "");
	screen_text(screen, process->stat.name);
	screen_fill(screen);
}

static void draw_titles(struct screen *screen)
{
	screen_line(screen, 1);
	screen_style(screen, STYLE_BOLD);
	screen_cell(screen, -7, "PID");
	if (screen->columns >= 40) {
		screen_text(screen, " ");
		screen_cell(screen, 10, "USER");
	}
	screen_cell(screen, -6, "%CPU");
	if (screen->columns >= 60)
		screen_cell(screen, -8, "THREADS");
	if (screen->columns >= 80) {
		screen_text(screen, " ");
		screen_cell(screen, 24, "RUNTIME");
	}
	screen_text(screen, " NAME");
}

static void draw(struct choice *choice)
{
	struct screen *screen = &choice->terminal.screen;
	const struct processes *processes = &choice->processes;
	size_t at = place_of(choice), n = lines(choice);
	if (at < choice->first)
		choice->first = at;
	if (at >= choice->first + n)
		choice->first = at - n + 1;
	screen_begin(screen);
	screen_style(screen, STYLE_BOLD);
	screen_format(screen, "which process?  %zu %s", processes->rows, processes->all ? "in all" : "use a GPU");
	draw_titles(screen);
	for (size_t i = 0; i < n && choice->first + i < processes->rows; i++) {
		const struct process *process = processes->row[choice->first + i];
		screen_line(screen, 2 + (unsigned)i);
		if (process->stat.pid == choice->selected)
			screen_style(screen, STYLE_REVERSE);
		draw_process(screen, process);
	}
	if (screen->rows > 3) {
		screen_line(screen, screen->rows - 1);
		screen_style(screen, STYLE_DIM);
		screen_format(screen, "q quit  Enter watch it  a %s", processes->all ? "those that use a GPU" : "all processes");
	}
	terminal_show(&choice->terminal);
}

static int look(struct choice *choice, struct err *err)
{
	struct processes *processes = &choice->processes;
	if (processes_look(processes, err) < 0)
		return -1;
	if (processes->rows && processes->row[place_of(choice)]->stat.pid != choice->selected)
		choice->selected = processes->row[0]->stat.pid;
	return 0;
}

static void step(struct choice *choice, int key)
{
	size_t at = place_of(choice), n = lines(choice), rows = choice->processes.rows;
	switch (key) {
	case KEY_UP: at -= at > 0; break;
	case KEY_DOWN: at++; break;
	case KEY_PAGE_UP: at = at > n ? at - n : 0; break;
	case KEY_PAGE_DOWN: at += n; break;
	case KEY_HOME: at = 0; break;
	case KEY_END: at = rows; break;
	default: return;
	}
	if (rows)
		choice->selected = choice->processes.row[at < rows ? at : rows - 1]->stat.pid;
}

/* 1: chosen; 0: quit; -1. */
static int choose(struct choice *choice, struct err *err)
{
	uint64_t due = 0;
	for (;;) {
		if (now_ns() >= due) {
			if (look(choice, err) < 0)
				return -1;
			due = now_ns() + LOOK_NS;
		}
		draw(choice);
		int news = terminal_wait(&choice->terminal, -1, due);
		if (news == TERMINAL_STOP)
			return terminal_stopped(err);
		if (news == 'q' || news == KEY_ESCAPE)
			return 0;
		if (news == KEY_ENTER && choice->processes.rows)
			return 1;
		if (news == 'a') {
			choice->processes.all = !choice->processes.all;
			due = 0;
		}
		step(choice, news);
	}
}

int top_choose(uint64_t *pid, struct err *err)
{
	struct choice choice = { .processes = { .proc = "/proc", .kfd = KFD_SYSTEM, .passwd = USERS_FILE } };
	int rc = look(&choice, err);
	if (rc == 0 && !choice.processes.rows) {
		choice.processes.all = true;
		rc = look(&choice, err);
	}
	if (rc == 0)
		rc = terminal_open(&choice.terminal, err);
	if (rc == 0) {
		rc = choose(&choice, err);
		terminal_close(&choice.terminal);
	}
	*pid = (uint64_t)choice.selected;
	processes_free(&choice.processes);
	return rc;
}
