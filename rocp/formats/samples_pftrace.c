/* SPDX-License-Identifier: MIT */
/*
 * For Perfetto: a track of each thread with its states as slices, and the
 * stacks as samples of a CPU profile.  Times are those of the wall clock.
 */
#include <stdlib.h>
#include <string.h>

#include "rocp/formats/pftrace_fields.h"
#include "rocp/formats/pftrace_pb.h"
#include "rocp/formats/samples_parts.h"

#define SEQUENCE 1
#define PROCESS_UUID 1u
#define SAMPLES_MOST 1000000u   /* behind that a stretch of one stack is one sample */

enum { NOTE_STATE = 1, NOTE_CALL, NOTE_SAMPLES, NOTE_FUNCTION };

struct writer {
	struct samples *samples;
	struct pb pb;
	struct index names;     /* text -> iid of a slice's name */
	struct index mappings;  /* path and build id -> iid */
	bool *told;             /* by node: its stack */
	uint64_t *outer;        /* one stack's frames */
	bool few;               /* a sample for each stretch */
};

static void put_packet(struct writer *writer, size_t packet)
{
	pb_close(&writer->pb, packet);
	if (!writer->pb.failed)
		file_put(writer->samples->file, writer->pb.data, writer->pb.n);
	writer->pb.n = 0;
}

static size_t open_packet(struct writer *writer, unsigned flags)
{
	size_t packet = pb_open(&writer->pb, TRACE_PACKET);
	pb_number(&writer->pb, PACKET_SEQUENCE, SEQUENCE);
	pb_number(&writer->pb, PACKET_FLAGS, flags);
	return packet;
}

static size_t open_timed(struct writer *writer, uint64_t since_begin)
{
	size_t packet = open_packet(writer, FLAG_NEEDS_STATE);
	pb_number(&writer->pb, PACKET_TIME, writer->samples->profile->began_real_ns + since_begin);
	return packet;
}

static void put_interned(struct pb *pb, unsigned table, uint64_t id, const char *text)
{
	size_t entry = pb_open(pb, table);
	pb_number(pb, INTERNED_ID, id);
	pb_text(pb, INTERNED_TEXT, text);
	pb_close(pb, entry);
}

static void put_defaults(struct writer *writer)
{
	struct pb *pb = &writer->pb;
	size_t defaults = pb_open(pb, PACKET_DEFAULTS), sample, timebase;
	pb_number(pb, PACKET_CLOCK, CLOCK_IS_REALTIME);
	sample = pb_open(pb, DEFAULTS_SAMPLE);
	timebase = pb_open(pb, SAMPLE_TIMEBASE);
	if (writer->samples->profile->rate >= 1)
		pb_number(pb, TIMEBASE_FREQUENCY, (uint64_t)writer->samples->profile->rate);
	pb_text(pb, TIMEBASE_NAME, "samples");
	pb_close(pb, timebase);
	pb_close(pb, sample);
	pb_close(pb, defaults);
}

static void put_start(struct writer *writer)
{
	struct pb *pb = &writer->pb;
	size_t packet = open_packet(writer, FLAG_STATE_CLEARED | FLAG_NEEDS_STATE);
	pb_number(pb, PACKET_FIRST, 1);
	size_t interned = pb_open(pb, PACKET_INTERNED);
	for (unsigned i = 0; i < TASK_STATES; i++)
		put_interned(pb, INTERNED_CATEGORY, i + 1, task_state_text((enum task_state)i));
	put_interned(pb, INTERNED_ANNOTATION, NOTE_STATE, "state");
	put_interned(pb, INTERNED_ANNOTATION, NOTE_CALL, "call");
	put_interned(pb, INTERNED_ANNOTATION, NOTE_SAMPLES, "samples");
	put_interned(pb, INTERNED_ANNOTATION, NOTE_FUNCTION, "function");
	pb_close(pb, interned);
	put_defaults(writer);
	size_t clocks = pb_open(pb, PACKET_CLOCKS), clock = pb_open(pb, CLOCKS_CLOCK);
	pb_number(pb, CLOCK_ID, CLOCK_IS_REALTIME);
	pb_number(pb, CLOCK_TIME, writer->samples->profile->began_real_ns);
	pb_close(pb, clock);
	pb_number(pb, CLOCKS_PRIMARY, CLOCK_IS_REALTIME);
	pb_close(pb, clocks);
	put_packet(writer, packet);
}

static void put_process(struct writer *writer)
{
	const struct profile *profile = writer->samples->profile;
	struct pb *pb = &writer->pb;
	size_t packet = open_packet(writer, FLAG_NEEDS_STATE), track = pb_open(pb, PACKET_TRACK);
	pb_number(pb, TRACK_UUID, PROCESS_UUID);
	size_t process = pb_open(pb, TRACK_PROCESS);
	pb_number(pb, PROCESS_PID, (uint64_t)profile->pid);
	pb_text(pb, PROCESS_ARGUMENT, profile->command);
	pb_text(pb, PROCESS_NAME, profile->name);
	pb_close(pb, process);
	pb_close(pb, track);
	put_packet(writer, packet);
}

static uint64_t uuid_of(uint32_t thread)
{
	return PROCESS_UUID + 1 + thread;
}

static void put_thread(struct writer *writer, uint32_t number)
{
	const struct profile *profile = writer->samples->profile;
	struct pb *pb = &writer->pb;
	size_t packet = open_packet(writer, FLAG_NEEDS_STATE), track = pb_open(pb, PACKET_TRACK);
	pb_number(pb, TRACK_UUID, uuid_of(number));
	pb_number(pb, TRACK_PARENT, PROCESS_UUID);
	size_t thread = pb_open(pb, TRACK_THREAD);
	pb_number(pb, THREAD_PID, (uint64_t)profile->pid);
	pb_number(pb, THREAD_TID, (uint64_t)profile->threads[number].tid);
	pb_text(pb, THREAD_NAME, profile->threads[number].name);
	pb_close(pb, thread);
	pb_close(pb, track);
	put_packet(writer, packet);
}

static size_t from_hex(const char *hex, unsigned char *bytes, size_t room)
{
	size_t n = 0;
	for (; n < room && hex[2 * n] && hex[2 * n + 1]; n++) {
		const char pair[3] = { hex[2 * n], hex[2 * n + 1], '\0' };
		char *end;
		bytes[n] = (unsigned char)strtoul(pair, &end, 16);
		if (*end)
			return 0;
	}
	return n;
}

static void put_mapping(struct writer *writer, uint64_t id, const char *path, const char *build_id)
{
	struct pb *pb = &writer->pb;
	unsigned char bytes[64];
	size_t n = from_hex(build_id, bytes, sizeof bytes);
	/* Its reader puts the slash there. */
	put_interned(pb, INTERNED_PATH, id, path + (path[0] == '/'));
	size_t entry = pb_open(pb, INTERNED_BUILD_ID);
	pb_number(pb, INTERNED_ID, id);
	pb_bytes(pb, INTERNED_TEXT, bytes, n);
	pb_close(pb, entry);
	entry = pb_open(pb, INTERNED_MAPPING);
	pb_number(pb, INTERNED_ID, id);
	pb_number(pb, MAPPING_BUILD_ID, id);
	pb_number(pb, MAPPING_PATH, id);
	pb_close(pb, entry);
}

/* The iid of a place's mapping, told within what is open if it is new; 0: no memory. */
static uint64_t mapping_of(struct writer *writer, const struct place *place, struct err *err)
{
	const char *path = place->path && place->path[0] ? place->path : place->module ? place->module : "";
	const char *build_id = place->build_id ? place->build_id : "";
	const char *key = texts_print(&writer->samples->texts, err, "%s\n%s", path, build_id);
	size_t id = key ? index_get(&writer->mappings, (uintptr_t)key) : 0;
	if (!key || id != INDEX_NONE)
		return key ? id : 0;
	id = writer->mappings.n + 1;
	if (index_put(&writer->mappings, (uintptr_t)key, id, err) < 0)
		return 0;
	put_mapping(writer, id, path, build_id);
	return id;
}

static int put_frames(struct writer *writer, struct err *err)
{
	const struct samples *samples = writer->samples;
	struct pb *pb = &writer->pb;
	size_t packet, interned;
	for (size_t i = 0; i < samples->functions; i++) {
		packet = open_packet(writer, FLAG_NEEDS_STATE);
		interned = pb_open(pb, PACKET_INTERNED);
		put_interned(pb, INTERNED_FUNCTION, i + 1, samples->function[i].label);
		pb_close(pb, interned);
		put_packet(writer, packet);
	}
	for (size_t i = 0; i < samples->profile->places_n; i++) {
		packet = open_packet(writer, FLAG_NEEDS_STATE);
		interned = pb_open(pb, PACKET_INTERNED);
		uint64_t mapping = mapping_of(writer, &samples->profile->places[i], err);
		if (!mapping)
			return -1;
		size_t entry = pb_open(pb, INTERNED_FRAME);
		pb_number(pb, INTERNED_ID, i + 1);
		pb_number(pb, FRAME_FUNCTION_NAME, samples->function_of[i] + 1u);
		pb_number(pb, FRAME_MAPPING, mapping);
		pb_number(pb, FRAME_ADDRESS, samples->profile->places[i].vaddr);
		pb_close(pb, entry);
		pb_close(pb, interned);
		put_packet(writer, packet);
	}
	return 0;
}

static void put_stack(struct writer *writer, uint32_t stack)
{
	const struct profile *profile = writer->samples->profile;
	struct pb *pb = &writer->pb;
	size_t n = 0;
	if (writer->told[stack])
		return;
	writer->told[stack] = true;
	for (uint32_t at = stack; at < profile->nodes_n && n < profile->nodes_n; at = profile->nodes[at].parent)
		writer->outer[n++] = profile->nodes[at].place + 1u;
	size_t packet = open_packet(writer, FLAG_NEEDS_STATE), interned = pb_open(pb, PACKET_INTERNED), entry = pb_open(pb, INTERNED_STACK);
	pb_number(pb, INTERNED_ID, stack + 1u);
	while (n)
		pb_number(pb, STACK_FRAME, writer->outer[--n]);
	pb_close(pb, entry);
	pb_close(pb, interned);
	put_packet(writer, packet);
}

static void put_sample(struct writer *writer, const struct stretch *stretch, uint64_t time)
{
	const struct profile *profile = writer->samples->profile;
	size_t packet = open_timed(writer, time), sample = pb_open(&writer->pb, PACKET_SAMPLE);
	pb_number(&writer->pb, SAMPLE_PID, (uint64_t)profile->pid);
	pb_number(&writer->pb, SAMPLE_TID, (uint64_t)profile->threads[stretch->thread].tid);
	pb_number(&writer->pb, SAMPLE_STACK, stretch->stack + 1u);
	pb_number(&writer->pb, SAMPLE_MODE, SAMPLE_IN_USER_MODE);
	pb_close(&writer->pb, sample);
	put_packet(writer, packet);
}

/* A stretch tells when its first and its last sample were taken; the others are ticks in between. */
static void put_samples(struct writer *writer, const struct stretch *stretch)
{
	uint32_t n = writer->few || !stretch->samples ? 1 : stretch->samples;
	put_stack(writer, stretch->stack);
	for (uint32_t i = 0; i < n; i++)
		put_sample(writer, stretch, stretch->from_ns + (n > 1 ? (uint64_t)((double)(stretch->to_ns - stretch->from_ns) * i / (n - 1)) : 0));
}

static void note_text(struct pb *pb, unsigned name, const char *text)
{
	size_t annotation = pb_open(pb, EVENT_ANNOTATION);
	pb_number(pb, ANNOTATION_NAME, name);
	pb_text(pb, ANNOTATION_TEXT, text);
	pb_close(pb, annotation);
}

static int put_begin(struct writer *writer, const struct stretch *stretch, struct err *err)
{
	struct samples *samples = writer->samples;
	struct pb *pb = &writer->pb;
	char text[64];
	const char *blocked = samples_blocked(stretch->state, stretch->call, text, sizeof text);
	const char *name = texts_print(&samples->texts, err, "%s", blocked ? blocked : task_state_text(TASK_RUNNING));
	size_t id = name ? index_get(&writer->names, (uintptr_t)name) : 0;
	bool is_new = id == INDEX_NONE;
	if (is_new)
		id = writer->names.n + 1;
	if (!name || (is_new && index_put(&writer->names, (uintptr_t)name, id, err) < 0))
		return -1;
	size_t packet = open_timed(writer, stretch->from_ns);
	if (is_new) {
		size_t interned = pb_open(pb, PACKET_INTERNED);
		put_interned(pb, INTERNED_NAME, id, name);
		pb_close(pb, interned);
	}
	size_t event = pb_open(pb, PACKET_EVENT);
	pb_number(pb, EVENT_TYPE, EVENT_BEGIN);
	pb_number(pb, EVENT_TRACK, uuid_of(stretch->thread));
	pb_number(pb, EVENT_CATEGORY, stretch->state + 1u);
	pb_number(pb, EVENT_NAME, id);
	note_text(pb, NOTE_STATE, task_state_text((enum task_state)stretch->state));
	if (stretch->call >= 0)
		pb_pair(pb, EVENT_ANNOTATION, ANNOTATION_NAME, NOTE_CALL, ANNOTATION_SIGNED, (uint64_t)stretch->call);
	pb_pair(pb, EVENT_ANNOTATION, ANNOTATION_NAME, NOTE_SAMPLES, ANNOTATION_NUMBER, stretch->samples);
	uint32_t path = samples_path(samples, stretch->stack);
	if (path != NO_STACK)
		note_text(pb, NOTE_FUNCTION, samples->function[samples->path[path].function].label);
	pb_close(pb, event);
	put_packet(writer, packet);
	return 0;
}

static int put_stretch(struct writer *writer, size_t in_time, struct err *err)
{
	const struct profile *profile = writer->samples->profile;
	const struct stretch *stretch = &profile->stretches[writer->samples->in_time[in_time]];
	if (stretch->thread >= profile->threads_n)
		return 0;
	if (put_begin(writer, stretch, err) < 0)
		return -1;
	size_t packet = open_timed(writer, samples_until(writer->samples, in_time)), event = pb_open(&writer->pb, PACKET_EVENT);
	pb_number(&writer->pb, EVENT_TYPE, EVENT_END);
	pb_number(&writer->pb, EVENT_TRACK, uuid_of(stretch->thread));
	pb_close(&writer->pb, event);
	put_packet(writer, packet);
	if (stretch->stack < profile->nodes_n)
		put_samples(writer, stretch);
	return 0;
}

static int put_all(struct writer *writer, struct err *err)
{
	const struct profile *profile = writer->samples->profile;
	uint64_t all = 0;
	for (size_t i = 0; i < profile->stretches_n; i++)
		all += profile->stretches[i].stack < profile->nodes_n ? profile->stretches[i].samples : 0;
	writer->few = all > SAMPLES_MOST;
	put_start(writer);
	put_process(writer);
	for (size_t i = 0; i < profile->threads_n; i++)
		put_thread(writer, (uint32_t)i);
	if (put_frames(writer, err) < 0)
		return -1;
	for (size_t i = 0; i < profile->stretches_n; i++)
		if (put_stretch(writer, i, err) < 0)
			return -1;
	return writer->pb.failed ? err_set(err, ERR_FAILED, 0, "out of memory") : 0;
}

int samples_pftrace(struct samples *samples, struct err *err)
{
	struct writer writer = { .samples = samples };
	writer.told = samples_array(samples->profile->nodes_n, sizeof *writer.told, err);
	writer.outer = samples_array(samples->profile->nodes_n, sizeof *writer.outer, err);
	int rc = writer.told && writer.outer ? put_all(&writer, err) : -1;
	index_free(&writer.names);
	index_free(&writer.mappings);
	free(writer.told);
	free(writer.outer);
	pb_free(&writer.pb);
	return rc;
}
