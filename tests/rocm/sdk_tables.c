// SPDX-License-Identifier: MIT
/*
 * Stands in for AMD's librocprofiler-sdk.so.1: tables of runtimes, wrapped once and
 * never twice, and what calls through them become: API records, and dispatches,
 * copies and allocations with the times at which they were.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "runtime.h"
#include "sdk.h"

#define TABLES 32
#define MOST_WAIT 50000000u

static struct hip_table real;
static __typeof__(stand_in_last_span) *last_span;
static _Atomic uint64_t dispatches;

struct call {
	struct activity activity;
	struct callback_tracing_hip_api_data data;
	struct callback_tracing_hip_stream_data stream;
	struct activity setting;
	uint64_t start;
	bool wanted, set;
};
static __thread struct call *current;

void pass_once(const char *name, const void *table)
{
	static const void *passed[TABLES];
	static unsigned n;

	for (unsigned i = 0; i < n; i++)
		if (passed[i] == table) {
			fprintf(stderr, "SDK stand-in: the table \"%s\" is wrapped already\n", name);
			abort();
		}
	if (n == TABLES)
		abort();
	passed[n++] = table;
}

static void begin_call(struct call *call, int32_t operation)
{
	call->wanted = activity_begin(&call->activity, BUFFER_HIP_RUNTIME_API, operation);
	call->set = false;
	call->data.size = sizeof(call->data);
	call->start = sdk_now();
	if (call->wanted) {
		activity_tell(&call->activity, PHASE_ENTER, &call->data);
		activity_push(call->activity.internal);
	}
	current = call;
}

static void end_call(struct call *call)
{
	struct buffer_tracing_api_record record = { .size = sizeof(record), .kind = BUFFER_HIP_RUNTIME_API,
		.operation = call->activity.operation, .start_timestamp = call->start, .thread_id = (uint64_t)gettid() };

	if (call->set)
		activity_tell(&call->setting, PHASE_EXIT, &call->stream);
	current = NULL;
	if (!call->wanted)
		return;
	activity_pop();
	record.end_timestamp = sdk_now();
	activity_tell(&call->activity, PHASE_EXIT, &call->data);
	activity_record(&call->activity, &record, sizeof(record));
}

/* Stream 0 is the null stream; the others are numbered as they come up. */
static uint64_t number_of_stream(const void *stream)
{
	static const void *_Atomic known[256];
	unsigned i = 1;

	if (!stream)
		return 0;
	for (; i < 256; i++) {
		const void *expected = NULL;

		if (known[i] == stream || atomic_compare_exchange_strong(&known[i], &expected, stream) || expected == stream)
			break;
	}
	return i;
}

static void tell_stream(int32_t operation, int phase, const void *stream)
{
	struct call *call = current;

	call->stream = (struct callback_tracing_hip_stream_data){ sizeof(call->stream), { number_of_stream(stream) },
		(uint64_t)(uintptr_t)stream };
	if (!activity_begin(&call->setting, BUFFER_HIP_STREAM, operation))
		return;
	/* no correlation id is for it */
	call->setting.internal = call->setting.ancestor = 0;
	activity_tell(&call->setting, phase, &call->stream);
	call->set = operation == STREAM_SET;
}

/* What a device does belongs to the call that it was made by. */
static bool begin_device(struct activity *activity, int kind, int32_t operation)
{
	return activity_begin_as(activity, kind, operation, current->wanted ? current->activity.internal : 0);
}

/* The streams of two threads are on two devices. */
static struct handle agent_of_queue(uint64_t queue)
{
	return gpu_at(queue < 2 ? 0 : (unsigned)(queue / 2 - 1))->id;
}

static void after_allocation(int32_t operation, const void *address, size_t size)
{
	struct activity activity;
	struct buffer_tracing_memory_allocation_record record = { .size = sizeof(record), .kind = BUFFER_MEMORY_ALLOCATION,
		.operation = operation, .thread_id = (uint64_t)gettid(), .start_timestamp = current->start,
		.end_timestamp = sdk_now(), .address = (uint64_t)(uintptr_t)address, .allocation_size = size };

	if (operation == ALLOCATION_ALLOCATE)
		record.agent_id = gpu_at(0)->id;
	if (activity_begin(&activity, BUFFER_MEMORY_ALLOCATION, operation))
		activity_record(&activity, &record, sizeof(record));
}

static void after_copy(const void *to, const void *from, size_t size, int kind)
{
	struct stand_in_span span = last_span();
	bool down = kind == HIP_HOST_TO_DEVICE;
	struct activity activity;
	struct buffer_tracing_memory_copy_record record = { .size = sizeof(record), .kind = BUFFER_MEMORY_COPY,
		.operation = down ? COPY_H2D : COPY_D2H, .thread_id = (uint64_t)gettid(), .start_timestamp = span.start,
		.end_timestamp = span.end, .bytes = size, .dst_address = (uint64_t)(uintptr_t)to,
		.src_address = (uint64_t)(uintptr_t)from };

	record.dst_agent_id = down ? agent_of_queue(span.queue) : agent_at(0)->id;
	record.src_agent_id = down ? agent_at(0)->id : agent_of_queue(span.queue);
	if (begin_device(&activity, BUFFER_MEMORY_COPY, record.operation))
		activity_record(&activity, &record, sizeof(record));
}

static void after_launch(const void *kernel, struct dim3 grid, struct dim3 block, size_t shared)
{
	struct stand_in_span span = last_span();
	struct activity activity;
	struct buffer_tracing_kernel_dispatch_record record = { .size = sizeof(record), .kind = BUFFER_KERNEL_DISPATCH,
		.operation = DISPATCH_COMPLETE, .thread_id = (uint64_t)gettid(), .start_timestamp = span.start,
		.end_timestamp = span.end };

	record.dispatch_info = (struct kernel_dispatch_info){
		.size = offsetof(struct kernel_dispatch_info, reserved_padding), .agent_id = agent_of_queue(span.queue),
		.queue_id = { span.queue }, .kernel_id = kernel_of(kernel), .dispatch_id = ++dispatches,
		.group_segment_size = (uint32_t)shared, .workgroup_size = { block.x, block.y, block.z },
		.grid_size = { grid.x * block.x, grid.y * block.y, grid.z * block.z } };
	if (begin_device(&activity, BUFFER_KERNEL_DISPATCH, DISPATCH_COMPLETE))
		activity_record(&activity, &record, sizeof(record));
	count_dispatch(&activity, &record);
}

#define BEFORE(name, parameters, ...) static void before_##name parameters { __VA_ARGS__ }
#define AFTER(name, parameters, ...) static void after_##name parameters { __VA_ARGS__ }
#define UNUSED4 (void)to, (void)from, (void)size, (void)kind;

BEFORE(hipGetDeviceCount, (int *count), (void)count;)
BEFORE(hipMalloc, (void **address, size_t size), (void)address, (void)size;)
BEFORE(hipFree, (void *address), (void)address;)
BEFORE(hipMemcpy, (void *to, const void *from, size_t size, int kind), UNUSED4)
BEFORE(hipMemcpyAsync, (void *to, const void *from, size_t size, int kind, void *stream), UNUSED4
	tell_stream(STREAM_SET, PHASE_ENTER, stream);)
BEFORE(hipLaunchKernel, (const void *kernel, struct dim3 grid, struct dim3 block, void **arguments, size_t shared,
	void *stream), (void)kernel, (void)grid, (void)block, (void)arguments, (void)shared;
	tell_stream(STREAM_SET, PHASE_ENTER, stream);)
BEFORE(hipDeviceSynchronize, (void),)
BEFORE(hipStreamCreate, (void **stream), (void)stream;)
BEFORE(hipStreamDestroy, (void *stream), (void)stream;)
BEFORE(hipStreamSynchronize, (void *stream), tell_stream(STREAM_SET, PHASE_ENTER, stream);)

AFTER(hipGetDeviceCount, (int *count), (void)count;)
AFTER(hipMalloc, (void **address, size_t size), after_allocation(ALLOCATION_ALLOCATE, address ? *address : NULL, size);)
AFTER(hipFree, (void *address), after_allocation(ALLOCATION_FREE, address, 0);)
AFTER(hipMemcpy, (void *to, const void *from, size_t size, int kind), after_copy(to, from, size, kind);)
AFTER(hipMemcpyAsync, (void *to, const void *from, size_t size, int kind, void *stream), (void)stream;
	after_copy(to, from, size, kind);)
AFTER(hipLaunchKernel, (const void *kernel, struct dim3 grid, struct dim3 block, void **arguments, size_t shared,
	void *stream), (void)arguments, (void)stream; after_launch(kernel, grid, block, shared);)
AFTER(hipDeviceSynchronize, (void),)
AFTER(hipStreamCreate, (void **stream), tell_stream(STREAM_CREATE, PHASE_NONE, *stream);)
AFTER(hipStreamDestroy, (void *stream), tell_stream(STREAM_DESTROY, PHASE_NONE, stream);)
AFTER(hipStreamSynchronize, (void *stream), (void)stream;)

#define NUMBER(name, parameters, arguments) static int32_t op_##name;
HIP_FUNCTIONS(NUMBER)

#define WRAPPER(name, parameters, arguments) \
	static int wrapped_##name parameters \
	{ \
		struct call call; \
		int result; \
		begin_call(&call, op_##name); \
		before_##name arguments; \
		result = real.name arguments; \
		after_##name arguments; \
		end_call(&call); \
		return result; \
	}
HIP_FUNCTIONS(WRAPPER)

#define FIND(name, parameters, arguments) op_##name = operation_by_name(BUFFER_HIP_RUNTIME_API, #name);
#define REPLACE(name, parameters, arguments) __atomic_store_n(&table->name, wrapped_##name, __ATOMIC_RELEASE);

static bool wants_hip(const struct context *context)
{
	static const int kinds[] = { BUFFER_HIP_RUNTIME_API, BUFFER_KERNEL_DISPATCH, BUFFER_MEMORY_COPY,
		BUFFER_MEMORY_ALLOCATION, BUFFER_HIP_STREAM };
	bool wants = context->counting.ask;

	for (unsigned i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		wants |= context->buffer[kinds[i]].asked || context->callback[callback_kind(kinds[i])].asked;
	return wants;
}

/* Other threads call through the table meanwhile.  Only what a tool has asked for is wrapped. */
void wrap_hip(void *given)
{
	struct hip_table *table = given;
	bool wanted = false;

	for (unsigned i = 0; i < context_count; i++)
		wanted |= wants_hip(&contexts[i]);
	*(void **)&last_span = dlsym(RTLD_DEFAULT, "stand_in_last_span");
	if (!wanted || !last_span)
		return;
	HIP_FUNCTIONS(FIND)
	real = *table;
	HIP_FUNCTIONS(REPLACE)
}

/* Upstream waits for its queues before it tells tools to detach. */
void wait_for_device(void)
{
	__typeof__(stand_in_idle_at) *idle_at;
	uint64_t now = sdk_now(), until;

	*(void **)&idle_at = dlsym(RTLD_DEFAULT, "stand_in_idle_at");
	until = idle_at ? idle_at() : 0;
	if (until > now && until - now < MOST_WAIT)
		nanosleep(&(struct timespec){ .tv_nsec = (long)(until - now) }, NULL);
}
