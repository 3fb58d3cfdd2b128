/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>
#include <unity.h>

#include "made_log_everything.h"
#include "rocp/trace/stats.h"

static char folder[] = "/tmp/roclatch-stats-XXXXXX";
static char path[64];
static struct trace trace;
static struct stats stats;
static struct err err;

void setUp(void)
{
	err = (struct err){ .code = ERR_NONE };
	snprintf(path, sizeof path, "%s/log%s", folder, LOG_ENDING);
}

void tearDown(void)
{
	stats_free(&stats);
	trace_close(&trace);
	unlink(path);
}

static void read_stats(void)
{
	TEST_ASSERT_EQUAL_MESSAGE(0, trace_open(&trace, path, &err), err.text);
	TEST_ASSERT_EQUAL_MESSAGE(0, stats_read(&stats, &trace, &err), err.text);
}

static const struct stat_row *row(enum domain domain, const char *name)
{
	const struct stat_row *found = NULL;
	for (size_t i = 0; i < stats.rows[domain]; i++)
		if (!strcmp(stats.row[domain][i].name, name)) {
			TEST_ASSERT_NULL(found);        /* each once */
			found = &stats.row[domain][i];
		}
	TEST_ASSERT_NOT_NULL_MESSAGE(found, name);
	return found;
}

static void test_a_log_with_everything(void)
{
	made_log_everything(path);
	read_stats();
	for (size_t i = 0; i < DOMAINS; i++)
		TEST_ASSERT_EQUAL(trace.events[i], stats.calls[i]);
	const struct stat_row *launch = row(DOMAIN_HIP, "hipLaunchKernel");
	TEST_ASSERT_EQUAL(2, launch->calls);
	TEST_ASSERT_EQUAL(2000, launch->total);
	TEST_ASSERT_EQUAL(1000, launch->least);
	TEST_ASSERT_TRUE(launch->mean == 1000 && stat_deviation(launch) == 0);
	TEST_ASSERT_EQUAL_STRING("hipMemcpy", stats.row[DOMAIN_HIP][0].name);
	TEST_ASSERT_EQUAL(3000 + 9000 + 2000 + 1, stats.total[DOMAIN_HIP]);
	TEST_ASSERT_EQUAL(59800, row(DOMAIN_MARKER, "phase")->total);
	TEST_ASSERT_EQUAL(2, row(DOMAIN_KERNEL, "matrixTranspose(float*, float*, int)")->calls);
	TEST_ASSERT_EQUAL(6000, row(DOMAIN_KERNEL, "step 1")->total);
	TEST_ASSERT_EQUAL(1, row(DOMAIN_KERNEL, "kernel 42")->total);
	TEST_ASSERT_EQUAL(2000, row(DOMAIN_COPY, "MEMORY_COPY_DEVICE_TO_HOST")->total);
}

static void test_names_are_those_of_the_naming(void)
{
	made_log_everything(path);
	TEST_ASSERT_EQUAL(0, trace_open(&trace, path, &err));
	trace_naming(&trace, NAMING_TRUNCATED, true);
	TEST_ASSERT_EQUAL(0, stats_read(&stats, &trace, &err));
	row(DOMAIN_KERNEL, "matrixTranspose");
}

/* Statistics tell of the same kernels as the tables do. */
static void test_kernels_are_not_renamed_unless_that_is_wanted(void)
{
	made_log_everything(path);
	TEST_ASSERT_EQUAL(0, trace_open(&trace, path, &err));
	trace_naming(&trace, NAMING_DEMANGLED, false);
	TEST_ASSERT_EQUAL(0, stats_read(&stats, &trace, &err));
	TEST_ASSERT_EQUAL(3, row(DOMAIN_KERNEL, "matrixTranspose(float*, float*, int)")->calls);
	for (size_t i = 0; i < stats.rows[DOMAIN_KERNEL]; i++)
		TEST_ASSERT_TRUE(strcmp(stats.row[DOMAIN_KERNEL][i].name, "step 1") != 0);
}

/* 2 4 4 4 5 5 7 9: mean 5, sum of squares 32 */
static void test_deviation(void)
{
	static const uint64_t time[] = { 2, 4, 4, 4, 5, 5, 7, 9 };
	struct made_log log;
	made_log_begin(&log, path);
	for (size_t i = 0; i < 8; i++)
		made_api(&log, MADE_HIP, 1, i + 1, 100 * i, 100 * i + time[i]);
	made_api(&log, MADE_HIP, 2, 99, 1000, 900);     /* no time before 0 */
	made_log_close(&log);
	read_stats();
	const struct stat_row *one = row(DOMAIN_OTHER_API, "operation 1");
	TEST_ASSERT_TRUE(fabs(one->mean - 5) < 1e-12);
	TEST_ASSERT_TRUE(fabs(stat_deviation(one) - sqrt(32.0 / 7)) < 1e-12);
	TEST_ASSERT_EQUAL(2, one->least);
	TEST_ASSERT_EQUAL(9, one->most);
	const struct stat_row *other = row(DOMAIN_OTHER_API, "operation 2");
	TEST_ASSERT_EQUAL(0, other->total);
	TEST_ASSERT_TRUE(stat_deviation(other) == 0);
}

/* Texts with the same content but different numbers count as one; very many different ones do not get lost. */
static void test_many_names(void)
{
	enum { TEXTS = 5000 };
	struct made_log log;
	char text[32];
	made_log_begin(&log, path);
	made_name(&log, MADE_MARKER, -1, "MARKER_CORE_RANGE_API");
	for (uint64_t i = 0; i < 3 * TEXTS; i++) {
		snprintf(text, sizeof text, "step %d", (int)(i % TEXTS));
		made_numbered_text(&log, i + 1, text);
		made_marker(&log, i + 1, i + 1);
		made_api(&log, MADE_MARKER, 0, i + 1, i * 10, i * 10 + i % TEXTS);
	}
	made_log_close(&log);
	read_stats();
	TEST_ASSERT_EQUAL(TEXTS, stats.rows[DOMAIN_MARKER]);
	for (size_t i = 0; i < TEXTS; i++) {
		snprintf(text, sizeof text, "step %d", (int)(TEXTS - 1 - i));
		TEST_ASSERT_EQUAL_STRING(text, stats.row[DOMAIN_MARKER][i].name);
		TEST_ASSERT_EQUAL(3, stats.row[DOMAIN_MARKER][i].calls);
		TEST_ASSERT_EQUAL(3 * (TEXTS - 1 - i), stats.row[DOMAIN_MARKER][i].total);
	}
}

int main(void)
{
	if (!mkdtemp(folder))
		return 1;
	UNITY_BEGIN();
	RUN_TEST(test_a_log_with_everything);
	RUN_TEST(test_names_are_those_of_the_naming);
	RUN_TEST(test_kernels_are_not_renamed_unless_that_is_wanted);
	RUN_TEST(test_deviation);
	RUN_TEST(test_many_names);
	int failed = UNITY_END();
	rmdir(folder);
	return failed;
}
