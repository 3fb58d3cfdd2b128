// SPDX-License-Identifier: MIT
/* Stands in for AMD's librocprofiler-sdk.so.1: arguments of calls, which only records of the *_EXT kinds have. */
#include <inttypes.h>
#include <stdio.h>

#include "sdk.h"

#define ARGUMENTS 3

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

		snprintf(name, sizeof(name), "argument%u", i);
		snprintf(value, sizeof(value), "%" PRIu64, record->args[i]);
		if (callback(record->api.kind, record->api.operation, i, &record->args[i], 0, "m", name, value, data))
			break;
	}
	return SDK_SUCCESS;
}
