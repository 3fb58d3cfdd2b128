/* SPDX-License-Identifier: MIT */
/* Counters: one row for each counter of a dispatch, whose value is the sum over all instances. */
#include <stdlib.h>

#include "rocp/formats/csv.h"

static int by_counter(const void *a, const void *b)
{
	uint64_t left = ((const struct counter_sum *)a)->counter, right = ((const struct counter_sum *)b)->counter;
	return left < right ? -1 : left > right;
}

int csv_count(struct csv *csv, struct file *file, const struct event *event, struct err *err)
{
	struct counter_sums *sums = &csv->sums;
	counter_sums_clear(sums);
	if (counter_sums_add(sums, event, err) < 0)
		return -1;
	if (sums->n)
		qsort(sums->sum, sums->n, sizeof *sums->sum, by_counter);
	for (size_t i = 0; i < sums->n; i++)
		csv_counter_row(csv, file, event, &sums->sum[i]);
	return 0;
}
