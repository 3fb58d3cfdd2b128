/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "bin/amounts.h"
#include "unity.h"

#define MS UINT64_C(1000000)
#define S UINT64_C(1000000000)

void setUp(void)
{
}

void tearDown(void)
{
}

static void counts_have_commas(void)
{
	TEST_ASSERT_EQUAL_STRING("0", count_text(0));
	TEST_ASSERT_EQUAL_STRING("999", count_text(999));
	TEST_ASSERT_EQUAL_STRING("1,234,567", count_text(1234567));
}

static void bytes_have_units(void)
{
	TEST_ASSERT_EQUAL_STRING("999 bytes", bytes_text(999));
	TEST_ASSERT_EQUAL_STRING("1.0 kB", bytes_text(1000));
	TEST_ASSERT_EQUAL_STRING("78 MB", bytes_text(78000000));
}

static void times_are_as_exact_as_they_are_short(void)
{
	static const struct { uint64_t ns; const char *text; } rows[] = {
		{ 0, "0 ms" }, { 999 * MS, "999 ms" }, { S, "1.0 s" }, { 12300 * MS, "12.3 s" }, { 100 * S, "1 min 40" },
		{ 3599 * S, "59 min 59" }, { 3600 * S, "1 h 00" }, { 86399 * S, "23 h 59" }, { 86400 * S, "1 d 00 h" },
		{ 700 * 86400 * S, "700 d 00 h" },
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		TEST_ASSERT_EQUAL_STRING(rows[i].text, duration_text(rows[i].ns));
}

static void the_longest_fits(void)
{
	TEST_ASSERT_LESS_THAN(32, strlen(duration_text(UINT64_MAX)));
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(counts_have_commas);
	RUN_TEST(bytes_have_units);
	RUN_TEST(times_are_as_exact_as_they_are_short);
	RUN_TEST(the_longest_fits);
	return UNITY_END();
}
