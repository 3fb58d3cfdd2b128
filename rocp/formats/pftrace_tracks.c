/* SPDX-License-Identifier: MIT */
/* Tracks: one for each thread, and for each stream or queue of a device. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rocp/formats/pftrace_parts.h"

enum { KIND_THREAD = 1, KIND_RANGES, KIND_STREAM, KIND_QUEUE, KIND_COPIES, KIND_LANE };

uint64_t pf_uuid(const struct pftrace *pf, unsigned kind, uint64_t a, uint64_t b)
{
	uint64_t uuid = idmap_mix(idmap_mix(pf->trace->id[0] ^ pf->trace->id[1] ^ kind, a), b);
	return uuid ? uuid : 1;
}

/* ---- how tracks are called ---- */

struct agent_words pf_agent(const struct pftrace *pf, uint64_t handle)
{
	struct agent_words words = { .label = "Agent", .type = "UNK", .index = -1 };
	enum agent_index how = pf->conversion->settings->agent_index;
	const struct agent *agent = trace_agent(pf->trace, handle);
	if (agent) {
		words.type = agent->is_gpu ? "GPU" : "CPU";
		words.index = how == AGENT_ABSOLUTE ? (int64_t)agent->node : how == AGENT_RELATIVE ? agent->logical_node : agent->type_node;
		if (how == AGENT_TYPE_RELATIVE)
			memcpy(words.label, words.type, 4);
	}
	if (words.index >= 0)
		snprintf(words.name, sizeof words.name, "%s-%lld", words.label, (long long)words.index);
	return words;
}

/* 0, 1, 2, ... in the order of their coming. */
static int number_of(struct idmap *map, uint64_t key, uint64_t fresh, uint64_t *number, struct err *err)
{
	if (idmap_get(map, key, number))
		return 0;
	*number = fresh;
	return idmap_set(map, key, fresh) < 0 ? pf_no_memory(err) : 1;
}

static int thread_number(struct pftrace *pf, uint64_t tid, uint64_t *number, struct err *err)
{
	int rc = number_of(&pf->thread_numbers, tid, pf->threads + 1, number, err);
	pf->threads += rc > 0;
	return rc < 0 ? -1 : 0;
}

static int name_queue(struct pftrace *pf, const struct event *event, char name[128], struct err *err)
{
	struct agent_words agent = pf_agent(pf, event->agent);
	uint64_t number, queues = 0;
	idmap_get(&pf->queues_of, event->agent, &queues);
	int rc = number_of(&pf->queue_numbers, idmap_mix(event->agent, event->queue), queues, &number, err);
	if (rc < 0 || (rc > 0 && idmap_set(&pf->queues_of, event->agent, queues + 1) < 0))
		return pf_no_memory(err);
	snprintf(name, 128, "COMPUTE %s [%lld] QUEUE [%llu] %s", agent.label, (long long)agent.index, (unsigned long long)number, agent.type);
	return 0;
}

static int name_copies(struct pftrace *pf, const struct event *event, char name[128], struct err *err)
{
	struct agent_words agent = pf_agent(pf, event->agent);
	uint64_t number;
	if (thread_number(pf, event->thread, &number, err) < 0)
		return -1;
	snprintf(name, 128, "COPY to AGENT [%lld] THREAD [%llu] (%s)", (long long)agent.index, (unsigned long long)number, agent.type);
	return 0;
}

static int name_thread(struct pftrace *pf, const struct event *event, const char *before, char name[128], struct err *err)
{
	uint64_t number;
	if (thread_number(pf, event->thread, &number, err) < 0)
		return -1;
	snprintf(name, 128, "%sTHREAD %llu (%llu)", before, (unsigned long long)number, (unsigned long long)event->thread);
	return 0;
}

/* ---- tracks ---- */

static void put_thread(struct pftrace *pf, uint64_t tid)
{
	const char *name = trace_thread_name(pf->trace, tid);
	size_t thread = pb_open(&pf->pb, TRACK_THREAD);
	pb_number(&pf->pb, THREAD_PID, pf->trace->pid);
	pb_number(&pf->pb, THREAD_TID, tid);
	if (name && *name)
		pb_text(&pf->pb, THREAD_NAME, name);
	pb_close(&pf->pb, thread);
}

static void put_track(struct pftrace *pf, uint64_t uuid, const char *name, const uint64_t *tid)
{
	size_t packet = pf_packet(pf, 0), track = pb_open(&pf->pb, PACKET_TRACK);
	pb_number(&pf->pb, TRACK_UUID, uuid);
	pb_text(&pf->pb, TRACK_NAME, name);
	pb_number(&pf->pb, TRACK_PARENT, pf->process);
	if (tid)
		put_thread(pf, *tid);
	pb_close(&pf->pb, track);
	pf_packet_end(pf, packet);
}

static struct lane *add_lane(struct pftrace *pf, struct track *track, const uint64_t *tid, struct err *err)
{
	struct lane *more = realloc(track->lane, (track->lanes + 1) * sizeof *more);
	if (!more) {
		pf_no_memory(err);
		return NULL;
	}
	track->lane = more;
	char name[160];
	size_t number = track->lanes++;
	struct lane *lane = &track->lane[number];
	*lane = (struct lane){ .uuid = number ? pf_uuid(pf, KIND_LANE, track->uuid, number) : track->uuid };
	if (number)
		snprintf(name, sizeof name, "%s (%zu)", track->name, number + 1);
	put_track(pf, lane->uuid, number ? name : track->name, number ? NULL : tid);
	return lane;
}

static struct track *add_track(struct pftrace *pf, uint64_t uuid, const char *name, const uint64_t *tid, struct err *err)
{
	struct track *track = calloc(1, sizeof *track);
	if (pf->tracks == pf->track_room) {
		size_t room = pf->track_room ? 2 * pf->track_room : 32;
		struct track **more = realloc(pf->track, room * sizeof *more);
		if (more) {
			pf->track = more;
			pf->track_room = room;
		}
	}
	if (!track || pf->tracks == pf->track_room || idmap_set(&pf->track_of, uuid, pf->tracks) < 0) {
		free(track);
		pf_no_memory(err);
		return NULL;
	}
	pf->track[pf->tracks++] = track;
	track->uuid = uuid;
	memcpy(track->name, name, sizeof track->name);
	return add_lane(pf, track, tid, err) ? track : NULL;
}

/* Ranges of the whole process may cross calls. */
static unsigned kind_of(const struct pftrace *pf, const struct event *event)
{
	if (event->domain == DOMAIN_MARKER)
		return strstr(event->operation_name, "ProcessRange") ? KIND_RANGES : KIND_THREAD;
	if (event->domain != DOMAIN_KERNEL && event->domain != DOMAIN_COPY)
		return KIND_THREAD;
	return !pf->conversion->settings->group_by_queue ? KIND_STREAM : event->domain == DOMAIN_KERNEL ? KIND_QUEUE : KIND_COPIES;
}

struct track *pf_track(struct pftrace *pf, const struct event *event, struct err *err)
{
	unsigned kind = kind_of(pf, event);
	uint64_t a = kind == KIND_STREAM ? event->stream : kind == KIND_QUEUE || kind == KIND_COPIES ? event->agent : event->thread;
	uint64_t b = kind == KIND_QUEUE ? event->queue : kind == KIND_COPIES ? event->thread : 0;
	uint64_t uuid = pf_uuid(pf, kind, a, b), at;
	if (idmap_get(&pf->track_of, uuid, &at))
		return pf->track[at];
	char name[128] = "";
	int rc = 0;
	if (kind == KIND_STREAM)
		snprintf(name, sizeof name, "STREAM [%llu]", (unsigned long long)event->stream);
	else if (kind == KIND_QUEUE)
		rc = name_queue(pf, event, name, err);
	else if (kind == KIND_COPIES)
		rc = name_copies(pf, event, name, err);
	else
		rc = name_thread(pf, event, kind == KIND_RANGES ? "RANGES " : "", name, err);
	struct track *track = rc < 0 ? NULL : add_track(pf, uuid, name, kind == KIND_THREAD ? &event->thread : NULL, err);
	if (track)
		track->nests = kind == KIND_THREAD || kind == KIND_RANGES;
	return track;
}

/* ---- lanes ---- */

static bool fits(const struct track *track, struct lane *lane, uint64_t start, uint64_t end)
{
	/* From before the window: what it encloses is there already. */
	if (track->nests && start < lane->newest)
		return true;
	while (lane->open && lane->end[lane->open - 1] <= start)
		lane->open--;
	if (!track->nests)
		return lane->open == 0 && start >= lane->newest;
	return lane->open == 0 || (lane->open < NESTED_MOST && end <= lane->end[lane->open - 1]);
}

static void take(struct lane *lane, uint64_t start, uint64_t end)
{
	if (start < lane->newest)
		return;
	lane->newest = start;
	if (lane->open < NESTED_MOST)
		lane->end[lane->open++] = end;
}

/* Too much at once to show it as it is: it is cut, and its annotations tell the truth. */
static void cut(const struct track *track, struct lane *lane, uint64_t *start, uint64_t *end)
{
	uint64_t innermost = lane->open ? lane->end[lane->open - 1] : lane->newest;
	if (track->nests && *end > innermost)
		*end = innermost;
	else if (!track->nests && *start < innermost)
		*start = innermost;
	if (*end < *start)
		*end = *start;
	if (!track->nests)
		lane->open = 0;
}

struct lane *pf_lane(struct pftrace *pf, struct track *track, uint64_t *start, uint64_t *end, struct err *err)
{
	struct lane *lane = NULL;
	for (size_t i = 0; i < track->lanes && !lane; i++)
		if (fits(track, &track->lane[i], *start, *end))
			lane = &track->lane[i];
	if (!lane && track->lanes < LANES_MOST) {
		lane = add_lane(pf, track, NULL, err);
		if (!lane)
			return NULL;
	}
	if (!lane) {
		lane = &track->lane[LANES_MOST - 1];
		cut(track, lane, start, end);
	}
	take(lane, *start, *end);
	return lane;
}
