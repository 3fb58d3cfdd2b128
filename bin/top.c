/* SPDX-License-Identifier: MIT */
/* roclatch top: the loop between looks, keys and the screen. */
#include "bin/top.h"

#include "bin/top_choose.h"
#include "inject/thread.h"

#define RATE_DEFAULT 10
#define DRAW_EVERY_NS 450000000u        /* the table, so that it can be read */
#define PAUSE_NS 1000000000u

const char top_text[] =
	"Shows the threads of the process live on the terminal: state, CPU use, system call and for how\n"
	"long, function.  Enter shows the stack of one thread, h the keys, and q quits.  No thread is\n"
	"stopped, unless --stacks all asks for stacks of running threads and perf events are not\n"
	"permitted here.  Without PID, the process can be chosen from a list of those that use a GPU, or\n"
	"of all.\n"
	"\n"
	"examples:\n"
	"  roclatch top 4711\n";

/* The chosen line is to be seen. */
static void keep_in_view(struct top *top)
{
	size_t lines = top_lines(top), at = top_place(top, top->selected);
	top->at = at;
	if (at < top->first)
		top->first = at;
	if (at >= top->first + lines)
		top->first = at - lines + 1;
	if (top->first && top->first + lines > top->n)
		top->first = top->n > lines ? top->n - lines : 0;
}

static void arrange(struct top *top)
{
	top_sort(top);
	if (top->page != PAGE_THREADS)
		return;
	/* a chosen thread that has gone gives its place to the next; but not while its stack is shown */
	if (top->n && !top_row(top, top->selected))
		top->selected = top->order[top->at < top->n ? top->at : top->n - 1]->task.tid;
	keep_in_view(top);
}

static void move_to(struct top *top, size_t at)
{
	if (top->n)
		top->selected = top->order[at < top->n ? at : top->n - 1]->task.tid;
	keep_in_view(top);
}

static void scroll_to(struct top *top, size_t first)
{
	size_t lines = top_lines(top), most = top->frames > lines ? top->frames - lines : 0;
	top->first = first < most ? first : most;
}

static size_t less(size_t at, size_t by)
{
	return at > by ? at - by : 0;
}

/* Up, down and their like; false: it was another key. */
static bool move(struct top *top, int key)
{
	size_t at = top->page == PAGE_THREADS ? top_place(top, top->selected) : top->first, lines = top_lines(top);
	switch (key) {
	case KEY_UP: at = less(at, 1); break;
	case KEY_DOWN: at++; break;
	case KEY_PAGE_UP: at = less(at, lines); break;
	case KEY_PAGE_DOWN: at += lines; break;
	case KEY_HOME: at = 0; break;
	case KEY_END: at = SIZE_MAX / 2; break;
	default: return false;
	}
	if (top->page == PAGE_THREADS)
		move_to(top, at);
	else
		scroll_to(top, at);
	return true;
}

static void turn_to(struct top *top, enum top_page page)
{
	top->page = page;
	top->first = 0;
	if (page == PAGE_THREADS)
		arrange(top);
}

/* False: quit. */
static bool press(struct top *top, int key)
{
	if (move(top, key))
		return true;
	switch (key) {
	case 'q': case KEY_ESCAPE:
		if (top->page == PAGE_THREADS)
			return false;
		turn_to(top, PAGE_THREADS);
		return true;
	case 'p': case ' ':
		top->paused = !top->paused;
		return true;
	case 'h': case '?':
		turn_to(top, PAGE_HELP);
		return true;
	case 's':
		top->by = (top->by + 1) % ORDERS;
		break;
	case 'r':
		top->reversed = !top->reversed;
		break;
	case KEY_ENTER:
		if (top->page == PAGE_THREADS && top_row(top, top->selected))
			turn_to(top, PAGE_STACK);
		return true;
	default:
		return true;
	}
	arrange(top);
	return true;
}

static int look(struct top *top, struct err *err)
{
	bool first = !top->n;
	if (sampler_tick(top->sampler, err) < 0 || top_rows(top, sampler_tasks(top->sampler), err) < 0)
		return -1;
	arrange(top);
	if (first || top->page == PAGE_STACK || now_ns() - top->drawn_ns >= DRAW_EVERY_NS)
		top_draw(top);
	return 0;
}

/* It has gone: to be told at once, or, if what is shown was paused to be read, at the end. */
static int gone(struct top *top, struct err *err)
{
	const struct target *target = &top->watched.target;
	top->gone = true;
	err_set(err, ERR_TARGET_EXITED, 0, "process %d (%s) has ended", (int)target->pid, target->status.name);
	if (!top->paused)
		return -1;
	top_draw(top);
	return 0;
}

static int watch(struct top *top, struct err *err)
{
	for (;;) {
		uint64_t due = top->paused || top->gone ? now_ns() + PAUSE_NS : sampler_next_ns(top->sampler);
		int news = terminal_wait(&top->terminal, top->gone ? -1 : top->watched.target.pidfd, due);
		if (news == TERMINAL_STOP)
			return terminal_stopped(err);
		if (news == TERMINAL_READY && gone(top, err) < 0)
			return -1;
		if (news == TERMINAL_TIME && !top->paused && !top->gone && look(top, err) < 0)
			return -1;
		if (news > 0 && !press(top, news))
			return top->gone ? -1 : 0;
		if (news > 0 && top->gone && !top->paused)
			return -1;
		if (news == TERMINAL_RESIZED)
			arrange(top);
		if (news > 0 || news == TERMINAL_RESIZED)
			top_draw(top);
	}
}

static int run(struct top *top, const struct settings *settings, struct err *err)
{
	struct watched *watched = &top->watched;
	top->rate = settings->rate ? (double)settings->rate : RATE_DEFAULT;
	struct sampler_options options = { .rate = top->rate, .stacks = (enum sample_stacks)settings->stacks,
					   .no_profile = true, .batch = top_batch, .ctx = top };
	top->sampler = sampler_open(watched->target.pid, watched->readable ? &watched->images : NULL, &options, err);
	if (!top->sampler)
		return -1;
	int rc = terminal_open(&top->terminal, err);
	if (rc == 0) {
		top_draw(top);          /* the first look at many threads takes a while */
		rc = watch(top, err);
		terminal_close(&top->terminal);
	}
	top_rows_free(top);
	sampler_close(top->sampler);
	return rc;
}

static int refuse(const struct settings *settings, struct err *err)
{
	if (settings->json) {
		err_set(err, ERR_USAGE, 0, "top draws on a terminal and has no JSON");
		return err_remedy(err, "roclatch threads --json and roclatch sample -f json have");
	}
	if (terminal_check(err) == 0)
		return 0;
	return err_remedy(err, "roclatch threads and roclatch sample print lines");
}

int command_top(const struct settings *settings, char **operands, int n, struct output *out, struct err *err)
{
	static struct top top;
	struct settings chosen = *settings;
	(void)operands;
	(void)n;
	if (refuse(settings, err) < 0)
		return -1;
	int rc = chosen.pid ? 1 : top_choose(&chosen.pid, err);
	if (rc <= 0)
		return rc;
	if (watched_open(&top.watched, &chosen, false, out, err) < 0)
		return -1;
	rc = run(&top, &chosen, err);
	watched_close(&top.watched);
	return rc;
}
