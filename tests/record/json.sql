-- SPDX-License-Identifier: MIT
-- JSON: the same by SQLite's own JSON reader, which parses the file once.
create table document as select jsonb(readfile('@FILE@')) as j;
create table json_records as select s.key as section, r.value as j from document, json_each(document.j, '$."rocprofiler-sdk-tool"[0].buffer_records') s, json_each(s.value) r;
create view o_json_api as select j -> 'size' as size, j -> 'kind' as kind, j -> 'operation' as operation, j -> '$.correlation_id.internal' as internal, j -> '$.correlation_id.ancestor' as ancestor,
	j -> 'start_timestamp' as start, j -> 'end_timestamp' as end, j -> 'thread_id' as thread from json_records where section like '%\_api' escape '\';
-- compare json_api size,kind,operation,internal,ancestor,start,end,thread api o_json_api
create view o_json_dispatch as select j -> 'size' as size, j -> 'kind' as kind, j -> 'operation' as operation, j -> '$.correlation_id.internal' as internal,
	j -> 'start_timestamp' as start, j -> 'end_timestamp' as end, j -> 'thread_id' as thread, j -> '$.dispatch_info.agent_id.handle' as agent, j -> '$.dispatch_info.queue_id.handle' as queue,
	j -> '$.dispatch_info.kernel_id' as kernel, j -> '$.dispatch_info.dispatch_id' as dispatch, j -> '$.dispatch_info.private_segment_size' as private, j -> '$.dispatch_info.group_segment_size' as "group",
	j -> '$.dispatch_info.workgroup_size.x' as wx, j -> '$.dispatch_info.workgroup_size.y' as wy, j -> '$.dispatch_info.workgroup_size.z' as wz,
	j -> '$.dispatch_info.grid_size.x' as gx, j -> '$.dispatch_info.grid_size.y' as gy, j -> '$.dispatch_info.grid_size.z' as gz, j -> '$.stream_id.handle' as stream from json_records where section = 'kernel_dispatch';
-- compare json_kernel_dispatch size,kind,operation,internal,start,end,thread,agent,queue,kernel,dispatch,private,"group",wx,wy,wz,gx,gy,gz,stream dispatches o_json_dispatch
create view o_json_copy as select j -> 'size' as size, j -> 'kind' as kind, j -> 'operation' as operation, j -> '$.correlation_id.internal' as internal, j -> 'thread_id' as thread,
	j -> 'start_timestamp' as start, j -> 'end_timestamp' as end, j -> '$.dst_agent_id.handle' as to_agent, j -> '$.src_agent_id.handle' as from_agent, j -> 'bytes' as bytes,
	j -> '$.stream_id.handle' as stream from json_records where section = 'memory_copy';
-- compare json_memory_copy size,kind,operation,internal,thread,start,end,to_agent,from_agent,bytes,stream copies o_json_copy
create view o_json_allocation as select j -> 'size' as size, j -> 'kind' as kind, j -> 'operation' as operation, j -> '$.correlation_id.internal' as internal, j -> 'thread_id' as thread,
	j -> 'start_timestamp' as start, j -> 'end_timestamp' as end, j -> '$.agent_id.handle' as agent, j -> 'allocation_size' as bytes from json_records where section = 'memory_allocation';
-- compare json_memory_allocation size,kind,operation,internal,thread,start,end,agent,bytes raw_allocation o_json_allocation
create view o_json_scratch as select j -> 'size' as size, j -> 'kind' as kind, j -> 'operation' as operation, j -> 'thread_id' as thread, j -> '$.agent_id.handle' as agent, j -> '$.queue_id.handle' as queue,
	j -> 'start_timestamp' as start, j -> 'end_timestamp' as end, j -> 'flags' as flags from json_records where section = 'scratch_memory';
-- compare json_scratch_memory size,kind,operation,thread,agent,queue,start,end,flags raw_scratch o_json_scratch
create view t_json_markers as select internal as key, message as value from api where message is not null and message not like 'not UTF-8%';
create view o_json_markers as select r.value -> 'key' as key, r.value ->> 'value' as value from document, json_each(document.j, '$."rocprofiler-sdk-tool"[0].strings.marker_api') r where r.value ->> 'value' not like 'not UTF-8%';
-- compare json_marker_texts key,value t_json_markers o_json_markers
create view o_json_kernels as select r.value -> 'kernel_id' as id, r.value -> 'code_object_id' as code_object, r.value ->> 'kernel_name' as name, r.value ->> 'formatted_kernel_name' as called,
	r.value -> 'kernarg_segment_size' as kernarg_size, r.value -> 'sgpr_count' as sgprs, r.value -> 'arch_vgpr_count' as arch_vgprs, r.value -> 'accum_vgpr_count' as accum_vgprs
	from document, json_each(document.j, '$."rocprofiler-sdk-tool"[0].kernel_symbols') r where (r.value ->> 'kernel_id') in (select id + 0 from kernels);
-- compare json_kernel_symbols id,code_object,name,called,kernarg_size,sgprs,arch_vgprs,accum_vgprs kernels o_json_kernels
create view o_json_agents as select r.value -> '$.id.handle' as id, r.value -> 'type' as type, r.value -> 'cu_count' as cu_count, r.value -> 'gpu_id' as gpu_id, r.value -> 'family_id' as family_id,
	r.value -> 'hive_id' as hive_id, r.value ->> 'name' as name, r.value ->> 'product_name' as product_name, r.value -> 'node_id' as node_id from document, json_each(document.j, '$."rocprofiler-sdk-tool"[0].agents') r;
-- compare json_agents id,type,cu_count,gpu_id,family_id,hive_id,name,product_name,node_id raw_agent o_json_agents
create view t_json_counters as select c.internal, c.dispatch, c.start, c.end, c.agent, c.queue, c.kernel, v.counter, printf('%.15g', v.value) as value from raw_counted c join raw_value v on v.dispatch = c.dispatch and v.context = c.context;
create table json_dispatches as select r.value as j from document, json_each(document.j, '$."rocprofiler-sdk-tool"[0].callback_records.counter_collection') r;
create table json_counted as select j -> '$.dispatch_data.correlation_id.internal' as internal, j -> '$.dispatch_data.dispatch_info.dispatch_id' as dispatch,
	j -> '$.dispatch_data.start_timestamp' as start, j -> '$.dispatch_data.end_timestamp' as end, j -> '$.dispatch_data.dispatch_info.agent_id.handle' as agent,
	j -> '$.dispatch_data.dispatch_info.queue_id.handle' as queue, j -> '$.dispatch_data.dispatch_info.kernel_id' as kernel, j -> '$.records' as records from json_dispatches;
create view o_json_counters as select c.internal, c.dispatch, c.start, c.end, c.agent, c.queue, c.kernel, v.value -> '$.counter_id.handle' as counter, printf('%.15g', v.value ->> 'value') as value
	from json_counted c, json_each(c.records) v;
-- compare json_counter_collection internal,dispatch,start,end,agent,queue,kernel,counter,value t_json_counters o_json_counters
