/* SPDX-License-Identifier: MIT */

#include "rocp/tool/markers.h"

#include <string.h>

#include "rocp/tool/ring.h"

#define DEPTH 64
#define TEXT_MOST (64u << 10)
#define STREAMS 4096

bool markers_rename, markers_recorded;

/* Texts come again and again: these are in the log already.  Under ring_lock. */
#define KNOWN 1024u
#define KNOWN_LENGTH 48
static struct { uint32_t number, length; char text[KNOWN_LENGTH]; } known[KNOWN];
static uint32_t last_text;
static _Atomic uint32_t session;
static _Atomic uint8_t stream_known[STREAMS];

/* No initial-exec model: the target's room for that is small, and a library that finds none is not loaded. */
static __thread struct {
	uint32_t session;
	uint32_t ranges, streams;       /* how deep; beyond DEPTH they are only counted */
	uint32_t range[DEPTH];          /* numbers of texts */
	uint64_t stream[DEPTH];
} in;

void markers_open(uint32_t number)
{
	ring_lock();
	memset(known, 0, sizeof known);
	last_text = 0;
	ring_unlock();
	for (unsigned i = 0; i < STREAMS; i++)
		atomic_store_explicit(&stream_known[i], 0, memory_order_relaxed);
	atomic_store(&session, number);
}

static void enter_session(void)
{
	uint32_t now = atomic_load_explicit(&session, memory_order_relaxed);
	if (in.session == now)
		return;
	in.session = now;
	in.ranges = in.streams = 0;
}

static uint32_t hash(const char *text, size_t n)
{
	uint64_t sum = n;
	for (size_t i = 0; i < n; i++)
		sum = (sum ^ (unsigned char)text[i]) * 0x100000001b3u;
	return (uint32_t)(sum ^ sum >> 32);
}

/* Under the lock: the number of a text, which is in the log then.  0: it could not be put there. */
static uint32_t text_number(const char *text, size_t n)
{
	unsigned slot = hash(text, n) % KNOWN;
	if (n < KNOWN_LENGTH && known[slot].number && known[slot].length == n && !memcmp(known[slot].text, text, n))
		return known[slot].number;
	size_t size = sizeof(struct log_text) + ((n + 8) & ~(size_t)7);
	struct log_text *record = ring_take(size);
	if (!record)
		return 0;
	memset((char *)record + size - 8, 0, 8);
	record->frame = (struct log_frame){ .size = (uint32_t)size, .type = LOG_TEXT };
	record->number = ++last_text;
	memcpy(record->text, text, n);
	if (n < KNOWN_LENGTH) {
		known[slot].number = last_text;
		known[slot].length = (uint32_t)n;
		memcpy(known[slot].text, text, n);
	}
	return last_text;
}

static uint32_t put_marker(const char *text, uint64_t correlation)
{
	size_t n = strnlen(text, TEXT_MOST);
	ring_lock();
	uint32_t number = text_number(text, n);
	if (markers_recorded) {
		struct log_marker *record = number ? ring_take(sizeof *record) : NULL;
		if (record) {
			*record = (struct log_marker){ .frame = { .size = sizeof *record, .type = LOG_MARKER },
				.correlation = correlation, .text = number };
			ring_fill.records++;
			roclatch_tool_status.records++;
		} else if (ring_expects) {
			roclatch_tool_status.lost++;
		}
	}
	ring_unlock();
	return number;
}

/* At the entry; at the exit only if the entry was in another log. */
void markers_called(struct sdk_callback record, uint64_t *user, void *data)
{
	const struct sdk_marker *marker = record.payload;
	uint32_t number = 0;
	(void)data;
	if (record.operation > RANGE_PROCESS || !marker || marker->size < 16)
		return;
	enter_session();
	bool enters = record.phase == PHASE_ENTER;
	if ((enters || *user != in.session + 1ull) && marker->message) {
		number = put_marker(marker->message, record.correlation.internal);
		*user = in.session + 1ull;
	}
	if (record.operation != RANGE_THREAD)
		return;
	if (!enters) {
		in.ranges -= in.ranges > 0;
		return;
	}
	if (in.ranges < DEPTH)
		in.range[in.ranges] = number;
	in.ranges++;
}

static void put_stream(const struct sdk_stream *stream)
{
	if (stream->id < STREAMS && atomic_exchange_explicit(&stream_known[stream->id], 1, memory_order_relaxed))
		return;
	struct log_stream record = { .frame = { .size = sizeof record, .type = LOG_STREAM }, .id = stream->id,
		.value = stream->value };
	ring_put(&record);
}

void streams_called(struct sdk_callback record, uint64_t *user, void *data)
{
	const struct sdk_stream *stream = record.payload;
	(void)user, (void)data;
	if (!stream || stream->size < sizeof *stream)
		return;
	enter_session();
	bool enters = record.phase == PHASE_ENTER;
	/* One that is being made has its number at the exit. */
	if ((record.operation == STREAM_CREATE && !enters) || (record.operation == STREAM_SET && enters))
		if (stream->id < STREAMS && !atomic_load_explicit(&stream_known[stream->id], memory_order_relaxed))
			put_stream(stream);
	if (record.operation != STREAM_SET)
		return;
	if (!enters) {
		in.streams -= in.streams > 0;
		return;
	}
	if (in.streams < DEPTH)
		in.stream[in.streams] = stream->id;
	in.streams++;
}

static uint32_t top(uint32_t depth)
{
	return (depth < DEPTH ? depth : DEPTH) - 1;
}

int external_wanted(uint64_t thread, struct sdk_handle context, int kind, int32_t operation, uint64_t correlation,
		    uint64_t *external, void *data)
{
	(void)thread, (void)context, (void)operation, (void)correlation, (void)data;
	enter_session();
	uint64_t stream = in.streams ? in.stream[top(in.streams)] : 0;
	uint32_t text = markers_rename && kind == REQUEST_KERNEL_DISPATCH && in.ranges ? in.range[top(in.ranges)] : 0;
	*external = LOG_EXTERNAL(stream, text);
	return 0;
}
