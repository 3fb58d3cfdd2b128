/* SPDX-License-Identifier: MIT */
#include "rocp/tool/records.h"

#include <string.h>

#include "rocp/tool/ring.h"

/* By the number of a kind: what its records become. */
static struct { uint16_t type, least; } shape[RECORD_KINDS];

int records_expect(int kind, uint16_t type)
{
	static const uint16_t least[] = {
		SDK_API_SIZE, [LOG_DISPATCH - LOG_API] = SDK_DISPATCH_SIZE,
		[LOG_COPY - LOG_API] = SDK_COPY_SIZE, [LOG_ALLOCATION - LOG_API] = SDK_ALLOCATION_SIZE,
		[LOG_SCRATCH - LOG_API] = SDK_SCRATCH_SIZE,
	};
	if (kind < 0 || kind >= RECORD_KINDS)
		return -1;
	shape[kind].type = type;
	shape[kind].least = least[type - LOG_API];
	return 0;
}

/* The frame in place of the size; `n` is known to the compiler where this is called. */
static inline bool copy(const void *record, uint16_t type, size_t n)
{
	unsigned char *place = ring_take(n);
	if (!place)
		return false;
	struct log_frame frame = { .size = (uint32_t)n, .type = type };
	memcpy(place, &frame, sizeof frame);
	memcpy(place + sizeof frame, (const unsigned char *)record + sizeof frame, n - sizeof frame);
	return true;
}

/* What the SDK keeps free in the middle stays out. */
static bool copy_dispatch(const unsigned char *record, bool with_pipe)
{
	size_t n = sizeof(struct log_dispatch) + (with_pipe ? 8 : 0);
	unsigned char *place = ring_take(n);
	if (!place)
		return false;
	struct log_frame frame = { .size = (uint32_t)n, .type = LOG_DISPATCH };
	memcpy(place, &frame, sizeof frame);
	memcpy(place + sizeof frame, record + sizeof frame, sizeof(struct log_dispatch) - sizeof frame);
	if (with_pipe) {
		memset(place + sizeof(struct log_dispatch), 0, 8);
		memcpy(place + sizeof(struct log_dispatch), record + SDK_DISPATCH_PIPE, 4);
	}
	return true;
}

static bool copy_other(const void *record, uint16_t type, uint64_t size)
{
	switch (type) {
	case LOG_DISPATCH:
		return copy_dispatch(record, size >= SDK_DISPATCH_PIPE + 8);
	case LOG_COPY:
		return copy(record, type, sizeof(struct log_copy));
	case LOG_ALLOCATION:
		return copy(record, type, sizeof(struct log_allocation));
	case LOG_SCRATCH:
		return size >= sizeof(struct log_scratch) ? copy(record, type, sizeof(struct log_scratch)) :
							    copy(record, type, SDK_SCRATCH_SIZE);
	default:
		return false;
	}
}

static bool take(const struct sdk_header *header)
{
	uint16_t type = shape[header->kind].type;
	uint64_t size;
	memcpy(&size, header->payload, sizeof size);
	if (size < shape[header->kind].least)
		return false;
	return type == LOG_API ? copy(header->payload, LOG_API, sizeof(struct log_api)) :
				 copy_other(header->payload, type, size);
}

void records_take(struct sdk_handle context, struct sdk_handle buffer, struct sdk_header **headers, size_t n, void *data,
		  uint64_t dropped)
{
	uint64_t taken = 0, lost = dropped;
	(void)context, (void)buffer, (void)data;
	ring_lock();
	if (!ring_expects)
		n = lost = 0;   /* left from before the start */
	for (size_t i = 0; i < n; i++) {
		const struct sdk_header *header = headers[i];
		if (header->category != CATEGORY_TRACING || header->kind >= RECORD_KINDS || !shape[header->kind].type)
			continue;
		if (take(header)) {
			ring_fill.records++;
			taken++;
		} else {
			lost++;
		}
	}
	roclatch_tool_status.records += taken;
	roclatch_tool_status.lost += lost;
	ring_unlock();
}
