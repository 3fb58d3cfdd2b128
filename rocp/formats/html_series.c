/* SPDX-License-Identifier: MIT */
/* Charts in bounded memory: when there is no room, neighbours become one piece. */
#include <stdlib.h>

#include "rocp/formats/html_parts.h"

#define SERIES_MOST 1024u

static int by_time(const void *a, const void *b)
{
	const struct point *x = a, *y = b;
	if (x->series != y->series)
		return x->series < y->series ? -1 : 1;
	return x->start != y->start ? (x->start < y->start ? -1 : 1) : (x->end > y->end) - (x->end < y->end);
}

void series_sort(struct series *series)
{
	if (series->n)
		qsort(series->point, series->n, sizeof *series->point, by_time);
}

static bool is_counter(const struct series *series, uint32_t number)
{
	return ((const struct series_key *)(const void *)series->keys.item)[number].is_counter;
}

static void join(const struct series *series, struct point *a, const struct point *b)
{
	if (is_counter(series, a->series)) {
		a->value = b->value > a->value ? b->value : a->value;
	} else {
		a->peak = a->value + b->peak > a->peak ? a->value + b->peak : a->peak;
		a->value += b->value;
	}
	a->end = b->end > a->end ? b->end : a->end;
	a->of += b->of;
}

static void fold(struct series *series)
{
	series_sort(series);
	size_t to = 0;
	for (size_t i = 0; i < series->n; to++) {
		struct point one = series->point[i++];
		if (i < series->n && series->point[i].series == one.series)
			join(series, &one, &series->point[i++]);
		series->point[to] = one;
	}
	series->n = to;
}

int series_add(struct series *series, const struct series_key *key, struct point point, struct err *err)
{
	if (html_set_add(&series->keys, key, &point.series, err) < 0)
		return -1;
	if (point.series >= SERIES_MOST) {
		series->left_out++;
		return 0;
	}
	if (!series->point)
		series->point = malloc(HTML_POINTS_MOST * sizeof *series->point);
	if (!series->point)
		return err_set(err, ERR_FAILED, 0, "out of memory for the page's charts");
	if (series->n == HTML_POINTS_MOST)
		fold(series);
	series->point[series->n++] = point;
	return 0;
}

void series_free(struct series *series)
{
	html_set_free(&series->keys);
	free(series->point);
	series->point = NULL;
	series->n = 0;
}
