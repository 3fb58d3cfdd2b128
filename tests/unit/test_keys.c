/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "bin/keys.h"
#include "unity.h"

static struct keys keys;

void setUp(void)
{
	keys = (struct keys){ .n = 0 };
}

void tearDown(void)
{
}

static void expect(const char *bytes, size_t n, const int *wanted, bool all)
{
	keys_put(&keys, bytes, n);
	for (; *wanted; wanted++)
		TEST_ASSERT_EQUAL_INT(*wanted, keys_next(&keys, all));
	TEST_ASSERT_EQUAL_INT(KEY_NONE, keys_next(&keys, all));
}

#define EXPECT(text, ...) expect(text, sizeof text - 1, (const int[]){ __VA_ARGS__, 0 }, false)

static void letters_are_themselves(void)
{
	EXPECT("qs r", 'q', 's', ' ', 'r');
}

static void both_line_ends_are_enter(void)
{
	EXPECT("\r\n", KEY_ENTER, KEY_ENTER);
}

static void arrows_come_in_two_ways(void)
{
	EXPECT("\033[A\033[B\033OA\033OB\033[C\033[D", KEY_UP, KEY_DOWN, KEY_UP, KEY_DOWN, KEY_RIGHT, KEY_LEFT);
}

static void with_modifiers_they_are_the_same(void)
{
	EXPECT("\033[1;5A\033[1;2B", KEY_UP, KEY_DOWN);
}

static void pages_and_ends(void)
{
	EXPECT("\033[5~\033[6~\033[H\033[F\033[1~\033[4~", KEY_PAGE_UP, KEY_PAGE_DOWN, KEY_HOME, KEY_END, KEY_HOME, KEY_END);
}

static void function_keys_mean_nothing(void)
{
	EXPECT("\033OP\033[15~x", KEY_OTHER, KEY_OTHER, 'x');
}

static void an_escape_waits_for_what_may_follow(void)
{
	keys_put(&keys, "\033", 1);
	TEST_ASSERT_EQUAL_INT(KEY_NONE, keys_next(&keys, false));
	TEST_ASSERT_EQUAL_INT(KEY_ESCAPE, keys_next(&keys, true));
	TEST_ASSERT_EQUAL_size_t(0, keys.n);
}

static void a_sequence_may_come_in_pieces(void)
{
	keys_put(&keys, "\033", 1);
	TEST_ASSERT_EQUAL_INT(KEY_NONE, keys_next(&keys, false));
	keys_put(&keys, "[", 1);
	TEST_ASSERT_EQUAL_INT(KEY_NONE, keys_next(&keys, false));
	keys_put(&keys, "A", 1);
	TEST_ASSERT_EQUAL_INT(KEY_UP, keys_next(&keys, false));
}

static void escape_before_a_letter_is_two_keys(void)
{
	EXPECT("\033q", KEY_ESCAPE, 'q');
}

static void unfinished_sequences_end(void)
{
	expect("\033[1;", 4, (const int[]){ KEY_OTHER, 0 }, true);
	EXPECT("\033[1\001q", KEY_OTHER, KEY_OTHER, 'q');
}

static void endless_sequences_end(void)
{
	static const char digits[] = "\033[1111111111111111111111111111111111";
	keys_put(&keys, digits, sizeof digits - 1);
	TEST_ASSERT_EQUAL_INT(KEY_OTHER, keys_next(&keys, false));
	TEST_ASSERT_EQUAL_size_t(0, keys.n);
}

static void other_bytes_mean_nothing(void)
{
	EXPECT("\001\xc3\xa4\x7f", KEY_OTHER, KEY_OTHER, KEY_OTHER, KEY_OTHER);
}

static void a_flood_is_cut(void)
{
	char flood[1000];
	memset(flood, 'x', sizeof flood);
	keys_put(&keys, flood, sizeof flood);
	for (size_t i = 0; i < sizeof keys.bytes; i++)
		TEST_ASSERT_EQUAL_INT('x', keys_next(&keys, false));
	TEST_ASSERT_EQUAL_INT(KEY_NONE, keys_next(&keys, false));
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(letters_are_themselves);
	RUN_TEST(both_line_ends_are_enter);
	RUN_TEST(arrows_come_in_two_ways);
	RUN_TEST(with_modifiers_they_are_the_same);
	RUN_TEST(pages_and_ends);
	RUN_TEST(function_keys_mean_nothing);
	RUN_TEST(an_escape_waits_for_what_may_follow);
	RUN_TEST(a_sequence_may_come_in_pieces);
	RUN_TEST(escape_before_a_letter_is_two_keys);
	RUN_TEST(unfinished_sequences_end);
	RUN_TEST(endless_sequences_end);
	RUN_TEST(other_bytes_mean_nothing);
	RUN_TEST(a_flood_is_cut);
	return UNITY_END();
}
