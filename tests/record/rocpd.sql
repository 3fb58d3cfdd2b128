-- SPDX-License-Identifier: MIT
-- rocpd: through its own plain names.
create temp view o_db_api as select c.string as kind_name, n.string as operation, e.correlation_id as internal, e.parent_stack_id as ancestor, x.start, x.end, t.tid as thread
	from r.rocpd_region x join r.rocpd_event e on e.id = x.event_id join r.rocpd_string c on c.id = e.category_id join r.rocpd_string n on n.id = x.name_id join r.rocpd_info_thread t on t.id = x.tid;
-- compare rocpd_region kind_name,internal,start,end,thread api o_db_api
create temp view o_db_dispatch as select e.correlation_id as internal, t.tid as thread, d.start, d.end, a.absolute_index as node, d.kernel_id as kernel, k.kernel_name as name, k.display_name as called, d.dispatch_id as dispatch,
	d.private_segment_size as private, d.group_segment_size as "group", d.workgroup_size_x as wx, d.workgroup_size_y as wy, d.workgroup_size_z as wz, d.grid_size_x as gx, d.grid_size_y as gy, d.grid_size_z as gz
	from r.rocpd_kernel_dispatch d join r.rocpd_event e on e.id = d.event_id join r.rocpd_info_thread t on t.id = d.tid join r.rocpd_info_agent a on a.id = d.agent_id join r.rocpd_info_kernel_symbol k on k.id = d.kernel_id;
create temp view t_db_dispatch as select d.internal, d.thread, d.start, d.end, a.node_id as node, d.kernel, d.called, d.dispatch, d.private, d."group", d.wx, d.wy, d.wz, d.gx, d.gy, d.gz
	from dispatches d join agents a on a.id = d.agent;
-- compare rocpd_kernel_dispatch internal,thread,start,end,node,called,dispatch,private,"group",wx,wy,wz,gx,gy,gz t_db_dispatch o_db_dispatch
create temp view o_db_copy as select e.correlation_id as internal, t.tid as thread, x.start, x.end, n.string as direction, d.absolute_index as to_node, s.absolute_index as from_node, x.size as bytes, x.dst_address as to_address, x.src_address as from_address
	from r.rocpd_memory_copy x join r.rocpd_event e on e.id = x.event_id join r.rocpd_info_thread t on t.id = x.tid join r.rocpd_string n on n.id = x.name_id
	left join r.rocpd_info_agent d on d.id = x.dst_agent_id left join r.rocpd_info_agent s on s.id = x.src_agent_id;
create temp view t_db_copy as select internal, thread, start, end, o.name as direction, t.node_id as to_node, f.node_id as from_node, bytes, to_address, from_address
	from raw_copy c join operations o on o.kind = c.kind and o.operation = c.operation left join agents f on f.id = c.from_agent left join agents t on t.id = c.to_agent;
-- compare rocpd_memory_copy internal,thread,start,end,direction,to_node,from_node,bytes,to_address,from_address t_db_copy o_db_copy
create temp view o_db_memory as select e.correlation_id as internal, t.tid as thread, x.start, x.end, x.level, x.type, a.absolute_index as node, x.size as bytes, x.address
	from r.rocpd_memory_allocate x join r.rocpd_event e on e.id = x.event_id join r.rocpd_info_thread t on t.id = x.tid left join r.rocpd_info_agent a on a.id = x.agent_id;
create temp view t_db_memory as select internal, thread, start, end, case when operation in (2, 4) then 'VIRTUAL' else 'REAL' end as level, case when operation in (1, 2) then 'ALLOC' else 'FREE' end as type,
	a.node_id as node, bytes, address from raw_allocation c left join agents a on a.id = c.agent
	union all select internal, thread, start, end, 'SCRATCH', case operation when 1 then 'ALLOC' when 2 then 'FREE' else 'RECLAIM' end, a.node_id, bytes, null from raw_scratch c left join agents a on a.id = c.agent;
-- compare rocpd_memory_allocate internal,thread,start,end,level,type,node,bytes t_db_memory o_db_memory
create temp view o_db_counters as select d.dispatch_id as dispatch, i.name, sum(v.value) as value from r.rocpd_pmc_event v join r.rocpd_info_pmc i on i.id = v.pmc_id join r.rocpd_kernel_dispatch d on d.event_id = v.event_id group by d.dispatch_id, i.name;
create temp view t_db_counters as select v.dispatch, i.name, sum(v.value) as value from raw_value v join raw_counter i on i.id = v.counter and i.agent = v.agent where v.dispatch in (select dispatch from raw_dispatch) group by v.dispatch, i.name;
-- empty rocpd_foreign_keys select * from r.pragma_foreign_key_check
-- empty rocpd_unnamed_kernels select * from r.rocpd_info_kernel_symbol where display_name is null
