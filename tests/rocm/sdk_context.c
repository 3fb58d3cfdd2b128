// SPDX-License-Identifier: MIT
/* Stands in for AMD's librocprofiler-sdk.so.1: contexts, and when they may be made. */
#include <stdatomic.h>
#include <time.h>

#include "sdk.h"

struct context contexts[CONTEXTS];
_Atomic unsigned context_count;
unsigned configuring;

static struct context *find(struct handle handle)
{
	return handle.handle && handle.handle <= context_count ? &contexts[handle.handle - 1] : NULL;
}

unsigned contexts_of(unsigned client, struct handle *list)
{
	unsigned n = 0;

	for (unsigned i = 0; i < context_count; i++)
		if (contexts[i].client == client)
			list[n++].handle = i + 1;
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
	context->handle = ++context_count;
	return SDK_SUCCESS;
}

PUBLIC int rocprofiler_configure_callback_tracing_service(struct handle context, int kind, const int32_t *operations,
	size_t n, callback_function *callback, void *argument)
{
	struct context *found = find(context);

	if (initializing != -1)
		return SDK_CONFIGURATION_LOCKED;
	if (!found)
		return SDK_CONTEXT_NOT_FOUND;
	if (kind != CALLBACK_HIP_RUNTIME_API || operations || n)
		return SDK_NOT_IMPLEMENTED;
	if (found->hip)
		return SDK_SERVICE_ALREADY_CONFIGURED;
	found->argument = argument;
	found->hip = callback;
	return SDK_SUCCESS;
}

static int set_active(struct handle context, bool active)
{
	struct context *found = find(context);

	if (!found || (!active && !found->active))
		return SDK_CONTEXT_NOT_FOUND;
	atomic_store(&found->active, active);
	return SDK_SUCCESS;
}

PUBLIC int rocprofiler_start_context(struct handle context)
{
	return set_active(context, true);
}

PUBLIC int rocprofiler_stop_context(struct handle context)
{
	return set_active(context, false);
}

PUBLIC int rocprofiler_context_is_active(struct handle context, int *active)
{
	const struct context *found = find(context);

	*active = found && found->active;
	return found ? SDK_SUCCESS : SDK_CONTEXT_NOT_FOUND;
}

PUBLIC int rocprofiler_get_timestamp(uint64_t *ns)
{
	struct timespec t;

	clock_gettime(CLOCK_BOOTTIME, &t);
	*ns = (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
	return SDK_SUCCESS;
}
