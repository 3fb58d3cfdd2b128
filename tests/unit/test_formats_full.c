/* SPDX-License-Identifier: MIT */
/* What a full disk leaves: an error that names the file, and no half of it. */
#include <errno.h>
#include <signal.h>
#include <sys/resource.h>

#include "conversion_case.h"

#define EVENTS 20000
#define FILE_MOST (300u << 10)          /* more than one buffer, less than the tables need */

static struct rlimit before;

void setUp(void)
{
	struct made_log log;
	case_begin();
	made_log_begin(&log, log_path);
	made_kinds(&log);
	for (uint64_t i = 0; i < EVENTS; i++)
		made_api(&log, MADE_HIP, 215, i, i, i + 1);
	made_log_close(&log);
	case_open();
	TEST_ASSERT_EQUAL(0, getrlimit(RLIMIT_FSIZE, &before));
	signal(SIGXFSZ, SIG_IGN);
	struct rlimit least = { FILE_MOST, before.rlim_max };
	TEST_ASSERT_EQUAL(0, setrlimit(RLIMIT_FSIZE, &least));
}

void tearDown(void)
{
	setrlimit(RLIMIT_FSIZE, &before);
	case_end();
}

static void test_csv(void)
{
	TEST_ASSERT_EQUAL(-1, csv_write(&conversion, &err));
	TEST_ASSERT_EQUAL(EFBIG, err.sys);
	TEST_ASSERT_NOT_NULL_MESSAGE(strstr(err.text, "out_hip_api_trace.csv"), err.text);
	TEST_ASSERT_EQUAL(0, files_of(".csv"));
	TEST_ASSERT_EQUAL(0, files_told);
}

static void test_json(void)
{
	TEST_ASSERT_EQUAL(-1, json_write(&conversion, &err));
	TEST_ASSERT_EQUAL(EFBIG, err.sys);
	TEST_ASSERT_NOT_NULL_MESSAGE(strstr(err.text, "out_results.json"), err.text);
	TEST_ASSERT_EQUAL(0, files_of(".json"));
	TEST_ASSERT_EQUAL(0, files_told);
}

static void test_with_room_all_events_are_there(void)
{
	setrlimit(RLIMIT_FSIZE, &before);
	TEST_ASSERT_EQUAL(0, csv_write(&conversion, &err));
	char *text = content_of("out_hip_api_trace.csv");
	size_t lines = 0;
	for (const char *at = text; (at = strchr(at, '\n')); at++)
		lines++;
	free(text);
	TEST_ASSERT_EQUAL(1 + EVENTS, lines);
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_csv);
	RUN_TEST(test_json);
	RUN_TEST(test_with_room_all_events_are_there);
	return UNITY_END();
}
