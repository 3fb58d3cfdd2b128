/* SPDX-License-Identifier: MIT */
/* Part of sdk_abi.h: an agent, version 0 of its structure. */
#ifndef ROCLATCH_TESTS_SDK_AGENT_H
#define ROCLATCH_TESTS_SDK_AGENT_H

/* The 32-bit members from cpu_cores_count to grid_max_size, in order, with their types. */
#define AGENT_WORDS(F) \
	F(uint32_t, cpu_cores_count) F(uint32_t, simd_count) F(uint32_t, mem_banks_count) F(uint32_t, caches_count) \
	F(uint32_t, io_links_count) F(uint32_t, cpu_core_id_base) F(uint32_t, simd_id_base) \
	F(uint32_t, max_waves_per_simd) F(uint32_t, lds_size_in_kb) F(uint32_t, gds_size_in_kb) F(uint32_t, num_gws) \
	F(uint32_t, wave_front_size) F(uint32_t, num_xcc) F(uint32_t, cu_count) F(uint32_t, array_count) \
	F(uint32_t, num_shader_banks) F(uint32_t, simd_arrays_per_engine) F(uint32_t, cu_per_simd_array) \
	F(uint32_t, simd_per_cu) F(uint32_t, max_slots_scratch_cu) F(uint32_t, gfx_target_version) \
	F(uint16_t, vendor_id) F(uint16_t, device_id) F(uint32_t, location_id) F(uint32_t, domain) \
	F(uint32_t, drm_render_minor) F(uint32_t, num_sdma_engines) F(uint32_t, num_sdma_xgmi_engines) \
	F(uint32_t, num_sdma_queues_per_engine) F(uint32_t, num_cp_queues) F(uint32_t, max_engine_clk_ccompute) \
	F(uint32_t, max_engine_clk_fcompute) F(uint32_t, sdma_fw_version) F(uint32_t, fw_version) \
	F(uint32_t, capability) F(uint32_t, cu_per_engine) F(uint32_t, max_waves_per_cu) F(uint32_t, family_id) \
	F(uint32_t, workgroup_max_size) F(uint32_t, grid_max_size)

struct agent_fw_info_v0 {
	uint64_t size;
	uint32_t mec2_fw_version, mec_fw_version, rlc_fw_version, rlc_srlc_fw_version, rlc_srlg_fw_version;
	uint32_t rlc_srls_fw_version, sdma2_fw_version, sdma_fw_version, smc_fw_version, sos_fw_version;
	uint32_t ta_ras_fw_version, ta_xgmi_fw_version, vcn_fw_version;
};

struct agent_v0 {
	uint64_t size;
	struct handle id;
	int32_t type;
#define AGENT_WORD(type, name) type name;
	AGENT_WORDS(AGENT_WORD)
#undef AGENT_WORD
	uint64_t local_mem_size, hive_id, gpu_id;
	struct size3 workgroup_max_dim, grid_max_dim;
	const void *mem_banks, *caches, *io_links;
	const char *name, *vendor_name, *product_name, *model_name;
	uint32_t node_id;
	int32_t logical_node_id, logical_node_type_id;
	uint32_t runtime_visibility;
#if SDK_VERSION < 10100
	uint64_t uuid;
#else
	uint64_t uuid[2];
#endif
#if SDK_VERSION >= 10300
	struct agent_fw_info_v0 firmware_info;
#endif
};

#endif
