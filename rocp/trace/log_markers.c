/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "rocp/trace/log_source.h"

#define TEXT_MOST UINT32_MAX

static uint64_t correlation_of(const struct marked *marked)
{
	return marked->correlation[0] | (uint64_t)marked->correlation[1] << 32;
}

/* 1: places have 32 bits, and so have the numbers that events carry. */
int markers_text(struct markers *markers, uint64_t number, const char *text, struct err *err)
{
	size_t size = strlen(text) + 1;
	if (!number || number > UINT32_MAX || markers->used + size > TEXT_MOST)
		return 1;
	if (markers->used + size > markers->room) {
		size_t room = (markers->used + size) * 3 / 2 + 4096;
		char *larger = realloc(markers->text, room);
		if (!larger)
			return err_set(err, ERR_FAILED, ENOMEM, "keep the texts of markers");
		markers->text = larger;
		markers->room = room;
	}
	struct numbered *numbered = array_add(&markers->numbered, &markers->count, sizeof *numbered, err);
	if (!numbered)
		return -1;
	*numbered = (struct numbered){ (uint32_t)number, (uint32_t)markers->used };
	memcpy(markers->text + markers->used, text, size);
	markers->used += size;
	return 0;
}

int markers_mark(struct markers *markers, uint64_t correlation, uint64_t text, struct err *err)
{
	if (!text || text > UINT32_MAX)
		return 0;
	struct marked *marked = array_add(&markers->marked, &markers->marks, sizeof *marked, err);
	if (!marked)
		return -1;
	*marked = (struct marked){ { (uint32_t)correlation, (uint32_t)(correlation >> 32) }, (uint32_t)text };
	return 0;
}

static int by_number(const void *left, const void *right)
{
	const struct numbered *a = left, *b = right;
	return a->number < b->number ? -1 : a->number > b->number ? 1 : a->place < b->place ? -1 : a->place > b->place;
}

static int by_correlation(const void *left, const void *right)
{
	const struct marked *a = left, *b = right;
	uint64_t x = correlation_of(a), y = correlation_of(b);
	return x < y ? -1 : x > y ? 1 : a->text < b->text ? -1 : a->text > b->text;
}

/* They nearly always come in order. */
static void sort(void *array, size_t n, size_t size, int (*compare)(const void *, const void *))
{
	const char *bytes = array;
	for (size_t i = 1; i < n; i++)
		if (compare(bytes + (i - 1) * size, bytes + i * size) > 0) {
			qsort(array, n, size, compare);
			return;
		}
}

void markers_sort(struct markers *markers)
{
	sort(markers->numbered, markers->count, sizeof *markers->numbered, by_number);
	sort(markers->marked, markers->marks, sizeof *markers->marked, by_correlation);
}

/* The last of those with the same number.  They are mostly asked for one after the other: that needs no search. */
const char *markers_named(struct markers *markers, uint32_t number)
{
	const struct numbered *numbered = markers->numbered;
	size_t low = markers->named, high = markers->count;
	if (low >= high || numbered[low].number != number || (low + 1 < high && numbered[low + 1].number == number))
		for (low = 0; low < high;) {
			size_t middle = low + (high - low) / 2;
			if (middle + 1 < markers->count && numbered[middle + 1].number <= number)
				low = middle + 1;
			else
				high = middle;
		}
	markers->named = low + 1;
	return low < markers->count && numbered[low].number == number ? markers->text + numbered[low].place : NULL;
}

const char *markers_of(struct markers *markers, uint64_t correlation)
{
	size_t low = markers->found, high = markers->marks;
	if (low >= high || correlation_of(&markers->marked[low]) != correlation ||
	    (low && correlation_of(&markers->marked[low - 1]) == correlation))
		for (low = 0; low < high;) {
			size_t middle = low + (high - low) / 2;
			if (correlation_of(&markers->marked[middle]) < correlation)
				low = middle + 1;
			else
				high = middle;
		}
	if (low == markers->marks || correlation_of(&markers->marked[low]) != correlation)
		return NULL;
	markers->found = low + 1;
	return markers_named(markers, markers->marked[low].text);
}

void markers_free(struct markers *markers)
{
	free(markers->text);
	free(markers->numbered);
	free(markers->marked);
	*markers = (struct markers){ .used = 0 };
}
