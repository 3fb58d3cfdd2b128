/* SPDX-License-Identifier: MIT */
/* Who of a job is there, and who is slow. */
#include "job_case.h"

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
	sqlite3_close(merged);
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

static void test_more_than_there_must_be_are_told(void)
{
	make_usual(4);
	merge(3);
	expect_problem("there is a rank 3, and only 3 were expected");
}

/* Whatever times statuses tell, there is an answer. */
static void test_clocks_that_cannot_be_do_no_harm(void)
{
	static const char *const clocks[] = { "\"realtime_ns\":-4000000000000000000,\"boottime_ns\":4000000000000000000",
		"\"realtime_ns\":4000000000000000000,\"boottime_ns\":-4000000000000000000,\"folder_offset_ns\":-4000000000000000000",
		"\"realtime_ns\":1,\"folder_offset_ns\":4000000000000000000" };
	for (int i = 0; i < 3; i++) {
		char text[512];
		snprintf(text, sizeof text, "{\"format\":1,\"host\":\"h%d\",\"pid\":1,\"status\":0,\"rank\":%d,\"clock\":{%s}}", i, i, clocks[i]);
		put(text, "h%d.roclatch.json", i);
	}
	merge(0);
	TEST_ASSERT_EQUAL(3, report.clocks);
	TEST_ASSERT_FALSE(report.judged);
	/* The middle one of three is taken for right. */
	TEST_ASSERT_FALSE(report.clock[report.rank[0].clock].wrong);
	TEST_ASSERT_TRUE(report.clock[report.rank[1].clock].wrong);
	TEST_ASSERT_TRUE(report.clock[report.rank[2].clock].wrong);
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
	struct made_rank node = { .host = "n9", .rank = -1, .ranks = -1, .booted = MADE_JOB_NOW - HOUR, .status = 3, .why = "nobody there", .no_database = true };
	make(&node);
	merge(0);
	TEST_ASSERT_EQUAL(3, report.problems);
	HAS(report.problem[2], "the attachment on n9 failed with status 3: nobody there");
	TEST_ASSERT_EQUAL(4, report.failed);
	HAS(report.problem[0], "2 failed, ranks 1, 4, the first with status 3 on n1: no ROCm there");
	HAS(report.problem[1], "rank 2 on n1 failed with status 6: no answer \\x1b[31m");
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
	RUN_TEST(test_more_than_there_must_be_are_told);
	RUN_TEST(test_clocks_that_cannot_be_do_no_harm);
	RUN_TEST(test_reasons_of_those_that_failed_are_grouped);
	RUN_TEST(test_a_rank_that_is_there_twice_is_told);
	RUN_TEST(test_a_folder_without_statuses_is_refused);
	RUN_TEST(test_a_status_that_is_none_is_told);
	RUN_TEST(test_folders_of_hosts_are_looked_into);
	RUN_TEST(test_the_table_of_many_is_short_and_the_whole_one_whole);
	RUN_TEST(test_the_page_shows_every_rank_or_those_that_stand_for_all);
	return UNITY_END();
}
