/* SPDX-License-Identifier: MIT */
/*
 * The views by which rocpd's readers ask.  Names and columns are the schema's;
 * every join is by id and guid, as several recordings may be laid together.
 */
#include "rocp/formats/rocpd_parts.h"

#define ON(table, as, of, id) "rocpd_" table " " as " ON " as ".id = " of "." id " AND " as ".guid = " of ".guid "
#define JOIN(table, as, of, id) "JOIN " ON(table, as, of, id)
#define MAYBE(table, as, of, id) "LEFT JOIN " ON(table, as, of, id)
#define WORD(of, id) "(SELECT W.string FROM rocpd_string W WHERE W.id = " of "." id " AND W.guid = " of ".guid)"
#define CATEGORY WORD("E", "category_id") " AS category"
#define EXTRA(of, key, as) "json_extract(" of ".extdata, '$." key "') AS " as
#define STACK "E.stack_id, E.parent_stack_id, E.correlation_id AS corr_id"
#define AGENT(as, prefix) as ".absolute_index AS " prefix "agent_abs_index, " as ".logical_index AS " prefix "agent_log_index, " \
	as ".type_index AS " prefix "agent_type_index, " as ".type AS " prefix "agent_type"
#define NODE "N.id AS nid, N.machine_id, N.system_name, N.hostname, N.release AS system_release, N.version AS system_version"
#define TIMES(of) of ".start, " of ".end, (" of ".end - " of ".start) AS duration"
#define OF_SAMPLE(time) "SELECT R.id, R.guid, " CATEGORY ", " WORD("T", "name_id") " AS name, T.nid, P.pid, H.tid, " time \
	", R.event_id, " STACK ", E.extdata, E.call_stack, E.line_info FROM rocpd_sample R " JOIN("track", "T", "R", "track_id") \
	JOIN("event", "E", "R", "event_id") JOIN("info_process", "P", "T", "pid") JOIN("info_thread", "H", "T", "tid")
#define WORK "SELECT \"start\", \"end\" FROM rocpd_kernel_dispatch UNION ALL SELECT \"start\", \"end\" FROM rocpd_memory_copy"

static const char *const views[][2] = {
	{ "code_objects", "SELECT C.id, C.guid, C.nid, P.pid, A.absolute_index AS agent_abs_index, C.uri, C.load_base, C.load_size, "
		"C.load_delta, C.storage_type AS storage_type_str, " EXTRA("C", "size", "code_object_size") ", "
		EXTRA("C", "storage_type", "storage_type") ", " EXTRA("C", "memory_base", "memory_base") ", "
		EXTRA("C", "memory_size", "memory_size") " FROM rocpd_info_code_object C "
		MAYBE("info_agent", "A", "C", "agent_id") JOIN("info_process", "P", "C", "pid") },
	{ "kernel_symbols", "SELECT K.id, K.guid, K.nid, P.pid, K.code_object_id, K.kernel_name, K.display_name, K.kernel_object, "
		"K.kernarg_segment_size, K.kernarg_segment_alignment, K.group_segment_size, K.private_segment_size, K.sgpr_count, "
		"K.arch_vgpr_count, K.accum_vgpr_count, " EXTRA("K", "size", "kernel_symbol_size") ", "
		EXTRA("K", "kernel_id", "kernel_id") ", "
		EXTRA("K", "kernel_code_entry_byte_offset", "kernel_code_entry_byte_offset") ", "
		EXTRA("K", "formatted_kernel_name", "formatted_kernel_name") ", "
		EXTRA("K", "demangled_kernel_name", "demangled_kernel_name") ", "
		EXTRA("K", "truncated_kernel_name", "truncated_kernel_name") ", "
		EXTRA("K", "kernel_address.handle", "kernel_address")
		" FROM rocpd_info_kernel_symbol K " JOIN("info_process", "P", "K", "pid") },
	{ "processes", "SELECT " NODE ", P.guid, P.ppid, P.pid, P.init, P.start, P.end, P.fini, P.command FROM rocpd_info_process P "
		JOIN("info_node", "N", "P", "nid") },
	{ "threads", "SELECT " NODE ", P.guid, P.ppid, P.pid, T.tid, T.start, T.end, T.name FROM rocpd_info_thread T "
		JOIN("info_process", "P", "T", "pid") JOIN("info_node", "N", "T", "nid") },
	{ "regions", "SELECT R.id, R.guid, " CATEGORY ", " WORD("R", "name_id") " AS name, R.nid, P.pid, T.tid, " TIMES("R")
		", R.event_id, " STACK ", E.extdata, E.call_stack, E.line_info FROM rocpd_region R "
		JOIN("event", "E", "R", "event_id") JOIN("info_process", "P", "R", "pid") JOIN("info_thread", "T", "R", "tid") },
	{ "region_args", "SELECT R.id, R.guid, R.nid, P.pid, A.type, A.name, A.value FROM rocpd_region R "
		"JOIN rocpd_arg A ON A.event_id = R.event_id AND A.guid = R.guid " JOIN("info_process", "P", "R", "pid") },
	{ "samples", OF_SAMPLE("R.timestamp") },
	{ "sample_regions", OF_SAMPLE("R.timestamp AS \"start\", R.timestamp AS \"end\", 0 AS duration") },
	{ "regions_and_samples", "SELECT * FROM regions UNION ALL SELECT * FROM sample_regions" },
	{ "kernels", "SELECT K.id, K.guid, T.tid, " CATEGORY ", " WORD("K", "region_name_id") " AS region, S.display_name AS name, "
		"K.nid, P.pid, " AGENT("A", "") ", S.code_object_id, K.kernel_id, K.dispatch_id, K.stream_id, K.queue_id, "
		"Q.name AS queue, M.name AS stream, " TIMES("K") ", K.grid_size_x AS grid_x, K.grid_size_y AS grid_y, "
		"K.grid_size_z AS grid_z, K.workgroup_size_x AS workgroup_x, K.workgroup_size_y AS workgroup_y, "
		"K.workgroup_size_z AS workgroup_z, K.group_segment_size AS lds_size, K.private_segment_size AS scratch_size, "
		"S.arch_vgpr_count AS vgpr_count, S.accum_vgpr_count, S.sgpr_count, S.group_segment_size AS static_lds_size, "
		"S.private_segment_size AS static_scratch_size, K.event_id, " STACK " FROM rocpd_kernel_dispatch K "
		JOIN("info_agent", "A", "K", "agent_id") JOIN("event", "E", "K", "event_id")
		JOIN("info_kernel_symbol", "S", "K", "kernel_id") MAYBE("info_stream", "M", "K", "stream_id")
		MAYBE("info_queue", "Q", "K", "queue_id") JOIN("info_process", "P", "K", "pid")
		MAYBE("info_thread", "T", "K", "tid") },
	{ "pmc_info", "SELECT I.id, I.guid, I.nid, P.pid, A.absolute_index AS agent_abs_index, I.is_constant, I.is_derived, I.name, "
		"I.description, I.block, I.expression FROM rocpd_info_pmc I " MAYBE("info_agent", "A", "I", "agent_id")
		JOIN("info_process", "P", "I", "pid") },
	{ "pmc_events", "SELECT V.id, V.guid, V.pmc_id, E.id AS event_id, " CATEGORY ", S.display_name AS name, K.nid, P.pid, "
		"K.dispatch_id, " TIMES("K") ", I.name AS counter_name, V.value AS counter_value FROM rocpd_pmc_event V "
		JOIN("info_pmc", "I", "V", "pmc_id") JOIN("event", "E", "V", "event_id")
		"JOIN rocpd_kernel_dispatch K ON K.event_id = V.event_id AND K.guid = V.guid "
		JOIN("info_kernel_symbol", "S", "K", "kernel_id") JOIN("info_process", "P", "K", "pid") },
	{ "events_args", "SELECT E.id AS event_id, " CATEGORY ", E.stack_id, E.parent_stack_id, E.correlation_id, "
		"A.position AS arg_position, A.type AS arg_type, A.name AS arg_name, A.value AS arg_value, E.call_stack, E.line_info, "
		"A.extdata FROM rocpd_arg A " JOIN("event", "E", "A", "event_id") },
	{ "stream_args", "SELECT A.id AS argument_id, A.event_id, A.position AS arg_position, A.type AS arg_type, "
		"A.value AS arg_value, " EXTRA("A", "stream_id", "stream_id") ", S.nid, P.pid, S.name AS stream_name, S.extdata "
		"FROM rocpd_arg A JOIN rocpd_info_stream S ON S.id = json_extract(A.extdata, '$.stream_id') AND S.guid = A.guid "
		JOIN("info_process", "P", "S", "pid") "WHERE A.name = 'stream'" },
	{ "memory_copies", "SELECT M.id, M.guid, " CATEGORY ", M.nid, P.pid, T.tid, " TIMES("M") ", " WORD("M", "name_id") " AS name, "
		WORD("M", "region_name_id") " AS region_name, M.stream_id, M.queue_id, S.name AS stream_name, Q.name AS queue_name, "
		"M.size, D.name AS dst_device, " AGENT("D", "dst_") ", M.dst_address, F.name AS src_device, " AGENT("F", "src_")
		", M.src_address, " STACK " FROM rocpd_memory_copy M " MAYBE("info_agent", "D", "M", "dst_agent_id")
		MAYBE("info_agent", "F", "M", "src_agent_id") MAYBE("info_queue", "Q", "M", "queue_id")
		MAYBE("info_stream", "S", "M", "stream_id") JOIN("event", "E", "M", "event_id")
		JOIN("info_process", "P", "M", "pid") MAYBE("info_thread", "T", "M", "tid") },
	{ "memory_allocations", "SELECT M.id, M.guid, " CATEGORY ", M.nid, P.pid, T.tid, " TIMES("M") ", M.type, M.level, "
		"A.name AS agent_name, " AGENT("A", "") ", M.address, M.size, M.queue_id, Q.name AS queue_name, M.stream_id, "
		"S.name AS stream_name, " STACK " FROM rocpd_memory_allocate M " MAYBE("info_agent", "A", "M", "agent_id")
		MAYBE("info_queue", "Q", "M", "queue_id") MAYBE("info_stream", "S", "M", "stream_id")
		JOIN("event", "E", "M", "event_id") JOIN("info_process", "P", "M", "pid") MAYBE("info_thread", "T", "M", "tid") },
	{ "scratch_memory", "SELECT M.id, M.guid, M.nid, P.pid, M.type AS operation, A.name AS agent_name, " AGENT("A", "")
		", M.queue_id, T.tid, " EXTRA("M", "flags", "alloc_flags") ", " TIMES("M") ", M.size, M.address, "
		"E.correlation_id, " STACK ", " CATEGORY ", E.extdata AS event_extdata FROM rocpd_memory_allocate M "
		MAYBE("info_agent", "A", "M", "agent_id") JOIN("event", "E", "M", "event_id")
		JOIN("info_process", "P", "M", "pid") MAYBE("info_thread", "T", "M", "tid")
		"WHERE M.level = 'SCRATCH' ORDER BY M.start" },
	{ "counters_collection", "SELECT min(V.id) AS id, V.guid, K.dispatch_id, K.kernel_id, E.id AS event_id, E.correlation_id, "
		"E.stack_id, E.parent_stack_id, P.pid, T.tid, K.agent_id, " AGENT("A", "") ", K.queue_id, K.grid_size_x, "
		"K.grid_size_y, K.grid_size_z, (K.grid_size_x * K.grid_size_y * K.grid_size_z) AS grid_size, "
		"S.display_name AS kernel_name, " WORD("K", "region_name_id") " AS kernel_region, K.workgroup_size_x, "
		"K.workgroup_size_y, K.workgroup_size_z, "
		"(K.workgroup_size_x * K.workgroup_size_y * K.workgroup_size_z) AS workgroup_size, "
		"K.group_segment_size AS lds_block_size, K.private_segment_size AS scratch_size, S.arch_vgpr_count AS vgpr_count, "
		"S.accum_vgpr_count, S.sgpr_count, I.name AS counter_name, I.symbol AS counter_symbol, I.component, I.description, "
		"I.block, I.expression, I.value_type, I.id AS counter_id, sum(V.value) AS value, K.start, K.end, I.is_constant, "
		"I.is_derived, (K.end - K.start) AS duration, " CATEGORY ", K.nid, E.extdata, S.code_object_id "
		"FROM rocpd_pmc_event V " JOIN("info_pmc", "I", "V", "pmc_id") JOIN("event", "E", "V", "event_id")
		"JOIN rocpd_kernel_dispatch K ON K.event_id = V.event_id AND K.guid = V.guid "
		JOIN("info_agent", "A", "K", "agent_id") JOIN("info_kernel_symbol", "S", "K", "kernel_id")
		JOIN("info_process", "P", "K", "pid") MAYBE("info_thread", "T", "K", "tid")
		"GROUP BY V.guid, K.dispatch_id, I.name, K.agent_id" },
	/* Times of these three are in microseconds. */
	{ "top_kernels", "SELECT S.display_name AS name, count(*) AS total_calls, sum(K.end - K.start) / 1000.0 AS total_duration, "
		"(sum(K.end - K.start) / count(*)) / 1000.0 AS average, sum(K.end - K.start) * 100.0 / "
		"(SELECT sum(O.end - O.start) FROM rocpd_kernel_dispatch O) AS percentage FROM rocpd_kernel_dispatch K "
		JOIN("info_kernel_symbol", "S", "K", "kernel_id") "GROUP BY S.display_name ORDER BY total_duration DESC" },
	{ "busy", "SELECT B.agent_id, A.type, B.GpuTime, W.WallTime, B.GpuTime * 1.0 / W.WallTime AS Busy FROM "
		"(SELECT agent_id, guid, sum(\"end\" - \"start\") AS GpuTime FROM "
		"(SELECT agent_id, guid, \"start\", \"end\" FROM rocpd_kernel_dispatch UNION ALL "
		"SELECT dst_agent_id, guid, \"start\", \"end\" FROM rocpd_memory_copy) GROUP BY agent_id, guid) B "
		"CROSS JOIN (SELECT max(\"end\") - min(\"start\") AS WallTime FROM (" WORK ")) W "
		"JOIN rocpd_info_agent A ON A.id = B.agent_id AND A.guid = B.guid" },
	{ "top", "SELECT D.name, count(*) AS total_calls, sum(D.duration) / 1000.0 AS total_duration, "
		"(sum(D.duration) / count(*)) / 1000.0 AS average, sum(D.duration) * 100.0 / Z.total_time AS percentage FROM "
		"(SELECT S.display_name AS name, K.end - K.start AS duration FROM rocpd_kernel_dispatch K "
		JOIN("info_kernel_symbol", "S", "K", "kernel_id")
		"UNION ALL SELECT S.string, M.end - M.start FROM rocpd_memory_copy M " JOIN("string", "S", "M", "name_id")
		"UNION ALL SELECT S.string, R.end - R.start FROM rocpd_region R " JOIN("string", "S", "R", "name_id") ") D "
		"CROSS JOIN (SELECT sum(\"end\" - \"start\") AS total_time FROM (" WORK
		" UNION ALL SELECT \"start\", \"end\" FROM rocpd_region)) Z GROUP BY D.name ORDER BY total_duration DESC" },
};

int rocpd_make_views(struct rocpd *rocpd, struct err *err)
{
	for (size_t i = 0; i < sizeof views / sizeof *views; i++)
		if (rocpd_run(rocpd, err, "CREATE VIEW \"%s\" AS %s", views[i][0], views[i][1]) < 0)
			return -1;
	return 0;
}
