/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "rocp/formats/formats.h"
#include "unity.h"

static struct env env;
static struct settings settings;
static struct err err;

void setUp(void)
{
	env = (struct env){ 0 };
	err = (struct err){ 0 };
}

void tearDown(void)
{
	settings_free(&settings);
	env_free(&env);
}

static void set(const char *name, const char *value)
{
	TEST_ASSERT_EQUAL(0, env_set(&env, name, value, &err));
}

static void read(void)
{
	settings_free(&settings);
	TEST_ASSERT_EQUAL_MESSAGE(0, settings_from(&settings, &env, &err), err.text);
}

static void refused(const char *why, const char *remedy)
{
	settings_free(&settings);
	TEST_ASSERT_EQUAL(-1, settings_from(&settings, &env, &err));
	TEST_ASSERT_EQUAL(ERR_USAGE, err.code);
	TEST_ASSERT_NOT_NULL_MESSAGE(strstr(err.text, why), err.text);
	TEST_ASSERT_NOT_NULL_MESSAGE(strstr(err.remedy, remedy), err.remedy);
}

static void test_without_variables_all_is_as_the_tool_has_it(void)
{
	read();
	TEST_ASSERT_EQUAL(FORMAT_ROCPD, settings.formats);
	TEST_ASSERT_FALSE(settings.stats || settings.summary || settings.summary_per_domain || settings.kernel_rename);
	TEST_ASSERT_FALSE(settings.group_by_queue || settings.output_config);
	TEST_ASSERT_EQUAL(0, settings.summary_groups);
	TEST_ASSERT_EQUAL_STRING("stderr", settings.summary_output);
	TEST_ASSERT_EQUAL_STRING("nsec", settings.summary_unit);
	TEST_ASSERT_EQUAL(NAMING_DEMANGLED, settings.naming);
	TEST_ASSERT_EQUAL(AGENT_RELATIVE, settings.agent_index);
	TEST_ASSERT_EQUAL_UINT64(0, settings.least_bytes);
}

static void test_formats_are_words_in_any_case_with_any_separator(void)
{
	set("ROCPROF_OUTPUT_FORMAT", "CSV, json;PFtrace:rocpd\thtml,,");
	read();
	TEST_ASSERT_EQUAL(FORMAT_CSV | FORMAT_JSON | FORMAT_PFTRACE | FORMAT_ROCPD | FORMAT_HTML, settings.formats);
	set("ROCPROF_OUTPUT_FORMAT", "csv");
	read();
	TEST_ASSERT_EQUAL(FORMAT_CSV, settings.formats);
	set("ROCPROF_OUTPUT_FORMAT", " ,");
	read();
	TEST_ASSERT_EQUAL(FORMAT_ROCPD, settings.formats);
}

static void test_otf2_points_to_amds_tools(void)
{
	set("ROCPROF_OUTPUT_FORMAT", "csv,OTF2");
	refused("otf2 is not written by roclatch's tool", "rocpd2otf2");
}

static void test_a_word_that_is_no_format_is_refused(void)
{
	set("ROCPROF_OUTPUT_FORMAT", "cs");
	refused("'cs'", "csv, json, pftrace, rocpd or html");
}

static void test_switches_are_read_as_the_sdk_reads_them(void)
{
	static const struct { const char *text; bool truth; } cases[] = {
		{ "1", true }, { "0", false }, { "00", false }, { "007", true }, { "10", true },
		{ "off", false }, { "FALSE", false }, { "No", false }, { "n", false }, { "F", false },
		{ "on", true }, { "yes", true }, { "whatever", true }, { "-0", true },
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		set("ROCPROF_STATS", cases[i].text);
		read();
		TEST_ASSERT_EQUAL_MESSAGE(cases[i].truth, settings.stats, cases[i].text);
	}
	set("ROCPROF_STATS", "");
	refused("ROCPROF_STATS is empty", "1 or 0");
}

static void test_every_switch_has_its_variable(void)
{
	set("ROCPROF_STATS_SUMMARY", "1");
	set("ROCPROF_KERNEL_RENAME", "1");
	read();
	TEST_ASSERT_TRUE(settings.summary && settings.kernel_rename);
	TEST_ASSERT_FALSE(settings.summary_per_domain || settings.group_by_queue || settings.output_config || settings.stats);
	set("ROCPROF_STATS_SUMMARY", "0");
	set("ROCPROF_KERNEL_RENAME", "0");
	set("ROCPROF_STATS_SUMMARY_PER_DOMAIN", "1");
	set("ROCPROF_GROUP_BY_QUEUE", "1");
	set("ROCPROF_OUTPUT_CONFIG_FILE", "1");
	read();
	TEST_ASSERT_FALSE(settings.summary || settings.kernel_rename || settings.stats);
	TEST_ASSERT_TRUE(settings.summary_per_domain && settings.group_by_queue && settings.output_config);
}

static void test_a_truncated_name_is_a_demangled_one_whatever_else_is_said(void)
{
	set("ROCPROF_DEMANGLE_KERNELS", "0");
	read();
	TEST_ASSERT_EQUAL(NAMING_MANGLED, settings.naming);
	set("ROCPROF_TRUNCATE_KERNELS", "1");
	read();
	TEST_ASSERT_EQUAL(NAMING_TRUNCATED, settings.naming);
}

static void test_groups_of_a_summary_are_split_and_checked(void)
{
	set("ROCPROF_STATS_SUMMARY_GROUPS", "KERNEL_DISPATCH|MEMORY_COPY##@@##(?:HIP|HSA)_API##@@####@@##.*");
	read();
	TEST_ASSERT_EQUAL(3, settings.summary_groups);
	TEST_ASSERT_EQUAL_STRING("KERNEL_DISPATCH|MEMORY_COPY", settings.summary_group[0]);
	TEST_ASSERT_EQUAL_STRING("(?:HIP|HSA)_API", settings.summary_group[1]);
	TEST_ASSERT_EQUAL_STRING(".*", settings.summary_group[2]);
	set("ROCPROF_STATS_SUMMARY_GROUPS", "HIP_API##@@##(");
	refused("'('", "KERNEL_DISPATCH");
}

static void test_units_and_output_of_a_summary(void)
{
	set("ROCPROF_STATS_SUMMARY_UNITS", "usec");
	set("ROCPROF_STATS_SUMMARY_OUTPUT", "sum/mary");
	read();
	TEST_ASSERT_EQUAL_STRING("usec", settings.summary_unit);
	TEST_ASSERT_EQUAL_STRING("sum/mary", settings.summary_output);
	set("ROCPROF_STATS_SUMMARY_UNITS", "hours");
	refused("'hours'", "sec, msec, usec or nsec");
}

static void test_ways_to_count_agents(void)
{
	set("ROCPROF_AGENT_INDEX", "absolute");
	read();
	TEST_ASSERT_EQUAL(AGENT_ABSOLUTE, settings.agent_index);
	set("ROCPROF_AGENT_INDEX", "type-relative");
	read();
	TEST_ASSERT_EQUAL(AGENT_TYPE_RELATIVE, settings.agent_index);
	set("ROCPROF_AGENT_INDEX", "relative");
	read();
	TEST_ASSERT_EQUAL(AGENT_RELATIVE, settings.agent_index);
	set("ROCPROF_AGENT_INDEX", "none");
	refused("ROCPROF_AGENT_INDEX", "type-relative");
}

static void test_the_least_output_is_a_number_of_bytes(void)
{
	set("ROCPROF_MINIMUM_OUTPUT_BYTES", "1048576");
	read();
	TEST_ASSERT_EQUAL_UINT64(1048576, settings.least_bytes);
	static const char *const wrong[] = { "", "-1", "1k", "99999999999999999999999" };
	for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
		set("ROCPROF_MINIMUM_OUTPUT_BYTES", wrong[i]);
		refused("ROCPROF_MINIMUM_OUTPUT_BYTES", "KiB");
	}
}

static void test_what_amds_tool_alone_can_do_is_refused(void)
{
	static const struct { const char *name, *value, *why; } cases[] = {
		{ "ROCPROF_PC_SAMPLING_METHOD", "host_trap", "PC sampling" },
		{ "ROCPROF_PC_SAMPLING_UNIT", "time", "PC sampling" },
		{ "ROCPROF_ADVANCED_THREAD_TRACE", "1", "thread trace" },
		{ "ROCPROF_SPM_COUNTER_COLLECTION", "on", "SPM" },
		{ "ROCPROF_SPM_COUNTERS", "spm: SQ_WAVES", "SPM" },
		{ "ROCPROF_KERNEL_REPLAY", "1", "replay" },
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		set(cases[i].name, cases[i].value);
		refused(cases[i].why, "librocprofiler-sdk-tool.so");
		env_unset(&env, cases[i].name);
	}
	set("ROCPROF_PC_SAMPLING_METHOD", "none");
	set("ROCPROF_ADVANCED_THREAD_TRACE", "0");
	set("ROCPROF_PERFETTO_BACKEND", "system");
	read();
	set("ROCPROF_OUTPUT_FORMAT", "pftrace");
	refused("Perfetto", "librocprofiler-sdk-tool.so");
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_without_variables_all_is_as_the_tool_has_it);
	RUN_TEST(test_formats_are_words_in_any_case_with_any_separator);
	RUN_TEST(test_otf2_points_to_amds_tools);
	RUN_TEST(test_a_word_that_is_no_format_is_refused);
	RUN_TEST(test_switches_are_read_as_the_sdk_reads_them);
	RUN_TEST(test_every_switch_has_its_variable);
	RUN_TEST(test_a_truncated_name_is_a_demangled_one_whatever_else_is_said);
	RUN_TEST(test_groups_of_a_summary_are_split_and_checked);
	RUN_TEST(test_units_and_output_of_a_summary);
	RUN_TEST(test_ways_to_count_agents);
	RUN_TEST(test_the_least_output_is_a_number_of_bytes);
	RUN_TEST(test_what_amds_tool_alone_can_do_is_refused);
	return UNITY_END();
}
