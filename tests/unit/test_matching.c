/* SPDX-License-Identifier: MIT */
/* What a C library would write out for gigabytes is refused, and nothing that people use. */
#include <string.h>

#include "rocp/matching.h"
#include "unity.h"

void setUp(void) { }
void tearDown(void) { }

static void test_what_people_use_is_modest(void)
{
	static const char *const texts[] = {
		"", "^python3$", "gemm.*(f16|bf16)+", "[[:alnum:]_]+[0-9]{1,3}", "a{255}", "(a{10}){10}", "[]+*(]++", "\\(\\+\\{100000\\}",
		"(((a)))", "[^]{9999}]", "[[.].]]", "\\", "[", "[[:", "{", "a{", "a{2,}", "a{2", ")))))))))))))))))))))))))))))))))",
	};
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		TEST_ASSERT_TRUE_MESSAGE(matching_is_modest(texts[i]), texts[i]);
}

static void test_repetitions_of_repetitions_are_not(void)
{
	static const char *const texts[] = {
		"a{255}{255}", "(a{255}){255}", "((a{2,255}){40,}){1,2}", "a{99999999999999999999}", "(a|b{1,5000}c{5000}){2}",
		"a++++++++++++++++++++++++", "((((((((((((((((a+)+)+)+)+)+)+)+)+)+)+)+)+)+)+)+", "[a+]{10001}", "\\++++++++++++++++",
	};
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		TEST_ASSERT_FALSE_MESSAGE(matching_is_modest(texts[i]), texts[i]);
}

static void test_groups_in_groups_are_bounded(void)
{
	char deep[201];
	memset(deep, '(', 100);
	memset(deep + 100, ')', 100);
	deep[200] = '\0';
	TEST_ASSERT_FALSE(matching_is_modest(deep));
}

static void test_why_one_cannot_be_used_is_told(void)
{
	regex_t regex;
	char why[64] = "";
	TEST_ASSERT_EQUAL(-1, matching_compile(&regex, "(a{255}){255}", why, sizeof why));
	TEST_ASSERT_EQUAL_STRING("it repeats too much", why);
	why[0] = '\0';
	TEST_ASSERT_EQUAL(-1, matching_compile(&regex, "(a", why, sizeof why));
	TEST_ASSERT_TRUE(why[0] != '\0');
	TEST_ASSERT_EQUAL(0, matching_compile(&regex, "^a+$", why, sizeof why));
	TEST_ASSERT_EQUAL(0, regexec(&regex, "aaa", 0, NULL, 0));
	regfree(&regex);
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_what_people_use_is_modest);
	RUN_TEST(test_repetitions_of_repetitions_are_not);
	RUN_TEST(test_groups_in_groups_are_bounded);
	RUN_TEST(test_why_one_cannot_be_used_is_told);
	return UNITY_END();
}
