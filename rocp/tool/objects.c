/* SPDX-License-Identifier: MIT */
#include "rocp/tool/objects.h"

#include <stdio.h>
#include <string.h>

#include "rocp/tool/filter.h"
#include "rocp/tool/remembered.h"

struct gpu gpus[GPUS_MOST];
unsigned gpu_count;

static void remember_object(const struct sdk_code_object *object)
{
	struct log_code_object record = { .frame.type = LOG_CODE_OBJECT, .id = object->id, .agent = object->agent,
		.load_base = object->load_base, .load_size = object->load_size, .load_delta = object->load_delta,
		.storage = (uint64_t)object->storage };
	record.memory_base = object->storage == 2 ? object->memory_base : (uint64_t)(int32_t)object->memory_base;
	record.memory_size = object->storage == 2 ? object->memory_size : 0;
	remember(&record, sizeof record, &object->uri, 1);
}

static void remember_kernel(const struct sdk_kernel *kernel)
{
	struct log_kernel record = { .frame.type = LOG_KERNEL, .id = kernel->id, .code_object = kernel->code_object,
		.object = kernel->object, .kernarg_size = kernel->kernarg_size,
		.kernarg_alignment = kernel->kernarg_alignment, .group_segment = kernel->group_segment,
		.private_segment = kernel->private_segment, .sgprs = kernel->sgprs, .arch_vgprs = kernel->arch_vgprs,
		.accum_vgprs = kernel->accum_vgprs, .entry_offset = kernel->entry_offset, .address = kernel->address };
	remember(&record, sizeof record, &kernel->name, 1);
	filter_kernel(kernel->id, kernel->name);
}

void objects_loaded(struct sdk_callback record, uint64_t *user, void *data)
{
	const uint64_t *size = record.payload;
	(void)user, (void)data;
	if (record.phase != PHASE_ENTER || !size)
		return;
	if (record.operation == CODE_OBJECT_LOAD && *size >= sizeof(struct sdk_code_object))
		remember_object(record.payload);
	else if (record.operation == CODE_OBJECT_KERNEL && *size >= sizeof(struct sdk_kernel))
		remember_kernel(record.payload);
}

static void add_gpu(const struct sdk_agent *agent)
{
	if (agent->type != AGENT_GPU || gpu_count == GPUS_MOST)
		return;
	struct gpu *gpu = &gpus[gpu_count++];
	gpu->id = agent->id;
	gpu->number = agent->type_node;
	snprintf(gpu->name, sizeof gpu->name, "%s", agent->name ? agent->name : "GPU");
}

static int remember_agents(int version, const void **agents, size_t n, void *data)
{
	(void)version, (void)data;
	for (size_t i = 0; i < n; i++) {
		struct sdk_agent agent;
		struct log_agent record = { .frame.type = LOG_AGENT };
		memcpy(&agent, agents[i], sizeof agent);
		const char *text[] = { agent.name, agent.vendor, agent.product, agent.model };
		add_gpu(&agent);
		agent.mem_banks = agent.caches = agent.io_links = NULL;
		agent.name = agent.vendor = agent.product = agent.model = NULL;
		memcpy(record.agent, &agent, sizeof agent);
		remember(&record, sizeof record, text, 4);
	}
	return 0;
}

void agents_remember(void)
{
	int status = sdk.query_available_agents(1, remember_agents, SDK_AGENT_SIZE, NULL);
	if (status != SDK_SUCCESS)
		remember_note("the SDK does not tell which agents there are: %s", sdk_words(status));
}
