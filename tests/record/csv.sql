-- SPDX-License-Identifier: MIT
-- CSV: what each row has to be.  Texts that are not UTF-8 are mended in a way of their own: see test_csv.
create view t_csv_api as select kind_name as domain, called as function, (select pid from raw_sdk limit 1) as pid, thread as tid, internal as correlation, start, end from api where called not like 'not UTF-8%';
create view o_csv_api as select * from csv_api where function not like 'not UTF-8%';
-- compare csv_api_traces domain,function,pid,tid,correlation,start,end t_csv_api o_csv_api
create view t_csv_kernel as select 'KERNEL_DISPATCH' as kind, label as agent, queue, stream, thread as tid, dispatch, kernel, called as name, internal as correlation, start, end,
	cast((static_group + 511) / 512 * 512 as text) as lds, private as scratch, arch_vgprs as vgprs, accum_vgprs, sgprs, wx, wy, wz, gx, gy, gz from dispatches;
-- compare csv_kernel_trace kind,agent,queue,stream,tid,dispatch,kernel,name,correlation,start,end,lds,scratch,vgprs,accum_vgprs,sgprs,wx,wy,wz,gx,gy,gz t_csv_kernel csv_kernel
create view t_csv_copy as select 'MEMORY_COPY' as kind, direction, stream, source, destination, internal as correlation, start, end from copies;
-- compare csv_memory_copy_trace kind,direction,stream,source,destination,correlation,start,end t_csv_copy csv_memory_copy
create view t_csv_allocation as select 'MEMORY_ALLOCATION' as kind, called as operation, label as agent, bytes, internal as correlation, start, end from allocations;
-- compare csv_memory_allocation_trace kind,operation,agent,bytes,correlation,start,end t_csv_allocation csv_memory_allocation
create view t_csv_address as select printf('0x%016llx', cast(address as int)) as address from allocations where length(address) < 19;
create view o_csv_address as select address from csv_memory_allocation where address < '0x8' and correlation in (select internal from allocations where length(address) < 19);
-- compare csv_memory_allocation_addresses address t_csv_address o_csv_address
create view t_csv_scratch as select 'SCRATCH_MEMORY' as kind, called as operation, label as agent, queue, thread as tid, flags, start, end, bytes from scratches;
-- compare csv_scratch_memory_trace kind,operation,agent,queue,tid,flags,start,end,bytes t_csv_scratch csv_scratch_memory
create view t_csv_counters as select internal as Correlation_Id, dispatch as Dispatch_Id, label as Agent_Id, queue as Queue_Id, kernel as Kernel_Id, called as Kernel_Name,
	counter_name as Counter_Name, printf('%.9g', sum(value)) as Counter_Value, start as Start_Timestamp, end as End_Timestamp from counted group by dispatch, counter;
create view o_csv_counters as select Correlation_Id, Dispatch_Id, Agent_Id, Queue_Id, Kernel_Id, Kernel_Name, Counter_Name, printf('%.9g', Counter_Value) as Counter_Value, Start_Timestamp, End_Timestamp from csv_counter_collection;
-- compare csv_counter_collection Correlation_Id,Dispatch_Id,Agent_Id,Queue_Id,Kernel_Id,Kernel_Name,Counter_Name,Counter_Value,Start_Timestamp,End_Timestamp t_csv_counters o_csv_counters
create view t_csv_agents as select *, case type when '1' then 'CPU' else 'GPU' end as agent_type, wx as workgroup_max_dim_x, wy as workgroup_max_dim_y, wz as workgroup_max_dim_z,
	gx as grid_max_dim_x, gy as grid_max_dim_y, gz as grid_max_dim_z from raw_agent;
-- compare csv_agent_info node_id,logical_node_id,agent_type,cpu_cores_count,simd_count,cpu_core_id_base,simd_id_base,max_waves_per_simd,lds_size_in_kb,gds_size_in_kb,num_gws,wave_front_size,num_xcc,cu_count,array_count,num_shader_banks,simd_arrays_per_engine,cu_per_simd_array,simd_per_cu,max_slots_scratch_cu,gfx_target_version,vendor_id,device_id,location_id,domain,drm_render_minor,num_sdma_engines,num_sdma_xgmi_engines,num_sdma_queues_per_engine,num_cp_queues,max_engine_clk_ccompute,max_engine_clk_fcompute,sdma_fw_version,fw_version,capability,cu_per_engine,max_waves_per_cu,family_id,workgroup_max_size,grid_max_size,local_mem_size,hive_id,gpu_id,workgroup_max_dim_x,workgroup_max_dim_y,workgroup_max_dim_z,grid_max_dim_x,grid_max_dim_y,grid_max_dim_z,name,vendor_name,product_name,model_name t_csv_agents csv_agent_info
