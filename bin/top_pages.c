/* SPDX-License-Identifier: MIT */
/* What stands on the screen: the head, a page (threads, one stack, help), and the keys. */
#include <inttypes.h>
#include <string.h>

#include "bin/top.h"
#include "inject/thread.h"

#define ROOMY 8         /* from so many lines on, the head has two */
#define WITH_KEYS 4     /* and from so many the keys have one */

static const char *const help[] = {
	"up, down, PgUp, PgDn, Home, End   choose a thread, scroll",
	"Enter      its stack, live",
	"s          next order: cpu, state, time (of CPU), for (how long in its state), name, tid",
	"r          the other way round",
	"p, blank   pause, go on",
	"Esc, q     back; quit",
	"Ctrl-C     quit",
	"",
	"FOR is how long a thread has been blocked.  Nothing is stopped by looking, unless --stacks all was",
	"given and there are no perf events for us.",
};

static unsigned head_lines(const struct top *top)
{
	return top->terminal.screen.rows >= ROOMY ? 2 : 1;
}

static unsigned page_lines(const struct top *top)
{
	unsigned rows = top->terminal.screen.rows, other = head_lines(top) + (rows >= WITH_KEYS ? 1 : 0);
	return rows > other ? rows - other : 0;
}

size_t top_lines(const struct top *top)
{
	unsigned lines = page_lines(top);
	return lines > 1 ? lines - 1 : 1;       /* less the titles, or the line about the thread */
}

static void draw_head(struct top *top)
{
	struct screen *screen = &top->terminal.screen;
	const struct target *target = &top->watched.target;
	screen_line(screen, 0);
	screen_style(screen, STYLE_BOLD);
	screen_format(screen, "%d %s  ", (int)target->pid, target->status.name);
	if (top->n)
		screen_format(screen, "CPU %.1f %%  %zu thread%s", top->cpu, top->n, top->n == 1 ? "" : "s");
	else
		screen_text(screen, "is looked at");
	if (top->gone)
		screen_text(screen, "  has ended");
	else if (top->paused)
		screen_text(screen, "  paused");
	if (head_lines(top) < 2)
		return;
	screen_line(screen, 1);
	screen_format(screen, "%s  %.0f Hz", top->counts, top->rate);
	if (!top->watched.readable)
		screen_format(screen, "  no system calls and stacks: %s", top->watched.why.text);
	else if (sampler_way(top->sampler)[0])
		screen_format(screen, "  running threads by %s", sampler_way(top->sampler));
}

static void draw_keys(struct top *top)
{
	struct screen *screen = &top->terminal.screen;
	if (screen->rows < WITH_KEYS)
		return;
	screen_line(screen, screen->rows - 1);
	screen_style(screen, STYLE_DIM);
	if (top->page == PAGE_THREADS)
		screen_format(screen, "q quit  Enter stack  s by %s%s  r reverse  p pause  h help", top_order_names[top->by],
			      top->reversed ? " (reversed)" : "");
	else
		screen_text(screen, "Esc back  p pause  up, down scroll");
}

/* What is known of one frame; a reason stands where a stack goes no further. */
static void draw_frame(struct top *top, size_t number, const struct stack_node *node)
{
	const struct place *place = &sampler_profile(top->sampler)->places[node->place];
	struct screen *screen = &top->terminal.screen;
	char text[1024];
	if (place->end) {
		screen_format(screen, "[goes no further: %s]", unwind_end_text((enum unwind_end)(place->end - 1)));
		return;
	}
	struct frame_name name;
	naming_at(top->watched.naming, place->pc, place->exact, &name);
	watched_place(&top->watched, place->pc, place->exact, screen->columns >= 60, text, sizeof text);
	screen_format(screen, "#%zu%s ", number, node->how == FRAME_SEARCH ? "?" : "");
	screen_text(screen, text);
	if (name.function && name.module[0] && screen->columns >= 60)
		screen_format(screen, "  %s", name.module);
}

static void draw_frames(struct top *top, uint32_t stack, unsigned from, unsigned rows)
{
	const struct profile *profile = sampler_profile(top->sampler);
	size_t number = 0;
	for (uint32_t at = stack; at != NO_STACK && at < profile->nodes_n; at = profile->nodes[at].parent, number++) {
		if (number < top->first || number - top->first >= rows)
			continue;
		screen_line(&top->terminal.screen, from + (unsigned)(number - top->first));
		draw_frame(top, number, &profile->nodes[at]);
	}
	top->frames = number;
}

static const char *why_no_stack(const struct top *top, const struct top_row *row)
{
	if (!top->watched.readable)
		return top->watched.why.text;
	if (row->task.state == TASK_RUNNING && !sampler_way(top->sampler)[0])
		return "it runs; --stacks all takes the stacks of running threads, too";
	return "it was not to be had at this look";
}

static void draw_stack(struct top *top, unsigned from, unsigned rows)
{
	struct screen *screen = &top->terminal.screen;
	struct top_row *row = top_row(top, top->selected);
	char doing[64];
	screen_line(screen, from);
	top->frames = 0;
	if (!row) {
		screen_format(screen, "thread %d has ended", (int)top->selected);
		return;
	}
	task_doing(&row->task, doing, sizeof doing);
	screen_style(screen, STYLE_BOLD);
	screen_format(screen, "TID %d \"%s\" %s", (int)row->task.tid, row->task.name, doing);
	if (row->task.state != TASK_RUNNING)
		screen_format(screen, " for %s", duration_text(top_blocked_ns(row)));
	screen_line(screen, from + 1);
	if (row->stack == NO_STACK)
		screen_format(screen, "no stack: %s", why_no_stack(top, row));
	else
		draw_frames(top, row->stack, from + 1, rows - 1);
}

static void draw_help(struct top *top, unsigned from, unsigned rows)
{
	top->frames = sizeof help / sizeof *help;
	for (unsigned i = 0; i < rows && top->first + i < top->frames; i++) {
		screen_line(&top->terminal.screen, from + i);
		screen_text(&top->terminal.screen, help[top->first + i]);
	}
}

void top_draw(struct top *top)
{
	unsigned from = head_lines(top), rows = page_lines(top);
	screen_begin(&top->terminal.screen);
	draw_head(top);
	if (rows && top->page == PAGE_THREADS)
		top_draw_table(top, from, rows);
	else if (rows && top->page == PAGE_STACK)
		draw_stack(top, from, rows);
	else if (rows)
		draw_help(top, from, rows);
	draw_keys(top);
	terminal_show(&top->terminal);
	top->drawn_ns = now_ns();
}
