-- SPDX-License-Identifier: MIT
-- CSV: what each row has to be.
create view t_csv_api as select kind_name as domain, called as function, (select pid from raw_sdk limit 1) as pid, thread as tid, internal as correlation, start, end from api;
-- compare csv_api domain,function,pid,tid,correlation,start,end t_csv_api csv_api
create view t_csv_kernel as select 'KERNEL_DISPATCH' as kind, label as agent, queue, stream, thread as tid, dispatch, kernel, called as name, internal as correlation, start, end,
	(static_group + 511) / 512 * 512 as lds, private as scratch, arch_vgprs as vgprs, accum_vgprs, sgprs, wx, wy, wz, gx, gy, gz from dispatches;
-- compare csv_kernel_trace kind,agent,queue,stream,tid,dispatch,kernel,name,correlation,start,end,lds,scratch,vgprs,accum_vgprs,sgprs,wx,wy,wz,gx,gy,gz t_csv_kernel csv_kernel
create view t_csv_copy as select 'MEMORY_COPY' as kind, o.name as direction, c.external & 0xffffffff as stream, f.label as source, t.label as destination, internal as correlation, start, end
	from raw_copy c join operations o on o.kind = c.kind and o.operation = c.operation left join agents f on f.id = c.from_agent left join agents t on t.id = c.to_agent;
-- compare csv_memory_copy_trace kind,direction,stream,source,destination,correlation,start,end t_csv_copy csv_memory_copy
create view t_csv_allocation as select 'MEMORY_ALLOCATION' as kind, o.name as operation, coalesce(a.label, '') as agent, bytes, printf('0x%016llx', address) as address, internal as correlation, start, end
	from raw_allocation c join operations o on o.kind = c.kind and o.operation = c.operation left join agents a on a.id = c.agent;
-- compare csv_memory_allocation_trace kind,operation,agent,bytes,address,correlation,start,end t_csv_allocation csv_memory_allocation
create view t_csv_scratch as select 'SCRATCH_MEMORY' as kind, o.name as operation, a.label as agent, queue, thread as tid, start, end, bytes
	from raw_scratch c join operations o on o.kind = c.kind and o.operation = c.operation left join agents a on a.id = c.agent;
-- compare csv_scratch_memory_trace kind,operation,agent,queue,tid,start,end,bytes t_csv_scratch csv_scratch_memory
create view t_csv_counters as select c.internal as Correlation_Id, c.dispatch as Dispatch_Id, a.label as Agent_Id, c.queue as Queue_Id, c.kernel as Kernel_Id, k.called as Kernel_Name,
	i.name as Counter_Name, printf('%.9g', sum(v.value)) as Counter_Value, c.start as Start_Timestamp, c.end as End_Timestamp
	from raw_counted c join raw_value v on v.dispatch = c.dispatch and v.context = c.context join agents a on a.id = c.agent join kernels k on k.id = c.kernel
	join raw_counter i on i.id = v.counter and i.agent = c.agent group by c.dispatch, v.counter;
create view o_csv_counters as select 0 + Correlation_Id as Correlation_Id, 0 + Dispatch_Id as Dispatch_Id, Agent_Id, 0 + Queue_Id as Queue_Id, 0 + Kernel_Id as Kernel_Id, Kernel_Name, Counter_Name,
	printf('%.9g', 0 + Counter_Value) as Counter_Value, 0 + Start_Timestamp as Start_Timestamp, 0 + End_Timestamp as End_Timestamp from csv_counter_collection;
-- compare csv_counter_collection Correlation_Id,Dispatch_Id,Agent_Id,Queue_Id,Kernel_Id,Kernel_Name,Counter_Name,Counter_Value,Start_Timestamp,End_Timestamp t_csv_counters o_csv_counters
create view t_csv_agents as select node_id as Node_Id, logical_node_id as Logical_Node_Id, case type when 1 then 'CPU' else 'GPU' end as Agent_Type, cu_count as Cu_Count, simd_count as Simd_Count,
	gfx_target_version as Gfx_Target_Version, local_mem_size as Local_Mem_Size, gpu_id as Gpu_Id, wx as Workgroup_Max_Dim_X, gz as Grid_Max_Dim_Z, fw_version as Fw_Version, domain as Domain,
	name as Name, vendor_name as Vendor_Name, product_name as Product_Name, model_name as Model_Name from raw_agent;
create view o_csv_agents as select 0 + Node_Id as Node_Id, 0 + Logical_Node_Id as Logical_Node_Id, Agent_Type, 0 + Cu_Count as Cu_Count, 0 + Simd_Count as Simd_Count,
	0 + Gfx_Target_Version as Gfx_Target_Version, 0 + Local_Mem_Size as Local_Mem_Size, 0 + Gpu_Id as Gpu_Id, 0 + Workgroup_Max_Dim_X as Workgroup_Max_Dim_X, 0 + Grid_Max_Dim_Z as Grid_Max_Dim_Z,
	0 + Fw_Version as Fw_Version, 0 + Domain as Domain, Name, Vendor_Name, Product_Name, Model_Name from csv_agent_info;
-- compare csv_agent_info Node_Id,Logical_Node_Id,Agent_Type,Cu_Count,Simd_Count,Gfx_Target_Version,Local_Mem_Size,Gpu_Id,Workgroup_Max_Dim_X,Grid_Max_Dim_Z,Fw_Version,Domain,Name,Vendor_Name,Product_Name,Model_Name t_csv_agents o_csv_agents
