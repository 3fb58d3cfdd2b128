-- SPDX-License-Identifier: MIT
-- What the truth means.
create view texts as select internal, replace(replace(replace(replace(replace(text, '\\', char(1)), '\n', char(10)), '\t', char(9)), '\r', char(13)), char(1), '\') as text
	from raw_marker where phase = 1 and text <> '';
create view api as select a.*, coalesce(t.text, a.operation_name) as called, t.text as message from raw_api a
	left join texts t on t.internal = a.internal and a.kind_name like 'MARKER%';
create view agents as select id, 'Agent ' || logical_node_id as label, type, node_id, name from raw_agent;
create view kernels as select k.*, coalesce(n.called, k.name) as called from (select distinct id, code_object, object, kernarg_size, kernarg_alignment,
	"group", private, sgprs, arch_vgprs, accum_vgprs, entry_offset, address, name from raw_kernel where phase = 1) k
	left join raw_names n on n.symbol = k.name;
create view dispatches as select d.*, k.called, k.arch_vgprs, k.accum_vgprs, k.sgprs, k."group" as static_group, a.label,
	d.external & 0xffffffff as stream from raw_dispatch d join kernels k on k.id = d.kernel join agents a on a.id = d.agent;
create view operations as select kind, operation, name from raw_operation;
