/* SPDX-License-Identifier: MIT */
/* The SDK's agent, first version: the places of its fields, which no release of the SDK moved. */
#include <string.h>

#include "rocp/log.h"
#include "rocp/trace/names.h"

static uint64_t word(const unsigned char *bytes, size_t at, size_t size)
{
	uint64_t value = 0;
	memcpy(&value, bytes + at, size);
	return value;
}

static struct dim dim(const unsigned char *bytes, size_t at)
{
	struct dim value;
	memcpy(&value, bytes + at, sizeof value);
	return value;
}

/* Those that stand one behind the other from cpu_core_id_base to grid_max_size, 4 bytes each. */
static void decode_words(struct agent *agent, const unsigned char *bytes)
{
	uint64_t *const field[] = {
		&agent->cpu_core_id_base, &agent->simd_id_base, &agent->max_waves_per_simd, &agent->lds_size_in_kb,
		&agent->gds_size_in_kb, &agent->num_gws, &agent->wave_front_size, &agent->num_xcc, &agent->cu_count,
		&agent->array_count, &agent->num_shader_banks, &agent->simd_arrays_per_engine, &agent->cu_per_simd_array,
		&agent->simd_per_cu, &agent->max_slots_scratch_cu, &agent->gfx_target_version, NULL /* vendor, device */,
		&agent->location_id, &agent->domain, &agent->drm_render_minor, &agent->num_sdma_engines,
		&agent->num_sdma_xgmi_engines, &agent->num_sdma_queues_per_engine, &agent->num_cp_queues,
		&agent->max_engine_clk_ccompute, &agent->max_engine_clk_fcompute, &agent->sdma_fw_version,
		&agent->fw_version, &agent->capability, &agent->cu_per_engine, &agent->max_waves_per_cu,
		&agent->family_id, &agent->workgroup_max_size, &agent->grid_max_size,
	};
	_Static_assert(40 + sizeof field / sizeof field[0] * 4 == 176, "agent fields");
	for (size_t i = 0; i < sizeof field / sizeof field[0]; i++)
		if (field[i])
			*field[i] = word(bytes, 40 + 4 * i, 4);
}

void agent_decode(struct agent *agent, const unsigned char *bytes)
{
	agent->id = word(bytes, 8, 8);
	agent->is_gpu = word(bytes, 16, 4) == 2;
	agent->cpu_cores_count = word(bytes, 20, 4);
	agent->simd_count = word(bytes, 24, 4);
	agent->mem_banks_count = (uint32_t)word(bytes, 28, 4);
	agent->caches_count = (uint32_t)word(bytes, 32, 4);
	agent->io_links_count = (uint32_t)word(bytes, 36, 4);
	decode_words(agent, bytes);
	agent->vendor_id = word(bytes, 104, 2);
	agent->device_id = word(bytes, 106, 2);
	agent->local_mem_size = word(bytes, 176, 8);
	agent->hive_id = word(bytes, 184, 8);
	agent->gpu_id = word(bytes, 192, 8);
	agent->workgroup_max_dim = dim(bytes, 200);
	agent->grid_max_dim = dim(bytes, 212);
	agent->node = (uint32_t)word(bytes, 280, 4);
	agent->logical_node = (int32_t)word(bytes, 284, 4);
	agent->type_node = (int32_t)word(bytes, 288, 4);
	agent->runtime_visibility = (uint32_t)word(bytes, 292, 4);
	_Static_assert(LOG_AGENT_SIZE == 296, "agent");
}
