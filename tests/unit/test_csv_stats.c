/* SPDX-License-Identifier: MIT */
#include "csv_case.h"

void setUp(void)
{
	case_begin();
}

void tearDown(void)
{
	free(table_text);
	table_text = NULL;
	case_end();
}

static void test_statistics(void)
{
	set("ROCPROF_KERNEL_RENAME", "1");
	set("ROCPROF_STATS", "1");
	write_everything();
	TEST_ASSERT_EQUAL(15 + 13 + 1, files_of(".csv"));
	TEST_ASSERT_FALSE(is_there("out_counter_collection_stats.csv"));
	read_table("out_hip_api_stats.csv");
	heading_is("Name Calls TotalDurationNs AverageNs Percentage MinNs MaxNs StdDev");
	TEST_ASSERT_EQUAL(1 + 4, rows);
	text_is(1, "Name", "hipMemcpy");
	text_is(3, "Name", "hipLaunchKernel");
	value_is(3, "Calls", 2);
	value_is(3, "TotalDurationNs", 2000);
	number_is(3, "AverageNs", "1000.000000");
	number_is(3, "Percentage", "14.28");    /* of 14001 */
	number_is(4, "Percentage", "7.142e-03");
	read_table("out_kernel_stats.csv");
	text_is(1, "Name", "matrixTranspose(float*, float*, int)");
	value_is(1, "MinNs", 2000);
	value_is(1, "MaxNs", 4000);
	number_is(1, "StdDev", "1414.213562");  /* of 4000 and 2000: 1000 * sqrt(2) */
	number_is(2, "StdDev", "0.00000000e+00");
	number_is(4, "Percentage", "0.6622");   /* 100 of 15101 */
}

static void test_statistics_of_domains(void)
{
	set("ROCPROF_STATS", "1");
	write_everything();
	read_table("out_domain_stats.csv");
	heading_is("Name Calls TotalDurationNs AverageNs Percentage MinNs MaxNs StdDev");
	TEST_ASSERT_EQUAL(1 + 13, rows);
	text_is(1, "Name", "MARKER_API");
	value_is(1, "TotalDurationNs", 59800 + 29500);
	text_is(2, "Name", "KERNEL_DISPATCH");
	value_is(2, "Calls", 6);
	value_is(2, "TotalDurationNs", 15101);
	value_is(2, "MinNs", 1);
	value_is(2, "MaxNs", 6000);
	/* 4000 6000 100 3000 1 2000 */
	number_is(2, "AverageNs", "2516.833333");
	number_is(2, "StdDev", "2323.932049");
	text_is(3, "Name", "HIP_API");
}

/* The table of kernels has the kernel's own name then, and so have its statistics. */
static void test_kernels_that_are_not_renamed_count_by_their_names(void)
{
	set("ROCPROF_STATS", "1");
	write_everything();
	read_table("out_kernel_stats.csv");
	TEST_ASSERT_EQUAL(1 + 4, rows);
	text_is(1, "Name", "matrixTranspose(float*, float*, int)");
	value_is(1, "Calls", 3);
	value_is(1, "MaxNs", 6000);
}

static void test_without_stats_there_are_none(void)
{
	write_everything();
	TEST_ASSERT_EQUAL(0, files_of("_stats.csv"));
}

/* Rows of one name each must give what all calls together give. */
static void test_the_deviation_of_a_domain_is_that_of_all_its_calls(void)
{
	static const uint64_t time[] = { 2, 4, 4, 4, 5, 5, 7, 9 };
	struct made_log log;
	made_log_begin(&log, log_path);
	made_name(&log, MADE_HIP, -1, "HIP_RUNTIME_API");
	for (uint64_t i = 0; i < 8; i++)
		made_api(&log, MADE_HIP, (int32_t)(i % 3), i + 1, 100 * i, 100 * i + time[i]);
	made_log_close(&log);
	set("ROCPROF_STATS", "1");
	case_open();
	TEST_ASSERT_EQUAL(0, csv_write(&conversion, &err));
	read_table("out_domain_stats.csv");
	TEST_ASSERT_EQUAL(1 + 1, rows);
	value_is(1, "Calls", 8);
	value_is(1, "TotalDurationNs", 40);
	number_is(1, "AverageNs", "5.000000");
	number_is(1, "Percentage", "100.00");
	number_is(1, "StdDev", "2.138090");     /* sqrt(32 / 7) */
	value_is(1, "MinNs", 2);
	value_is(1, "MaxNs", 9);
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_statistics);
	RUN_TEST(test_statistics_of_domains);
	RUN_TEST(test_kernels_that_are_not_renamed_count_by_their_names);
	RUN_TEST(test_without_stats_there_are_none);
	RUN_TEST(test_the_deviation_of_a_domain_is_that_of_all_its_calls);
	return UNITY_END();
}
