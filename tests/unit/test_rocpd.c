/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "made_trace.h"
#include "unity.h"

static struct trace trace;
static struct settings settings;
static struct err err;
static char folder[32], base[64], path[96];
static char wrote_path[4096];
static uint64_t wrote_bytes;
static sqlite3 *db;
static struct conversion conversion;

static void wrote(void *ctx, const char *file, uint64_t bytes)
{
	TEST_ASSERT_EQUAL_PTR(&trace, ctx);
	snprintf(wrote_path, sizeof wrote_path, "%s", file);
	wrote_bytes = bytes;
}

void setUp(void)
{
	memset(&err, 0, sizeof err);
	strcpy(folder, "/tmp/rocpd-XXXXXX");
	TEST_ASSERT_NOT_NULL(mkdtemp(folder));
	snprintf(base, sizeof base, "%s/out", folder);
	snprintf(path, sizeof path, "%s_results.db", base);
	made_trace(&trace);
	conversion = (struct conversion){ .trace = &trace, .settings = &settings, .base = base, .wrote = wrote, .ctx = &trace };
	wrote_path[0] = '\0';
	db = NULL;
}

void tearDown(void)
{
	sqlite3_close(db);
	unlink(path);
	rmdir(folder);
}

static void write_and_open(void)
{
	int rc = rocpd_write(&conversion, &err);
	TEST_ASSERT_EQUAL_MESSAGE(0, rc, err.text);
	TEST_ASSERT_EQUAL(SQLITE_OK, sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL));
}

/* All rows and columns of a query: columns with |, rows with a newline. */
static char *ask(const char *sql)
{
	static char answer[8192];
	sqlite3_stmt *stmt;
	TEST_ASSERT_EQUAL_MESSAGE(SQLITE_OK, sqlite3_prepare_v2(db, sql, -1, &stmt, NULL), sqlite3_errmsg(db));
	size_t used = 0;
	int rc;
	answer[0] = '\0';
	while ((rc = sqlite3_step(stmt)) == SQLITE_ROW)
		for (int i = 0, n = sqlite3_column_count(stmt); i < n; i++) {
			const char *cell = (const char *)sqlite3_column_text(stmt, i);
			used += (size_t)snprintf(answer + used, sizeof answer - used, "%s%s", i ? "|" : used ? "\n" : "", cell ? cell : "NULL");
			TEST_ASSERT_TRUE(used < sizeof answer);
		}
	TEST_ASSERT_EQUAL_MESSAGE(SQLITE_DONE, rc, sqlite3_errmsg(db));
	sqlite3_finalize(stmt);
	return answer;
}

#define EXPECT(expected, sql) TEST_ASSERT_EQUAL_STRING(expected, ask(sql))

static void test_the_database_is_whole_and_every_reference_leads_somewhere(void)
{
	write_and_open();
	EXPECT("ok", "PRAGMA integrity_check");
	EXPECT("", "PRAGMA foreign_key_check");
	TEST_ASSERT_EQUAL_STRING(path, wrote_path);
	struct stat st;
	TEST_ASSERT_EQUAL(0, stat(path, &st));
	TEST_ASSERT_EQUAL_UINT64(st.st_size, wrote_bytes);
}

static void test_tables_carry_the_recordings_own_suffix(void)
{
	write_and_open();
	EXPECT("schema_version|3\nuuid|_019a86e8_e000_7788_9667_bbccddeeff00\nguid|019a86e8-e000-7788-9667-bbccddeeff00",
	       "SELECT tag, value FROM rocpd_metadata ORDER BY id");
	EXPECT("20|20", "SELECT count(*), sum(name LIKE '%\\_019a86e8\\_e000\\_7788\\_9667\\_bbccddeeff00' ESCAPE '\\') "
	       "FROM sqlite_schema WHERE type = 'table'");
	EXPECT("1", "SELECT count(DISTINCT guid) FROM (SELECT guid FROM rocpd_event UNION SELECT guid FROM rocpd_info_agent "
	       "UNION SELECT substr(value, 1) FROM rocpd_metadata WHERE tag = 'guid')");
}

static void test_every_view_answers(void)
{
	static const char *const view[] = {
		"code_objects", "kernel_symbols", "processes", "threads", "regions", "region_args", "samples", "sample_regions",
		"regions_and_samples", "kernels", "pmc_info", "pmc_events", "events_args", "stream_args", "memory_copies",
		"memory_allocations", "scratch_memory", "counters_collection", "top_kernels", "busy", "top",
	};
	static const char *const rows[] = {
		"2", "3", "1", "4", "4", "0", "1", "1", "5", "4", "3", "4", "0", "0", "1", "5", "2", "3", "3", "2", "8",
	};
	char sql[128];
	write_and_open();
	for (size_t i = 0; i < sizeof view / sizeof *view; i++) {
		snprintf(sql, sizeof sql, "SELECT count(*) FROM \"%s\"", view[i]);
		TEST_ASSERT_EQUAL_STRING_MESSAGE(rows[i], ask(sql), view[i]);
		snprintf(sql, sizeof sql, "SELECT * FROM \"%s\"", view[i]);
		ask(sql);
	}
	EXPECT("41", "SELECT count(*) FROM sqlite_schema WHERE type = 'view'");
}

static void test_what_upstream_reads_of_the_views_is_there(void)
{
	write_and_open();
	ask("SELECT guid, agent_log_index, agent_abs_index, agent_type, agent_type_index, queue_id, stream_id, tid, dispatch_id, kernel_id, "
	    "region, name, stack_id, start, end, lds_size, scratch_size, vgpr_count, accum_vgpr_count, sgpr_count, workgroup_x, grid_z "
	    "FROM kernels");
	ask("SELECT name, stream_id, src_agent_log_index, dst_agent_abs_index, src_agent_type, dst_agent_type_index, stack_id, start, end, "
	    "size FROM memory_copies");
	ask("SELECT type, level, agent_log_index, size, address, stack_id, start, end FROM memory_allocations");
	ask("SELECT operation, agent_log_index, queue_id, tid, alloc_flags, start, end FROM scratch_memory");
	ask("SELECT guid, stack_id, dispatch_id, agent_log_index, queue_id, pid, tid, grid_size, kernel_id, kernel_name, workgroup_size, "
	    "lds_block_size, scratch_size, vgpr_count, counter_name, value, start, end FROM counters_collection");
	ask("SELECT guid, category, name, pid, tid, stack_id, start, end, duration, extdata FROM regions_and_samples");
	EXPECT("hsa,hip,rccl,rocdecode", "SELECT group_concat(v.key) FROM rocpd_info_agent a, json_each(a.extdata, '$.runtime_visibility') v "
	       "WHERE a.name = 'gfx942'");
	EXPECT("4|1|GPU|304|1|0|2|1024", "SELECT json_extract(extdata, '$.node_id'), json_extract(extdata, '$.logical_node_id'), type, "
	       "json_extract(extdata, '$.cu_count'), json_extract(extdata, '$.fw_version.uCode'), "
	       "json_extract(extdata, '$.capability.HotPluggable'), json_extract(extdata, '$.capability.WatchPointsTotalBits') - 9, "
	       "json_extract(extdata, '$.workgroup_max_dim.x') FROM rocpd_info_agent WHERE name = 'gfx942'");
}

static void test_circumstances(void)
{
	write_and_open();
	EXPECT("abcdef|Linux|node1|6.1|#1|x86_64|(none)",
	       "SELECT machine_id, system_name, hostname, release, version, hardware_name, domain_name FROM rocpd_info_node");
	EXPECT("4711|4000|4711|999999500|1000020000|./app it's \"x\"|{}|roclatch",
	       "SELECT id, ppid, pid, init, fini, command, environment, json_extract(extdata, '$.tool') FROM rocpd_info_process");
	EXPECT("4711|4711|worker\n4712|4712|comm \xef\xbf\xbd\n4799|4799|silent\n5000|5000|NULL",
	       "SELECT id, tid, name FROM rocpd_info_thread ORDER BY id");
	EXPECT("0|CPU|0|0|AMD EPYC|NULL\n4|GPU|4|1|gfx942|AMD Instinct \"MI300X\"\n5|NULL|5|5|unknown|NULL",
	       "SELECT id, type, absolute_index, logical_index, name, nullif(product_name, 'EPYC') FROM rocpd_info_agent ORDER BY id");
	EXPECT("30583", "SELECT json_extract(extdata, '$.id.handle') FROM rocpd_info_agent WHERE id = 5");
	EXPECT("0|Default Queue\n2|Queue 2\n32546|Queue 32546", "SELECT id, name FROM rocpd_info_queue ORDER BY id");
	EXPECT("0|Default Stream\n3|Stream 3\n9|Stream 9", "SELECT id, name FROM rocpd_info_stream ORDER BY id");
	EXPECT("1|4|139637976731648|8192|MEMORY|99\n42|NULL|0|0|NULL|0",
	       "SELECT id, agent_id, load_base, load_size, storage_type, json_extract(extdata, '$.memory_size') FROM rocpd_info_code_object");
	EXPECT("5|1|_Z3addPfS_.kd|add(float*, float*)|600|16|32|24|4|-64|add\n6|1|mul.kd|mul|0|0|0|0|0|0|mul\n"
	       "99|42|kernel 99|kernel 99|0|0|0|0|0|0|kernel 99",
	       "SELECT id, code_object_id, kernel_name, display_name, group_segment_size, private_segment_size, sgpr_count, arch_vgpr_count, "
	       "accum_vgpr_count, json_extract(extdata, '$.kernel_code_entry_byte_offset'), json_extract(extdata, '$.truncated_kernel_name') "
	       "FROM rocpd_info_kernel_symbol ORDER BY id");
	EXPECT("300|4|SQ_WAVES|waves's number|0\n301|4|MEAN||1\n999|4|counter 999||0",
	       "SELECT id, agent_id, name, description, is_derived FROM rocpd_info_pmc ORDER BY id");
}

static void test_calls_are_regions_and_marks_are_samples(void)
{
	write_and_open();
	EXPECT("MARKER_CORE_RANGE_API|roctxThreadRangeA|4711|4711|1000000000|1000009000|1|0|0|step \"1\"\n\xef\xbf\xbd\n"
	       "HIP_RUNTIME_API|hipMalloc|4711|4711|1000000100|1000000900|2|1|0|NULL\n"
	       "HSA_CORE_API|hsa_memory_allocate|4711|4711|1000000200|1000000800|3|2|77|NULL\n"
	       "HIP_RUNTIME_API|hipGetDevice|4711|4711|1000000960|1000000960|5|1|0|NULL",
	       "SELECT category, name, pid, tid, start, end, stack_id, parent_stack_id, corr_id, json_extract(extdata, '$.message') "
	       "FROM regions ORDER BY start");
	EXPECT("MARKER_CORE_RANGE_API|roctxMarkA|4711|4712|1000000950|4|mark",
	       "SELECT category, name, pid, tid, timestamp, stack_id, json_extract(extdata, '$.message') FROM samples");
}

static void test_kernels(void)
{
	write_and_open();
	EXPECT("KERNEL_DISPATCH|step one|add(float*, float*)|4|1|GPU|5|1|2|3|1000002000|1000004000|6400x2x1|64x2x1|1024|32|24|600|6|6\n"
	       "KERNEL_DISPATCH|mul|mul|4|1|GPU|6|2|2|3|1000003000|1000005000|1x1x1|1x1x1|0|0|0|0|7|7\n"
	       "KERNEL_DISPATCH|kernel 99|kernel 99|5|5|NULL|99|700|32546|9|1000003100|1000003200|1x1x1|1x1x1|0|0|0|0|8|8\n"
	       "KERNEL_DISPATCH|mul|mul|4|1|GPU|6|3|2|0|1000008000|1000008500|8x1x1|8x1x1|0|0|0|0|14|14",
	       "SELECT category, region, name, agent_abs_index, agent_log_index, agent_type, kernel_id, dispatch_id, queue_id, stream_id, start, "
	       "end, grid_x || 'x' || grid_y || 'x' || grid_z, workgroup_x || 'x' || workgroup_y || 'x' || workgroup_z, lds_size, "
	       "scratch_size, vgpr_count, static_lds_size, stack_id, parent_stack_id FROM kernels ORDER BY start");
}

static void test_copies_and_memory(void)
{
	write_and_open();
	EXPECT("MEMORY_COPY|MEMORY_COPY_HOST_TO_DEVICE|1000005000|1000006000|4096|3|NULL|4|GPU|139706696204288|0|CPU|20480|9",
	       "SELECT category, name, start, end, size, stream_id, queue_id, dst_agent_abs_index, dst_agent_type, dst_address, "
	       "src_agent_abs_index, src_agent_type, src_address, stack_id FROM memory_copies");
	EXPECT("ALLOC|SCRATCH|4|65536|0|2\nRECLAIM|SCRATCH|4|0|0|2\nALLOC|REAL|4|4096|139706696204288|0\n"
	       "FREE|REAL|NULL|0|139706696204288|0\nALLOC|VIRTUAL|4|1048576|157298882248704|0",
	       "SELECT type, level, agent_abs_index, size, address, queue_id FROM memory_allocations ORDER BY level = 'SCRATCH' DESC, start");
	EXPECT("ALLOC|2|2|65536\nRECLAIM|0|2|0", "SELECT operation, alloc_flags, queue_id, size FROM scratch_memory");
}

static void test_counters_belong_to_their_dispatch(void)
{
	write_and_open();
	EXPECT("1|SQ_WAVES|64.5|add(float*, float*)|12800|128|step one\n1|MEAN|7.25|add(float*, float*)|12800|128|step one\n"
	       "3|counter 999|1.0|mul|8|8|mul",
	       "SELECT dispatch_id, counter_name, value, kernel_name, grid_size, workgroup_size, kernel_region FROM counters_collection "
	       "ORDER BY dispatch_id, counter_name DESC");
	EXPECT("4", "SELECT count(*) FROM rocpd_pmc_event V JOIN rocpd_kernel_dispatch K ON K.event_id = V.event_id");
}

static void test_sums(void)
{
	write_and_open();
	EXPECT("mul|2|2.5|1.25\nadd(float*, float*)|1|2.0|2.0\nkernel 99|1|0.1|0.1",
	       "SELECT name, total_calls, total_duration, average FROM top_kernels");
	EXPECT("4|GPU|5500|6500\n5|NULL|100|6500", "SELECT agent_id, type, GpuTime, WallTime FROM busy ORDER BY agent_id");
	EXPECT("100.0", "SELECT round(sum(percentage), 6) FROM top");
}

static void test_a_file_that_is_there_is_not_touched(void)
{
	int fd = open(path, O_CREAT | O_WRONLY, 0600);
	TEST_ASSERT_EQUAL(5, write(fd, "mine!", 5));
	close(fd);
	TEST_ASSERT_EQUAL(-1, rocpd_write(&conversion, &err));
	TEST_ASSERT_EQUAL(EEXIST, err.sys);
	struct stat st;
	TEST_ASSERT_EQUAL(0, stat(path, &st));
	TEST_ASSERT_EQUAL(5, st.st_size);
	TEST_ASSERT_EQUAL_STRING("", wrote_path);
}

static void test_what_cannot_be_finished_is_removed(void)
{
	struct rlimit before, small = { 64 << 10, 64 << 10 };
	signal(SIGXFSZ, SIG_IGN);
	TEST_ASSERT_EQUAL(0, getrlimit(RLIMIT_FSIZE, &before));
	small.rlim_max = before.rlim_max;
	TEST_ASSERT_EQUAL(0, setrlimit(RLIMIT_FSIZE, &small));
	int rc = rocpd_write(&conversion, &err);
	setrlimit(RLIMIT_FSIZE, &before);
	TEST_ASSERT_EQUAL(-1, rc);
	TEST_ASSERT_NOT_NULL(strstr(err.text, path));
	TEST_ASSERT_NOT_EQUAL(0, err.sys);
	TEST_ASSERT_EQUAL(-1, access(path, F_OK));
	TEST_ASSERT_EQUAL_STRING("", wrote_path);
}

static int damaged_each(struct trace *t, unsigned domains, event_visit *visit, void *ctx, struct err *why)
{
	made_each(t, domains, visit, ctx, why);
	return err_set(why, ERR_FAILED, 0, "the log is gone");
}

static void test_a_recording_that_cannot_be_read_leaves_no_file(void)
{
	const struct trace_source source = { .each = damaged_each };
	trace.source = &source;
	TEST_ASSERT_EQUAL(-1, rocpd_write(&conversion, &err));
	TEST_ASSERT_EQUAL_STRING("the log is gone", err.text);
	TEST_ASSERT_EQUAL(-1, access(path, F_OK));
}

static int no_each(struct trace *t, unsigned domains, event_visit *visit, void *ctx, struct err *why)
{
	(void)t, (void)domains, (void)visit, (void)ctx, (void)why;
	return 0;
}

static void test_an_empty_recording_is_a_database_too(void)
{
	const struct trace_source nothing = { .each = no_each };
	trace = (struct trace){ .source = &nothing, .pid = 1 };
	write_and_open();
	EXPECT("", "PRAGMA foreign_key_check");
	EXPECT("unknown|1|0", "SELECT machine_id, (SELECT pid FROM processes), (SELECT count(*) FROM rocpd_event) FROM rocpd_info_node");
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_the_database_is_whole_and_every_reference_leads_somewhere);
	RUN_TEST(test_tables_carry_the_recordings_own_suffix);
	RUN_TEST(test_every_view_answers);
	RUN_TEST(test_what_upstream_reads_of_the_views_is_there);
	RUN_TEST(test_circumstances);
	RUN_TEST(test_calls_are_regions_and_marks_are_samples);
	RUN_TEST(test_kernels);
	RUN_TEST(test_copies_and_memory);
	RUN_TEST(test_counters_belong_to_their_dispatch);
	RUN_TEST(test_sums);
	RUN_TEST(test_a_file_that_is_there_is_not_touched);
	RUN_TEST(test_what_cannot_be_finished_is_removed);
	RUN_TEST(test_a_recording_that_cannot_be_read_leaves_no_file);
	RUN_TEST(test_an_empty_recording_is_a_database_too);
	return UNITY_END();
}
