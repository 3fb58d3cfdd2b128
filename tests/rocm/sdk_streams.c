// SPDX-License-Identifier: MIT
/*
 * Stands in for AMD's librocprofiler-sdk.so.1: streams to order, for records to order.
 *   stream create NUMBER VALUE | destroy NUMBER VALUE
 *   stream set NUMBER VALUE     what the thread emits is on that stream, until
 *   stream unset
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "sdk.h"

#define DEPTH 16

static __thread struct setting {
	struct activity activity;
	struct callback_tracing_hip_stream_data data;
	bool told;
} settings[DEPTH];
static __thread unsigned depth;

static bool begin(struct setting *setting, int32_t operation, uint64_t number, uint64_t value)
{
	setting->data = (struct callback_tracing_hip_stream_data){ sizeof(setting->data), { number }, value };
	setting->told = activity_begin(&setting->activity, BUFFER_HIP_STREAM, operation);
	/* no correlation id is for it */
	setting->activity.internal = setting->activity.ancestor = 0;
	return setting->told;
}

static bool set(uint64_t number, uint64_t value)
{
	if (depth == DEPTH)
		return false;
	if (begin(&settings[depth], STREAM_SET, number, value))
		activity_tell(&settings[depth].activity, PHASE_ENTER, &settings[depth].data);
	depth++;
	return true;
}

static bool unset(void)
{
	if (!depth)
		return false;
	depth--;
	if (settings[depth].told)
		activity_tell(&settings[depth].activity, PHASE_EXIT, &settings[depth].data);
	return true;
}

bool stream_order(const char *line, char *answer, size_t size)
{
	struct setting once;
	uint64_t number, value;
	char what[16];

	snprintf(answer, size, "0");
	if (!strcmp(line, "stream unset"))
		return unset();
	if (sscanf(line, "stream %15s %" SCNu64 " %" SCNu64, what, &number, &value) != 3)
		return false;
	if (!strcmp(what, "set"))
		return set(number, value);
	if (strcmp(what, "create") && strcmp(what, "destroy"))
		return false;
	if (begin(&once, what[0] == 'c' ? STREAM_CREATE : STREAM_DESTROY, number, value))
		activity_tell(&once.activity, PHASE_NONE, &once.data);
	return true;
}
