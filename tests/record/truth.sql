-- SPDX-License-Identifier: MIT
-- The lines of the truth as they come; numbers become numbers by the columns' affinity, but unsigned 64-bit ones
-- above 2^63 stay texts, as they must.
create table raw_sdk(version int, pid int);
create table raw_kind(kind int, name text);
create table raw_operation(kind int, operation int, name text);
create table raw_counter(id int, agent int, name text, description text, block text, expression text, is_constant int, is_derived int);
create table raw_api(context int, size int, kind int, operation int, internal int, external int, ancestor int, start int, end int, thread int, kind_name text, operation_name text);
create table raw_dispatch(context int, size int, kind int, operation int, internal int, external int, thread int, start int, end int, agent int, queue int, kernel int, dispatch int, private int, "group" int, wx int, wy int, wz int, gx int, gy int, gz int, pipe int);
create table raw_copy(context int, size int, kind int, operation int, internal int, external int, thread int, start int, end int, to_agent int, from_agent int, bytes int, to_address int, from_address int);
create table raw_allocation(context int, size int, kind int, operation int, internal int, external int, ancestor int, thread int, start int, end int, agent int, address int, bytes int);
create table raw_scratch(context int, size int, kind int, operation int, internal int, external int, ancestor int, agent int, queue int, thread int, start int, end int, flags int, bytes int);
create table raw_counted(context int, internal int, external int, start int, end int, agent int, queue int, kernel int, dispatch int, n int);
create table raw_value(context int, dispatch int, agent int, counter int, instance int, value real);
create table raw_marker(context int, phase int, kind int, operation int, internal int, external int, ancestor int, thread int, text text);
create table raw_code_object(context int, phase int, id int, agent int, load_base int, load_size int, load_delta int, storage int, memory_base int, memory_size int, uri text);
create table raw_kernel(context int, phase int, id int, code_object int, object int, kernarg_size int, kernarg_alignment int, "group" int, private int, sgprs int, arch_vgprs int, accum_vgprs int, entry_offset int, address int, name text);
create table raw_stream(context int, phase int, operation int, thread int, id int, value int);
create table raw_names(symbol text, called text);
create table raw_agent(id int, type int, cpu_cores_count int, simd_count int, mem_banks_count int, caches_count int, io_links_count int, cpu_core_id_base int, simd_id_base int, max_waves_per_simd int, lds_size_in_kb int, gds_size_in_kb int, num_gws int, wave_front_size int, num_xcc int, cu_count int, array_count int, num_shader_banks int, simd_arrays_per_engine int, cu_per_simd_array int, simd_per_cu int, max_slots_scratch_cu int, gfx_target_version int, vendor_id int, device_id int, location_id int, domain int, drm_render_minor int, num_sdma_engines int, num_sdma_xgmi_engines int, num_sdma_queues_per_engine int, num_cp_queues int, max_engine_clk_ccompute int, max_engine_clk_fcompute int, sdma_fw_version int, fw_version int, capability int, cu_per_engine int, max_waves_per_cu int, family_id int, workgroup_max_size int, grid_max_size int, local_mem_size int, hive_id int, gpu_id int, wx int, wy int, wz int, gx int, gy int, gz int, node_id int, logical_node_id int, logical_node_type_id int, runtime_visibility int, name text, vendor_name text, product_name text, model_name text);
create table csv_api(domain text, function text, pid int, tid int, correlation int, start int, end int);
create table csv_kernel(kind text, agent text, queue int, stream int, tid int, dispatch int, kernel int, name text, correlation int, start int, end int, lds int, scratch int, vgprs int, accum_vgprs int, sgprs int, wx int, wy int, wz int, gx int, gy int, gz int);
create table csv_memory_copy(kind text, direction text, stream int, source text, destination text, correlation int, start int, end int);
create table csv_memory_allocation(kind text, operation text, agent text, bytes int, address text, correlation int, start int, end int);
create table csv_scratch_memory(kind text, operation text, agent text, queue int, tid int, flags text, start int, end int, bytes int);
