/* SPDX-License-Identifier: MIT */
/* rocpd databases as rocprofv3 writes them, made with SQL: schema 3, tables with a suffix, views without it. */
#ifndef ROCLATCH_TESTS_MADE_ROCPD_H
#define ROCLATCH_TESTS_MADE_ROCPD_H

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MADE_GUID "0190a1b2-c3d4-7e5f-8091-a2b3c4d5e6f7"
#define MADE_SUFFIX "_0190a1b2_c3d4_7e5f_8091_a2b3c4d5e6f7"
#define MADE_SUFFIX2 "_0190a1b2_c3d4_7e5f_8091_a2b3c4d5e6f8"

/* Every @ stands for the suffix. */
static inline void made_sql(sqlite3 *db, const char *suffix, const char *sql)
{
	sqlite3_str *text = sqlite3_str_new(db);
	for (; *sql; sql++)
		if (*sql == '@')
			sqlite3_str_appendall(text, suffix);
		else
			sqlite3_str_appendchar(text, 1, *sql);
	char *whole = sqlite3_str_finish(text), *why = NULL;
	if (sqlite3_exec(db, whole, NULL, NULL, &why) != SQLITE_OK) {
		fprintf(stderr, "%s\n%s\n", whole, why);
		abort();
	}
	sqlite3_free(whole);
}

static const char made_tables[] =
	"CREATE TABLE rocpd_metadata@ (id INTEGER PRIMARY KEY, tag TEXT NOT NULL, value TEXT NOT NULL);"
	"CREATE TABLE rocpd_string@ (id INTEGER PRIMARY KEY, guid TEXT, string TEXT NOT NULL UNIQUE);"
	"CREATE TABLE rocpd_info_node@ (id INTEGER PRIMARY KEY, guid TEXT, hash BIGINT, machine_id TEXT, system_name TEXT, hostname TEXT,"
	" release TEXT, version TEXT, hardware_name TEXT, domain_name TEXT);"
	"CREATE TABLE rocpd_info_process@ (id INTEGER PRIMARY KEY, guid TEXT, nid INTEGER, ppid INTEGER, pid INTEGER, init BIGINT,"
	" fini BIGINT, start BIGINT, \"end\" BIGINT, command TEXT, environment JSONB DEFAULT '{}', extdata JSONB DEFAULT '{}');"
	"CREATE TABLE rocpd_info_thread@ (id INTEGER PRIMARY KEY, guid TEXT, nid INTEGER, ppid INTEGER, pid INTEGER, tid INTEGER,"
	" name TEXT, start BIGINT, \"end\" BIGINT, extdata JSONB DEFAULT '{}');"
	"CREATE TABLE rocpd_info_agent@ (id INTEGER PRIMARY KEY, guid TEXT, nid INTEGER, pid INTEGER, type TEXT, absolute_index INTEGER,"
	" logical_index INTEGER, type_index INTEGER, uuid INTEGER, name TEXT, model_name TEXT, vendor_name TEXT, product_name TEXT,"
	" user_name TEXT, extdata JSONB DEFAULT '{}');"
	"CREATE TABLE rocpd_info_queue@ (id INTEGER PRIMARY KEY, guid TEXT, nid INTEGER, pid INTEGER, name TEXT, extdata JSONB DEFAULT '{}');"
	"CREATE TABLE rocpd_info_stream@ (id INTEGER PRIMARY KEY, guid TEXT, nid INTEGER, pid INTEGER, name TEXT, extdata JSONB DEFAULT '{}');"
	"CREATE TABLE rocpd_info_pmc@ (id INTEGER PRIMARY KEY, guid TEXT, nid INTEGER, pid INTEGER, agent_id INTEGER, target_arch TEXT,"
	" event_code INT, instance_id INT, name TEXT, symbol TEXT, description TEXT, long_description TEXT, component TEXT, units TEXT,"
	" value_type TEXT, block TEXT, expression TEXT, is_constant INTEGER, is_derived INTEGER, extdata JSONB DEFAULT '{}');"
	"CREATE TABLE rocpd_info_code_object@ (id INTEGER PRIMARY KEY, guid TEXT, nid INTEGER, pid INTEGER, agent_id INTEGER, uri TEXT,"
	" load_base BIGINT, load_size BIGINT, load_delta BIGINT, storage_type TEXT, extdata JSONB DEFAULT '{}');"
	"CREATE TABLE rocpd_info_kernel_symbol@ (id INTEGER PRIMARY KEY, guid TEXT, nid INTEGER, pid INTEGER, code_object_id INTEGER,"
	" kernel_name TEXT, display_name TEXT, kernel_object INTEGER, kernarg_segment_size INTEGER, kernarg_segment_alignment INTEGER,"
	" group_segment_size INTEGER, private_segment_size INTEGER, sgpr_count INTEGER, arch_vgpr_count INTEGER, accum_vgpr_count INTEGER,"
	" extdata JSONB DEFAULT '{}');"
	"CREATE TABLE rocpd_track@ (id INTEGER PRIMARY KEY, guid TEXT, nid INTEGER, pid INTEGER, tid INTEGER, name_id INTEGER,"
	" extdata JSONB DEFAULT '{}');"
	"CREATE TABLE rocpd_event@ (id INTEGER PRIMARY KEY, guid TEXT, category_id INTEGER, stack_id INTEGER, parent_stack_id INTEGER,"
	" correlation_id INTEGER, call_stack JSONB DEFAULT '{}', line_info JSONB DEFAULT '{}', extdata JSONB DEFAULT '{}');"
	"CREATE TABLE rocpd_arg@ (id INTEGER PRIMARY KEY, guid TEXT, event_id INTEGER, position INTEGER, type TEXT, name TEXT, value TEXT,"
	" extdata JSONB DEFAULT '{}');"
	"CREATE TABLE rocpd_pmc_event@ (id INTEGER PRIMARY KEY, guid TEXT, event_id INTEGER, pmc_id INTEGER, value DOUBLE,"
	" extdata JSONB DEFAULT '{}');"
	"CREATE TABLE rocpd_region@ (id INTEGER PRIMARY KEY, guid TEXT, nid INTEGER, pid INTEGER, tid INTEGER, start BIGINT, \"end\" BIGINT,"
	" name_id INTEGER, event_id INTEGER, extdata JSONB DEFAULT '{}');"
	"CREATE TABLE rocpd_sample@ (id INTEGER PRIMARY KEY, guid TEXT, track_id INTEGER, timestamp BIGINT, event_id INTEGER,"
	" extdata JSONB DEFAULT '{}');"
	"CREATE TABLE rocpd_kernel_dispatch@ (id INTEGER PRIMARY KEY, guid TEXT, nid INTEGER, pid INTEGER, tid INTEGER, agent_id INTEGER,"
	" kernel_id INTEGER, dispatch_id INTEGER, queue_id INTEGER, stream_id INTEGER, start BIGINT, \"end\" BIGINT,"
	" private_segment_size INTEGER, group_segment_size INTEGER, workgroup_size_x INTEGER, workgroup_size_y INTEGER,"
	" workgroup_size_z INTEGER, grid_size_x INTEGER, grid_size_y INTEGER, grid_size_z INTEGER, region_name_id INTEGER,"
	" event_id INTEGER, extdata JSONB DEFAULT '{}');"
	"CREATE TABLE rocpd_memory_copy@ (id INTEGER PRIMARY KEY, guid TEXT, nid INTEGER, pid INTEGER, tid INTEGER, start BIGINT,"
	" \"end\" BIGINT, name_id INTEGER, dst_agent_id INTEGER, dst_address INTEGER, src_agent_id INTEGER, src_address INTEGER,"
	" size INTEGER, queue_id INTEGER, stream_id INTEGER, region_name_id INTEGER, event_id INTEGER, extdata JSONB DEFAULT '{}');"
	"CREATE TABLE rocpd_memory_allocate@ (id INTEGER PRIMARY KEY, guid TEXT, nid INTEGER, pid INTEGER, tid INTEGER, agent_id INTEGER,"
	" type TEXT, level TEXT, start BIGINT, \"end\" BIGINT, address INTEGER, size INTEGER, queue_id INTEGER, stream_id INTEGER,"
	" event_id INTEGER, extdata JSONB DEFAULT '{}');";

/* A process that calls, copies, computes, marks and counts. */
static const char made_rows[] =
	"INSERT INTO rocpd_metadata@ (tag, value) VALUES ('schema_version', '3'), ('uuid', '@'), ('guid', '" MADE_GUID "');"
	"INSERT INTO rocpd_string@ (id, string) VALUES (1, ''), (2, 'HIP_RUNTIME_API'), (3, 'hipMemcpy'), (4, 'KERNEL_DISPATCH'),"
	" (5, 'MEMORY_COPY'), (6, 'MEMORY_COPY_HOST_TO_DEVICE'), (7, 'MARKER_CORE_RANGE_API'), (8, 'roctxThreadRangeA'),"
	" (9, 'MEMORY_ALLOCATION'), (10, 'SCRATCH_MEMORY'), (11, 'hipLaunchKernel'), (12, 'OMPT'), (13, 'omp_thread_begin'),"
	" (14, 'step 1'), (15, 'void run<float>(float*)'), (16, 'NEWER_API');"
	"INSERT INTO rocpd_info_node@ VALUES (77, '', 1, 'abc123', 'Linux', 'node17', '6.8', '#1 SMP', 'x86_64', '(none)');"
	"INSERT INTO rocpd_info_process@ (id, nid, ppid, pid, start, \"end\", command, environment) VALUES (4711, 77, 4710, 4711, 1000,"
	" 90000, '/opt/app/solver --size 3', '{\"ROCPROF_KERNEL_TRACE\":\"1\",\"HOME\":\"/root\"}');"
	"INSERT INTO rocpd_info_thread@ (id, nid, ppid, pid, tid, name) VALUES (4711, 77, 4710, 4711, 4711, 'solver'),"
	" (2, 77, 4710, 4711, 4712, NULL);"
	"INSERT INTO rocpd_info_agent@ (id, nid, pid, type, absolute_index, logical_index, type_index, name, model_name, vendor_name,"
	" product_name, extdata) VALUES (0, 77, 4711, 'CPU', 0, 0, 0, 'EPYC', '', 'CPU', 'EPYC 7763', '{}'),"
	" (1, 77, 4711, 'GPU', 1, 1, 0, 'gfx90a', 'aqua', 'AMD', 'MI250X', '{\"id\":{\"handle\":200},\"cu_count\":104,\"simd_count\":416,"
	"\"wave_front_size\":64,\"gpu_id\":51001,\"workgroup_max_dim\":{\"x\":1024,\"y\":1025,\"z\":1026}}');"
	"INSERT INTO rocpd_info_queue@ (id, name) VALUES (0, 'Default Queue'), (1, 'Queue 0');"
	"INSERT INTO rocpd_info_stream@ (id, name) VALUES (0, 'Default Stream'), (3, 'Stream 0');"
	"INSERT INTO rocpd_info_pmc@ (id, agent_id, name, symbol, description, block, expression, is_constant, is_derived) VALUES"
	" (7001, 1, 'SQ_WAVES', 'SQ_WAVES', 'waves', 'SQ', '', 0, 0), (7002, 1, 'Busy', 'Busy', 'busy', '', 'a/b', 0, 1);"
	"INSERT INTO rocpd_info_code_object@ (id, agent_id, uri, load_base, load_size, load_delta, storage_type, extdata) VALUES"
	" (1, 1, 'file:///opt/app', 4096, 8192, -16, 'FILE', '{\"memory_base\":5,\"memory_size\":6}');"
	"INSERT INTO rocpd_info_kernel_symbol@ (id, code_object_id, kernel_name, display_name, kernel_object, sgpr_count, arch_vgpr_count,"
	" accum_vgpr_count, group_segment_size) VALUES (5, 1, '_Z3runIfEvPT_.kd', 'void run<float>(float*)', 64, 32, 24, 4, 512);"
	"INSERT INTO rocpd_event@ (id, category_id, stack_id, parent_stack_id, correlation_id, extdata) VALUES"
	" (1, 2, 10, 9, 55, '{}'), (2, 2, 11, 9, 0, '{}'), (3, 7, 9, 0, 0, '{\"message\":\"a \\\"text\\\"\"}'),"
	" (4, 7, 12, 0, 0, '{\"message\":\"now\"}'), (5, 4, 11, 11, 3, '{}'), (6, 4, 11, 11, 3, '{}'), (7, 5, 10, 10, 0, '{}'),"
	" (8, 9, 13, 9, 0, '{}'), (9, 9, 14, 0, 0, '{}'), (10, 10, 0, 0, 0, '{}'), (11, 12, 15, 0, 0, 'no json'), (12, 16, 16, 0, 0, '{}');"
	"INSERT INTO rocpd_region@ (id, tid, start, \"end\", name_id, event_id) VALUES (10, 4711, 2000, 3000, 3, 1),"
	" (11, 2, 4000, 4500, 11, 2), (9, 4711, 1500, 8000, 8, 3), (15, 4711, 100, 200, 13, 11), (16, 4711, 1, 2, 99, 12);"
	"INSERT INTO rocpd_track@ (id, tid, name_id) VALUES (1, 4711, 7);"
	"INSERT INTO rocpd_sample@ (id, track_id, timestamp, event_id) VALUES (12, 1, 7000, 4);"
	"INSERT INTO rocpd_kernel_dispatch@ (id, tid, agent_id, kernel_id, dispatch_id, queue_id, stream_id, start, \"end\","
	" private_segment_size, group_segment_size, workgroup_size_x, workgroup_size_y, workgroup_size_z, grid_size_x, grid_size_y,"
	" grid_size_z, region_name_id, event_id) VALUES (1, 2, 1, 5, 1, 1, 3, 5000, 5600, 16, 1024, 256, 1, 1, 1024, 2, 1, 15, 5),"
	" (2, 2, 1, 8, 2, 1, 0, 5700, 5900, 0, 0, 64, 1, 1, 64, 1, 1, 14, 6);"
	"INSERT INTO rocpd_pmc_event@ (event_id, pmc_id, value) VALUES (5, 7001, 64), (6, 7001, 3), (5, 7002, 0.25);"
	"INSERT INTO rocpd_memory_copy@ (tid, start, \"end\", name_id, dst_agent_id, dst_address, src_agent_id, src_address, size, stream_id,"
	" event_id) VALUES (4711, 2100, 2900, 6, 1, 1193046, 0, 74565, 4096, 3, 7);"
	"INSERT INTO rocpd_memory_allocate@ (tid, agent_id, type, level, start, \"end\", address, size, queue_id, stream_id, event_id, extdata)"
	" VALUES (4711, 1, 'ALLOC', 'VIRTUAL', 1600, 1700, 1193046, 8192, 0, 0, 8, '{}'),"
	" (4711, NULL, 'FREE', 'REAL', 7100, 7200, 1193046, 0, 0, 0, 9, '{}'),"
	" (2, 1, 'ALLOC', 'SCRATCH', 4600, 4700, 0, 65536, 1, 0, 10, '{\"flags\":\"2\"}');";

static inline sqlite3 *made_rocpd_begin(const char *path)
{
	sqlite3 *db;
	remove(path);
	if (sqlite3_open(path, &db) != SQLITE_OK)
		abort();
	made_sql(db, "", "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF");
	return db;
}

static inline void made_rocpd(const char *path)
{
	sqlite3 *db = made_rocpd_begin(path);
	made_sql(db, MADE_SUFFIX, made_tables);
	made_sql(db, MADE_SUFFIX, made_rows);
	made_sql(db, MADE_SUFFIX, "CREATE VIEW rocpd_string AS SELECT * FROM rocpd_string@; CREATE VIEW rocpd_region AS SELECT * FROM rocpd_region@;");
	sqlite3_close(db);
}

/* The same, changed by SQL. */
static inline void made_rocpd_changed(const char *path, const char *sql)
{
	sqlite3 *db;
	made_rocpd(path);
	if (sqlite3_open(path, &db) != SQLITE_OK)
		abort();
	made_sql(db, MADE_SUFFIX, sql);
	sqlite3_close(db);
}

#endif
