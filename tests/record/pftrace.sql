-- SPDX-License-Identifier: MIT
-- Perfetto: the slices and instants, whose annotations have the record's own numbers.  Without
-- the schema protoc takes some names (hipMemcpy) for messages and escapes others: those are left to test_pftrace.
create view t_pf as select case when kind_name like 'HIP%' then 'hip_api' when kind_name like 'HSA%' then 'hsa_api' when kind_name like 'MARKER%' then 'marker_api' when kind_name like 'RCCL%' then 'rccl_api'
	when kind_name like 'ROCDECODE%' then 'rocdecode_api' else 'rocjpeg_api' end as category, called, start, end, thread, internal from api
	union all select 'kernel_dispatch', called, start, end, thread, internal from dispatches
	union all select 'memory_copy', direction, start, end, thread, internal from copies;
create view o_pf as select * from raw_pftrace where category in (select category from t_pf);
-- compare pftrace_events category,start,end,thread,internal t_pf o_pf
create table unread as select start, internal from o_pf where called = '';
create index by_unread on unread(start, internal);
create view t_pf_named as select * from t_pf where not exists (select 1 from unread u where u.start = t_pf.start and u.internal = t_pf.internal) and called not glob '*[^ !#-&(-[^-~]*' and called <> '' and called not like '%\%' and called not like '%]%';
create view o_pf_named as select * from o_pf where called not glob '*[^ !#-&(-[^-~]*' and called <> '' and called not like '%\%' and called not like '%]%';
-- compare pftrace_names category,called,start,internal t_pf_named o_pf_named
