// SPDX-License-Identifier: MIT
/* Stands in for AMD's librocprofiler-sdk.so.1: arguments of calls, which callbacks and records of the *_EXT
 * kinds have. */
#include <inttypes.h>
#include <stdio.h>

#include "sdk.h"

#define ARGUMENTS 3

static void write_argument(uint32_t number, uint64_t argument, char name[16], char value[32])
{
	snprintf(name, 16, "argument%u", number);
	snprintf(value, 32, "%" PRIu64, argument);
}

PUBLIC int rocprofiler_iterate_callback_tracing_kind_operation_args(struct callback_tracing_record record,
	callback_argument_function *callback, int32_t most_dereferenced, void *data)
{
	const struct callback_tracing_hip_api_data *payload = record.payload;

	(void)most_dereferenced;
	if (!payload || record.kind <= 0 || record.kind >= callback_kinds())
		return SDK_KIND_NOT_FOUND;
	if (record.kind > BUFFER_HIP_COMPILER_API)
		return SDK_NOT_IMPLEMENTED;
	for (uint32_t i = 0; i < ARGUMENTS; i++) {
		char name[16], value[32];

		write_argument(i, payload->args[i], name, value);
		if (callback(record.kind, record.operation, i, &payload->args[i], 0, "m", name, value, 0, data))
			break;
	}
	return SDK_SUCCESS;
}

PUBLIC int rocprofiler_iterate_buffer_tracing_record_args(struct record_header header, argument_function *callback,
	void *data)
{
	const struct buffer_tracing_api_ext_record *record = header.payload;

	if (header.category != CATEGORY_TRACING || !record || (int)header.kind >= buffer_kinds())
		return SDK_INVALID_ARGUMENT;
	if (kind_shape((int)header.kind) != SHAPE_EXT)
		return SDK_NOT_IMPLEMENTED;
	for (uint32_t i = 0; i < ARGUMENTS; i++) {
		char name[16], value[32];

		write_argument(i, record->args[i], name, value);
		if (callback(record->api.kind, record->api.operation, i, &record->args[i], 0, "m", name, value, data))
			break;
	}
	return SDK_SUCCESS;
}
