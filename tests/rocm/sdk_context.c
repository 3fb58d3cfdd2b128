// SPDX-License-Identifier: MIT
/* Stands in for AMD's librocprofiler-sdk.so.1: contexts, the services they ask for, and when they may. */
#define _GNU_SOURCE
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "sdk.h"

struct context contexts[CONTEXTS];
_Atomic unsigned context_count;
unsigned configuring;

struct context *find_context(struct handle handle)
{
	uint64_t i = handle.handle - CONTEXT_BASE;

	return i < context_count ? &contexts[i] : NULL;
}

unsigned contexts_of(unsigned client, struct handle *list)
{
	unsigned n = 0;

	for (unsigned i = 0; i < context_count; i++)
		if (contexts[i].client == client)
			list[n++] = CONTEXT(i);
	return n;
}

void stop_contexts(unsigned client)
{
	for (unsigned i = 0; i < context_count; i++)
		if (contexts[i].client == client)
			atomic_store(&contexts[i].active, false);
}

PUBLIC int rocprofiler_create_context(struct handle *context)
{
	if (initializing != -1)
		return SDK_CONFIGURATION_LOCKED;
	if (context->handle)
		return SDK_CONTEXT_ID_NOT_ZERO;
	if (context_count == CONTEXTS)
		return SDK_OUT_OF_RESOURCES;
	contexts[context_count].client = configuring;
	*context = CONTEXT(context_count++);
	return SDK_SUCCESS;
}

/* Upstream's array of services throws for a number behind its end, and nothing of C catches that. */
static void must_be_kind(int kind, int kinds)
{
	if (kind < 0 || kind >= kinds)
		sdk_fatal("terminate called after throwing an instance of 'std::out_of_range'", "array::at");
	/* upstream opens KFD for these, and ends the process where there is none */
	if (kinds == buffer_kinds() && kind_shape(kind) == SHAPE_KFD && access("/dev/kfd", R_OK | W_OK))
		sdk_fatal("cannot open", "/dev/kfd");
}

static int may_configure(struct handle context)
{
	if (initializing != -1)
		return SDK_CONFIGURATION_LOCKED;
	return find_context(context) ? SDK_SUCCESS : SDK_CONTEXT_NOT_FOUND;
}

static int ask(struct service *service, int kind, int count, const int32_t *operations, size_t n)
{
	if (!kind)
		return SDK_KIND_NOT_FOUND;
	if (service->asked)
		return SDK_SERVICE_ALREADY_CONFIGURED;
	for (size_t i = 0; i < n; i++)
		if (operations[i] < 0 || operations[i] >= count)
			return SDK_OPERATION_NOT_FOUND;
	if (!n)
		memset(service->operations, 0xff, sizeof(service->operations));
	for (size_t i = 0; i < n; i++)
		service->operations[operations[i] / 64] |= UINT64_C(1) << operations[i] % 64;
	service->asked = true;
	return SDK_SUCCESS;
}

PUBLIC int rocprofiler_configure_callback_tracing_service(struct handle context, int kind, const int32_t *operations,
	size_t n, callback_function *callback, void *argument)
{
	int status = may_configure(context);
	struct service *service;

	if (status)
		return status;
	must_be_kind(kind, callback_kinds());
	service = &find_context(context)->callback[kind];
	status = ask(service, kind, callback_operations(kind), operations, n);
	if (status)
		return status;
	service->argument = argument;
	service->callback = callback;
	return SDK_SUCCESS;
}

PUBLIC int rocprofiler_configure_buffer_tracing_service(struct handle context, int kind, const int32_t *operations,
	size_t n, struct handle buffer)
{
	int status = may_configure(context);
	struct service *service;

	if (status)
		return status;
	if (!buffer_exists(buffer.handle))
		return SDK_BUFFER_NOT_FOUND;
	must_be_kind(kind, buffer_kinds());
	service = &find_context(context)->buffer[kind];
	status = ask(service, kind, kind_operations(kind), operations, n);
	if (!status)
		service->buffer = buffer.handle;
	return status;
}

PUBLIC int rocprofiler_configure_external_correlation_id_request_service(struct handle context, const int *kinds,
	size_t n, external_function *callback, void *data)
{
	int status = may_configure(context);
	struct context *found = find_context(context);

	if (status)
		return status;
	if (found->external)
		return SDK_SERVICE_ALREADY_CONFIGURED;
	for (size_t i = 0; i < n; i++)
		if (kinds[i] <= 0 || kinds[i] > 31)
			return SDK_INVALID_ARGUMENT;
	found->external_kinds = n ? 0 : UINT32_MAX;
	for (size_t i = 0; i < n; i++)
		found->external_kinds |= UINT32_C(1) << kinds[i];
	found->external_data = data;
	found->external = callback;
	return SDK_SUCCESS;
}

PUBLIC int rocprofiler_start_context(struct handle context)
{
	struct context *found = find_context(context);

	if (!found)
		return SDK_CONTEXT_NOT_FOUND;
	if (counting_conflicts(found) || getenv("SDK_STARTS_NOTHING"))
		return SDK_CONTEXT_CONFLICT;
	atomic_store(&found->active, true);
	return SDK_SUCCESS;
}

PUBLIC int rocprofiler_stop_context(struct handle context)
{
	struct context *found = find_context(context);

	if (!found || !found->active)
		return SDK_CONTEXT_NOT_FOUND;
	atomic_store(&found->active, false);
	if (found->counting.ask)
		completion_wait();
	return SDK_SUCCESS;
}

PUBLIC int rocprofiler_context_is_active(struct handle context, int *active)
{
	const struct context *found = find_context(context);

	*active = found && found->active;
	return found ? SDK_SUCCESS : SDK_CONTEXT_NOT_FOUND;
}

PUBLIC int rocprofiler_context_is_valid(struct handle context, int *valid)
{
	*valid = find_context(context) != NULL;
	return *valid ? SDK_SUCCESS : SDK_CONTEXT_NOT_FOUND;
}

uint64_t sdk_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_BOOTTIME, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

PUBLIC int rocprofiler_get_timestamp(uint64_t *ns)
{
	*ns = sdk_now();
	return SDK_SUCCESS;
}

PUBLIC int rocprofiler_get_thread_id(uint64_t *thread)
{
	*thread = (uint64_t)gettid();
	return SDK_SUCCESS;
}
