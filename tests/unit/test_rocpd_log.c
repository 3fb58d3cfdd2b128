/* SPDX-License-Identifier: MIT */
/* A log with everything in it, as a database: each event is there, once, with what the log says of it. */
#include <sqlite3.h>
#include <stdio.h>
#include <sys/stat.h>

#include "made_log_everything.h"
#include "rocp/formats/formats.h"
#include "unity.h"

static struct trace trace, again;
static struct err err;
static char folder[40], log_path[64], base[64], path[96];
static sqlite3 *db;
static const struct settings settings;

void setUp(void)
{
	memset(&err, 0, sizeof err);
	strcpy(folder, "/tmp/rocpd-log-XXXXXX");
	TEST_ASSERT_NOT_NULL(mkdtemp(folder));
	snprintf(log_path, sizeof log_path, "%s/made.rlog", folder);
	snprintf(base, sizeof base, "%s/out", folder);
	snprintf(path, sizeof path, "%s_results.db", base);
	made_log_everything(log_path);
	TEST_ASSERT_EQUAL_MESSAGE(0, trace_open(&trace, log_path, &err), err.text);
	struct conversion conversion = { .trace = &trace, .settings = &settings, .base = base };
	TEST_ASSERT_EQUAL_MESSAGE(0, rocpd_write(&conversion, &err), err.text);
	TEST_ASSERT_EQUAL(SQLITE_OK, sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL));
}

void tearDown(void)
{
	sqlite3_close(db);
	trace_close(&trace);
	trace_close(&again);
	unlink(log_path);
	unlink(path);
	rmdir(folder);
}

/* The one row of a query whose ? are the event's start and correlation. */
static sqlite3_stmt *row_of(const struct event *event, const char *sql)
{
	sqlite3_stmt *row;
	TEST_ASSERT_EQUAL_MESSAGE(SQLITE_OK, sqlite3_prepare_v2(db, sql, -1, &row, NULL), sqlite3_errmsg(db));
	sqlite3_bind_int64(row, 1, (int64_t)event->start);
	sqlite3_bind_int64(row, 2, (int64_t)event->correlation);
	TEST_ASSERT_EQUAL_MESSAGE(SQLITE_ROW, sqlite3_step(row), event->operation_name);
	return row;
}

static void no_more(sqlite3_stmt *row)
{
	TEST_ASSERT_EQUAL(SQLITE_DONE, sqlite3_step(row));
	sqlite3_finalize(row);
}

#define NUMBER(row, at, expected) TEST_ASSERT_EQUAL_INT64((int64_t)(expected), sqlite3_column_int64(row, at))
#define TEXT(row, at, expected) TEST_ASSERT_EQUAL_STRING(expected, (const char *)sqlite3_column_text(row, at))

static void check_call(const struct event *event)
{
	sqlite3_stmt *row = row_of(event, "SELECT category, name, pid, tid, end, parent_stack_id, corr_id, json_extract(extdata, '$.message') "
				   "FROM regions_and_samples WHERE start = ? AND stack_id = ?");
	TEXT(row, 0, event->kind_name);
	TEXT(row, 1, event->operation_name);
	NUMBER(row, 2, trace.pid);
	NUMBER(row, 3, event->thread);
	NUMBER(row, 4, event->end);
	NUMBER(row, 5, event->ancestor);
	NUMBER(row, 6, event->external);
	TEXT(row, 7, event->text);
	no_more(row);
}

static void check_kernel(const struct event *event)
{
	const struct agent *agent = trace_agent(&trace, event->agent);
	sqlite3_stmt *row = row_of(event, "SELECT name, region, kernel_id, dispatch_id, queue_id, stream_id, end, agent_abs_index, agent_log_index, "
				   "lds_size, scratch_size, workgroup_x, grid_y, vgpr_count, sgpr_count, accum_vgpr_count, tid, category "
				   "FROM kernels WHERE start = ? AND stack_id = ?");
	TEST_ASSERT_NOT_NULL(agent);
	TEXT(row, 0, event->kernel->formatted);
	TEXT(row, 1, event->rename ? event->rename : event->kernel->formatted);
	NUMBER(row, 2, event->kernel->id);
	NUMBER(row, 3, event->dispatch);
	NUMBER(row, 4, event->queue);
	NUMBER(row, 5, event->stream);
	NUMBER(row, 6, event->end);
	NUMBER(row, 7, agent->node);
	NUMBER(row, 8, agent->logical_node);
	NUMBER(row, 9, event->group_segment);
	NUMBER(row, 10, event->private_segment);
	NUMBER(row, 11, event->workgroup.x);
	NUMBER(row, 12, event->grid.y);
	NUMBER(row, 13, event->kernel->arch_vgprs);
	NUMBER(row, 14, event->kernel->sgprs);
	NUMBER(row, 15, event->kernel->accum_vgprs);
	NUMBER(row, 16, event->thread);
	TEXT(row, 17, event->kind_name);
	no_more(row);
}

static void check_copy(const struct event *event)
{
	sqlite3_stmt *row = row_of(event, "SELECT name, end, size, dst_address, src_address, dst_agent_abs_index, src_agent_abs_index, stream_id "
				   "FROM memory_copies WHERE start = ? AND stack_id = ?");
	TEXT(row, 0, event->operation_name);
	NUMBER(row, 1, event->end);
	NUMBER(row, 2, event->bytes);
	NUMBER(row, 3, event->address);
	NUMBER(row, 4, event->address2);
	NUMBER(row, 5, trace_agent(&trace, event->agent)->node);
	NUMBER(row, 6, trace_agent(&trace, event->agent2)->node);
	NUMBER(row, 7, event->stream);
	no_more(row);
}

static void check_memory(const struct event *event)
{
	bool scratch = event->domain == DOMAIN_SCRATCH, is_free = strstr(event->operation_name, "FREE") != NULL;
	const struct agent *agent = trace_agent(&trace, event->agent);
	sqlite3_stmt *row = row_of(event, "SELECT type, level, end, address, size, queue_id, agent_abs_index, category FROM memory_allocations "
				   "WHERE start = ? AND stack_id = ?");
	TEXT(row, 0, is_free ? "FREE" : "ALLOC");
	TEXT(row, 1, scratch ? "SCRATCH" : "REAL");
	NUMBER(row, 2, event->end);
	NUMBER(row, 3, event->address);
	NUMBER(row, 4, event->bytes);
	NUMBER(row, 5, event->queue);
	if (agent)
		NUMBER(row, 6, agent->node);
	else
		TEST_ASSERT_EQUAL(SQLITE_NULL, sqlite3_column_type(row, 6));
	TEXT(row, 7, event->kind_name);
	no_more(row);
}

static void check_counters(const struct event *event)
{
	sqlite3_stmt *row = row_of(event, "SELECT count(*), sum(counter_value), min(dispatch_id), max(dispatch_id) FROM pmc_events V "
				   "JOIN rocpd_event E ON E.id = V.event_id WHERE V.start = ? AND E.stack_id = ?");
	double sum = 0;
	for (size_t i = 0; i < event->values; i++)
		sum += event->value[i].value;
	NUMBER(row, 0, event->values);
	TEST_ASSERT_TRUE(sum == sqlite3_column_double(row, 1));
	NUMBER(row, 2, event->dispatch);
	NUMBER(row, 3, event->dispatch);
	no_more(row);
}

static int check(void *ctx, const struct event *event, struct err *why)
{
	(void)why;
	++*(size_t *)ctx;
	if (event->domain < DOMAIN_KERNEL)
		check_call(event);
	else if (event->domain == DOMAIN_KERNEL)
		check_kernel(event);
	else if (event->domain == DOMAIN_COPY)
		check_copy(event);
	else if (event->domain == DOMAIN_COUNTERS)
		check_counters(event);
	else
		check_memory(event);
	return 0;
}

static int64_t ask(const char *sql)
{
	sqlite3_stmt *row;
	TEST_ASSERT_EQUAL_MESSAGE(SQLITE_OK, sqlite3_prepare_v2(db, sql, -1, &row, NULL), sqlite3_errmsg(db));
	int64_t value = sqlite3_step(row) == SQLITE_ROW ? sqlite3_column_int64(row, 0) : -1;
	sqlite3_finalize(row);
	return value;
}

static void test_every_event_of_a_log_is_in_the_database(void)
{
	size_t seen = 0, all = 0;
	TEST_ASSERT_EQUAL(0, trace_each(&trace, DOMAINS_ALL, check, &seen, &err));
	for (size_t i = 0; i < DOMAINS; i++)
		all += trace.events[i];
	TEST_ASSERT_EQUAL(all, seen);
	TEST_ASSERT_EQUAL(all - trace.events[DOMAIN_COUNTERS], ask("SELECT count(*) FROM rocpd_event"));
	TEST_ASSERT_EQUAL(-1, ask("PRAGMA foreign_key_check"));
}

static void test_names_of_the_log_are_in_the_database(void)
{
	TEST_ASSERT_EQUAL(trace.agents, ask("SELECT count(*) FROM rocpd_info_agent"));
	TEST_ASSERT_EQUAL(trace.kernels, ask("SELECT count(*) FROM rocpd_info_kernel_symbol"));
	TEST_ASSERT_EQUAL(trace.counters, ask("SELECT count(*) FROM rocpd_info_pmc"));
	TEST_ASSERT_EQUAL(trace.threads, ask("SELECT count(*) FROM rocpd_info_thread"));
	TEST_ASSERT_EQUAL(trace.streams, ask("SELECT count(*) FROM rocpd_info_stream"));
	TEST_ASSERT_EQUAL(1, ask("SELECT count(*) FROM threads WHERE name = 'worker-1' AND tid = 4712"));
	TEST_ASSERT_EQUAL(7, ask("SELECT json_extract(extdata, '$.lost') FROM rocpd_info_process"));
	TEST_ASSERT_EQUAL(1, ask("SELECT count(*) FROM rocpd_info_process WHERE command = '/opt/app/solver --size a b' AND "
				 "json_extract(environment, '$.ROCPROF_OUTPUT_PATH') = '/home/user=x'"));
	TEST_ASSERT_EQUAL(104, ask("SELECT json_extract(extdata, '$.cu_count') FROM rocpd_info_agent WHERE id = 1"));
	TEST_ASSERT_EQUAL(MADE_GPU2, ask("SELECT json_extract(extdata, '$.id.handle') FROM rocpd_info_agent WHERE id = 2"));
}

/* ---- and back: what reads databases finds the recording in it ---- */

static struct event back[64];
static double back_sum[64];
static size_t backs;

static double sum_of(const struct event *event)
{
	double sum = 0;
	for (size_t i = 0; i < event->values; i++)
		sum += event->value[i].value;
	return sum;
}

static int keep(void *ctx, const struct event *event, struct err *why)
{
	(void)ctx, (void)why;
	TEST_ASSERT_TRUE(backs < 64);
	back_sum[backs] = sum_of(event);
	back[backs++] = *event;
	return 0;
}

static bool same_text(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

/* Counters are told of a dispatch's row: its stream and its name are theirs. */
static bool same(const struct event *a, const struct event *b)
{
	bool counters = a->domain == DOMAIN_COUNTERS;
	return a->domain == b->domain && a->start == b->start && a->end == b->end && a->thread == b->thread &&
	       a->correlation == b->correlation && a->ancestor == b->ancestor && a->external == b->external &&
	       (counters || (a->stream == b->stream && same_text(a->rename, b->rename))) &&
	       same_text(a->kind_name, b->kind_name) && same_text(a->operation_name, b->operation_name) && same_text(a->text, b->text) &&
	       a->agent == b->agent && a->agent2 == b->agent2 && a->queue == b->queue &&
	       a->dispatch == b->dispatch && a->private_segment == b->private_segment && a->group_segment == b->group_segment &&
	       memcmp(&a->workgroup, &b->workgroup, sizeof a->workgroup) == 0 && memcmp(&a->grid, &b->grid, sizeof a->grid) == 0 &&
	       a->address == b->address && a->address2 == b->address2 && a->bytes == b->bytes && a->flags == b->flags &&
	       a->values == b->values && (a->kernel ? same_text(a->kernel->formatted, b->kernel->formatted) : !b->kernel);
}

static int find(void *ctx, const struct event *event, struct err *why)
{
	(void)ctx, (void)why;
	size_t found = 0;
	for (size_t i = 0; i < backs; i++)
		found += same(event, &back[i]) && sum_of(event) == back_sum[i];
	TEST_ASSERT_EQUAL_MESSAGE(1, found, event->operation_name);
	return 0;
}

static void test_a_recording_comes_back_from_the_database(void)
{
	TEST_ASSERT_EQUAL_MESSAGE(0, trace_open(&again, path, &err), err.text);
	TEST_ASSERT_TRUE(again.is_rocpd);
	backs = 0;
	TEST_ASSERT_EQUAL_MESSAGE(0, trace_each(&again, DOMAINS_ALL, keep, NULL, &err), err.text);
	TEST_ASSERT_EQUAL(0, trace_each(&trace, DOMAINS_ALL, find, NULL, &err));
	for (size_t i = 0; i < DOMAINS; i++)
		TEST_ASSERT_EQUAL_UINT64_MESSAGE(trace.events[i], again.events[i], domain_key((enum domain)i));
	TEST_ASSERT_EQUAL(trace.pid, again.pid);
	TEST_ASSERT_EQUAL_UINT64(trace.start, again.start);
	TEST_ASSERT_EQUAL_UINT64(trace.end, again.end);
	TEST_ASSERT_EQUAL_UINT64(trace.lost, again.lost);
	TEST_ASSERT_EQUAL(trace.kernels, again.kernels);
	TEST_ASSERT_EQUAL(trace.agents, again.agents);
	TEST_ASSERT_EQUAL_STRING(trace.hostname, again.hostname);
	TEST_ASSERT_EQUAL_UINT64(trace.agent[1].cu_count, again.agent[1].cu_count);
	TEST_ASSERT_EQUAL_UINT64(trace.agent[1].id, again.agent[1].id);
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_every_event_of_a_log_is_in_the_database);
	RUN_TEST(test_names_of_the_log_are_in_the_database);
	RUN_TEST(test_a_recording_comes_back_from_the_database);
	return UNITY_END();
}
