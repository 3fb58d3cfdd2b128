/* SPDX-License-Identifier: MIT */
/* A line for each test, in programs that are built for each C library. */
#ifndef ROCLATCH_TESTS_DROPIN_REPORT_H
#define ROCLATCH_TESTS_DROPIN_REPORT_H

#include <stdbool.h>

/* Before all: the C library's name, and the tests that are wanted (a part of their sentences, or NULL: all). */
void report_begin(const char *label, const char *only);
bool is_for_musl(void);

void test(const char *sentence, void (*run)(void));
/* Not possible here, for this reason. */
void skip(const char *why);
void fail(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
#define check(condition, ...) do { if (!(condition)) fail(__VA_ARGS__); } while (0)
#define equal(expected, got) expect_number(__FILE__, __LINE__, #got, expected, (long)(got))
void expect_number(const char *file, int line, const char *what, long expected, long got);
/* The exit status: 1 if one has failed. */
int report_end(void);

#endif
