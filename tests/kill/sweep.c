/* SPDX-License-Identifier: MIT */
#include "sweep.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "judge.h"

#define STALL_US 2500000        /* longer than a thread that has made its call waits for roclatch */

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* A victim that has been called into once each way, so that what the first call
 * brings for good (an arena) is there. */
static int begin(struct sweep *w)
{
	char folder[512], why[256];
	struct command c;
	struct trace t = { .what = TRACE_NOT };

	snprintf(folder, sizeof folder, "%s/%s", w->suite->fixtures, w->root ? w->root : "root-bookworm");
	if (subject_start(&w->subject, folder, w->state) != 0) {
		snprintf(w->first, sizeof w->first, "cannot start %.200s/kill-victim", folder);
		return -1;
	}
	subject_settle(&w->subject);
	for (int i = 0; i < 2; i++) {
		command_make(&c, w, i ? "borrowed" : "fresh", "victim_bump", 0);
		if (command_run(&c, &t) != 0)
			return -1;
		if (!judge_said_42(&t) || !subject_as_before(&w->subject, 0, why, sizeof why)) {
			snprintf(w->first, sizeof w->first, "an undisturbed call %s failed (status 0x%x): %.120s",
				 c.argv[3], (unsigned)t.status, judge_said_42(&t) ? why : t.errors);
			return -1;
		}
	}
	subject_settle(&w->subject);
	return 0;
}

/* Borrow the thread that spins, or one blocked thread after the other.  The one
 * in epoll_wait is never asked for (any stop ends that call), but it is there
 * to be left alone when roclatch chooses by itself. */
static int choose_thread(const struct sweep *w, unsigned long n)
{
	static const enum victim_kind kinds[] = { VICTIM_NANOSLEEP, VICTIM_FUTEX, VICTIM_PPOLL, VICTIM_READ };
	unsigned long which = n % (sizeof kinds / sizeof *kinds + 1);

	if (strcmp(w->state, "spinning") == 0)
		return w->subject.shown->thread[VICTIM_SPIN].tid;
	return which == sizeof kinds / sizeof *kinds ? 0 : w->subject.shown->thread[kinds[which]].tid;
}

/* 1: there was an N-th call (before the first touch, or counted from it); 0: there was none;
 * -1: trouble of the lab */
static int point(struct sweep *w, unsigned long n, bool from_touch, unsigned round)
{
	struct trace t = { .what = w->what, .n = n, .from_touch = from_touch, .round = round, .without = w->without };
	struct victim *shown = w->subject.shown;
	unsigned bad = w->bad;
	uint64_t begun = shown->begun, done = shown->done;
	uint64_t began = now();
	struct command c;

	t.delay_us = (unsigned)rand() % 3000;
	t.slow_us = w->slow_us;
	t.stall_us = STALL_US;
	command_make(&c, w, w->on, w->function, choose_thread(w, n + round));
	if (command_run(&c, &t) != 0)
		return -1;
	if (!t.hit || w->what == TRACE_FAIL)
		judge_status(w, &t, shown->begun - begun, shown->done - done);
	judge_target(w, &t, shown->begun - begun);
	if (w->bad != bad) {
		/* What was harmed says nothing about the next point. */
		subject_end(&w->subject);
		if (begin(w) != 0)
			return -1;
	}
	w->points++;
	if (t.touched) {
		w->full_points++;
		w->full_ns += now() - began;
	}
	return t.came && (from_touch || t.touched == 0 || t.touched > n);
}

/* How many calls there are about, and where the first touch is. */
static int explore(struct sweep *w)
{
	struct trace t = { .what = TRACE_COUNT, .without = w->without };
	struct command c;

	command_make(&c, w, w->on, w->function, choose_thread(w, 0));
	if (command_run(&c, &t) != 0)
		return -1;
	w->calls = t.calls;
	w->touch = t.touched;
	return 0;
}

/* How far to the next point.  Where not every one can be had in the time there
 * is, they are taken at random, few of them before the first touch. */
static unsigned long stride(const struct sweep *w, unsigned long n, bool from_touch, uint64_t begin_ns)
{
	uint64_t spent = now() - begin_ns, all = w->within_ms * 1000000ull, each, mean;
	unsigned long end = w->calls - w->touch;

	if (w->within_ms == 0)
		return w->suite->every;
	if (!from_touch)
		return 1 + w->touch / 8;
	if (n >= end)
		return 1;
	each = w->full_points ? w->full_ns / w->full_points : 50000000;
	mean = spent < all ? (end - n) * each / (all - spent) : end;
	return mean < 2 ? 1 : 1 + (unsigned long)rand() % (2 * mean - 1);
}

/* Each bad point may take as long as the target's patience is. */
static bool is_enough(const struct sweep *w)
{
	return w->suite->enough && w->bad >= w->suite->enough;
}

/* Until several runs in a row had no such call: how many there are differs from
 * run to run, as how often roclatch must look for a thread does.  That is why
 * what comes after the first touch is counted from there. */
static int part(struct sweep *w, bool from_touch, unsigned round, uint64_t begin_ns)
{
	unsigned long n = 1 + round % w->suite->every;

	for (unsigned missed = 0; missed < 3 && !is_enough(w); n += stride(w, n, from_touch, begin_ns)) {
		int came = point(w, n, from_touch, round);

		if (came < 0)
			return -1;
		missed = came ? 0 : missed + 1;
	}
	return 0;
}

int sweep_run(struct sweep *w)
{
	if (begin(w) != 0 || explore(w) != 0)
		return -1;
	for (unsigned round = w->suite->first; round < w->suite->first + w->suite->rounds; round++) {
		uint64_t begin_ns = now();

		if (part(w, false, round, begin_ns) != 0 || part(w, true, round, begin_ns) != 0)
			return -1;
	}
	subject_end(&w->subject);
	return 0;
}

int sweep_once(struct sweep *w)
{
	if (begin(w) != 0)
		return -1;
	for (unsigned round = 0; round < 5; round++)
		if (point(w, 0, false, round) < 0)
			return -1;
	subject_end(&w->subject);
	return 0;
}
