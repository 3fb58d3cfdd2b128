/* SPDX-License-Identifier: MIT */
/*
 * Which rank is slow.  Each rank is compared with the median of all: it stands out when it is
 * away from it by five times the usual scatter (the median absolute deviation, as for a normal
 * distribution), and by a fifth of the median.  Of the measures the first counts in which
 * somebody stands out.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rocp/job/report.h"

#define SCATTER (5 * 1.4826)
#define LEAST_PART 0.2
#define OF_TWO 1.5              /* times the other one: two ranks have no scatter */
#define DISPATCHES_LEAST 5

struct value { double value; uint32_t place; };

static double span_of(const struct job_rank *rank)
{
	return rank->last > rank->first ? (double)(rank->last - rank->first) : 0;
}

/* Less than 0: this rank has no such value. */
static double value_of(const struct job_rank *rank, enum job_measure measure)
{
	double span = span_of(rank), pace = (double)(rank->last_dispatch - rank->first_dispatch);
	bool enough = rank->dispatches >= DISPATCHES_LEAST && span > 0;
	switch (measure) {
	case SLOW_KERNELS: return enough ? (double)job_work(rank) / (double)rank->dispatches : -1;
	case SLOW_BUSY: return enough ? (double)job_work(rank) / span : -1;
	case SLOW_PACE: return enough ? pace / (double)(rank->dispatches - 1) : -1;
	default: return enough && rank->wait_ns + rank->together_ns ? (double)(rank->wait_ns + rank->together_ns) / span : -1;
	}
}

static int by_value(const void *left, const void *right)
{
	const struct value *a = left, *b = right;
	return a->value < b->value ? -1 : a->value > b->value ? 1 : (a->place > b->place) - (a->place < b->place);
}

static double middle(const struct value *sorted, size_t n)
{
	return n % 2 ? sorted[n / 2].value : (sorted[n / 2 - 1].value + sorted[n / 2].value) / 2;
}

static double scatter_of(const struct value *value, size_t n, double median, struct value *room)
{
	for (size_t i = 0; i < n; i++)
		room[i].value = value[i].value < median ? median - value[i].value : value[i].value - median;
	qsort(room, n, sizeof *room, by_value);
	return middle(room, n);
}

static size_t values_of(const struct job_report *report, enum job_measure measure, struct value *value)
{
	size_t n = 0;
	for (size_t i = 0; i < report->ranks; i++) {
		double one = value_of(&report->rank[i], measure);
		if (one >= 0)
			value[n++] = (struct value){ one, (uint32_t)i };
	}
	qsort(value, n, sizeof *value, by_value);
	return n;
}

/* A rank waits little where the others wait much for it; all other measures are those of one that has much to do. */
static size_t mark(struct job_report *report, enum job_measure measure, struct value *value, size_t n, struct value *room)
{
	bool little = measure == SLOW_WAIT;
	size_t slow = 0;
	report->median = middle(value, n);
	report->mad = scatter_of(value, n, report->median, room);
	double away = SCATTER * report->mad, least = little ? LEAST_PART : LEAST_PART * report->median;
	if (n == 2) {
		report->median = value[little].value;   /* the other one */
		away = (OF_TWO - 1) * (little ? 1 : report->median);
	}
	away = away > least ? away : least;
	report->limit = little ? report->median - away : report->median + away;
	for (size_t i = 0; i < n; i++) {
		bool out = little ? value[i].value < report->limit : value[i].value > report->limit;
		report->rank[value[i].place].slow = out;
		slow += out;
	}
	report->measure = measure;
	return slow;
}

static const char *duration(double ns, char text[32])
{
	static const struct { double ns; const char *unit; } units[] = { { 1e9, "s" }, { 1e6, "ms" }, { 1e3, "us" }, { 1, "ns" } };
	size_t i = 0;
	while (i < 3 && ns < units[i].ns)
		i++;
	snprintf(text, 32, "%.3g %s", ns / units[i].ns, units[i].unit);
	return text;
}

static const char *sentence(struct job_report *report, const struct job_rank *rank, struct err *err)
{
	char who[320], one[32], all[32], wait[64] = "";
	double value = value_of(rank, report->measure), times = report->median > 0 ? value / report->median : 0, span = span_of(rank);
	job_who(rank, who);
	if (rank->wait_ns + rank->together_ns)
		snprintf(wait, sizeof wait, ", and it waits %.0f %% of the time", 100 * (double)(rank->wait_ns + rank->together_ns) / span);
	switch (report->measure) {
	case SLOW_KERNELS:
		return texts_print(&report->texts, err, "%s is slow: its kernels took %.1f times the median (%s each, median %s%s)", who, times,
				   duration(value, one), duration(report->median, all), wait);
	case SLOW_BUSY:
		return texts_print(&report->texts, err, "%s is slow: its kernels ran %.1f times as much of the time as the median (%.0f %%, median "
				   "%.0f %%%s)", who, times, 100 * value, 100 * report->median, wait);
	case SLOW_PACE:
		return texts_print(&report->texts, err, "%s is slow: it starts a kernel every %s, %.1f times the median (%s); its kernels themselves "
				   "do not stand out", who, duration(value, one), times, duration(report->median, all));
	default:
		return texts_print(&report->texts, err, "%s is slow: the others wait for it.  It waits %.0f %% of the time, the median %.0f %%; its "
				   "kernels do not stand out, so it is late with starting them", who, 100 * value, 100 * report->median);
	}
}

/* The worst first. */
static int tell(struct job_report *report, const struct value *value, size_t n, struct err *err)
{
	bool little = report->measure == SLOW_WAIT;
	for (size_t i = 0; i < n && report->slow_whys < JOB_TELL_MOST; i++) {
		const struct job_rank *rank = &report->rank[value[little ? i : n - 1 - i].place];
		if (!rank->slow)
			break;
		const char **why = array_add(&report->slow_why, &report->slow_whys, sizeof *why, err);
		if (!why || !(*why = sentence(report, rank, err)))
			return -1;
	}
	report->verdict = report->slow == 1 ? report->slow_why[0] : texts_print(&report->texts, err, "%zu of %zu ranks are slow; the worst: %s",
		report->slow, n, report->slow_why[0]);
	return report->verdict ? 0 : -1;
}

static int judge(struct job_report *report, struct value *value, struct value *room, struct err *err)
{
	for (int measure = 0; measure < SLOW_MEASURES; measure++) {
		size_t n = values_of(report, (enum job_measure)measure, value);
		if (n < 2)
			continue;
		report->judged = true;
		report->slow = mark(report, (enum job_measure)measure, value, n, room);
		if (report->slow)
			return tell(report, value, n, err);
	}
	if (!report->judged) {
		report->verdict = "nobody can be called slow: fewer than two ranks have enough kernels to compare";
		return 0;
	}
	size_t n = values_of(report, SLOW_KERNELS, value);
	char one[32], two[32], three[32];
	mark(report, SLOW_KERNELS, value, n, room);
	report->verdict = texts_print(&report->texts, err, "no rank is slow: kernels took %s to %s each, median %s", duration(value[0].value, one),
				      duration(value[n - 1].value, two), duration(report->median, three));
	return report->verdict ? 0 : -1;
}

int job_find_slow(struct job_report *report, struct err *err)
{
	struct value *value = calloc(2 * report->ranks + 2, sizeof *value);
	if (!value)
		return err_set(err, ERR_FAILED, 0, "out of memory");
	int rc = judge(report, value, value + report->ranks + 1, err);
	free(value);
	return rc;
}

uint32_t *job_by_work(const struct job_report *report, struct err *err)
{
	struct value *value = calloc(report->ranks + 1, sizeof *value);
	uint32_t *place = calloc(report->ranks + 1, sizeof *place);
	if (!value || !place) {
		free(value);
		free(place);
		err_set(err, ERR_FAILED, 0, "out of memory");
		return NULL;
	}
	for (size_t i = 0; i < report->ranks; i++)
		value[i] = (struct value){ report->rank[i].merged ? -(double)job_work(&report->rank[i]) : 1, (uint32_t)i };
	qsort(value, report->ranks, sizeof *value, by_value);
	for (size_t i = 0; i < report->ranks; i++)
		place[i] = value[i].place;
	free(value);
	return place;
}
