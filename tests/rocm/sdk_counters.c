// SPDX-License-Identifier: MIT
/* Stands in for AMD's librocprofiler-sdk.so.1: counters of GPUs, and what they counted for a dispatch. */
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "sdk.h"

#define CONFIGS 256
#define IN_CONFIG 16
#define INSTANCES 8

static const struct { const char *name, *description, *block, *expression; bool constant, derived; unsigned instances; }
known[] = {
	{ "SQ_WAVES", "Count number of waves sent to distributed sequencers (SQs). (per-simd, emulated)", "SQ", "", 0, 0, 8 },
	{ "GRBM_COUNT", "Tie High - Count Number of Clocks", "GRBM", "", 0, 0, 1 },
	{ "TCC_HIT", "Number of cache hits.", "TCC", "", 0, 0, 4 },
	{ "wave_front_size", "Constant value wave_front_size from agent properties", "", "", 1, 0, 1 },
	{ "GPUBusy", "The percentage of time GPU was busy. Unit: percent", "",
		"100*reduce(GRBM_GUI_ACTIVE,max)/reduce(GRBM_COUNT,max)", 0, 1, 1 },
	{ "TCC_HIT_sum", "Number of cache hits, \"all, of them\"", "", "reduce(TCC_HIT,sum)", 0, 1, 1 },
};
enum { KNOWN = sizeof(known) / sizeof(known[0]) };

static struct config { uint64_t agent; unsigned n; unsigned counter[IN_CONFIG]; bool destroyed; } configs[CONFIGS];
static _Atomic unsigned config_count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Where things are in an id is nobody's business, and was changed in 1.3. */
enum { AGENT_SHIFT = SDK_VERSION < 10300 ? 48 : 56 };

static uint64_t id_of(unsigned agent, unsigned counter)
{
	return (uint64_t)(agent + 1) << AGENT_SHIFT | (counter + 100);
}

static uint64_t instance_of(uint64_t id, unsigned instance)
{
#if SDK_VERSION < 10300
	return (id & 0xffff) << 48 | (id >> AGENT_SHIFT) << 40 | instance;
#else
	return id | (uint64_t)instance << 20;
#endif
}

static uint64_t id_of_instance(uint64_t instance)
{
#if SDK_VERSION < 10300
	return (instance >> 40 & 0xff) << AGENT_SHIFT | instance >> 48;
#else
	return instance & ~(UINT64_C(0xfffff) << 20);
#endif
}

static bool split(uint64_t id, unsigned *agent, unsigned *counter)
{
	*agent = (unsigned)(id >> AGENT_SHIFT) - 1;
	*counter = (unsigned)(id & 0xfffff) - 100;
	return *agent < AGENTS && agent_at(*agent)->type == AGENT_GPU && *counter < KNOWN && id_of(*agent, *counter) == id;
}

PUBLIC int rocprofiler_iterate_agent_supported_counters(struct handle agent, agent_counters_function *callback, void *data)
{
	const struct agent_v0 *found = agent_of(agent);
	struct handle list[KNOWN];

	if (!found)
		return SDK_AGENT_NOT_FOUND;
	for (unsigned i = 0; i < KNOWN; i++)
		list[i].handle = id_of((unsigned)(found - agent_at(0)), i);
	if (found->type != AGENT_GPU)
		return SDK_ERROR;
	return callback(agent, list, KNOWN, data);
}

PUBLIC int rocprofiler_query_counter_info(struct handle counter, int version, void *into)
{
	struct counter_info_v0 *info = into;
	unsigned agent, i;

	if (version != 1)
		return SDK_INCOMPATIBLE_ABI;
	if (!split(counter.handle, &agent, &i))
		return SDK_COUNTER_NOT_FOUND;
	*info = (struct counter_info_v0){ counter, known[i].name, known[i].description, known[i].block, known[i].expression,
		known[i].constant, known[i].derived };
	return SDK_SUCCESS;
}

PUBLIC int rocprofiler_create_counter_config(struct handle agent, struct handle *counters, size_t n, struct handle *config)
{
	const struct agent_v0 *found = agent_of(agent);
	struct config made = { 0 };

	if (!found)
		return SDK_AGENT_NOT_FOUND;
	if (config->handle > config_count)
		return SDK_PROFILE_NOT_FOUND;
	if (config->handle)
		made = configs[config->handle - 1];
	made.agent = agent.handle;
	for (size_t i = 0; i < n; i++) {
		unsigned of, counter;

		if (!split(counters[i].handle, &of, &counter))
			return SDK_COUNTER_NOT_FOUND;
		if (agent_at(of) != found)
			return SDK_METRIC_NOT_VALID_FOR_AGENT;
		if (made.n == IN_CONFIG)
			return SDK_OUT_OF_RESOURCES;
		made.counter[made.n++] = counter;
	}
	pthread_mutex_lock(&lock);
	if (config_count < CONFIGS) {
		configs[config_count] = made;
		config->handle = ++config_count;
		found = NULL;
	}
	pthread_mutex_unlock(&lock);
	return found ? SDK_OUT_OF_RESOURCES : SDK_SUCCESS;
}

PUBLIC int rocprofiler_destroy_counter_config(struct handle config)
{
	if (!config.handle || config.handle > config_count || configs[config.handle - 1].destroyed)
		return SDK_PROFILE_NOT_FOUND;
	configs[config.handle - 1].destroyed = true;
	return SDK_SUCCESS;
}

static int configure(struct handle context, struct counting counting)
{
	struct context *found = find_context(context);

	if (initializing != -1)
		return SDK_CONFIGURATION_LOCKED;
	if (!found)
		return SDK_CONTEXT_NOT_FOUND;
	if (found->counting.ask)
		return SDK_SERVICE_ALREADY_CONFIGURED;
	found->counting = counting;
	return SDK_SUCCESS;
}

PUBLIC int rocprofiler_configure_buffer_dispatch_counting_service(struct handle context, struct handle buffer,
	dispatch_function *callback, void *data)
{
	if (!buffer_exists(buffer.handle))
		return SDK_BUFFER_NOT_FOUND;
	return configure(context, (struct counting){ .ask = callback, .ask_data = data, .buffer = buffer.handle });
}

PUBLIC int rocprofiler_configure_callback_dispatch_counting_service(struct handle context, dispatch_function *callback,
	void *data, counters_function *records, void *records_data)
{
	int status = configure(context, (struct counting){ callback, data, 0, records, records_data });

	if (!status)
		completion_start();
	return status;
}

PUBLIC int rocprofiler_query_record_counter_id(uint64_t id, struct handle *counter)
{
	unsigned agent, i;

	counter->handle = id_of_instance(id);
	return split(counter->handle, &agent, &i) ? SDK_SUCCESS : SDK_COUNTER_NOT_FOUND;
}

PUBLIC int rocprofiler_query_record_dimension_position(uint64_t id, uint64_t dimension, size_t *position)
{
	(void)dimension;
	*position = SDK_VERSION < 10300 ? id & 0xff : id >> 20 & 0xff;
	return SDK_SUCCESS;
}

bool counting_conflicts(const struct context *context)
{
	for (unsigned i = 0; i < context_count; i++)
		if (context->counting.ask && contexts[i].counting.ask && contexts[i].active && &contexts[i] != context)
			return true;
	return false;
}

static double value_of(unsigned counter, unsigned instance, const struct kernel_dispatch_info *info)
{
	uint64_t value = mix(counter, info->dispatch_id, instance, 5000);

	if (known[counter].constant)
		return 64;
	if (known[counter].derived)
		return (double)(value % 100000) / 997.0;
	return value % 9 ? (double)(value >> (value & 31)) : 0;
}

static size_t count(const struct config *config, const struct kernel_dispatch_info *info, uint64_t user,
	struct counter_record *records)
{
	unsigned agent = (unsigned)(agent_of(info->agent_id) - agent_at(0));
	size_t n = 0;

	for (unsigned i = 0; i < config->n; i++)
		for (unsigned k = 0; k < known[config->counter[i]].instances; k++)
			records[n++] = (struct counter_record){ instance_of(id_of(agent, config->counter[i]), k),
				value_of(config->counter[i], k, info), info->dispatch_id, user, info->agent_id };
	return n;
}

static void deliver(unsigned context, const struct dispatch_counting_service_data *data, struct counter_record *records,
	size_t n, uint64_t user)
{
	const struct counting *counting = &contexts[context].counting;
	struct dispatch_counting_service_record header = { sizeof(header), n, data->correlation_id, data->start_timestamp,
		data->end_timestamp, data->dispatch_info };

	if (!counting->buffer) {
		completion_add(context, data, records, n, user);
		return;
	}
	buffer_put(counting->buffer, CATEGORY_COUNTERS, COUNTER_RECORD_DISPATCH_HEADER, &header, sizeof(header));
	for (size_t i = 0; i < n; i++)
		buffer_put(counting->buffer, CATEGORY_COUNTERS, COUNTER_RECORD_VALUE, &records[i], sizeof(records[i]));
}

void count_dispatch(const struct activity *activity, const struct buffer_tracing_kernel_dispatch_record *dispatch)
{
	struct activity known_as = *activity;

	for (unsigned i = 0; i < context_count; i++) {
		struct dispatch_counting_service_data data = { .size = sizeof(data), .dispatch_info = dispatch->dispatch_info };
		struct counter_record records[IN_CONFIG * INSTANCES];
		struct handle config = { 0 };
		uint64_t user = 0;

		if (!contexts[i].active || !contexts[i].counting.ask)
			continue;
		if (!known_as.internal)
			known_as.internal = activity_new();
		data.correlation_id.internal = known_as.internal;
		data.correlation_id.external = activity_external(&known_as, i);
		contexts[i].counting.ask(data, &config, &user, contexts[i].counting.ask_data);
		if (!config.handle || config.handle > config_count ||
		    configs[config.handle - 1].agent != data.dispatch_info.agent_id.handle)
			continue;
		data.start_timestamp = dispatch->start_timestamp;
		data.end_timestamp = dispatch->end_timestamp;
		deliver(i, &data, records, count(&configs[config.handle - 1], &data.dispatch_info, user, records), user);
	}
}
