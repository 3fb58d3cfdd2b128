-- SPDX-License-Identifier: MIT
-- What the truth means.
-- A mark and the two kinds of ranges (of callback kind 21) have a message, which may be empty.
create table messages as select internal, replace(replace(replace(replace(replace(text, '\\', char(1)), '\n', char(10)), '\t', char(9)), '\r', char(13)), char(1), '\') as text
	from raw_marker where phase = '1' and (text <> '' or (kind = '21' and operation in ('0', '1', '2')));
create index by_message on messages(internal);
create table api as select a.*, case when kind_name like 'MARKER%' then m.text end as message, case when kind_name like 'MARKER%' and m.internal is not null then m.text else operation_name end as called
	from raw_api a left join messages m on m.internal = a.internal;
create table agents as select id, 'Agent ' || logical_node_id as label, type, node_id, name from raw_agent;
create table kernels as select k.*, coalesce(n.called, k.name) as called from (select distinct id, code_object, object, kernarg_size, kernarg_alignment,
	"group", private, sgprs, arch_vgprs, accum_vgprs, entry_offset, address, name from raw_kernel where phase = '1') k
	left join raw_names n on n.symbol = k.name;
create index by_kernel on kernels(id);
-- Kernels that nobody has told of have a number for a name.
create table dispatches as select d.*, coalesce(k.called, 'kernel ' || d.kernel) as called, coalesce(k.arch_vgprs, '0') as arch_vgprs, coalesce(k.accum_vgprs, '0') as accum_vgprs,
	coalesce(k.sgprs, '0') as sgprs, cast(coalesce(k."group", '0') as int) as static_group, coalesce(a.label, '') as label, a.node_id as node, cast(cast(d.external as int) & 0xffffffff as text) as stream
	from raw_dispatch d left join kernels k on k.id = d.kernel left join agents a on a.id = d.agent;
create table copies as select c.*, o.name as direction, coalesce(f.label, '') as source, coalesce(t.label, '') as destination, f.node_id as from_node, t.node_id as to_node, cast(cast(c.external as int) & 0xffffffff as text) as stream
	from raw_copy c join raw_operation o on o.kind = c.kind and o.operation = c.operation left join agents f on f.id = c.from_agent left join agents t on t.id = c.to_agent;
create table allocations as select c.*, o.name as called, coalesce(a.label, '') as label, a.node_id as node from raw_allocation c join raw_operation o on o.kind = c.kind and o.operation = c.operation left join agents a on a.id = c.agent;
create table scratches as select c.*, o.name as called, coalesce(a.label, '') as label, a.node_id as node from raw_scratch c join raw_operation o on o.kind = c.kind and o.operation = c.operation left join agents a on a.id = c.agent;
create index by_dispatch on raw_value(dispatch, context);
create index by_counter on raw_counter(id, agent);
create table counted as select c.*, v.counter, v.value, i.name as counter_name, coalesce(k.called, 'kernel ' || c.kernel) as called, coalesce(a.label, '') as label
	from raw_counted c join raw_value v on v.dispatch = c.dispatch and v.context = c.context left join raw_counter i on i.id = v.counter and i.agent = c.agent
	left join kernels k on k.id = c.kernel left join agents a on a.id = c.agent;
