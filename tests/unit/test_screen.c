/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "bin/screen.h"
#include "unity.h"

static struct screen screen;
static char sent[1 << 16];

void setUp(void)
{
	TEST_ASSERT_EQUAL_INT(0, screen_resize(&screen, 10, 3));
	screen_begin(&screen);
}

void tearDown(void)
{
	screen_free(&screen);
}

static const char *end(void)
{
	const char *bytes;
	size_t n = screen_end(&screen, &bytes);
	TEST_ASSERT_LESS_THAN(sizeof sent, n);
	memcpy(sent, bytes, n);
	sent[n] = 0;
	return sent;
}

#define LINE(n, text) "\033[" #n ";1H" text "\033[0m\033[K"

static void the_first_page_is_sent_whole(void)
{
	screen_text(&screen, "one");
	screen_line(&screen, 2);
	screen_text(&screen, "three");
	TEST_ASSERT_EQUAL_STRING("\033[0m\033[2J" LINE(1, "one") LINE(2, "") LINE(3, "three"), end());
}

static void then_only_what_has_changed(void)
{
	the_first_page_is_sent_whole();
	screen_begin(&screen);
	screen_text(&screen, "one");
	screen_line(&screen, 2);
	screen_text(&screen, "3");
	TEST_ASSERT_EQUAL_STRING(LINE(3, "3"), end());
	screen_begin(&screen);
	screen_text(&screen, "one");
	screen_line(&screen, 2);
	screen_text(&screen, "3");
	TEST_ASSERT_EQUAL_STRING("", end());
}

static void after_a_new_size_all_is_sent_anew(void)
{
	the_first_page_is_sent_whole();
	TEST_ASSERT_EQUAL_INT(0, screen_resize(&screen, 20, 1));
	screen_begin(&screen);
	screen_text(&screen, "one");
	TEST_ASSERT_EQUAL_STRING("\033[0m\033[2J" LINE(1, "one"), end());
}

/* The first line of a page. */
static const char *first(void)
{
	char *at = strstr(end(), "\033[1;1H");
	TEST_ASSERT_NOT_NULL(at);
	at += 6;
	*strstr(at, "\033[0m\033[K") = 0;
	return at;
}

static void no_line_is_wider_than_the_window(void)
{
	screen_text(&screen, "0123456789abc");
	screen_text(&screen, "x");
	TEST_ASSERT_EQUAL_STRING("0123456789", first());
}

static void what_is_below_the_window_is_dropped(void)
{
	screen_line(&screen, 3);
	screen_text(&screen, "below");
	screen_style(&screen, STYLE_BOLD);
	screen_cell(&screen, 5, "below");
	screen_fill(&screen);
	TEST_ASSERT_NULL(strstr(end(), "below"));
}

static void cells_are_cut_filled_and_aligned(void)
{
	screen_cell(&screen, 3, "abcde");
	screen_cell(&screen, 3, "f");
	screen_cell(&screen, -4, "12");
	TEST_ASSERT_EQUAL_STRING("abcf    12", first());
}

static void escapes_do_not_reach_the_terminal(void)
{
	screen_text(&screen, "a\033[2J");
	TEST_ASSERT_EQUAL_STRING("a\\x1b[2J", first());
}

static void neither_do_c1_nor_bad_bytes(void)
{
	screen_text(&screen, "\xc2\x9b" "\xff");
	TEST_ASSERT_EQUAL_STRING("\\xc2\\x9b", first());       /* the rest has no room */
}

static void nor_what_turns_text_around(void)
{
	screen_text(&screen, "\xe2\x80\xae");   /* U+202E */
	TEST_ASSERT_NULL(strstr(first(), "\xe2\x80\xae"));
}

static void wide_characters_take_two_columns(void)
{
	screen_cell(&screen, 3, "\xe6\xb0\xb4\xe6\xb0\xb4");    /* two of them */
	screen_text(&screen, "x");
	TEST_ASSERT_EQUAL_STRING("\xe6\xb0\xb4 x", first());
}

static void other_letters_are_shown(void)
{
	screen_cell(&screen, -4, "\xc3\xa4");
	TEST_ASSERT_EQUAL_STRING("   \xc3\xa4", first());
}

static void endless_styles_do_no_harm(void)
{
	for (int i = 0; i < 10000; i++)
		screen_style(&screen, STYLE_REVERSE);
	screen_text(&screen, "0123456789");
	TEST_ASSERT_LESS_THAN(10 * 4 + 256 + 200, strlen(end()));
}

static void odd_sizes_are_kept_within_limits(void)
{
	TEST_ASSERT_EQUAL_INT(0, screen_resize(&screen, 0, 0));
	screen_begin(&screen);
	screen_text(&screen, "abc");
	TEST_ASSERT_EQUAL_STRING("a", first());
	TEST_ASSERT_EQUAL_INT(0, screen_resize(&screen, 65535, 65535));
	TEST_ASSERT_EQUAL_UINT(SCREEN_COLUMNS_MAX, screen.columns);
	TEST_ASSERT_EQUAL_UINT(SCREEN_ROWS_MAX, screen.rows);
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(the_first_page_is_sent_whole);
	RUN_TEST(then_only_what_has_changed);
	RUN_TEST(after_a_new_size_all_is_sent_anew);
	RUN_TEST(no_line_is_wider_than_the_window);
	RUN_TEST(what_is_below_the_window_is_dropped);
	RUN_TEST(cells_are_cut_filled_and_aligned);
	RUN_TEST(escapes_do_not_reach_the_terminal);
	RUN_TEST(neither_do_c1_nor_bad_bytes);
	RUN_TEST(nor_what_turns_text_around);
	RUN_TEST(wide_characters_take_two_columns);
	RUN_TEST(other_letters_are_shown);
	RUN_TEST(endless_styles_do_no_harm);
	RUN_TEST(odd_sizes_are_kept_within_limits);
	return UNITY_END();
}
