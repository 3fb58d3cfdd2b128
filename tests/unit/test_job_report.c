/* SPDX-License-Identifier: MIT */
#include "rocp/job/report.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <stdarg.h>

#include "made_job.h"
#include "made_proc.h"
#include "made_rocpd.h"

#define MS 1000000ull
#define HOUR 3600000000000

static struct job_report report;
static struct err err;
static char base[64];
static sqlite3 *db;

void setUp(void)
{
	proc_make();
	memset(&err, 0, sizeof err);
	snprintf(base, sizeof base, "%s/all", proc);
	db = NULL;
}

void tearDown(void)
{
	sqlite3_close(db);
	job_report_close(&report);
	memset(&report, 0, sizeof report);
	proc_remove();
}

/* Rank i of n on one of two hosts; steps of 4 ms of which it computes 2. */
static struct made_rank usual(int i, int n)
{
	return (struct made_rank){ .host = i < n / 2 ? "n1" : "n2", .rank = i, .ranks = n, .pid = 100 + i,
		.booted = MADE_JOB_NOW - (i < n / 2 ? 5 : 90) * HOUR, .steps = 10, .step_ns = 4 * MS, .kernel_ns = 2 * MS + (uint64_t)i * 1000 };
}

static void make(const struct made_rank *rank)
{
	TEST_ASSERT_EQUAL_MESSAGE(0, made_job_rank(rank, proc, &err), err.text);
}

static void make_usual(int n)
{
	for (int i = 0; i < n; i++) {
		struct made_rank rank = usual(i, n);
		make(&rank);
	}
}

static void merge(uint64_t expect)
{
	TEST_ASSERT_EQUAL_MESSAGE(0, job_report_open(&report, proc, expect, &err), err.text);
	TEST_ASSERT_EQUAL_MESSAGE(0, job_report_merge(&report, base, NULL, NULL, &err), err.text);
	TEST_ASSERT_EQUAL(SQLITE_OK, sqlite3_open(report.database, &db));
}

/* The one number that a question to the merged database has as its answer. */
static int64_t ask(const char *sql)
{
	sqlite3_stmt *row;
	TEST_ASSERT_EQUAL_MESSAGE(SQLITE_OK, sqlite3_prepare_v2(db, sql, -1, &row, NULL), sqlite3_errmsg(db));
	TEST_ASSERT_EQUAL_MESSAGE(SQLITE_ROW, sqlite3_step(row), sql);
	int64_t answer = sqlite3_column_int64(row, 0);
	sqlite3_finalize(row);
	return answer;
}

static void expect_sound(void)
{
	TEST_ASSERT_EQUAL(0, ask("SELECT count(*) FROM pragma_integrity_check WHERE integrity_check <> 'ok'"));
	TEST_ASSERT_EQUAL(0, ask("SELECT count(*) FROM pragma_foreign_key_check"));
}

#define HAS(text, part) TEST_ASSERT_NOT_NULL_MESSAGE(strstr(text, part), text)

static void expect_problem(const char *text)
{
	TEST_ASSERT_EQUAL_MESSAGE(1, report.problems, report.problems > 1 ? report.problem[1] : "no problem was told");
	HAS(report.problem[0], text);
}

static void test_one_slow_rank_is_named_with_the_numbers(void)
{
	for (int i = 0; i < 8; i++) {
		struct made_rank rank = usual(i, 8);
		rank.kernel_ns = i == 5 ? 3800000 : 2 * MS;
		make(&rank);
	}
	merge(0);
	TEST_ASSERT_EQUAL_MESSAGE(0, report.problems, report.problems ? report.problem[0] : "");
	TEST_ASSERT_EQUAL(1, report.slow);
	for (size_t i = 0; i < 8; i++)
		TEST_ASSERT_EQUAL(i == 5, report.rank[i].slow);
	HAS(report.verdict, "rank 5 on n2 is slow: its kernels took 1.9 times the median (3.8 ms each, median 2 ms, and it waits 5 %");
}

static void test_nobody_is_slow_when_nobody_stands_out(void)
{
	make_usual(8);
	merge(0);
	TEST_ASSERT_EQUAL(0, report.slow);
	HAS(report.verdict, "no rank is slow: kernels took 2 ms to 2.01 ms each");
	TEST_ASSERT_EQUAL_STRING("gemm", report.rank[3].busiest);
	TEST_ASSERT_EQUAL_UINT64(10 * (2 * MS + 3000), report.rank[3].kernel_ns);
	TEST_ASSERT_EQUAL_UINT64(30, report.rank[3].records);
	TEST_ASSERT_EQUAL_UINT64(10 * (4 * MS - 100 - 1000 - 2 * MS - 3000), report.rank[3].wait_ns);
	TEST_ASSERT_EQUAL_UINT64(report.rank[3].wait_ns + 10 * 500, report.rank[3].api_ns);
}

static void test_of_two_ranks_one_must_take_half_as_long_again(void)
{
	struct made_rank one = usual(0, 2), two = usual(1, 2);
	two.kernel_ns = one.kernel_ns * 14 / 10;
	make(&one);
	make(&two);
	merge(0);
	TEST_ASSERT_EQUAL_MESSAGE(0, report.slow, report.verdict);
	job_report_close(&report);
	sqlite3_close(db);
	remove(report.database);
	two.kernel_ns = one.kernel_ns * 16 / 10;
	char path[128];
	snprintf(path, sizeof path, "%s/n2-101_results.db", proc);
	TEST_ASSERT_EQUAL(0, remove(path));
	make(&two);
	merge(0);
	TEST_ASSERT_EQUAL_MESSAGE(1, report.slow, report.verdict);
	HAS(report.verdict, "rank 1 on n2 is slow: its kernels took 1.6 times");
}

static void test_one_rank_alone_is_not_judged(void)
{
	struct made_rank one = usual(0, 1);
	make(&one);
	merge(0);
	TEST_ASSERT_FALSE(report.judged);
	HAS(report.verdict, "fewer than two ranks");
}

static void test_waiting_in_kernels_of_collectives_is_not_work(void)
{
	for (int i = 0; i < 6; i++) {
		struct made_rank rank = usual(i, 6);
		rank.collective = true;
		rank.kernel_ns = i == 2 ? 3 * MS : 1 * MS;
		make(&rank);
	}
	merge(0);
	/* All had their GPU busy all the time. */
	TEST_ASSERT_UINT64_WITHIN(100000, report.rank[0].kernel_ns, report.rank[2].kernel_ns);
	HAS(report.verdict, "rank 2 on n1 is slow: its kernels took 3.0 times the median");
}

static void test_a_rank_that_starts_its_kernels_late_is_slow_too(void)
{
	for (int i = 0; i < 6; i++) {
		struct made_rank rank = usual(i, 6);
		rank.step_ns = i == 4 ? 8 * MS : 4 * MS;
		make(&rank);
	}
	merge(0);
	HAS(report.verdict, "rank 4 on n2 is slow: it starts a kernel every 8 ms, 2.0 times the median (4 ms)");
}

static void test_a_missing_rank_is_named_and_the_others_are_merged(void)
{
	for (int i = 0; i < 8; i++) {
		struct made_rank rank = usual(i, 8);
		if (i != 2 && i < 6)
			make(&rank);
	}
	merge(0);
	expect_problem("3 of 8 ranks left no status: 2, 6-7");
	TEST_ASSERT_EQUAL(3, report.missing);
	TEST_ASSERT_EQUAL(5, ask("SELECT count(*) FROM rocpd_info_process"));
}

static void test_how_many_there_must_be_can_be_said(void)
{
	for (int i = 0; i < 4; i++) {
		struct made_rank rank = usual(i, 4);
		rank.ranks = -1;
		make(&rank);
	}
	merge(6);
	expect_problem("2 of 6 ranks left no status: 4-5");
}

static void test_reasons_of_those_that_failed_are_grouped(void)
{
	for (int i = 0; i < 6; i++) {
		struct made_rank rank = usual(i, 6);
		rank.status = i == 1 || i == 4 ? 3 : i == 2 ? 6 : 0;
		rank.why = i == 2 ? "no answer \033[31m" : rank.status ? "no ROCm there" : NULL;
		rank.no_database = rank.status != 0;
		make(&rank);
	}
	merge(0);
	TEST_ASSERT_EQUAL(2, report.problems);
	TEST_ASSERT_EQUAL(3, report.failed);
	HAS(report.problem[0], "2 failed, ranks 1, 4, the first with status 3 on n1: no ROCm there");
	HAS(report.problem[1], "rank 2 on n1 failed with status 6: no answer \\x1b[31m");
}

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

static void test_a_rank_that_is_there_twice_is_told(void)
{
	make_usual(4);
	struct made_rank again = usual(2, 4);
	again.pid = 999;
	make(&again);
	merge(0);
	expect_problem("rank 2 is there twice: process 102 on n2 and process 999 on n2");
	TEST_ASSERT_EQUAL(1, report.twice);
	TEST_ASSERT_EQUAL(5, ask("SELECT count(*) FROM rocpd_info_process"));
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
	made_rocpd(path);
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

static void test_a_folder_without_statuses_is_refused(void)
{
	TEST_ASSERT_EQUAL(-1, job_report_open(&report, proc, 0, &err));
	TEST_ASSERT_EQUAL(ERR_NOT_POSSIBLE, err.code);
	TEST_ASSERT_EQUAL(-1, job_report_open(&report, "/nowhere/at/all", 0, &err));
	TEST_ASSERT_EQUAL(ERR_FAILED, err.code);
}

static void test_a_status_that_is_none_is_told(void)
{
	make_usual(2);
	put("{", "bad.roclatch.json");
	make_link("n1-100.roclatch.json", "link.roclatch.json");
	make_folder("folder.roclatch.json");
	merge(0);
	TEST_ASSERT_EQUAL(3, report.problems);
	TEST_ASSERT_EQUAL(2, report.ranks);
}

static void test_folders_of_hosts_are_looked_into(void)
{
	char inside[64];
	make_folder("h1");
	make_folder("h2");
	make_folder("h2/deeper");
	for (int i = 0; i < 2; i++) {
		struct made_rank rank = usual(i, 2);
		snprintf(inside, sizeof inside, "%s/h%d", proc, i + 1);
		TEST_ASSERT_EQUAL_MESSAGE(0, made_job_rank(&rank, inside, &err), err.text);
	}
	merge(0);
	TEST_ASSERT_EQUAL(0, report.problems);
	TEST_ASSERT_EQUAL(20, ask("SELECT count(*) FROM kernels"));
}

static void test_the_table_of_many_is_short_and_the_whole_one_whole(void)
{
	char path[128], line[512];
	for (int whole = 0; whole < 2; whole++) {
		struct file file;
		if (!whole) {
			make_usual(60);
			merge(0);
		}
		snprintf(path, sizeof path, "%s/table%d", proc, whole);
		TEST_ASSERT_EQUAL(0, file_create(&file, path, "", &err));
		job_report_table(&report, &file, whole);
		TEST_ASSERT_EQUAL(0, file_finish(&file, &err));
		FILE *text = fopen(path, "r");
		int rows = 0;
		while (fgets(line, sizeof line, text))
			rows += strstr(line, "  gemm  ") != NULL;
		fclose(text);
		TEST_ASSERT_EQUAL(whole ? 60 : 16, rows);
	}
}

static void test_the_page_shows_every_rank_or_those_that_stand_for_all(void)
{
	static char text[4 << 20];
	make_usual(30);
	merge(0);
	TEST_ASSERT_EQUAL_MESSAGE(0, job_report_page(&report, base, &err), err.text);
	FILE *file = fopen(report.page, "r");
	size_t n = fread(text, 1, sizeof text - 1, file);
	fclose(file);
	text[n] = '\0';
	TEST_ASSERT_EQUAL_UINT64(n, report.page_bytes);
	HAS(text, "\"ranks\":30,");
	HAS(text, "rank 0 on n1, GPU 0 (clock +0.000 s");
	HAS(text, "rank 29 on n2, GPU 0 (clock +0.000 s");
	TEST_ASSERT_NULL(strstr(text, "rank 15 on n2, GPU 0"));
	HAS(text, "rank 15 on n2: 10 kernels in 0.020 s");
	HAS(text, "16 of 30 ranks are shown with all that they did");
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_one_slow_rank_is_named_with_the_numbers);
	RUN_TEST(test_nobody_is_slow_when_nobody_stands_out);
	RUN_TEST(test_of_two_ranks_one_must_take_half_as_long_again);
	RUN_TEST(test_one_rank_alone_is_not_judged);
	RUN_TEST(test_waiting_in_kernels_of_collectives_is_not_work);
	RUN_TEST(test_a_rank_that_starts_its_kernels_late_is_slow_too);
	RUN_TEST(test_a_missing_rank_is_named_and_the_others_are_merged);
	RUN_TEST(test_how_many_there_must_be_can_be_said);
	RUN_TEST(test_reasons_of_those_that_failed_are_grouped);
	RUN_TEST(test_a_damaged_database_is_told_and_the_others_are_merged);
	RUN_TEST(test_files_that_are_gone_or_of_another_size_are_named);
	RUN_TEST(test_a_rank_that_is_there_twice_is_told);
	RUN_TEST(test_times_are_those_of_one_clock);
	RUN_TEST(test_a_wrong_wall_clock_is_told_and_taken_out);
	RUN_TEST(test_ids_are_new_names_are_once_and_readers_find_everything);
	RUN_TEST(test_a_database_of_another_tool_is_taken_with_all_its_rows);
	RUN_TEST(test_rows_that_cannot_be_are_left_out_and_counted);
	RUN_TEST(test_a_folder_without_statuses_is_refused);
	RUN_TEST(test_a_status_that_is_none_is_told);
	RUN_TEST(test_folders_of_hosts_are_looked_into);
	RUN_TEST(test_the_table_of_many_is_short_and_the_whole_one_whole);
	RUN_TEST(test_the_page_shows_every_rank_or_those_that_stand_for_all);
	return UNITY_END();
}
