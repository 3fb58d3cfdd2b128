/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "bin/options.h"
#include "bin/shown.h"
#include "unity.h"

struct values {
	bool json, verbose;
	uint64_t pid, limit;
	const char *file;
	unsigned on;
	struct { bool trace; } inner;
};

#define AT(member) offsetof(struct values, member)
static const struct option first[] = {
	{ "json", 'j', OPTION_FLAG, AT(json), NULL, 0, 0, "as JSON" },
	{ "verbose", 'V', OPTION_FLAG, AT(verbose), NULL, 0, 0, "say more" },
	{ "pid", 'p', OPTION_NUMBER, AT(pid), "N", 1, 4096, "the process" },
	{ .name = NULL },
};
static const struct option second[] = {
	{ "output-file", 'o', OPTION_TEXT, AT(file), "FILE", 0, 0, "where to" },
	{ "limit", 0, OPTION_TIME, AT(limit), "TIME", 1, 60000, "how long" },
	{ "on", 0, OPTION_CHOICE, AT(on), "fresh|borrowed", 0, 0, "which\nthread" },
	{ .name = NULL },
};
static const struct option third[] = {
	{ "trace", 0, OPTION_FLAG, 0, NULL, 0, 0, "in an inner struct" },
	{ .name = NULL },
};
static const struct option_group groups[] = {
	{ "first", first, 0 }, { "second", second, 0 }, { "third", third, AT(inner) },
	{ .options = NULL },
};

static struct values values;
static struct err err;
static char *words[16];

void setUp(void)
{
	values = (struct values){ .pid = 0 };
	err = (struct err){ .code = ERR_NONE };
}

void tearDown(void)
{
}

/* The command line, split at blanks. */
static int split(const char *line)
{
	static char copy[256];
	int n = 0;
	snprintf(copy, sizeof copy, "%s", line);
	for (char *word = strtok(copy, " "); word; word = strtok(NULL, " "))
		words[n++] = word;
	return n;
}

static int parse(const char *line)
{
	int n = split(line);
	return options_parse(groups, &values, n, words, &err);
}

static void refused(const char *line, const char *text, const char *remedy)
{
	TEST_ASSERT_EQUAL_INT(-1, parse(line));
	TEST_ASSERT_EQUAL_INT(ERR_USAGE, err.code);
	TEST_ASSERT_EQUAL_STRING(text, err.text);
	TEST_ASSERT_EQUAL_STRING(remedy, err.remedy);
}

static void test_options_stand_anywhere_among_operands(void)
{
	TEST_ASSERT_EQUAL_INT(3, parse("--json a -p 7 b --on borrowed c"));
	TEST_ASSERT_TRUE(values.json);
	TEST_ASSERT_EQUAL_UINT64(7, values.pid);
	TEST_ASSERT_EQUAL_UINT(1, values.on);
	TEST_ASSERT_EQUAL_STRING("a", words[0]);
	TEST_ASSERT_EQUAL_STRING("b", words[1]);
	TEST_ASSERT_EQUAL_STRING("c", words[2]);
}

static void test_values_in_all_four_spellings(void)
{
	const char *const spellings[] = { "--pid 12", "--pid=12", "-p 12", "-p12" };
	for (size_t i = 0; i < 4; i++) {
		values.pid = 0;
		TEST_ASSERT_EQUAL_INT(0, parse(spellings[i]));
		TEST_ASSERT_EQUAL_UINT64(12, values.pid);
	}
}

static void test_flags_may_share_a_dash(void)
{
	TEST_ASSERT_EQUAL_INT(0, parse("-jVp5"));
	TEST_ASSERT_TRUE(values.json && values.verbose);
	TEST_ASSERT_EQUAL_UINT64(5, values.pid);
}

static void test_two_dashes_end_the_options(void)
{
	TEST_ASSERT_EQUAL_INT(2, parse("-- --json --"));
	TEST_ASSERT_FALSE(values.json);
	TEST_ASSERT_EQUAL_STRING("--json", words[0]);
	TEST_ASSERT_EQUAL_STRING("--", words[1]);
}

static void test_a_negative_number_and_a_dash_are_operands(void)
{
	TEST_ASSERT_EQUAL_INT(2, parse("-5 -"));
	TEST_ASSERT_EQUAL_STRING("-5", words[0]);
}

static void test_a_value_may_look_like_an_option(void)
{
	TEST_ASSERT_EQUAL_INT(0, parse("-o --json"));
	TEST_ASSERT_EQUAL_STRING("--json", values.file);
	TEST_ASSERT_FALSE(values.json);
}

static void test_a_text_may_be_empty(void)
{
	TEST_ASSERT_EQUAL_INT(0, parse("--output-file="));
	TEST_ASSERT_EQUAL_STRING("", values.file);
}

static void test_a_group_may_fill_an_inner_struct(void)
{
	TEST_ASSERT_EQUAL_INT(0, parse("--trace"));
	TEST_ASSERT_TRUE(values.inner.trace);
}

static void test_unknown_options_get_the_nearest(void)
{
	refused("--jsn", "there is no option --jsn", "did you mean --json?");
	refused("--output", "there is no option --output", "did you mean --output-file?");
	refused("--ouptut-file=x", "there is no option --ouptut-file", "did you mean --output-file?");
	refused("--something", "there is no option --something", "");
	refused("-x", "there is no option -x", "");
}

static void test_an_endless_name_is_cut(void)
{
	refused("--aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
		"there is no option --aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "");
}

static void test_wrong_values_are_refused(void)
{
	refused("--pid", "--pid needs a value: N", "");
	refused("--pid 0", "--pid takes a number from 1 to 4096, not '0'", "");
	refused("-p4097", "-p takes a number from 1 to 4096, not '4097'", "");
	refused("-p -1", "-p takes a number from 1 to 4096, not '-1'", "");
	refused("--pid=1x", "--pid takes a number from 1 to 4096, not '1x'", "");
	refused("--on=both", "--on takes fresh|borrowed, not 'both'", "");
	refused("--on=fres", "--on takes fresh|borrowed, not 'fres'", "");
	refused("--json=yes", "--json takes no value", "");
}

static void test_times_are_milliseconds_or_have_a_unit(void)
{
	static const struct { const char *line; uint64_t ms; } table[] = {
		{ "--limit 500", 500 }, { "--limit=10s", 10000 }, { "--limit 500ms", 500 }, { "--limit 1m", 60000 }, { "--limit 0x10", 16 },
	};
	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		TEST_ASSERT_EQUAL_INT_MESSAGE(0, parse(table[i].line), table[i].line);
		TEST_ASSERT_EQUAL_UINT64_MESSAGE(table[i].ms, values.limit, table[i].line);
	}
	refused("--limit", "--limit needs a value: TIME", "");
	refused("--limit 0", "--limit takes a time from 1 to 60000 ms, not '0'", "a number is milliseconds; 10s, 500ms and 2m are understood");
	refused("--limit 61s", "--limit takes a time from 1 to 60000 ms, not '61s'", "a number is milliseconds; 10s, 500ms and 2m are understood");
	refused("--limit 1h", "--limit takes a time from 1 to 60000 ms, not '1h'", "a number is milliseconds; 10s, 500ms and 2m are understood");
}

static void test_the_first_operand_is_found_behind_values(void)
{
	int n = split("-p 5 --json -o call call x");
	TEST_ASSERT_EQUAL_INT(5, options_first_operand(groups, n, words, &err));
	n = split("--json");
	TEST_ASSERT_EQUAL_INT(1, options_first_operand(groups, n, words, &err));
	n = split("-- x");
	TEST_ASSERT_EQUAL_INT(1, options_first_operand(groups, n, words, &err));
	n = split("--nope x");
	TEST_ASSERT_EQUAL_INT(-1, options_first_operand(groups, n, words, &err));
}

static void test_numbers_are_read_strictly(void)
{
	static const struct { const char *text; bool ok; uint64_t value; } table[] = {
		{ "0", true, 0 }, { "007", true, 7 }, { "0x1F", true, 31 },
		{ "18446744073709551615", true, UINT64_MAX },
		{ "0xffffffffffffffff", true, UINT64_MAX },
		{ "18446744073709551616", false, 0 }, { "0x10000000000000000", false, 0 },
		{ "99999999999999999999", false, 0 }, { "", false, 0 }, { "0x", false, 0 },
		{ " 1", false, 0 }, { "1 ", false, 0 }, { "+1", false, 0 }, { "-1", false, 0 },
		{ "1e3", false, 0 }, { "1.0", false, 0 }, { "f", false, 0 }, { "0xg", false, 0 },
	};
	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		uint64_t value = 0;
		TEST_ASSERT_EQUAL_MESSAGE(table[i].ok, options_number(table[i].text, &value), table[i].text);
		TEST_ASSERT_EQUAL_UINT64_MESSAGE(table[i].value, value, table[i].text);
	}
}

static void test_the_help_is_made_from_the_tables(void)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	shown_help((struct showing){ .groups = groups }, out);
	fclose(out);
	TEST_ASSERT_EQUAL_STRING(
		"\nfirst:\n"
		"  -j, --json                  as JSON\n"
		"  -V, --verbose               say more\n"
		"  -p, --pid N                 the process\n"
		"\nsecond:\n"
		"  -o, --output-file FILE      where to\n"
		"      --limit TIME            how long\n"
		"      --on fresh|borrowed     which thread\n"
		"\nthird:\n"
		"      --trace                 in an inner struct\n", text);
	free(text);
}

static void wrapped(int column, const char *text, const char *expected)
{
	char *got = NULL;
	size_t size;
	FILE *out = open_memstream(&got, &size);
	wrap(out, column, text, strlen(text));
	fclose(out);
	TEST_ASSERT_EQUAL_STRING(expected, got);
	free(got);
}

static void test_paragraphs_fit_into_80_columns(void)
{
	static const char nine[] = "123456789 123456789 123456789 123456789 123456789 123456789 123456789 ";
	char text[101], expected[160];
	wrapped(0, "one\ntwo.  Three\n", "one two.  Three\n");
	wrapped(0, "one.\ntwo", "one.  two\n");
	wrapped(0, "", "\n");
	snprintf(text, sizeof text, "%s12345678 x", nine);      /* 78 columns, and two more */
	snprintf(expected, sizeof expected, "%s12345678\nx\n", nine);
	wrapped(0, text, expected);
	snprintf(text, sizeof text, "%s1234567 x", nine);
	snprintf(expected, sizeof expected, "%s1234567 x\n", nine);
	wrapped(0, text, expected);
	snprintf(text, sizeof text, "%sabcdefghijk", nine + 10);
	snprintf(expected, sizeof expected, "%.59s\n          abcdefghijk\n", nine + 10);
	wrapped(10, text, expected);
	memset(text, 'w', 100);
	text[100] = '\0';
	snprintf(expected, sizeof expected, "a\n%s\nb\n", text);
	char around[120];
	snprintf(around, sizeof around, "a %s b", text);        /* what fits nowhere stays whole */
	wrapped(0, around, expected);
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_options_stand_anywhere_among_operands);
	RUN_TEST(test_values_in_all_four_spellings);
	RUN_TEST(test_flags_may_share_a_dash);
	RUN_TEST(test_two_dashes_end_the_options);
	RUN_TEST(test_a_negative_number_and_a_dash_are_operands);
	RUN_TEST(test_a_value_may_look_like_an_option);
	RUN_TEST(test_a_text_may_be_empty);
	RUN_TEST(test_a_group_may_fill_an_inner_struct);
	RUN_TEST(test_unknown_options_get_the_nearest);
	RUN_TEST(test_an_endless_name_is_cut);
	RUN_TEST(test_wrong_values_are_refused);
	RUN_TEST(test_the_first_operand_is_found_behind_values);
	RUN_TEST(test_times_are_milliseconds_or_have_a_unit);
	RUN_TEST(test_numbers_are_read_strictly);
	RUN_TEST(test_the_help_is_made_from_the_tables);
	RUN_TEST(test_paragraphs_fit_into_80_columns);
	return UNITY_END();
}
