/* SPDX-License-Identifier: MIT */
/*
 * Reads a Perfetto trace as its importer does: packets, interned names, tracks;
 * packets in the order of their times; an end closes the innermost open slice of
 * its track.  Written from the .proto files, without what writes.
 */
#ifndef ROCLATCH_TESTS_PFTRACE_READER_H
#define ROCLATCH_TESTS_PFTRACE_READER_H

#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "unity.h"

struct span { const unsigned char *at, *end; };
struct field { unsigned number, wire; uint64_t value; struct span in; };

static uint64_t read_varint(struct span *in)
{
	uint64_t value = 0;
	for (unsigned shift = 0; ; shift += 7) {
		TEST_ASSERT_TRUE_MESSAGE(in->at < in->end && shift < 70, "a number that does not end");
		value |= (uint64_t)(*in->at & 0x7f) << shift;
		if (!(*in->at++ & 0x80))
			return value;
	}
}

static bool next_field(struct span *in, struct field *field)
{
	if (in->at == in->end)
		return false;
	uint64_t tag = read_varint(in);
	*field = (struct field){ .number = (unsigned)(tag >> 3), .wire = tag & 7 };
	TEST_ASSERT_NOT_EQUAL(0, field->number);
	if (field->wire == 0)
		field->value = read_varint(in);
	else if (field->wire == 1) {
		TEST_ASSERT_TRUE(in->end - in->at >= 8);
		memcpy(&field->value, in->at, 8);
		in->at += 8;
	} else {
		TEST_ASSERT_EQUAL_MESSAGE(2, field->wire, "a kind of field that is not used here");
		uint64_t size = read_varint(in);
		TEST_ASSERT_TRUE_MESSAGE(size <= (uint64_t)(in->end - in->at), "a field that is longer than what it is in");
		field->in = (struct span){ in->at, in->at + size };
		in->at += size;
	}
	return true;
}

/* The last such field; false: there is none. */
static bool get_field(struct span in, unsigned number, struct field *found)
{
	struct field field;
	bool any = false;
	while (next_field(&in, &field))
		if (field.number == number) {
			*found = field;
			any = true;
		}
	return any;
}

static uint64_t get_number(struct span in, unsigned number)
{
	struct field field;
	return get_field(in, number, &field) ? field.value : 0;
}

static char *get_text(struct span in, unsigned number)
{
	struct field field;
	return get_field(in, number, &field) ? strndup((const char *)field.in.at, (size_t)(field.in.end - field.in.at)) : NULL;
}

struct read_packet { uint64_t time; size_t order; struct span event; };
struct read_track { uint64_t uuid, parent, tid, pid, unit; char *name, *process, *thread; bool is_process, is_thread, is_counter; };
struct read_slice { const char *track, *category, *name; uint64_t start, end, flow; size_t depth; bool instant; struct span event; };
struct read_value { const char *track; uint64_t time; double value; };

static struct {
	unsigned char *data;
	struct read_packet *packet; size_t packets;
	struct read_track track[4096]; size_t tracks;
	char *name[3][4096];            /* categories, names, annotations by id */
	struct read_slice *slice; size_t slices;
	struct read_value *value; size_t values;
} read_trace;

static struct read_track *track_with(uint64_t uuid)
{
	for (size_t i = 0; i < read_trace.tracks; i++)
		if (read_trace.track[i].uuid == uuid)
			return &read_trace.track[i];
	TEST_FAIL_MESSAGE("an event of a track that was not told");
	return NULL;
}

static void read_interned(struct span in)
{
	struct field field;
	while (next_field(&in, &field)) {
		TEST_ASSERT_TRUE(field.number >= 1 && field.number <= 3);
		uint64_t id = get_number(field.in, 1);
		TEST_ASSERT_TRUE(id > 0 && id < 4096);
		TEST_ASSERT_NULL_MESSAGE(read_trace.name[field.number - 1][id], "a name's number is used twice");
		read_trace.name[field.number - 1][id] = get_text(field.in, 2);
	}
}

static void read_track(struct span in)
{
	struct read_track *track = &read_trace.track[read_trace.tracks++];
	struct field field;
	*track = (struct read_track){ .uuid = get_number(in, 1), .name = get_text(in, 2), .parent = get_number(in, 5) };
	TEST_ASSERT_NOT_EQUAL(0, track->uuid);
	if ((track->is_process = get_field(in, 3, &field))) {
		track->pid = get_number(field.in, 1);
		track->process = get_text(field.in, 6);
	}
	if ((track->is_thread = get_field(in, 4, &field))) {
		track->pid = get_number(field.in, 1);
		track->tid = get_number(field.in, 2);
		track->thread = get_text(field.in, 5);
	}
	if ((track->is_counter = get_field(in, 8, &field)))
		track->unit = get_number(field.in, 3);
}

static void read_packet(struct span in)
{
	struct field field;
	bool first = read_trace.packets == 0;
	TEST_ASSERT_EQUAL_MESSAGE(1, get_number(in, 10), "trusted_packet_sequence_id");
	TEST_ASSERT_EQUAL_MESSAGE(first ? 3 : 2, get_number(in, 13), "sequence_flags");
	TEST_ASSERT_EQUAL_MESSAGE(first, get_number(in, 87), "first_packet_on_sequence");
	struct read_packet *packet = &read_trace.packet[read_trace.packets];
	*packet = (struct read_packet){ .time = get_number(in, 8), .order = read_trace.packets };
	if (get_field(in, 12, &field))
		read_interned(field.in);
	if (get_field(in, 60, &field))
		read_track(field.in);
	if (get_field(in, 11, &field))
		packet->event = field.in;
	read_trace.packets++;
}

static int by_time(const void *a, const void *b)
{
	const struct read_packet *x = a, *y = b;
	return x->time != y->time ? (x->time < y->time ? -1 : 1) : x->order < y->order ? -1 : x->order > y->order;
}

static const char *interned(unsigned table, uint64_t id)
{
	TEST_ASSERT_TRUE_MESSAGE(id && id < 4096 && read_trace.name[table][id], "a name that was not told");
	return read_trace.name[table][id];
}

static void read_event(const struct read_packet *packet)
{
	struct span in = packet->event;
	uint64_t type = get_number(in, 9);
	struct read_track *track = track_with(get_number(in, 11));
	struct field field;
	if (type == 4) {
		TEST_ASSERT_TRUE(track->is_counter);
		struct read_value *value = &read_trace.value[read_trace.values++];
		*value = (struct read_value){ track->name, packet->time, (double)get_number(in, 30) };
		if (get_field(in, 44, &field))
			memcpy(&value->value, &field.value, 8);
		return;
	}
	TEST_ASSERT_FALSE(track->is_counter);
	size_t depth = 0, innermost = SIZE_MAX;
	for (size_t i = 0; i < read_trace.slices; i++)
		if (read_trace.slice[i].track == track->name && !read_trace.slice[i].end) {
			depth++;
			innermost = i;
		}
	if (type == 2) {
		TEST_ASSERT_TRUE_MESSAGE(innermost != SIZE_MAX, "an end without a begin");
		read_trace.slice[innermost].end = packet->time;
		return;
	}
	TEST_ASSERT_TRUE(type == 1 || type == 3);
	struct read_slice *slice = &read_trace.slice[read_trace.slices++];
	*slice = (struct read_slice){
		.track = track->name, .category = interned(0, get_number(in, 3)), .name = interned(1, get_number(in, 10)),
		.start = packet->time, .end = type == 3 ? packet->time : 0, .instant = type == 3, .flow = get_number(in, 47),
		.depth = depth, .event = in,
	};
}

static void read_pftrace(const char *path)
{
	int fd = open(path, O_RDONLY);
	TEST_ASSERT_TRUE(fd >= 0);
	size_t size = (size_t)lseek(fd, 0, SEEK_END);
	memset(&read_trace, 0, sizeof read_trace);
	read_trace.data = malloc(size + 1);
	TEST_ASSERT_EQUAL(size, pread(fd, read_trace.data, size, 0));
	close(fd);
	read_trace.packet = calloc(size / 4 + 1, sizeof *read_trace.packet);
	struct span in = { read_trace.data, read_trace.data + size };
	struct field field;
	while (next_field(&in, &field)) {
		TEST_ASSERT_EQUAL_MESSAGE(1, field.number, "a trace is made of packets alone");
		read_packet(field.in);
	}
	read_trace.slice = calloc(read_trace.packets + 1, sizeof *read_trace.slice);
	read_trace.value = calloc(read_trace.packets + 1, sizeof *read_trace.value);
	qsort(read_trace.packet, read_trace.packets, sizeof *read_trace.packet, by_time);
	for (size_t i = 0; i < read_trace.packets; i++)
		if (read_trace.packet[i].event.at)
			read_event(&read_trace.packet[i]);
	for (size_t i = 0; i < read_trace.slices; i++)
		TEST_ASSERT_TRUE_MESSAGE(read_trace.slice[i].end, "a slice that does not end");
}

/* "name=value" of all its annotations, with spaces between. */
static inline char *annotations_of(const struct read_slice *slice)
{
	static char out[2048];
	struct span in = slice->event;
	struct field field, value;
	size_t used = 0;
	out[0] = '\0';
	while (next_field(&in, &field))
		if (field.number == 4) {
			const char *name = interned(2, get_number(field.in, 1));
			used += (size_t)snprintf(out + used, sizeof out - used, "%s%s=", used ? " " : "", name);
			if (get_field(field.in, 6, &value))
				used += (size_t)snprintf(out + used, sizeof out - used, "%.*s", (int)(value.in.end - value.in.at), value.in.at);
			else if (get_field(field.in, 3, &value))
				used += (size_t)snprintf(out + used, sizeof out - used, "%" PRIu64, value.value);
			else
				used += (size_t)snprintf(out + used, sizeof out - used, "%" PRId64, (int64_t)get_number(field.in, 4));
		}
	return out;
}

static void free_pftrace(void)
{
	for (size_t i = 0; i < read_trace.tracks; i++) {
		free(read_trace.track[i].name);
		free(read_trace.track[i].process);
		free(read_trace.track[i].thread);
	}
	for (size_t t = 0; t < 3; t++)
		for (size_t i = 0; i < 4096; i++)
			free(read_trace.name[t][i]);
	free(read_trace.data);
	free(read_trace.packet);
	free(read_trace.slice);
	free(read_trace.value);
	memset(&read_trace, 0, sizeof read_trace);
}

#endif
