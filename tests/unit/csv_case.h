/* SPDX-License-Identifier: MIT */
/* Reads tables as RFC 4180 has them, so that tests look at cells. */
#ifndef ROCLATCH_TESTS_CSV_CASE_H
#define ROCLATCH_TESTS_CSV_CASE_H

#include "conversion_case.h"

#define ROWS_MOST 16
#define COLUMNS_MOST 64

/* A table as RFC 4180 reads it; row 0 is the heading. */
static char *table_text;
static char *cell[ROWS_MOST][COLUMNS_MOST];
static bool quoted[ROWS_MOST][COLUMNS_MOST];
static size_t rows, columns;

/* Takes the cell's quotes away in place; the end of the cell. */
static inline char *read_cell(char *at, bool *was_quoted)
{
	char *to = at;
	*was_quoted = *at == '"';
	if (!*was_quoted)
		return at + strcspn(at, ",\n");
	for (at++;; at++) {
		TEST_ASSERT_NOT_EQUAL('\0', *at);
		if (*at == '"' && *++at != '"')
			break;
		*to++ = *at;
	}
	TEST_ASSERT_NOT_NULL(strchr(",\n", *at));
	if (to < at)
		*to = '\0';
	return at;
}

static inline void read_table(const char *name)
{
	free(table_text);
	table_text = content_of(name);
	rows = columns = 0;
	for (char *at = table_text; *at;) {
		size_t n = 0;
		for (char ending = ','; ending == ',';) {
			TEST_ASSERT_TRUE(rows < ROWS_MOST && n < COLUMNS_MOST);
			cell[rows][n] = at;
			char *end = read_cell(at, &quoted[rows][n]);
			ending = *end;
			*end = '\0';
			at = end + 1;
			n++;
		}
		TEST_ASSERT_TRUE_MESSAGE(!rows || n == columns, name);
		columns = n;
		rows++;
	}
}

static inline size_t column(const char *name)
{
	for (size_t i = 0; i < columns; i++)
		if (!strcmp(cell[0][i], name))
			return i;
	TEST_FAIL_MESSAGE(name);
	return 0;
}

/* The row (from 1) has this text, in quotes, or this number, without. */
static inline void text_is(size_t row, const char *name, const char *text)
{
	TEST_ASSERT_TRUE(row < rows);
	TEST_ASSERT_EQUAL_STRING_MESSAGE(text, cell[row][column(name)], name);
	TEST_ASSERT_TRUE_MESSAGE(quoted[row][column(name)], name);
}

static inline void number_is(size_t row, const char *name, const char *number)
{
	TEST_ASSERT_TRUE(row < rows);
	TEST_ASSERT_EQUAL_STRING_MESSAGE(number, cell[row][column(name)], name);
	TEST_ASSERT_FALSE_MESSAGE(quoted[row][column(name)], name);
}

static inline void value_is(size_t row, const char *name, uint64_t value)
{
	char number[24];
	snprintf(number, sizeof number, "%llu", (unsigned long long)value);
	number_is(row, name, number);
}

static inline void heading_is(const char *names)
{
	char joined[2048] = "";
	for (size_t i = 0; i < columns; i++) {
		TEST_ASSERT_TRUE(quoted[0][i]);
		strcat(strcat(joined, i ? " " : ""), cell[0][i]);
	}
	TEST_ASSERT_EQUAL_STRING(names, joined);
}

static inline void write_everything(void)
{
	made_log_everything(log_path);
	case_open();
	TEST_ASSERT_EQUAL_MESSAGE(0, csv_write(&conversion, &err), err.text);
}

#endif
