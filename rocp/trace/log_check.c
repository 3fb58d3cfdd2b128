/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "rocp/trace/log_read.h"

#define TYPES 66
_Static_assert(LOG_END + 1 == TYPES, "log_type");

/* What each type has at least, and the texts behind that. */
static const struct shape { uint16_t least; uint16_t texts; } shape[TYPES] = {
	[LOG_FACT] = { sizeof(struct log_frame), 1 },
	[LOG_NAME] = { sizeof(struct log_name), 1 },
	[LOG_TEXT] = { sizeof(struct log_text), 1 },
	[LOG_AGENT] = { sizeof(struct log_agent), 4 },
	[LOG_CODE_OBJECT] = { sizeof(struct log_code_object), 1 },
	[LOG_KERNEL] = { sizeof(struct log_kernel), 1 },
	[LOG_COUNTER] = { sizeof(struct log_counter), 4 },
	[LOG_THREAD] = { sizeof(struct log_thread), 1 },
	[LOG_STREAM] = { sizeof(struct log_stream), 0 },
	[LOG_NOTE] = { sizeof(struct log_frame), 1 },
	[LOG_API] = { sizeof(struct log_api), 0 },
	[LOG_DISPATCH] = { sizeof(struct log_dispatch), 0 },
	[LOG_COPY] = { sizeof(struct log_copy), 0 },
	[LOG_ALLOCATION] = { sizeof(struct log_allocation), 0 },
	[LOG_SCRATCH] = { offsetof(struct log_scratch, bytes), 0 },
	[LOG_COUNTERS] = { sizeof(struct log_counters), 0 },
	[LOG_MARKER] = { sizeof(struct log_marker), 0 },
	[LOG_LOST] = { sizeof(struct log_lost), 1 },
	[LOG_END] = { sizeof(struct log_end), 1 },
};

unsigned log_texts(unsigned type, size_t *fixed)
{
	*fixed = type < TYPES ? shape[type].least : 0;
	return type < TYPES ? shape[type].texts : 0;
}

static bool texts_end(const char *at, const char *end, unsigned texts)
{
	while (texts--) {
		const char *nul = memchr(at, '\0', (size_t)(end - at));
		if (!nul)
			return false;
		at = nul + 1;
	}
	return true;
}

const char *log_fault(const struct log_frame *frame, size_t left)
{
	if (left < sizeof *frame || frame->size < sizeof *frame || frame->size % 8)
		return "a record has no possible size";
	if (frame->size > left || frame->size > LOG_RECORD_MOST)
		return "a record does not fit";
	if (frame->type >= TYPES || !shape[frame->type].least)
		return NULL;
	const struct shape *is = &shape[frame->type];
	if (frame->size < is->least)
		return "a record is too short for its type";
	const char *bytes = (const char *)frame;
	if (is->texts && !texts_end(bytes + is->least, bytes + frame->size, is->texts))
		return "a text has no end";
	return NULL;
}
