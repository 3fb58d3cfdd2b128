/* SPDX-License-Identifier: MIT */
/* A counter has a value for each of its instances: what is shown of a dispatch is their sum.  Begins as { 0 }. */
#ifndef ROCLATCH_ROCP_FORMATS_COUNTER_SUMS_H
#define ROCLATCH_ROCP_FORMATS_COUNTER_SUMS_H

#include "rocp/formats/idmap.h"
#include "rocp/trace/trace.h"

struct counter_sums {
	struct counter_sum { uint64_t counter; double value; } *sum;    /* in the order of their coming */
	size_t n, room;
	struct idmap place;     /* by counter; those of earlier dispatches stay */
};

/* Begin with the next dispatch; what is there keeps its room. */
void counter_sums_clear(struct counter_sums *sums);
/* The values of an event, to those that are there. */
int counter_sums_add(struct counter_sums *sums, const struct event *event, struct err *err);
void counter_sums_free(struct counter_sums *sums);

#endif
