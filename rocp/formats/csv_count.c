/* SPDX-License-Identifier: MIT */
/* Counters: one row for each counter of a dispatch, whose value is the sum over all instances. */
#include <errno.h>
#include <stdlib.h>

#include "rocp/formats/csv.h"

static int sum_up(struct csv *csv, const struct counter_value *value, struct err *err)
{
	/* From the end: the instances of a counter come one after the other. */
	for (size_t i = csv->sums; i-- > 0;)
		if (csv->sum[i].counter == value->counter) {
			csv->sum[i].value += value->value;
			return 0;
		}
	if (csv->sums == csv->room) {
		size_t room = csv->room ? 2 * csv->room : 32;
		struct counter_sum *sum = realloc(csv->sum, room * sizeof *sum);
		if (!sum)
			return err_set(err, ERR_FAILED, ENOMEM, "add up counters");
		csv->sum = sum;
		csv->room = room;
	}
	csv->sum[csv->sums++] = (struct counter_sum){ value->counter, value->value };
	return 0;
}

static int by_counter(const void *a, const void *b)
{
	uint64_t left = ((const struct counter_sum *)a)->counter, right = ((const struct counter_sum *)b)->counter;
	return left < right ? -1 : left > right;
}

int csv_count(struct csv *csv, struct file *file, const struct event *event, struct err *err)
{
	csv->sums = 0;
	for (size_t i = 0; i < event->values; i++)
		if (sum_up(csv, &event->value[i], err) < 0)
			return -1;
	if (csv->sums)
		qsort(csv->sum, csv->sums, sizeof *csv->sum, by_counter);
	for (size_t i = 0; i < csv->sums; i++)
		csv_counter_row(csv, file, event, &csv->sum[i]);
	return 0;
}
