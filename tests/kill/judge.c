/* SPDX-License-Identifier: MIT */
#include "judge.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#define CALL_LIMIT_MS "20000"           /* roclatch's own limit; the runs are given longer */
#define SHOWN_TROUBLES 25

void command_make(struct command *c, const struct sweep *w, const char *on, const char *function, int thread)
{
	unsigned n = 0;

	snprintf(c->pid, sizeof c->pid, "%d", (int)w->subject.pid);
	snprintf(c->thread, sizeof c->thread, "%d", thread);
	c->argv[n++] = w->suite->roclatch;
	c->argv[n++] = "call";
	if (on) {
		c->argv[n++] = "--on";
		c->argv[n++] = on;
	}
	if (thread != 0) {
		c->argv[n++] = "--thread";
		c->argv[n++] = c->thread;
	}
	c->argv[n++] = "--timeout-msec";
	c->argv[n++] = CALL_LIMIT_MS;
	c->argv[n++] = c->pid;
	c->argv[n++] = "exe";
	c->argv[n++] = function;
	c->argv[n++] = "41";
	c->argv[n] = NULL;
}

int command_run(const struct command *c, struct trace *t)
{
	t->limit_ms = 60000;
	return trace_run((char *const *)(uintptr_t)c->argv, t);
}

static void trouble(struct sweep *w, const struct trace *t, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static void trouble(struct sweep *w, const struct trace *t, const char *format, ...)
{
	char text[256];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	if (w->bad == 0)
		snprintf(w->first, sizeof w->first, "%s", text);
	if (w->bad++ >= SHOWN_TROUBLES)
		return;
	printf("# %s", text);
	if (t && t->n)
		printf(" [N=%lu%s %s%s%s, status 0x%x]", t->n, t->from_touch ? " from the first ptrace" : "", t->at, t->failed_with ? " failed with " : "",
		       t->failed_with ? strerror(t->failed_with) : "", (unsigned)t->status);
	putchar('\n');
	if (t && t->errors[0])
		printf("#   said: %.*s\n", (int)strcspn(t->errors, "\n"), t->errors);
}

bool judge_said_42(const struct trace *t)
{
	return WIFEXITED(t->status) && WEXITSTATUS(t->status) == 0 && strcmp(t->output, "42\n") == 0;
}

void judge_status(struct sweep *w, const struct trace *t, uint64_t begun, uint64_t done)
{
	char why[256];
	int status = WIFEXITED(t->status) ? WEXITSTATUS(t->status) : -1;

	w->by_status[status < 0 || status > 7 ? 8 : status]++;
	if (t->over_limit)
		trouble(w, t, "roclatch hung");
	else if (!WIFEXITED(t->status))
		trouble(w, t, "roclatch died of signal %d", WTERMSIG(t->status));
	else if (status == 0 && done != 1)
		trouble(w, t, "status 0, but the function ran %d times", (int)done);
	else if (status == 0 && !judge_said_42(t))
		trouble(w, t, "status 0, but the value was not printed");
	else if (status == 2)
		trouble(w, t, "status 2 (usage) for a right command line");
	else if (status == 0 && !subject_as_before(&w->subject, 0, why, sizeof why))
		trouble(w, t, "status 0, but %s", why);
	else if ((status == 1 || status == 3) && begun != 0)
		trouble(w, t, "status %d (untouched), but the function was called", status);
	else if ((status == 1 || status == 3) && !subject_as_before(&w->subject, 0, why, sizeof why))
		trouble(w, t, "status %d (untouched), but %s", status, why);
	else if (!t->hit && status != 0)
		trouble(w, t, "undisturbed, but status %d: %.160s", status, t->errors);
}

/* A plain call afterwards works and takes away what was left. */
static void judge_next(struct sweep *w, const struct trace *t, bool at_once)
{
	struct trace next = { .what = TRACE_NOT };
	struct command c;
	char why[256];

	command_make(&c, w, NULL, "victim_bump", 0);
	if (at_once && command_run(&c, &next) == 0 && !judge_said_42(&next))
		trouble(w, t, "the next call, made at once, failed (status 0x%x): %.100s", (unsigned)next.status, next.errors);
	if (!subject_alone(&w->subject, why, sizeof why)) {
		trouble(w, t, "%s", why);
		return;
	}
	if (!subject_as_before(&w->subject, 0, why, sizeof why))
		w->left_behind++;
	if (command_run(&c, &next) == 0 && !judge_said_42(&next))
		trouble(w, t, "the next call failed (status 0x%x): %.100s", (unsigned)next.status, next.errors);
	else if (!subject_as_before(&w->subject, 0, why, sizeof why))
		trouble(w, t, "after the next call: %s", why);
}

void judge_target(struct sweep *w, const struct trace *t, uint64_t begun)
{
	char why[256];

	if (begun > 1)
		trouble(w, t, "the function was called %d times", (int)begun);
	/* Nothing was done to it yet: seldom worth more than a look. */
	if (!t->touched && t->n % 16 != 0) {
		if (!subject_quiet(&w->subject, why, sizeof why))
			trouble(w, t, "%s", why);
		return;
	}
	if (!subject_unharmed(&w->subject, why, sizeof why)) {
		trouble(w, t, "%s", why);
		return;
	}
	judge_next(w, t, t->n % 2 == 0);
	if (!subject_quiet(&w->subject, why, sizeof why))
		trouble(w, t, "after the next call: %s", why);
}
