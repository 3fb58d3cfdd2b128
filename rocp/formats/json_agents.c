/* SPDX-License-Identifier: MIT */
/* Agents and counters with the SDK's names of their fields. */
#include <stddef.h>
#include <string.h>

#include "rocp/formats/json_parts.h"
#include "rocp/log.h"
#include "rocp/trace/agent_bits.h"

static void bit_fields(struct json_text *json, const char *key, uint64_t value)
{
	member_object(json, key);
	for (const struct agent_bits *part = agent_bits(key); part->name; part++) {
		uint64_t is = agent_bits_take(part, &value);
		if (is || !part->rarely)
			member_unsigned(json, part->name, is);
	}
	member_end(json);
}

static void agent_field(struct json_text *json, const char *name, uint64_t value, const struct agent *agent)
{
	if (agent_bits(name))
		bit_fields(json, name, value);
	else
		member_unsigned(json, name, value);
	if (!strcmp(name, "simd_count")) {
		member_unsigned(json, "mem_banks_count", agent->mem_banks_count);
		member_unsigned(json, "caches_count", agent->caches_count);
		member_unsigned(json, "io_links_count", agent->io_links_count);
	}
}

static void dim_member(struct json_text *json, const char *key, const struct dim *dim)
{
	member_object(json, key);
	member_unsigned(json, "x", dim->x);
	member_unsigned(json, "y", dim->y);
	member_unsigned(json, "z", dim->z);
	member_end(json);
}

static void one_agent(struct json_text *json, const struct agent *agent)
{
	static const char *const lists[] = { "mem_banks", "caches", "io_links" };
	member_object(json, NULL);
	member_unsigned(json, "size", LOG_AGENT_SIZE);
	member_handle(json, "id", agent->id);
	member_unsigned(json, "type", agent->is_gpu ? 2 : 1);
#define MEMBER(name) agent_field(json, #name, agent->name, agent);
	AGENT_FIELDS(MEMBER)
#undef MEMBER
	dim_member(json, "workgroup_max_dim", &agent->workgroup_max_dim);
	dim_member(json, "grid_max_dim", &agent->grid_max_dim);
	member_text(json, "name", agent->name);
	member_text(json, "vendor_name", agent->vendor);
	member_text(json, "product_name", agent->product);
	member_text(json, "model_name", agent->model);
	member_unsigned(json, "node_id", agent->node);
	member_signed(json, "logical_node_id", agent->logical_node);
	member_signed(json, "logical_node_type_id", agent->type_node);
	bit_fields(json, "runtime_visibility", agent->runtime_visibility);
	/* A recording has their number alone. */
	for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
		member_array(json, lists[i]);
		member_end(json);
	}
	member_end(json);
}

void json_agents(struct json_text *json, const struct trace *trace)
{
	member_array(json, "agents");
	for (size_t i = 0; i < trace->agents; i++)
		one_agent(json, &trace->agent[i]);
	member_end(json);
}

void json_counters(struct json_text *json, const struct trace *trace)
{
	member_array(json, "counters");
	for (size_t i = 0; i < trace->counters; i++) {
		const struct counter_info *counter = &trace->counter[i];
		member_object(json, NULL);
		member_handle(json, "agent_id", counter->agent);
		member_handle(json, "id", counter->id);
		member_unsigned(json, "is_constant", counter->is_constant);
		member_unsigned(json, "is_derived", counter->is_derived);
		member_text(json, "name", counter->name);
		member_text(json, "description", counter->description);
		member_text(json, "block", counter->block);
		member_text(json, "expression", counter->expression);
		member_end(json);
	}
	member_end(json);
}
