-- SPDX-License-Identifier: MIT
-- The lines of the truth as they come. Everything is, also on the other side of each comparison: numbers of
-- 64 bits without a sign are more than SQLite's own.
create table raw_sdk(version, pid);
create table raw_kind(kind, name);
create table raw_operation(kind, operation, name);
create table raw_counter(id, agent, name, description, block, expression, is_constant, is_derived);
create table raw_api(context, size, kind, operation, internal, external, ancestor, start, end, thread, kind_name, operation_name);
create table raw_dispatch(context, size, kind, operation, internal, external, thread, start, end, agent, queue, kernel, dispatch, private, "group", wx, wy, wz, gx, gy, gz, pipe);
create table raw_copy(context, size, kind, operation, internal, external, thread, start, end, to_agent, from_agent, bytes, to_address, from_address);
create table raw_allocation(context, size, kind, operation, internal, external, ancestor, thread, start, end, agent, address, bytes);
create table raw_scratch(context, size, kind, operation, internal, external, ancestor, agent, queue, thread, start, end, flags, bytes);
create table raw_counted(context, internal, external, start, end, agent, queue, kernel, dispatch, n);
create table raw_value(context, dispatch, agent, counter, instance, value);
create table raw_marker(context, phase, kind, operation, internal, external, ancestor, thread, text);
create table raw_code_object(context, phase, id, agent, load_base, load_size, load_delta, storage, memory_base, memory_size, uri);
create table raw_kernel(context, phase, id, code_object, object, kernarg_size, kernarg_alignment, "group", private, sgprs, arch_vgprs, accum_vgprs, entry_offset, address, name);
create table raw_stream(context, phase, operation, thread, id, value);
create table raw_names(symbol, called);
create table raw_agent(id, type, cpu_cores_count, simd_count, mem_banks_count, caches_count, io_links_count, cpu_core_id_base, simd_id_base, max_waves_per_simd, lds_size_in_kb, gds_size_in_kb, num_gws, wave_front_size, num_xcc, cu_count, array_count, num_shader_banks, simd_arrays_per_engine, cu_per_simd_array, simd_per_cu, max_slots_scratch_cu, gfx_target_version, vendor_id, device_id, location_id, domain, drm_render_minor, num_sdma_engines, num_sdma_xgmi_engines, num_sdma_queues_per_engine, num_cp_queues, max_engine_clk_ccompute, max_engine_clk_fcompute, sdma_fw_version, fw_version, capability, cu_per_engine, max_waves_per_cu, family_id, workgroup_max_size, grid_max_size, local_mem_size, hive_id, gpu_id, wx, wy, wz, gx, gy, gz, node_id, logical_node_id, logical_node_type_id, runtime_visibility, name, vendor_name, product_name, model_name);
create table csv_api(domain, function, pid, tid, correlation, start, end);
create table csv_kernel(kind, agent, queue, stream, tid, dispatch, kernel, name, correlation, start, end, lds, scratch, vgprs, accum_vgprs, sgprs, wx, wy, wz, gx, gy, gz);
create table csv_memory_copy(kind, direction, stream, source, destination, correlation, start, end);
create table csv_memory_allocation(kind, operation, agent, bytes, address, correlation, start, end);
create table csv_scratch_memory(kind, operation, agent, queue, tid, flags, start, end, bytes);
create table raw_pftrace(category, called, start, end, thread, internal);
