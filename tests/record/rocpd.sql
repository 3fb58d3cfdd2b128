-- SPDX-License-Identifier: MIT
-- rocpd: through its own plain names.  stack_id is the correlation id, parent_stack_id the ancestor's; a marker
-- without a duration is a sample.
create temp view o_db_api as select c.string as kind_name, n.string as called, printf('%u', e.stack_id) as internal, printf('%u', e.parent_stack_id) as ancestor, printf('%u', x.start) as start, printf('%u', x.end) as end, printf('%u', t.tid) as thread,
	e.extdata ->> 'message' as message from r.rocpd_region x join r.rocpd_event e on e.id = x.event_id join r.rocpd_string c on c.id = e.category_id join r.rocpd_string n on n.id = x.name_id join r.rocpd_info_thread t on t.id = x.tid
	union all select c.string, n.string, printf('%u', e.stack_id), printf('%u', e.parent_stack_id), printf('%u', x.timestamp), printf('%u', x.timestamp), printf('%u', t.tid), e.extdata ->> 'message'
	from r.rocpd_sample x join r.rocpd_event e on e.id = x.event_id join r.rocpd_string c on c.id = e.category_id join r.rocpd_track k on k.id = x.track_id join r.rocpd_string n on n.id = k.name_id join r.rocpd_info_thread t on t.id = k.tid;
-- compare rocpd_regions_and_samples kind_name,internal,ancestor,start,end,thread api o_db_api
create temp view t_db_message as select internal, message from api where message is not null and message not like 'not UTF-8%';
create temp view o_db_message as select internal, message from o_db_api where message is not null and message not like 'not UTF-8%';
-- compare rocpd_marker_messages internal,message t_db_message o_db_message
create temp view o_db_dispatch as select printf('%u', e.stack_id) as internal, printf('%u', t.tid) as thread, printf('%u', d.start) as start, printf('%u', d.end) as end, cast(a.absolute_index as text) as node, k.display_name as called,
	printf('%u', d.dispatch_id) as dispatch, printf('%u', d.private_segment_size) as private, printf('%u', d.group_segment_size) as "group", printf('%u', d.workgroup_size_x) as wx, printf('%u', d.workgroup_size_y) as wy, printf('%u', d.workgroup_size_z) as wz,
	printf('%u', d.grid_size_x) as gx, printf('%u', d.grid_size_y) as gy, printf('%u', d.grid_size_z) as gz
	from r.rocpd_kernel_dispatch d join r.rocpd_event e on e.id = d.event_id join r.rocpd_info_thread t on t.id = d.tid join r.rocpd_info_agent a on a.id = d.agent_id join r.rocpd_info_kernel_symbol k on k.id = d.kernel_id;
create temp view t_db_dispatch as select * from dispatches where node is not null;
-- compare rocpd_kernel_dispatch internal,thread,start,end,node,called,dispatch,private,"group",wx,wy,wz,gx,gy,gz t_db_dispatch o_db_dispatch
create temp view o_db_copy as select printf('%u', e.stack_id) as internal, printf('%u', t.tid) as thread, printf('%u', x.start) as start, printf('%u', x.end) as end, n.string as direction, cast(d.absolute_index as text) as to_node, cast(s.absolute_index as text) as from_node,
	printf('%u', x.size) as bytes, printf('%u', x.dst_address) as to_address, printf('%u', x.src_address) as from_address
	from r.rocpd_memory_copy x join r.rocpd_event e on e.id = x.event_id join r.rocpd_info_thread t on t.id = x.tid join r.rocpd_string n on n.id = x.name_id
	left join r.rocpd_info_agent d on d.id = x.dst_agent_id left join r.rocpd_info_agent s on s.id = x.src_agent_id;
-- compare rocpd_memory_copy internal,thread,start,end,direction,to_node,from_node,bytes,to_address,from_address copies o_db_copy
create temp view o_db_memory as select printf('%u', e.stack_id) as internal, printf('%u', t.tid) as thread, printf('%u', x.start) as start, printf('%u', x.end) as end, x.level, x.type, cast(a.absolute_index as text) as node, printf('%u', x.size) as bytes
	from r.rocpd_memory_allocate x join r.rocpd_event e on e.id = x.event_id join r.rocpd_info_thread t on t.id = x.tid left join r.rocpd_info_agent a on a.id = x.agent_id;
create temp view t_db_memory as select internal, thread, start, end, case when operation in ('2', '4') then 'VIRTUAL' else 'REAL' end as level, case when operation in ('1', '2') then 'ALLOC' else 'FREE' end as type, node, bytes from allocations
	union all select internal, thread, start, end, 'SCRATCH', case operation when '1' then 'ALLOC' when '2' then 'FREE' else 'RECLAIM' end, node, bytes from scratches;
-- compare rocpd_memory_allocate internal,thread,start,end,level,type,node,bytes t_db_memory o_db_memory
create temp view o_db_counters as select printf('%u', d.dispatch_id) as dispatch, i.name, printf('%.9g', sum(v.value)) as value from r.rocpd_pmc_event v join r.rocpd_info_pmc i on i.id = v.pmc_id join r.rocpd_kernel_dispatch d on d.event_id = v.event_id group by d.dispatch_id, i.name;
create temp view t_db_counters as select dispatch, counter_name as name, printf('%.9g', sum(value)) as value from counted where dispatch in (select dispatch from raw_dispatch) group by dispatch, counter_name;
-- compare rocpd_pmc_event dispatch,name,value t_db_counters o_db_counters
-- empty rocpd_foreign_keys select * from r.pragma_foreign_key_check
-- empty rocpd_unnamed_kernels select * from r.rocpd_info_kernel_symbol where display_name is null
