/* SPDX-License-Identifier: MIT */
#include "tool_sdk.h"

#include <string.h>

#define PUBLIC __attribute__((visibility("default")))

sdk_buffer_callback *bench_callback;
static uint64_t handles;

/* Defined here under the SDK's names, which tool/sdk.h has as members of a structure. */
#define SAY(answer, name, arguments, needed) PUBLIC answer rocprofiler_##name arguments;
SDK_FUNCTIONS(SAY)

static int handle(struct sdk_handle *out)
{
	out->handle = ++handles;
	return 0;
}

int rocprofiler_create_context(struct sdk_handle *context) { return handle(context); }
int rocprofiler_start_context(struct sdk_handle context) { return (void)context, 0; }
int rocprofiler_stop_context(struct sdk_handle context) { return (void)context, 0; }
int rocprofiler_context_is_active(struct sdk_handle context, int *active) { return (void)context, *active = 0; }
int rocprofiler_flush_buffer(struct sdk_handle buffer) { return (void)buffer, 0; }
int rocprofiler_create_callback_thread(struct sdk_handle *thread) { return handle(thread); }
int rocprofiler_assign_callback_thread(struct sdk_handle buffer, struct sdk_handle thread)
{
	return (void)buffer, (void)thread, 0;
}

int rocprofiler_create_buffer(struct sdk_handle context, size_t size, size_t watermark, int policy,
			      sdk_buffer_callback *callback, void *data, struct sdk_handle *buffer)
{
	(void)context, (void)size, (void)watermark, (void)policy, (void)data;
	bench_callback = callback;
	return handle(buffer);
}

int rocprofiler_iterate_buffer_tracing_kinds(int (*callback)(int kind, void *data), void *data)
{
	callback(BENCH_KIND_HIP, data);
	return callback(BENCH_KIND_DISPATCH, data);
}

int rocprofiler_iterate_callback_tracing_kinds(int (*callback)(int kind, void *data), void *data)
{
	return callback(10, data);
}

static int name_is(const char *text, const char **name, uint64_t *length)
{
	*name = text;
	*length = strlen(text);
	return 0;
}

int rocprofiler_query_buffer_tracing_kind_name(int kind, const char **name, uint64_t *length)
{
	return name_is(kind == BENCH_KIND_HIP ? "HIP_RUNTIME_API" : "KERNEL_DISPATCH", name, length);
}

int rocprofiler_query_callback_tracing_kind_name(int kind, const char **name, uint64_t *length)
{
	return (void)kind, name_is("CODE_OBJECT", name, length);
}

int rocprofiler_iterate_buffer_tracing_kind_operations(int kind, int (*callback)(int kind, int32_t operation, void *data),
						       void *data)
{
	return callback(kind, 0, data);
}

int rocprofiler_query_buffer_tracing_kind_operation_name(int kind, int32_t operation, const char **name, uint64_t *length)
{
	return (void)kind, (void)operation, name_is("hipLaunchKernel", name, length);
}

int rocprofiler_configure_buffer_tracing_service(struct sdk_handle context, int kind, const int32_t *operations, size_t n,
						 struct sdk_handle buffer)
{
	return (void)context, (void)kind, (void)operations, (void)n, (void)buffer, 0;
}

int rocprofiler_configure_callback_tracing_service(struct sdk_handle context, int kind, const int32_t *operations, size_t n,
						   sdk_tracing_callback *callback, void *data)
{
	return (void)context, (void)kind, (void)operations, (void)n, (void)callback, (void)data, 0;
}

int rocprofiler_query_available_agents(int version, int (*callback)(int, const void **, size_t, void *), size_t size,
				       void *data)
{
	return (void)version, (void)callback, (void)size, (void)data, 0;
}
