/* SPDX-License-Identifier: MIT */
#include "rocp/tool/counters.h"

#include <stdio.h>
#include <string.h>

#include "rocp/tool/filter.h"
#include "rocp/tool/objects.h"
#include "rocp/tool/remembered.h"
#include "rocp/tool/ring.h"

#define COUNTERS_MOST 128
#define VALUES_MOST ((LOG_RECORD_MOST - sizeof(struct log_counters)) / sizeof(struct log_value))

/* What is asked for. */
static struct { char name[128]; int device; bool found; } asked[COUNTERS_MOST];
static unsigned asked_count;

/* What a GPU counts: set up before the first dispatch, or at it where the SDK needs HSA for that. */
struct counting {
	uint64_t agent;
	_Atomic uint64_t config;        /* 0: none */
	futex word;
	bool tried_late;
	struct sdk_handle counter[COUNTERS_MOST];
	const char *name[COUNTERS_MOST];
	unsigned n;
};
static struct counting counting[GPUS_MOST];
static unsigned counting_count;

/* By its name as it was asked for, or NULL.  It may have been asked for more than once. */
static const char *wanted(int number, const char *name)
{
	const char *found = NULL;
	for (unsigned i = 0; i < asked_count; i++)
		if (!strcmp(asked[i].name, name) && (asked[i].device < 0 || asked[i].device == number)) {
			asked[i].found = true;
			found = asked[i].name;
		}
	return found;
}

static void remember_counter(const struct sdk_counter *info, uint64_t id, uint64_t agent)
{
	struct log_counter record = { .frame.type = LOG_COUNTER, .id = id, .agent = agent,
		.is_constant = info->flags & 1, .is_derived = info->flags >> 1 & 1 };
	const char *text[] = { info->name, info->description, info->block, info->expression };
	remember(&record, sizeof record, text, 4);
}

struct looking { struct counting *gpu; int number; };

static int look(struct sdk_handle agent, struct sdk_handle *counters, size_t n, void *data)
{
	struct looking *looking = data;
	struct counting *gpu = looking->gpu;
	(void)agent;
	for (size_t i = 0; i < n; i++) {
		struct sdk_counter info = { 0 };
		if (gpu->n == COUNTERS_MOST || sdk.query_counter_info(counters[i], 1, &info) != SDK_SUCCESS || !info.name ||
		    !(gpu->name[gpu->n] = wanted(looking->number, info.name)))
			continue;
		gpu->counter[gpu->n++] = counters[i];
		remember_counter(&info, counters[i].handle, gpu->agent);
	}
	return 0;
}

/* As many as the GPU can count in one run, in the order given: the SDK alone knows which go together. */
static void set_up_fewer(struct counting *gpu)
{
	struct sdk_handle best = { 0 }, chosen[COUNTERS_MOST], agent = { gpu->agent };
	unsigned n = 0;
	for (unsigned i = 0; i < gpu->n; i++) {
		struct sdk_handle config = { 0 };
		chosen[n] = gpu->counter[i];
		int status = sdk.create_counter_config(agent, chosen, n + 1, &config);
		if (status != SDK_SUCCESS) {
			remember_note("%s is not counted: %s", gpu->name[i], sdk_words(status));
			continue;
		}
		if (best.handle && sdk.destroy_counter_config)
			sdk.destroy_counter_config(best);
		best = config;
		n++;
	}
	atomic_store(&gpu->config, best.handle);
}

/* False: not now. */
static bool set_up(struct counting *gpu, bool late)
{
	struct sdk_handle config = { 0 }, agent = { gpu->agent };
	if (sdk.create_counter_config(agent, gpu->counter, gpu->n, &config) == SDK_SUCCESS)
		atomic_store(&gpu->config, config.handle);
	else if (late)
		set_up_fewer(gpu);
	return atomic_load(&gpu->config) != 0;
}

static struct counting *find(uint64_t agent)
{
	for (unsigned i = 0; i < counting_count; i++)
		if (counting[i].agent == agent)
			return &counting[i];
	return NULL;
}

static uint64_t config_of(uint64_t agent)
{
	struct counting *gpu = find(agent);
	if (!gpu)
		return 0;
	uint64_t config = atomic_load(&gpu->config);
	if (config || gpu->tried_late)
		return config;
	lock_take(&gpu->word);
	if (!gpu->tried_late)
		set_up(gpu, true);
	gpu->tried_late = true;
	lock_give(&gpu->word);
	return atomic_load(&gpu->config);
}

/* Before a dispatch.  Its thread is kept: the values come on another. */
static void before(struct sdk_counted dispatch, struct sdk_handle *config, uint64_t *user, void *data)
{
	(void)data;
	*user = (uint64_t)syscall(SYS_gettid);
	if (filter_passes(dispatch.info.kernel))
		config->handle = config_of(dispatch.info.agent);
}

static struct log_counters *put_head(const struct sdk_counted *dispatch, uint64_t thread, size_t values)
{
	size_t size = sizeof(struct log_counters) + values * sizeof(struct log_value);
	struct log_counters *record = ring_take(size);
	if (!record)
		return NULL;
	*record = (struct log_counters){ .frame = { .size = (uint32_t)size, .type = LOG_COUNTERS },
		.correlation = dispatch->correlation.internal, .external = dispatch->correlation.external,
		.thread = thread, .start = dispatch->start, .end = dispatch->end };
	memcpy(&record->info, &dispatch->info, sizeof record->info);
	return record;
}

static void after(struct sdk_counted dispatch, struct sdk_value *value, size_t n, uint64_t user, void *data)
{
	(void)data;
	ring_lock();
	for (size_t done = 0, part; ring_expects && done < n; done += part) {
		part = n - done < VALUES_MOST ? n - done : VALUES_MOST;
		struct log_counters *record = put_head(&dispatch, user, part);
		if (!record) {
			roclatch_tool_status.lost++;
			continue;
		}
		for (size_t i = 0; i < part; i++) {
			struct sdk_handle counter = { 0 };
			sdk.query_record_counter_id(value[done + i].id, &counter);
			record->value[i] = (struct log_value){ value[done + i].id, counter.handle, value[done + i].value };
		}
		ring_fill.records++;
		roclatch_tool_status.records++;
	}
	ring_unlock();
}

void counters_begin(void)
{
	if (counting_count)
		filter_begin();
}

void counters_forked(void)
{
	for (unsigned i = 0; i < counting_count; i++)
		atomic_store(&counting[i].word, 0);
}

static void read_names(const char *list)
{
	while (asked_count < COUNTERS_MOST && settings_counter(&list, asked[asked_count].name, sizeof asked[0].name,
							       &asked[asked_count].device))
		asked_count++;
}

static void look_at_gpus(void)
{
	for (unsigned i = 0; i < gpu_count; i++) {
		struct counting *gpu = &counting[counting_count];
		struct looking looking = { gpu, gpus[i].number };
		struct sdk_handle agent = { gpus[i].id };
		gpu->agent = gpus[i].id;
		sdk.iterate_agent_supported_counters(agent, look, &looking);
		if (gpu->n) {
			counting_count++;
			set_up(gpu, false);
		}
	}
}

void counters_configure(struct sdk_handle context, const struct settings *settings)
{
	if (!sdk.iterate_agent_supported_counters || !sdk.query_counter_info || !sdk.create_counter_config ||
	    !sdk.configure_callback_dispatch_counting_service || !sdk.query_record_counter_id) {
		remember_note("nothing is counted: this SDK has no counters for dispatches");
		return;
	}
	read_names(settings->counters);
	if (strchr(settings->counters, '\n'))
		remember_note("of several groups of counters only the first is counted");
	look_at_gpus();
	for (unsigned i = 0; i < asked_count; i++)
		if (!asked[i].found)
			remember_note("%s is not counted: no GPU here has such a counter", asked[i].name);
	if (!counting_count)
		return;
	filter_open(settings);
	int status = sdk.configure_callback_dispatch_counting_service(context, before, NULL, after, NULL);
	if (status != SDK_SUCCESS)
		remember_note("nothing is counted: %s", sdk_words(status));
}
