/* SPDX-License-Identifier: MIT */
#include "rocp/tool/settings.h"

#include <string.h>

#include "unity.h"

static const char *const *variables;    /* name, value, ..., NULL */

void setUp(void)
{
	variables = NULL;
}

void tearDown(void)
{
}

static const char *get(const char *name)
{
	for (const char *const *at = variables; at && *at; at += 2)
		if (!strcmp(*at, name))
			return at[1];
	return NULL;
}

static void test_truth_is_as_the_sdk_reads_it(void)
{
	static const char *const yes[] = { "1", "2", "on", "true", "YES", "y", "t", "anything", "-1" };
	static const char *const no[] = { "0", "00", "off", "False", "NO", "n", "f", "" };
	for (size_t i = 0; i < sizeof yes / sizeof yes[0]; i++)
		TEST_ASSERT_TRUE_MESSAGE(settings_are_true(yes[i]), yes[i]);
	for (size_t i = 0; i < sizeof no / sizeof no[0]; i++)
		TEST_ASSERT_FALSE_MESSAGE(settings_are_true(no[i]), no[i]);
	TEST_ASSERT_FALSE(settings_are_true(NULL));
}

static void test_each_service_has_its_variable(void)
{
	for (unsigned i = 0; i < SERVICES; i++) {
		const char *const one[] = { service_variable[i], "1", "ROCPROF_COUNTERS", "pmc: A", NULL };
		struct settings settings;
		variables = one;
		settings_read(&settings, get);
		for (unsigned k = 0; k < SERVICES; k++)
			TEST_ASSERT_EQUAL_MESSAGE(k == i, settings.service[k], service_variable[k]);
	}
}

static void test_nothing_is_asked_for_without_variables(void)
{
	static const struct settings none;
	struct settings settings;
	memset(&settings, 0xff, sizeof settings);
	settings_read(&settings, get);
	TEST_ASSERT_EQUAL_MEMORY(&none, &settings, sizeof none);
}

static void test_counters_need_names(void)
{
	const char *const without[] = { "ROCPROF_COUNTER_COLLECTION", "1", "ROCPROF_COUNTERS", "", NULL };
	struct settings settings;
	variables = without;
	settings_read(&settings, get);
	TEST_ASSERT_FALSE(settings.service[SERVICE_COUNTERS]);
}

static void test_the_rest_is_read(void)
{
	const char *const all[] = { "ROCPROF_KERNEL_RENAME", "1", "ROCPROF_SELECTED_REGIONS", "1",
		"ROCPROF_SELECTED_REGIONS_REF_COUNT", "true", "ROCPROF_DEMANGLE_KERNELS", "0",
		"ROCPROF_KERNEL_FILTER_INCLUDE_REGEX", "a.*", "ROCPROF_KERNEL_FILTER_EXCLUDE_REGEX", "b",
		"ROCPROF_KERNEL_FILTER_RANGE", "[1-3]", "ROCPROF_COUNTER_GROUPS", "pmc: A\npmc: B", NULL };
	struct settings settings;
	variables = all;
	settings_read(&settings, get);
	TEST_ASSERT_TRUE(settings.kernel_rename && settings.selected_regions && settings.regions_counted && settings.mangled);
	TEST_ASSERT_EQUAL_STRING("a.*", settings.include);
	TEST_ASSERT_EQUAL_STRING("b", settings.exclude);
	TEST_ASSERT_EQUAL_STRING("[1-3]", settings.range);
	TEST_ASSERT_EQUAL_STRING("pmc: A\npmc: B", settings.counters);
}

static void test_counters_are_names_and_devices(void)
{
	const char *list = "pmc: SQ_WAVES,GRBM_COUNT:device=1 (TCC_HIT[0])  MeanOccupancy;X:device=\npmc: NEXT";
	static const struct { const char *name; int device; } expected[] = {
		{ "SQ_WAVES", -1 }, { "GRBM_COUNT", 1 }, { "TCC_HIT[0]", -1 }, { "MeanOccupancy", -1 }, { "X", -1 } };
	char name[64];
	int device;
	for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
		TEST_ASSERT_TRUE(settings_counter(&list, name, sizeof name, &device));
		TEST_ASSERT_EQUAL_STRING(expected[i].name, name);
		TEST_ASSERT_EQUAL(expected[i].device, device);
	}
	TEST_ASSERT_FALSE(settings_counter(&list, name, sizeof name, &device));
}

static void test_a_name_that_is_too_long_is_left_out(void)
{
	const char *list = "AVERYLONGNAME B";
	char name[8];
	int device;
	TEST_ASSERT_TRUE(settings_counter(&list, name, sizeof name, &device));
	TEST_ASSERT_EQUAL_STRING("B", name);
}

static void test_what_is_not_done_ends(void)
{
	size_t n = 0;
	while (settings_not_done(n))
		n++;
	TEST_ASSERT_GREATER_THAN(5, n);
	TEST_ASSERT_NULL(settings_not_done(n + 1));
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_truth_is_as_the_sdk_reads_it);
	RUN_TEST(test_each_service_has_its_variable);
	RUN_TEST(test_nothing_is_asked_for_without_variables);
	RUN_TEST(test_counters_need_names);
	RUN_TEST(test_the_rest_is_read);
	RUN_TEST(test_counters_are_names_and_devices);
	RUN_TEST(test_a_name_that_is_too_long_is_left_out);
	RUN_TEST(test_what_is_not_done_ends);
	return UNITY_END();
}
