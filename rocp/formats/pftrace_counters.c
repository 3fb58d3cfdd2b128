/* SPDX-License-Identifier: MIT */
/* Counter tracks: bytes on their way, bytes allocated, and what hardware counters said of a dispatch. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rocp/formats/pftrace_parts.h"

enum { KIND_COPY_BYTES = 16, KIND_ALLOCATED, KIND_SCRATCH, KIND_COUNTER };

static int counter_track(struct pftrace *pf, uint64_t uuid, const char *name, enum counter_unit unit, struct err *err)
{
	uint64_t there;
	if (idmap_get(&pf->counters_there, uuid, &there))
		return 0;
	if (idmap_set(&pf->counters_there, uuid, 1) < 0)
		return pf_no_memory(err);
	struct pb *pb = &pf->pb;
	size_t packet = pf_packet(pf, 0), track = pb_open(pb, PACKET_TRACK);
	pb_number(pb, TRACK_UUID, uuid);
	pb_text(pb, TRACK_NAME, name);
	pb_number(pb, TRACK_PARENT, pf->process);
	size_t counter = pb_open(pb, TRACK_COUNTER);
	pb_number(pb, COUNTER_UNIT, unit);
	pb_close(pb, counter);
	pb_close(pb, track);
	pf_packet_end(pf, packet);
	return 0;
}

static size_t begin_value(struct pftrace *pf, uint64_t uuid, uint64_t time, size_t *event)
{
	size_t packet = pf_packet(pf, time);
	*event = pb_open(&pf->pb, PACKET_EVENT);
	pb_number(&pf->pb, EVENT_TYPE, EVENT_COUNTER);
	pb_number(&pf->pb, EVENT_TRACK, uuid);
	return packet;
}

static void put_bytes(struct pftrace *pf, uint64_t uuid, uint64_t time, uint64_t bytes)
{
	size_t event, packet = begin_value(pf, uuid, time, &event);
	pb_number(&pf->pb, EVENT_VALUE, bytes);
	pb_close(&pf->pb, event);
	pf_packet_end(pf, packet);
}

static void put_real(struct pftrace *pf, uint64_t uuid, uint64_t time, double value)
{
	size_t event, packet = begin_value(pf, uuid, time, &event);
	pb_double(&pf->pb, EVENT_REAL_VALUE, value);
	pb_close(&pf->pb, event);
	pf_packet_end(pf, packet);
}

/* The level of a track changes by so much.  Shown is never less than 0, as its beginning was not seen. */
static int change(struct pftrace *pf, const struct later *later, struct err *err)
{
	uint64_t level = 0;
	idmap_get(&pf->level, later->track, &level);
	level += later->more - later->less;
	if (idmap_set(&pf->level, later->track, level) < 0)
		return pf_no_memory(err);
	put_bytes(pf, later->track, later->time, level > INT64_MAX ? 0 : level);
	return 0;
}

static int bytes_track(struct pftrace *pf, unsigned kind, const char *what, uint64_t agent, uint64_t *uuid, struct err *err)
{
	char name[128];
	struct agent_words words = pf_agent(pf, agent);
	snprintf(name, sizeof name, "%s %s [%lld] (%s)", what, words.label, (long long)words.index, words.type);
	*uuid = pf_uuid(pf, kind, agent, 0);
	return counter_track(pf, *uuid, name, UNIT_BYTES, err);
}

/* ---- levels change in the order of time, which is not that in which events come ---- */

static bool is_before(const struct later *a, const struct later *b)
{
	return a->time != b->time ? a->time < b->time : a->order < b->order;
}

static int later(struct pftrace *pf, struct later one, struct err *err)
{
	if (pf->laters == pf->later_room) {
		size_t room = pf->later_room ? 2 * pf->later_room : 64;
		struct later *more = realloc(pf->later, room * sizeof *more);
		if (!more)
			return pf_no_memory(err);
		pf->later = more;
		pf->later_room = room;
	}
	one.order = pf->changes++;
	size_t at = pf->laters++;
	for (; at && is_before(&one, &pf->later[(at - 1) / 2]); at = (at - 1) / 2)
		pf->later[at] = pf->later[(at - 1) / 2];
	pf->later[at] = one;
	return 0;
}

static struct later earliest(struct pftrace *pf)
{
	struct later first = pf->later[0], last = pf->later[--pf->laters];
	size_t at = 0, below;
	while ((below = 2 * at + 1) < pf->laters) {
		if (below + 1 < pf->laters && is_before(&pf->later[below + 1], &pf->later[below]))
			below++;
		if (is_before(&last, &pf->later[below]))
			break;
		pf->later[at] = pf->later[below];
		at = below;
	}
	pf->later[at] = last;
	return first;
}

static int change_until(struct pftrace *pf, uint64_t time, struct err *err)
{
	while (pf->laters && pf->later[0].time <= time) {
		struct later first = earliest(pf);
		if (change(pf, &first, err) < 0)
			return -1;
	}
	return 0;
}

int pf_count_rest(struct pftrace *pf, struct err *err)
{
	return change_until(pf, UINT64_MAX, err);
}

static int count_copy(struct pftrace *pf, const struct event *event, struct err *err)
{
	uint64_t uuid;
	if (bytes_track(pf, KIND_COPY_BYTES, "COPY BYTES to", event->agent, &uuid, err) < 0 ||
	    later(pf, (struct later){ .time = event->start, .track = uuid, .more = event->bytes }, err) < 0)
		return -1;
	return later(pf, (struct later){ .time = event->end, .track = uuid, .less = event->bytes }, err);
}

/* ---- memory ---- */

/* What is freed says its address alone. */
static int count_freed(struct pftrace *pf, uint64_t address, uint64_t time, struct err *err)
{
	uint64_t agent, bytes, uuid;
	if (!idmap_get(&pf->size_at, address, &bytes) || !idmap_get(&pf->agent_at, address, &agent))
		return 0;
	idmap_remove(&pf->size_at, address);
	idmap_remove(&pf->agent_at, address);
	if (bytes_track(pf, KIND_ALLOCATED, "ALLOCATE BYTES on", agent, &uuid, err) < 0)
		return -1;
	return later(pf, (struct later){ .time = time, .track = uuid, .less = bytes }, err);
}

static int count_allocation(struct pftrace *pf, const struct event *event, struct err *err)
{
	uint64_t uuid;
	if (strstr(event->operation_name, "FREE"))
		return count_freed(pf, event->address, event->end, err);
	if (!event->bytes)
		return 0;
	/* That what was there was freed in between was not seen. */
	if (count_freed(pf, event->address, event->start, err) < 0)
		return -1;
	if (idmap_set(&pf->size_at, event->address, event->bytes) < 0 || idmap_set(&pf->agent_at, event->address, event->agent) < 0)
		return pf_no_memory(err);
	if (bytes_track(pf, KIND_ALLOCATED, "ALLOCATE BYTES on", event->agent, &uuid, err) < 0)
		return -1;
	return later(pf, (struct later){ .time = event->end, .track = uuid, .more = event->bytes }, err);
}

static int count_scratch(struct pftrace *pf, const struct event *event, struct err *err)
{
	uint64_t had = 0, uuid, key = idmap_mix(event->agent, event->queue);
	uint64_t bytes = strstr(event->operation_name, "FREE") || strstr(event->operation_name, "RECLAIM") ? 0 : event->bytes;
	idmap_get(&pf->scratch, key, &had);
	if (idmap_set(&pf->scratch, key, bytes) < 0)
		return pf_no_memory(err);
	if (bytes_track(pf, KIND_SCRATCH, "SCRATCH BYTES on", event->agent, &uuid, err) < 0)
		return -1;
	return later(pf, (struct later){ .time = event->end, .track = uuid, .more = bytes, .less = had }, err);
}

int pf_count(struct pftrace *pf, const struct event *event, struct err *err)
{
	if (change_until(pf, event->start, err) < 0)
		return -1;
	switch (event->domain) {
	case DOMAIN_COPY: return count_copy(pf, event, err);
	case DOMAIN_ALLOCATION: return count_allocation(pf, event, err);
	case DOMAIN_SCRATCH: return count_scratch(pf, event, err);
	default: return 0;
	}
}

/* ---- hardware counters ---- */

static const char *counter_name(const struct pftrace *pf, uint64_t id, char out[40])
{
	const struct counter_info *counter = trace_counter(pf->trace, id);
	if (counter)
		return counter->name;
	snprintf(out, 40, "counter %llu", (unsigned long long)id);
	return out;
}

static int value_track(struct pftrace *pf, uint64_t counter, uint64_t agent, uint64_t *uuid, struct err *err)
{
	uint64_t there;
	*uuid = pf_uuid(pf, KIND_COUNTER, counter, agent);
	if (idmap_get(&pf->counters_there, *uuid, &there))
		return 0;
	char name[256], number[40];
	struct agent_words words = pf_agent(pf, agent);
	snprintf(name, sizeof name, "%.180s on %s [%lld] (%s)", counter_name(pf, counter, number), words.label, (long long)words.index,
		 words.type);
	return counter_track(pf, *uuid, name, UNIT_COUNT, err);
}

/* The sum over a counter's instances stands while the kernel runs. */
int pf_count_values(struct pftrace *pf, const struct event *event, struct err *err)
{
	counter_sums_clear(&pf->sums);
	if (counter_sums_add(&pf->sums, event, err) < 0)
		return -1;
	for (size_t i = 0; i < pf->sums.n; i++) {
		uint64_t uuid;
		if (value_track(pf, pf->sums.sum[i].counter, event->agent, &uuid, err) < 0)
			return -1;
		put_real(pf, uuid, event->start, pf->sums.sum[i].value);
		put_real(pf, uuid, event->end, 0);
	}
	return 0;
}

void pf_counters_free(struct pftrace *pf)
{
	struct idmap *map[] = { &pf->level, &pf->counters_there, &pf->size_at, &pf->agent_at, &pf->scratch };
	for (size_t i = 0; i < sizeof map / sizeof *map; i++)
		idmap_free(map[i]);
	free(pf->later);
	counter_sums_free(&pf->sums);
}
