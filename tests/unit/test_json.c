/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "bin/json.h"
#include "unity.h"

static char *text;
static size_t size;
static struct json json;

void setUp(void)
{
	json_init(&json, open_memstream(&text, &size));
}

void tearDown(void)
{
	free(text);
	text = NULL;
}

static void expect(const char *wanted)
{
	fclose(json.out);
	TEST_ASSERT_EQUAL_STRING(wanted, text);
}

/* The text as the one element of an array. */
static void expect_escaped(const char *wanted, const char *bytes, size_t length)
{
	char line[256];
	json_array(&json, NULL);
	json_text_n(&json, NULL, bytes, length);
	json_end(&json);
	snprintf(line, sizeof line, "[\"%s\"]\n", wanted);
	expect(line);
}
#define ESCAPED(wanted, bytes) expect_escaped(wanted, bytes, sizeof(bytes) - 1)

static void test_commas_stand_between_members_and_only_there(void)
{
	json_object(&json, NULL);
	json_unsigned(&json, "a", 1);
	json_array(&json, "b");
	json_end(&json);
	json_object(&json, "c");
	json_bool(&json, "d", true);
	json_null(&json, "e");
	json_end(&json);
	json_signed(&json, "f", -2);
	json_end(&json);
	expect("{\"a\":1,\"b\":[],\"c\":{\"d\":true,\"e\":null},\"f\":-2}\n");
}

static void test_numbers_keep_all_64_bits(void)
{
	json_array(&json, NULL);
	json_unsigned(&json, NULL, UINT64_MAX);
	json_signed(&json, NULL, INT64_MIN);
	json_hex(&json, NULL, UINT64_MAX);
	json_end(&json);
	expect("[18446744073709551615,-9223372036854775808,\"0xffffffffffffffff\"]\n");
}

static void test_null_text_is_null(void)
{
	json_array(&json, NULL);
	json_text(&json, NULL, NULL);
	json_end(&json);
	expect("[null]\n");
}

static void test_quotes_and_control_characters_are_escaped(void)
{
	ESCAPED("\\\"\\\\\\b\\f\\n\\r\\t\\u0001\\u001b\\u007f/", "\"\\\b\f\n\r\t\x01\x1b\x7f/");
}

static void test_a_nul_inside_is_escaped(void)
{
	ESCAPED("a\\u0000b", "a\0b");
}

static void test_valid_utf8_passes(void)
{
	ESCAPED("\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80 \xed\x9f\xbf \xf4\x8f\xbf\xbf",
		"\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80 \xed\x9f\xbf \xf4\x8f\xbf\xbf");
}

static void test_invalid_bytes_become_replacements(void)
{
	ESCAPED("a\\ufffdb\\ufffd\\ufffdc", "a\xff" "b\x80\x80" "c");
}

static void test_overlong_forms_are_invalid(void)
{
	ESCAPED("\\ufffd\\ufffd \\ufffd\\ufffd\\ufffd", "\xc0\xaf \xe0\x80\xaf");
}

static void test_surrogates_are_invalid(void)
{
	ESCAPED("\\ufffd\\ufffd\\ufffd", "\xed\xa0\x80");
}

static void test_a_cut_sequence_is_one_replacement(void)
{
	ESCAPED("\\ufffdx\\ufffd", "\xe2\x82x\xf0\x9f\x98");
}

static void test_code_points_behind_the_last_are_invalid(void)
{
	ESCAPED("\\ufffd\\ufffd\\ufffd\\ufffd", "\xf4\x90\x80\x80");
}

static void test_keys_are_escaped_too(void)
{
	json_object(&json, NULL);
	json_null(&json, "a\"b");
	json_end(&json);
	expect("{\"a\\\"b\":null}\n");
}

static void test_lines_become_elements(void)
{
	json_array(&json, NULL);
	json_lines(&json, NULL, "");
	json_lines(&json, NULL, "one\n\ntwo\n");
	json_end(&json);
	expect("[[],[\"one\",\"two\"]]\n");
}

static void test_too_deep_does_not_overrun(void)
{
	for (int i = 0; i < JSON_DEPTH_MAX + 8; i++)
		json_array(&json, NULL);
	for (int i = 0; i < JSON_DEPTH_MAX + 16; i++)
		json_end(&json);
	TEST_ASSERT_EQUAL_UINT(0, json.depth);
	fclose(json.out);
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_commas_stand_between_members_and_only_there);
	RUN_TEST(test_numbers_keep_all_64_bits);
	RUN_TEST(test_null_text_is_null);
	RUN_TEST(test_quotes_and_control_characters_are_escaped);
	RUN_TEST(test_a_nul_inside_is_escaped);
	RUN_TEST(test_valid_utf8_passes);
	RUN_TEST(test_invalid_bytes_become_replacements);
	RUN_TEST(test_overlong_forms_are_invalid);
	RUN_TEST(test_surrogates_are_invalid);
	RUN_TEST(test_a_cut_sequence_is_one_replacement);
	RUN_TEST(test_code_points_behind_the_last_are_invalid);
	RUN_TEST(test_keys_are_escaped_too);
	RUN_TEST(test_lines_become_elements);
	RUN_TEST(test_too_deep_does_not_overrun);
	return UNITY_END();
}
