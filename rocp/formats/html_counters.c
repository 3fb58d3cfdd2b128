/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>

#include "rocp/formats/html_parts.h"

#define ROWS_MOST 100000u

static int room_for(struct counters *counters, uint32_t number, struct err *err)
{
	if (number < counters->room)
		return 0;
	size_t room = counters->room ? 2 * counters->room : 64;
	struct counter_row *row = realloc(counters->row, room * sizeof *row);
	if (!row)
		return err_set(err, ERR_FAILED, 0, "out of memory for the page's counters");
	for (size_t i = counters->room; i < room; i++)
		row[i] = (struct counter_row){ 0 };
	counters->row = row;
	counters->room = room;
	return 0;
}

static int note(struct counters *counters, uint64_t counter, double value, struct err *err)
{
	struct counter_key key = { counters->kernel, counter };
	uint32_t number;
	if (counters->keys.n >= ROWS_MOST && !html_set_has(&counters->keys, &key))
		return 0;
	if (html_set_add(&counters->keys, &key, &number, err) < 0 || room_for(counters, number, err) < 0)
		return -1;
	struct counter_row *row = &counters->row[number];
	row->least = !row->dispatches || value < row->least ? value : row->least;
	row->most = !row->dispatches || value > row->most ? value : row->most;
	row->sum += value;
	row->dispatches++;
	return 0;
}

int counters_end(struct counters *counters, struct series *series, struct err *err)
{
	for (size_t i = 0; counters->open && i < counters->sums.n; i++) {
		double value = counters->sums.sum[i].value;
		struct series_key key = { true, counters->agent, counters->sums.sum[i].counter };
		struct point point = { .start = counters->start, .end = counters->end, .value = value, .peak = value, .of = 1 };
		if (note(counters, key.counter, value, err) < 0 || (isfinite(value) && series_add(series, &key, point, err) < 0))
			return -1;
	}
	counters->open = false;
	counter_sums_clear(&counters->sums);
	return 0;
}

int counters_event(struct counters *counters, const struct event *event, struct series *series, struct err *err)
{
	bool goes_on = counters->open && counters->dispatch == event->dispatch && counters->agent == event->agent &&
		       counters->start == event->start;
	if (!goes_on && counters_end(counters, series, err) < 0)
		return -1;
	counters->open = true;
	counters->dispatch = event->dispatch;
	counters->start = event->start;
	counters->end = event->end;
	counters->agent = event->agent;
	counters->kernel = event->kernel;
	return counter_sums_add(&counters->sums, event, err);
}

void counters_free(struct counters *counters)
{
	html_set_free(&counters->keys);
	free(counters->row);
	counter_sums_free(&counters->sums);
	counters->row = NULL;
}
