/* SPDX-License-Identifier: MIT */
#include "rocp/formats/counter_sums.h"

#include <errno.h>
#include <stdlib.h>

#define PLACES_KEPT 65536       /* more are no counters of a machine: they need not be remembered */

void counter_sums_clear(struct counter_sums *sums)
{
	sums->n = 0;
	if (sums->place.used > PLACES_KEPT)
		idmap_free(&sums->place);
}

static int add_new(struct counter_sums *sums, const struct counter_value *value, struct err *err)
{
	if (sums->n == sums->room) {
		size_t room = sums->room ? 2 * sums->room : 32;
		struct counter_sum *sum = reallocarray(sums->sum, room, sizeof *sum);
		if (!sum)
			return err_set(err, ERR_FAILED, ENOMEM, "add up counters");
		sums->sum = sum;
		sums->room = room;
	}
	if (idmap_set(&sums->place, value->counter, sums->n) < 0)
		return err_set(err, ERR_FAILED, ENOMEM, "add up counters");
	sums->sum[sums->n++] = (struct counter_sum){ value->counter, value->value };
	return 0;
}

int counter_sums_add(struct counter_sums *sums, const struct event *event, struct err *err)
{
	for (size_t i = 0; i < event->values; i++) {
		const struct counter_value *value = &event->value[i];
		uint64_t at;
		/* a place of an earlier dispatch is another counter's now, or nobody's */
		if (idmap_get(&sums->place, value->counter, &at) && at < sums->n && sums->sum[at].counter == value->counter)
			sums->sum[at].value += value->value;
		else if (add_new(sums, value, err) < 0)
			return -1;
	}
	return 0;
}

void counter_sums_free(struct counter_sums *sums)
{
	free(sums->sum);
	idmap_free(&sums->place);
	*sums = (struct counter_sums){ .n = 0 };
}
