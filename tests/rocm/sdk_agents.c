// SPDX-License-Identifier: MIT
/* Stands in for AMD's librocprofiler-sdk.so.1: two CPUs and two GPUs, no two fields of which have the same value. */
#include <pthread.h>

#include "sdk.h"

static struct agent_v0 agents[AGENTS];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static const struct { int32_t type, number; uint64_t id; const char *name, *vendor, *product, *model; } given[AGENTS] = {
	{ AGENT_CPU, 0, 0x7a31f6e400000011, "AMD EPYC 9654 96-Core Processor", "CPU", "AMD EPYC 9654 96-Core Processor", "" },
	{ AGENT_CPU, 1, 0x7a31f6e400000022, "AMD EPYC 9654, socket \"1\"", "CPU", "AMD EPYC 9654 96-Core Processor", "" },
	{ AGENT_GPU, 0, 0x00000000c0ffee33, "gfx942", "AMD", "AMD Instinct MI300X", "ip discovery" },
	{ AGENT_GPU, 1, 0xf123456789abcd44, "gfx90a", "AMD", "AMD Instinct MI250X / MI250", "aldebaran" },
};

/* What the counts above promise; nothing is in it. */
static const uint64_t nothing[512];

static void fill(struct agent_v0 *agent, unsigned i)
{
	uint32_t value = 1000 * (i + 1);

	agent->size = sizeof(*agent);
	agent->id.handle = given[i].id;
	agent->type = given[i].type;
#define FILL(type, name) agent->name = (type)(value += 7);
	AGENT_WORDS(FILL)
	agent->mem_banks_count = i + 1;
	agent->caches_count = i + 11;
	agent->io_links_count = i + 21;
	agent->gfx_target_version = given[i].type == AGENT_GPU ? 90402 - 392 * given[i].number : 0;
	agent->wave_front_size = given[i].type == AGENT_GPU ? 64 : 0;
	agent->grid_max_size = given[i].type == AGENT_GPU ? UINT32_MAX - i : 0;
	agent->local_mem_size = (UINT64_C(192) << 30) + i;
	agent->hive_id = UINT64_C(0x8000000000000000) + i;
	agent->gpu_id = UINT64_C(0x123456789) + i;
	agent->workgroup_max_dim = (struct size3){ 1024 + i, 1025 + i, 1026 + i };
	agent->grid_max_dim = (struct size3){ UINT32_MAX - i, 65536 + i, 65530 + i };
	agent->mem_banks = agent->caches = agent->io_links = nothing;
	agent->name = given[i].name;
	agent->vendor_name = given[i].vendor;
	agent->product_name = given[i].product;
	agent->model_name = given[i].model;
	agent->node_id = i + 1;
	agent->logical_node_id = (int32_t)i;
	agent->logical_node_type_id = given[i].number;
	agent->runtime_visibility = i == 3 ? 0x5 : 0x7;
}

static void fill_all(void)
{
	for (unsigned i = 0; i < AGENTS; i++)
		fill(&agents[i], i);
}

const struct agent_v0 *agent_at(unsigned i)
{
	pthread_once(&once, fill_all);
	return &agents[i];
}

const struct agent_v0 *gpu_at(unsigned i)
{
	return agent_at(2 + i % 2);
}

const struct agent_v0 *agent_of(struct handle id)
{
	for (unsigned i = 0; i < AGENTS; i++)
		if (agent_at(i)->id.handle == id.handle)
			return &agents[i];
	return NULL;
}

PUBLIC int rocprofiler_query_available_agents(int version, agents_function *callback, size_t agent_size, void *data)
{
	const void *list[AGENTS];

	if (version != 1 || agent_size > sizeof(struct agent_v0))
		return SDK_INCOMPATIBLE_ABI;
	for (unsigned i = 0; i < AGENTS; i++)
		list[i] = agent_at(i);
	return callback(version, list, AGENTS, data);
}
