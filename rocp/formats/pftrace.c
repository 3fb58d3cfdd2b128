/* SPDX-License-Identifier: MIT */
/*
 * A recording as a trace of Perfetto: packets, one after the other, that tell
 * of tracks and of slices that begin and end on them.  Perfetto puts packets in
 * order by their times; those of the same time stay as they are in the file.
 */
#include <stdlib.h>
#include <string.h>

#include "rocp/formats/pftrace_parts.h"

#define PROGRESS_EVERY 65536

int pf_no_memory(struct err *err)
{
	return err_set(err, ERR_FAILED, 0, "out of memory");
}

size_t pf_packet(struct pftrace *pf, uint64_t time)
{
	size_t packet = pb_open(&pf->pb, TRACE_PACKET);
	if (time)
		pb_number(&pf->pb, PACKET_TIME, time);
	pb_number(&pf->pb, PACKET_SEQUENCE, 1);
	pb_number(&pf->pb, PACKET_FLAGS, FLAG_NEEDS_STATE);
	return packet;
}

void pf_packet_end(struct pftrace *pf, size_t packet)
{
	pb_close(&pf->pb, packet);
	if (!pf->pb.failed)
		file_put(&pf->file, pf->pb.data, pf->pb.n);
	pf->pb.n = 0;
}

/* ---- annotations ---- */

static void note(struct pb *pb, enum annotation name, uint64_t value)
{
	pb_pair(pb, EVENT_ANNOTATION, ANNOTATION_NAME, name, ANNOTATION_NUMBER, value);
}

static void note_signed(struct pb *pb, enum annotation name, int64_t value)
{
	pb_pair(pb, EVENT_ANNOTATION, ANNOTATION_NAME, name, ANNOTATION_SIGNED, (uint64_t)value);
}

static void note_text(struct pb *pb, enum annotation name, const char *text)
{
	size_t annotation = pb_open(pb, EVENT_ANNOTATION);
	pb_number(pb, ANNOTATION_NAME, name);
	pb_text(pb, ANNOTATION_TEXT, text);
	pb_close(pb, annotation);
}

static void note_kernel(struct pftrace *pf, const struct event *event)
{
	struct pb *pb = &pf->pb;
	const struct kernel_symbol *kernel = event->kernel;
	struct agent_words agent = pf_agent(pf, event->agent);
	note_text(pb, NOTE_agent, agent.name);
	note_text(pb, NOTE_agent_type, agent.type);
	note(pb, NOTE_queue, event->queue);
	note(pb, NOTE_kernel_id, kernel->id);
	note(pb, NOTE_Scratch_Size, event->private_segment);
	note(pb, NOTE_LDS_Block_Size, ((uint64_t)kernel->group_segment + 511) & ~(uint64_t)511);
	note(pb, NOTE_VGPR_Count, kernel->arch_vgprs);
	note(pb, NOTE_Accum_VGPR_Count, kernel->accum_vgprs);
	note(pb, NOTE_SGPR_Count, kernel->sgprs);
	note(pb, NOTE_workgroup_size, (uint64_t)event->workgroup.x * event->workgroup.y * event->workgroup.z);
	note(pb, NOTE_grid_size, (uint64_t)event->grid.x * event->grid.y * event->grid.z);
	note(pb, NOTE_stream_ID, event->stream);
}

static void note_copy(struct pftrace *pf, const struct event *event)
{
	note_text(&pf->pb, NOTE_src_agent, pf_agent(pf, event->agent2).name);
	note_text(&pf->pb, NOTE_dst_agent, pf_agent(pf, event->agent).name);
	note(&pf->pb, NOTE_copy_bytes, event->bytes);
	note(&pf->pb, NOTE_stream_ID, event->stream);
}

static void put_notes(struct pftrace *pf, const struct event *event)
{
	struct pb *pb = &pf->pb;
	note(pb, NOTE_begin_ns, event->start);
	note(pb, NOTE_end_ns, event->end);
	note_signed(pb, NOTE_delta_ns, (int64_t)(event->end - event->start));
	note(pb, NOTE_tid, event->thread);
	note_signed(pb, NOTE_kind, event->kind);
	note_signed(pb, NOTE_operation, event->operation);
	note(pb, NOTE_corr_id, event->correlation);
	if (event->domain == DOMAIN_KERNEL)
		note_kernel(pf, event);
	else if (event->domain == DOMAIN_COPY)
		note_copy(pf, event);
	else
		note(pb, NOTE_ancestor_id, event->ancestor);
}

/* ---- slices ---- */

static const char *name_of(const struct pftrace *pf, const struct event *event)
{
	if (event->domain == DOMAIN_KERNEL)
		return pf->conversion->settings->kernel_rename && event->rename ? event->rename : event->kernel->formatted;
	return event->domain == DOMAIN_MARKER && event->text ? event->text : event->operation_name;
}

static void put_name(struct pb *pb, uint64_t id, const char *name)
{
	size_t interned = pb_open(pb, PACKET_INTERNED), entry = pb_open(pb, INTERNED_NAME);
	pb_number(pb, INTERNED_ID, id);
	pb_text(pb, INTERNED_TEXT, name);
	pb_close(pb, entry);
	pb_close(pb, interned);
}

static int put_begin(struct pftrace *pf, const struct event *event, enum event_type type, uint64_t uuid, uint64_t time, struct err *err)
{
	struct pb *pb = &pf->pb;
	const char *name = name_of(pf, event);
	bool is_new;
	uint64_t id = textmap_number(&pf->names, name, &is_new);
	if (!id)
		return pf_no_memory(err);
	size_t packet = pf_packet(pf, time);
	if (is_new)
		put_name(pb, id, name);
	size_t track_event = pb_open(pb, PACKET_EVENT);
	pb_number(pb, EVENT_TYPE, type);
	pb_number(pb, EVENT_TRACK, uuid);
	pb_number(pb, EVENT_CATEGORY, (uint64_t)event->domain + 1);
	pb_number(pb, EVENT_NAME, id);
	if (event->correlation)
		pb_fixed64(pb, EVENT_FLOW, event->correlation);
	put_notes(pf, event);
	pb_close(pb, track_event);
	pf_packet_end(pf, packet);
	return 0;
}

static void put_end(struct pftrace *pf, uint64_t uuid, uint64_t time)
{
	size_t packet = pf_packet(pf, time), event = pb_open(&pf->pb, PACKET_EVENT);
	pb_number(&pf->pb, EVENT_TYPE, EVENT_END);
	pb_number(&pf->pb, EVENT_TRACK, uuid);
	pb_close(&pf->pb, event);
	pf_packet_end(pf, packet);
}

static int put_slice(struct pftrace *pf, const struct event *event, struct err *err)
{
	struct track *track = pf_track(pf, event, err);
	if (!track)
		return -1;
	if (event->domain == DOMAIN_MARKER && event->start == event->end)
		return put_begin(pf, event, EVENT_INSTANT, track->uuid, event->start, err);
	uint64_t start = event->start, end = event->end > start ? event->end : start;
	struct lane *lane = pf_lane(pf, track, &start, &end, err);
	if (!lane || put_begin(pf, event, EVENT_BEGIN, lane->uuid, start, err) < 0)
		return -1;
	put_end(pf, lane->uuid, end);
	return 0;
}

static int put_event(struct pftrace *pf, const struct event *event, struct err *err)
{
	if (event->domain != DOMAIN_ALLOCATION && event->domain != DOMAIN_SCRATCH && put_slice(pf, event, err) < 0)
		return -1;
	return pf_count(pf, event, err);
}

static int add(void *ctx, const struct event *event, struct err *err)
{
	struct pftrace *pf = ctx;
	const struct conversion *conversion = pf->conversion;
	struct event first;
	if (++pf->seen % PROGRESS_EVERY == 0 && conversion->progress && pf->all)
		conversion->progress(conversion->ctx, "pftrace", (double)pf->seen / (double)pf->all);
	/* Its values are there during this visit alone. */
	if (event->domain == DOMAIN_COUNTERS)
		return pf_count_values(pf, event, err);
	if (window_full(&pf->window) && window_take(&pf->window, &first) && put_event(pf, &first, err) < 0)
		return -1;
	window_add(&pf->window, event);
	/* A disk that is full need not be told a million times. */
	return pf->file.sys || pf->pb.failed ? -1 : 0;
}

static int write_all(struct pftrace *pf, struct err *err)
{
	struct event event;
	for (size_t i = 0; i < DOMAINS; i++)
		pf->all += pf->trace->events[i];
	if (pf_start(pf, err) < 0 || trace_each(pf->trace, DOMAINS_ALL, add, pf, err) != 0)
		return -1;
	while (window_take(&pf->window, &event))
		if (put_event(pf, &event, err) < 0)
			return -1;
	return pf_count_rest(pf, err);
}

static void release(struct pftrace *pf)
{
	struct idmap *map[] = { &pf->queue_numbers, &pf->thread_numbers, &pf->queues_of, &pf->track_of };
	for (size_t i = 0; i < sizeof map / sizeof *map; i++)
		idmap_free(map[i]);
	for (size_t i = 0; i < pf->tracks; i++) {
		free(pf->track[i]->lane);
		free(pf->track[i]);
	}
	free(pf->track);
	pf_counters_free(pf);
	textmap_free(&pf->names);
	window_close(&pf->window);
	pb_free(&pf->pb);
	free(pf);
}

static int write_file(struct pftrace *pf, struct err *err)
{
	const struct conversion *conversion = pf->conversion;
	if (window_open(&pf->window, err) < 0 || file_create(&pf->file, conversion->base, "_results.pftrace", err) < 0)
		return -1;
	int rc = write_all(pf, err);
	if (pf->pb.failed)
		rc = pf_no_memory(err);
	if (rc < 0 && !pf->file.sys)
		file_abandon(&pf->file);
	else
		rc = file_finish(&pf->file, err);
	if (rc == 0 && conversion->wrote)
		conversion->wrote(conversion->ctx, pf->file.path, pf->file.written);
	return rc;
}

int pftrace_write(const struct conversion *conversion, struct err *err)
{
	struct pftrace *pf = calloc(1, sizeof *pf);
	if (!pf)
		return pf_no_memory(err);
	pf->conversion = conversion;
	pf->trace = conversion->trace;
	pf->file.fd = -1;
	int rc = write_file(pf, err);
	release(pf);
	return rc;
}
