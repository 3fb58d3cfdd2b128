/* SPDX-License-Identifier: MIT */
#include "rocp/tool/filter.h"

#include <stdlib.h>
#include <string.h>

#include "rocp/tool/sdk.h"
#include "unity.h"

void setUp(void)
{
}

void tearDown(void)
{
}

static void test_ranges_are_read(void)
{
	struct range range[4];
	TEST_ASSERT_EQUAL(3, range_read("[1-3], [7], 9-12", range, 4));
	TEST_ASSERT_EQUAL(1, range[0].low);
	TEST_ASSERT_EQUAL(3, range[0].high);
	TEST_ASSERT_EQUAL(7, range[1].low);
	TEST_ASSERT_EQUAL(7, range[1].high);
	TEST_ASSERT_EQUAL(12, range[2].high);
	TEST_ASSERT_EQUAL(0, range_read("", range, 4));
	TEST_ASSERT_EQUAL(2, range_read("[5,6]", range, 4));
}

static void test_what_is_no_range_is_refused(void)
{
	static const char *const wrong[] = { "x", "3-1", "1-", "-2", "1--2", "4x", "99999999999", "1,2,3,4,5" };
	struct range range[4];
	for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
		TEST_ASSERT_EQUAL_MESSAGE(-1, range_read(wrong[i], range, 4), wrong[i]);
}

static bool finds(const char *pattern, const char *text)
{
	char why[256];
	regex_t regex;
	TEST_ASSERT_EQUAL_MESSAGE(0, pattern_compile(pattern, &regex, why, sizeof why), pattern);
	bool found = !regexec(&regex, text, 0, NULL, 0);
	regfree(&regex);
	return found;
}

static void test_patterns_mean_what_they_mean_to_ecmascript(void)
{
	static const struct { const char *pattern, *yes, *no; } table[] = {
		{ "gemm", "void gemm_f32(float*)", "gem" },
		{ "^add$", "add", "add1" },
		{ "v\\d+", "k_v12", "k_v" },
		{ "^\\w+$", "kernel_1", "kernel 1" },
		{ "a\\sb", "a b", "ab" },
		{ "^\\D\\W\\S$", "a,b", "1,b" },
		{ "[\\d_]x", "_x", "ax" },
		{ "[\\w.]!", ".!", "-!" },
		{ "[\\]]", "a]", "a[" },
		{ "[^\\]a]", "b", "]a" },
		{ "[a\\-c]", "-", "b" },
		{ "[[:upper:]]1", "A1", "a1" },
		{ "(?:add|sub)_k", "sub_k", "mul_k" },
		{ "a.*?z", "abcz", "abc" },
		{ "\\(float\\)", "f(float)", "f float" },
		{ "a\\/b", "a/b", "ab" },
		{ "x{2}", "xx", "x" },
		{ "foo\\.kd", "foo.kd", "fooxkd" },
		{ "a\\*?b", "a*b", "a**b" },
	};
	for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
		TEST_ASSERT_TRUE_MESSAGE(finds(table[i].pattern, table[i].yes), table[i].pattern);
		TEST_ASSERT_FALSE_MESSAGE(finds(table[i].pattern, table[i].no), table[i].pattern);
	}
}

static void test_what_posix_cannot_say_is_refused_with_a_reason(void)
{
	static const char *const wrong[] = { "(?=a)", "a(?!b)", "\\x41", "\\u0041", "[a", "a\\", "(a", "[\\D]" };
	char why[256];
	regex_t regex;
	for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
		why[0] = '\0';
		TEST_ASSERT_EQUAL_MESSAGE(-1, pattern_compile(wrong[i], &regex, why, sizeof why), wrong[i]);
		TEST_ASSERT_NOT_EQUAL_MESSAGE('\0', why[0], wrong[i]);
	}
}

static void test_a_long_pattern_is_refused_and_not_cut(void)
{
	char pattern[8192], why[256];
	regex_t regex;
	memset(pattern, 'a', sizeof pattern - 1);
	pattern[sizeof pattern - 1] = '\0';
	TEST_ASSERT_EQUAL(-1, pattern_compile(pattern, &regex, why, sizeof why));
}

static char *demangle(const char *name, char *buffer, size_t *length, int *status)
{
	(void)buffer, (void)length;
	*status = strncmp(name, "_Z", 2) ? -2 : 0;
	return *status ? NULL : strdup(strcmp(name, "_Z3addPf") ? "other(int)" : "add(float*)");
}

/* One process has one filter: what follows is one story. */
static void test_kernels_are_chosen_by_readable_names_and_runs(void)
{
	struct settings settings = { .include = "^add\\(|plain$", .exclude = "not", .range = "[2-3],5" };
	sdk.demangle = demangle;
	filter_open(&settings);
	filter_kernel(1, "_Z3addPf.kd");
	filter_kernel(2, "_Z5otheri.kd");
	filter_kernel(3, "plain.kd");
	filter_kernel(4, "not_plain");
	filter_kernel(100000, "plain");
	static const bool runs[] = { false, true, true, false, true, false };
	for (size_t i = 0; i < sizeof runs / sizeof runs[0]; i++) {
		TEST_ASSERT_EQUAL(runs[i], filter_passes(1));
		TEST_ASSERT_FALSE(filter_passes(2));
		TEST_ASSERT_EQUAL(runs[i], filter_passes(3));
		TEST_ASSERT_FALSE(filter_passes(4));
		TEST_ASSERT_FALSE(filter_passes(5));    /* nobody told its name */
		TEST_ASSERT_EQUAL(runs[i], filter_passes(100000));
	}
	TEST_ASSERT_FALSE(filter_passes(UINT64_MAX));
}

static void test_a_filter_that_is_not_understood_lets_nothing_pass(void)
{
	struct settings settings = { .include = "(?=x)" };
	filter_open(&settings);
	TEST_ASSERT_FALSE(filter_passes(1));
	TEST_ASSERT_FALSE(filter_passes(7));
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_ranges_are_read);
	RUN_TEST(test_what_is_no_range_is_refused);
	RUN_TEST(test_patterns_mean_what_they_mean_to_ecmascript);
	RUN_TEST(test_what_posix_cannot_say_is_refused_with_a_reason);
	RUN_TEST(test_a_long_pattern_is_refused_and_not_cut);
	RUN_TEST(test_kernels_are_chosen_by_readable_names_and_runs);
	RUN_TEST(test_a_filter_that_is_not_understood_lets_nothing_pass);
	return UNITY_END();
}
