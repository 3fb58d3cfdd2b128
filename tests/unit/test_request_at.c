/* SPDX-License-Identifier: MIT */
/* --at in every form, and the options that go with many processes. */
#include <time.h>

#include "request_case.h"
#include "rocp/options.h"

#define SECOND INT64_C(1000000000)
#define NOON (INT64_C(1769860800) * SECOND)     /* 2026-01-31T12:00:00Z, 13:00 in the zone of these tests */

void setUp(void)
{
	setenv("TZ", "XYZ-1", 1);
	tzset();
	memset(&err, 0, sizeof err);
}

void tearDown(void)
{
	request_free(&request);
}

static void test_times_are_understood(void)
{
	static const struct { const char *word; int64_t seconds, ns; } rows[] = {       /* from NOON on */
		{ "+30s", 30, 0 }, { "+500ms", 0, 500000000 }, { "+2m", 120, 0 }, { "@1769860801", 1, 0 },
		{ "@1769860800.5", 0, 500000000 }, { "@1769860800.000000001", 0, 1 }, { "2026-01-31T12:00:01Z", 1, 0 },
		{ "2026-01-31T12:00:00.25Z", 0, 250000000 }, { "2026-01-31T12:05Z", 300, 0 }, { "2026-01-31T13:00:01", 1, 0 },
		{ "2026-02-01T12:00:00Z", 86400, 0 }, { "13:00:05", 5, 0 }, { "13:01", 60, 0 }, { "13:00:05.5", 5, 500000000 },
		{ "23:59:59", 10 * 3600 + 3599, 0 }, { "00:30:00", 11 * 3600 + 1800, 0 },      /* that is tomorrow */
		{ "12:59:30", -30, 0 }, { "2026-01-31T11:59:01Z", -59, 0 },
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		int64_t at = 0;
		TEST_ASSERT_EQUAL_MESSAGE(0, at_word(rows[i].word, NOON, &at, &err), err.text);
		TEST_ASSERT_EQUAL_INT64_MESSAGE(rows[i].seconds * SECOND + rows[i].ns, at - NOON, rows[i].word);
	}
}

/* 00:00:20 in the zone of these tests: what was written as 23:59:50 is half a minute ago and not nearly a day away. */
static void test_the_turn_of_the_day_is_no_trap(void)
{
	int64_t now = NOON + (11 * 3600 + 20) * SECOND, at = 0;
	TEST_ASSERT_EQUAL_MESSAGE(0, at_word("23:59:50", now, &at, &err), err.text);
	TEST_ASSERT_EQUAL_INT64(-30 * SECOND, at - now);
	TEST_ASSERT_EQUAL_MESSAGE(0, at_word("23:58:00", now, &at, &err), err.text);
	TEST_ASSERT_EQUAL_INT64((24 * 3600 - 140) * SECOND, at - now);
	TEST_ASSERT_EQUAL_MESSAGE(0, at_word("00:00:21", now, &at, &err), err.text);
	TEST_ASSERT_EQUAL_INT64(SECOND, at - now);
}

static void test_what_is_no_time_is_refused(void)
{
	static const char *const words[] = {
		"", "now", "+", "+30", "+0s", "+-1s", "+1h", "@", "@-1", "@x", "@1.", "@1.x", "@99999999999", "@0", "14", "14:5", "24:00:00",
		"12:60", "12:00:60", "13:00:00x", "13:00:00.", "2026-02-30T12:00:00Z", "2026-13-01T12:00:00Z", "2026-01-31",
		"2026-01-31 12:00:00", "2026-01-31T12:00:00z", "2026-01-31T12:00:00ZZ", "1900-01-01T00:00:00Z", "2611-01-01T00:00:00Z",
		" 13:00:00", "+1 s",
	};
	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		int64_t at;
		TEST_ASSERT_EQUAL_MESSAGE(-1, at_word(words[i], NOON, &at, &err), words[i]);
		TEST_ASSERT_EQUAL_MESSAGE(ERR_USAGE, err.code, words[i]);
		TEST_ASSERT_NOT_NULL_MESSAGE(strstr(err.text, "is no time"), err.text);
	}
}

static void test_a_time_that_is_over_is_refused(void)
{
	static const char *const words[] = { "12:59:00", "01:00:01", "2026-01-31T11:59:00Z", "2025-01-31T12:00:00Z", "@1" };
	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		int64_t at;
		TEST_ASSERT_EQUAL_MESSAGE(-1, at_word(words[i], NOON, &at, &err), words[i]);
		TEST_ASSERT_EQUAL_MESSAGE(ERR_USAGE, err.code, words[i]);
		TEST_ASSERT_NOT_NULL_MESSAGE(strstr(err.text, " s ago"), err.text);
	}
}

static void test_a_request_knows_its_time(void)
{
	struct timespec now;
	clock_gettime(CLOCK_REALTIME, &now);
	TEST_ASSERT_EQUAL_MESSAGE(0, read_line("-p 42 --at +30s"), err.text);
	int64_t ahead = request.at_ns - (int64_t)now.tv_sec * SECOND;
	TEST_ASSERT_TRUE(ahead >= 30 * SECOND && ahead < 90 * SECOND);
	TEST_ASSERT_EQUAL_MESSAGE(0, read_line("-p 42"), err.text);
	TEST_ASSERT_EQUAL_INT64(0, request.at_ns);
	TEST_ASSERT_EQUAL(-1, read_line("-p 42 --at @1"));
	TEST_ASSERT_EQUAL(ERR_USAGE, err.code);
}

static void test_groups_and_jobs_have_a_form(void)
{
	static const struct { const char *line; bool good; } rows[] = {
		{ "--cgroup /a/b", true }, { "--cgroup a", true }, { "--cgroup /sys/fs/cgroup/a", true }, { "--cgroup /", false },
		{ "--cgroup //", false }, { "--cgroup _", false }, { "--cgroup /sys/fs/cgroup", false }, { "--cgroup /sys/fs/cgroup/", false },
		{ "--cgroup /a/../b", false }, { "--slurm-job 42", true }, { "--slurm-job 42.0", true }, { "--slurm-job 42.batch", true },
		{ "--slurm-job 42.extern", true }, { "--slurm-job 42.interactive", true }, { "--slurm-job 42.", false },
		{ "--slurm-job .0", false }, { "--slurm-job 42_1", false }, { "--slurm-job 42.0.0", false }, { "--slurm-job x", false },
		{ "--slurm-job _", false }, { "--slurm-job 42.x", false }, { "--slurm-job batch", false }, { "-p 1 --follow", true },
		{ "-p 1 --follow --keep", false }, { "-p 1 --follow --attach-children no", false },
		{ "-p 1 --follow --attach-children yes", true }, { "--follow", false },
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		TEST_ASSERT_EQUAL_MESSAGE(rows[i].good ? 0 : -1, read_line(rows[i].line), rows[i].line);
		TEST_ASSERT_EQUAL_MESSAGE(rows[i].good ? ERR_NONE : ERR_USAGE, err.code, rows[i].line);
	}
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_times_are_understood);
	RUN_TEST(test_the_turn_of_the_day_is_no_trap);
	RUN_TEST(test_what_is_no_time_is_refused);
	RUN_TEST(test_a_time_that_is_over_is_refused);
	RUN_TEST(test_a_request_knows_its_time);
	RUN_TEST(test_groups_and_jobs_have_a_form);
	return UNITY_END();
}
