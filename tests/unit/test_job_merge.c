/* SPDX-License-Identifier: MIT */
/* The databases of a job as one. */
#include <fcntl.h>

#include "job_case.h"
#include "made_rocpd.h"

static void test_a_damaged_database_is_told_and_the_others_are_merged(void)
{
	char path[128];
	make_usual(4);
	snprintf(path, sizeof path, "%s/n1-101_results.db", proc);
	int fd = open(path, O_WRONLY);
	for (off_t at = 8192; at < 200000; at += 8192)
		TEST_ASSERT_EQUAL(64, pwrite(fd, memset(path, 0xa5, 64), 64, at));
	close(fd);
	merge(0);
	expect_problem("a database of rank 1 on n1 is not merged: ");
	TEST_ASSERT_EQUAL(3, ask("SELECT count(*) FROM rocpd_info_process"));
	TEST_ASSERT_EQUAL(30, ask("SELECT count(*) FROM kernels"));
	expect_sound();
}

static void test_files_that_are_gone_or_of_another_size_are_named(void)
{
	char path[128];
	make_usual(4);
	snprintf(path, sizeof path, "%s/n1-100_results.db", proc);
	TEST_ASSERT_EQUAL(0, remove(path));
	snprintf(path, sizeof path, "%s/n1-101_results.db", proc);
	FILE *file = fopen(path, "a");
	fputs("more", file);
	fclose(file);
	/* A link is none, wherever it leads. */
	snprintf(path, sizeof path, "%s/n2-102_results.db", proc);
	TEST_ASSERT_EQUAL(0, remove(path));
	TEST_ASSERT_EQUAL(0, symlink("n2-103_results.db", path));
	merge(0);
	TEST_ASSERT_EQUAL(3, report.problems);
	HAS(report.problem[0], "n1-100_results.db of rank 0 on n1 is missing");
	HAS(report.problem[1], "n1-101_results.db of rank 1 on n1 has ");
	HAS(report.problem[2], "n2-102_results.db of rank 2 on n2 is missing");
	TEST_ASSERT_EQUAL(2, ask("SELECT count(*) FROM rocpd_info_process"));
}

static void test_times_are_those_of_one_clock(void)
{
	make_usual(4);
	merge(0);
	TEST_ASSERT_EQUAL(2, report.clocks);
	TEST_ASSERT_EQUAL_INT64(85 * HOUR, llabs(report.clock[report.rank[3].clock].shift));
	/* All began at the same moment, on hosts of which one has run for 85 hours longer. */
	TEST_ASSERT_EQUAL(0, ask("SELECT max(f) - min(f) FROM (SELECT min(start) f FROM rocpd_region GROUP BY pid)"));
	TEST_ASSERT_EQUAL(4, ask("SELECT count(DISTINCT pid) FROM rocpd_region"));
	TEST_ASSERT_EQUAL_INT64(5 * HOUR + 1000, ask("SELECT min(start) FROM rocpd_region"));
	TEST_ASSERT_EQUAL_INT64(5 * HOUR, ask("SELECT min(start) FROM rocpd_info_process"));
}

static void test_a_wrong_wall_clock_is_told_and_taken_out(void)
{
	for (int i = 0; i < 6; i++) {
		struct made_rank rank = usual(i, 6);
		rank.host = i < 2 ? "n1" : i < 4 ? "n2" : "n3";
		rank.booted = MADE_JOB_NOW - (i / 2 + 1) * HOUR;
		rank.clock_ahead = i >= 4 ? -3 * HOUR : 0;
		make(&rank);
	}
	merge(0);
	expect_problem("the wall clock of n3 is 10800.000 s behind that of the others");
	TEST_ASSERT_TRUE(report.clock[report.rank[5].clock].wrong);
	TEST_ASSERT_EQUAL(0, ask("SELECT max(f) - min(f) FROM (SELECT min(start) f FROM rocpd_region GROUP BY pid)"));
}

static void test_ids_are_new_names_are_once_and_readers_find_everything(void)
{
	make_usual(4);
	merge(0);
	expect_sound();
	TEST_ASSERT_EQUAL(40, ask("SELECT count(*) FROM kernels WHERE name = 'gemm(float*, int)'"));
	TEST_ASSERT_EQUAL(80, ask("SELECT count(*) FROM regions WHERE category = 'HIP_RUNTIME_API'"));
	TEST_ASSERT_EQUAL(4, ask("SELECT count(DISTINCT pid) FROM kernels"));
	TEST_ASSERT_EQUAL(4, ask("SELECT count(*) FROM rocpd_info_thread"));
	TEST_ASSERT_EQUAL(8, ask("SELECT count(*) FROM rocpd_info_agent"));
	TEST_ASSERT_EQUAL(1, ask("SELECT count(*) FROM rocpd_string WHERE string = 'hipLaunchKernel'"));
	/* Hosts whose machine-id was copied with them are two. */
	TEST_ASSERT_EQUAL(2, ask("SELECT count(DISTINCT hostname) FROM rocpd_info_node"));
	TEST_ASSERT_EQUAL(1, ask("SELECT count(DISTINCT guid) FROM rocpd_event"));
	TEST_ASSERT_EQUAL(3, ask("SELECT json_extract(extdata, '$.job.rank') FROM rocpd_info_process WHERE pid = 103"));
	TEST_ASSERT_EQUAL(1, ask("SELECT json_extract(extdata, '$.closed') FROM rocpd_info_process WHERE pid = 103"));
}

/* One of another tool, with everything in it, rows that refer to nothing, and things that are told nowhere. */
static void test_a_database_of_another_tool_is_taken_with_all_its_rows(void)
{
	char path[128];
	make_usual(2);
	snprintf(path, sizeof path, "%s/n2-101_results.db", proc);
	made_rocpd_changed(path, "INSERT INTO rocpd_arg@ (event_id, position, type, name, value, extdata) VALUES"
		" (1, 0, 'void*', 'dst', '0x7f', '{}'), (1, 1, 'hipStream_t', 'stream', '0x1', '{\"stream_id\":3,\"more\":1}')");
	merge(0);
	TEST_ASSERT_EQUAL(1, report.problems);  /* its size */
	expect_sound();
	TEST_ASSERT_EQUAL(12, ask("SELECT count(*) FROM kernels"));
	TEST_ASSERT_EQUAL(2, ask("SELECT count(*) FROM kernels WHERE pid = 4711"));
	TEST_ASSERT_EQUAL(5, ask("SELECT count(*) FROM regions WHERE pid = 4711"));
	TEST_ASSERT_EQUAL(1, ask("SELECT count(*) FROM memory_copies WHERE size = 4096 AND src_device = 'EPYC' AND dst_device = 'gfx90a'"));
	TEST_ASSERT_EQUAL(3, ask("SELECT count(*) FROM memory_allocations"));
	TEST_ASSERT_EQUAL(64, ask("SELECT counter_value FROM pmc_events WHERE counter_name = 'SQ_WAVES' AND dispatch_id = 1"));
	TEST_ASSERT_EQUAL(1, ask("SELECT count(*) FROM rocpd_sample"));
	TEST_ASSERT_EQUAL(2, ask("SELECT count(*) FROM region_args WHERE pid = 4711"));
	TEST_ASSERT_EQUAL(1, ask("SELECT count(*) FROM stream_args WHERE stream_name = 'Stream 0' AND pid = 4711"));
	TEST_ASSERT_EQUAL(600, ask("SELECT duration FROM kernels WHERE name = 'void run<float>(float*)'"));
}

static void test_rows_that_cannot_be_are_left_out_and_counted(void)
{
	char path[128];
	make_usual(2);
	snprintf(path, sizeof path, "%s/n2-101_results.db", proc);
	made_rocpd_changed(path, "UPDATE rocpd_memory_allocate@ SET level = 'NONE' WHERE level = 'REAL';"
		"UPDATE rocpd_region@ SET start = 9223372036854775807 WHERE id = 11");
	merge(0);
	TEST_ASSERT_EQUAL(2, report.problems);
	HAS(report.problem[1], "rows of n2-101_results.db of rank 1 on n2 lead nowhere and were left out");
	TEST_ASSERT_EQUAL(2, ask("SELECT count(*) FROM memory_allocations"));
	expect_sound();
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_a_damaged_database_is_told_and_the_others_are_merged);
	RUN_TEST(test_files_that_are_gone_or_of_another_size_are_named);
	RUN_TEST(test_times_are_those_of_one_clock);
	RUN_TEST(test_a_wrong_wall_clock_is_told_and_taken_out);
	RUN_TEST(test_ids_are_new_names_are_once_and_readers_find_everything);
	RUN_TEST(test_a_database_of_another_tool_is_taken_with_all_its_rows);
	RUN_TEST(test_rows_that_cannot_be_are_left_out_and_counted);
	return UNITY_END();
}
