// SPDX-License-Identifier: MIT
/* Stands in for AMD's librocprofiler-sdk.so.1: something happens, and some contexts want to know. */
#define _GNU_SOURCE
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "sdk.h"
#include "truth.h"

#define DEPTH 64

static _Atomic uint64_t last_internal;
static __thread struct { uint64_t id[DEPTH]; unsigned n; } within;
static __thread struct { uint64_t context, id; } pushed[DEPTH];
static __thread unsigned pushed_count;

void activity_push(uint64_t internal)
{
	if (within.n < DEPTH)
		within.id[within.n] = internal;
	within.n++;
}

void activity_pop(void)
{
	if (within.n)
		within.n--;
}

uint64_t activity_top(void)
{
	return within.n ? within.id[within.n < DEPTH ? within.n - 1 : DEPTH - 1] : 0;
}

PUBLIC int rocprofiler_push_external_correlation_id(struct handle context, uint64_t thread, uint64_t external)
{
	if (!find_context(context))
		return SDK_CONTEXT_NOT_FOUND;
	if (thread != (uint64_t)gettid() || pushed_count == DEPTH)
		return SDK_INVALID_ARGUMENT;
	pushed[pushed_count].context = context.handle;
	pushed[pushed_count++].id = external;
	return SDK_SUCCESS;
}

PUBLIC int rocprofiler_pop_external_correlation_id(struct handle context, uint64_t thread, uint64_t *external)
{
	if (!find_context(context))
		return SDK_CONTEXT_NOT_FOUND;
	if (thread != (uint64_t)gettid() || !pushed_count || pushed[pushed_count - 1].context != context.handle)
		return SDK_INVALID_ARGUMENT;
	*external = pushed[--pushed_count].id;
	return SDK_SUCCESS;
}

/* The numbers of what external ids are requested for are again others. */
static int request_kind(int kind)
{
	switch (kind) {
	case BUFFER_RCCL_API: return 13;
	case BUFFER_OMPT: return 14;
	case BUFFER_MEMORY_ALLOCATION: return 15;
	case BUFFER_ROCDECODE_API: return 16;
	case BUFFER_ROCJPEG_API: return 17;
	case BUFFER_MARKER_CORE_RANGE_API: return 18;
	default: return kind <= BUFFER_SCRATCH_MEMORY ? kind : 0;
	}
}

static uint64_t external_id(unsigned i, int kind, int32_t operation, uint64_t internal)
{
	const struct context *context = &contexts[i];
	int request = request_kind(kind);
	uint64_t external = 0, given = 0;
	int refused = 1;

	for (unsigned k = pushed_count; k-- > 0;)
		if (pushed[k].context == CONTEXT_BASE + i) {
			external = pushed[k].id;
			break;
		}
	if (context->external && request && context->external_kinds & UINT32_C(1) << request)
		refused = context->external((uint64_t)gettid(), CONTEXT(i), request, operation, internal, &given,
			context->external_data);
	return refused ? external : given;
}

uint64_t activity_new(void)
{
	return atomic_fetch_add(&last_internal, 1) + 1;
}

/* A context is asked once for an activity, however it is told of it. */
uint64_t activity_external(const struct activity *activity, unsigned context)
{
	for (unsigned i = 0; i < activity->n; i++)
		if (activity->who[i].context == context)
			return activity->who[i].external;
	return external_id(context, activity->kind, activity->operation, activity->internal);
}

static bool asked_for(const struct service *service, int32_t operation)
{
	return service->asked && service->operations[operation / 64] & UINT64_C(1) << operation % 64;
}

bool activity_begin(struct activity *activity, int kind, int32_t operation)
{
	return activity_begin_as(activity, kind, operation, 0);
}

bool activity_begin_as(struct activity *activity, int kind, int32_t operation, uint64_t internal)
{
	int callback = callback_kind(kind);

	*activity = (struct activity){ .kind = kind, .callback = callback, .operation = operation };
	for (unsigned i = 0; i < context_count; i++) {
		struct wanting wanting = { .context = i };

		if (!contexts[i].active)
			continue;
		wanting.by_buffer = asked_for(&contexts[i].buffer[kind], operation);
		wanting.by_callback = callback && asked_for(&contexts[i].callback[callback], operation);
		if (wanting.by_buffer || wanting.by_callback)
			activity->who[activity->n++] = wanting;
	}
	if (!activity->n)
		return false;
	activity->internal = internal ? internal : activity_new();
	activity->ancestor = activity_top();
	for (unsigned i = 0; i < activity->n; i++)
		activity->who[i].external = external_id(activity->who[i].context, kind, operation, activity->internal);
	return true;
}

void activity_tell(struct activity *activity, int phase, void *payload)
{
	for (unsigned i = 0; i < activity->n; i++) {
		struct wanting *who = &activity->who[i];
		struct callback_tracing_record record = { .context_id = CONTEXT(who->context),
			.thread_id = (uint64_t)gettid(),
			.correlation_id = { activity->internal, who->external, activity->ancestor },
			.kind = activity->callback, .operation = activity->operation, .phase = phase, .payload = payload };
		const struct service *service = &contexts[who->context].callback[activity->callback];

		if (!who->by_callback || !service->callback)
			continue;
		truth_callback(&record);
		service->callback(record, &who->user, service->argument);
	}
}

void tell_api(struct activity *activity)
{
	struct callback_tracing_hip_api_data data = { .size = sizeof(data) };

	activity_tell(activity, PHASE_ENTER, &data);
	activity_tell(activity, PHASE_EXIT, &data);
}

/* All records that have a correlation id have it at the same place, but not all have an ancestor. */
unsigned activity_record(struct activity *activity, void *record, size_t size)
{
	const size_t at = offsetof(struct buffer_tracing_api_record, correlation_id);
	enum shape shape = kind_shape(activity->kind);
	struct correlation_id id = { activity->internal, 0, activity->ancestor };
	unsigned n = 0;

	for (unsigned i = 0; i < activity->n; i++) {
		const struct wanting *who = &activity->who[i];

		if (!who->by_buffer)
			continue;
		id.external = who->external;
		if (shape == SHAPE_COPY || shape == SHAPE_DISPATCH)
			memcpy((char *)record + at, &id, sizeof(struct async_correlation_id));
		else if (shape != SHAPE_RETIREMENT && shape != SHAPE_INITIALIZATION)
			memcpy((char *)record + at, &id, sizeof(id));
		n += buffer_put(contexts[who->context].buffer[activity->kind].buffer, CATEGORY_TRACING,
			(uint32_t)activity->kind, record, size);
	}
	return n;
}
