/* SPDX-License-Identifier: MIT */
/* A made job in a folder, put together: for tests of rocp/job. */
#ifndef ROCLATCH_TESTS_JOB_CASE_H
#define ROCLATCH_TESTS_JOB_CASE_H

#include "rocp/job/report.h"

#include <sqlite3.h>

#include "made_job.h"
#include "made_proc.h"

#define MS 1000000ull
#define HOUR 3600000000000

static struct job_report report;
static struct err err;
static char base[64];
static sqlite3 *merged;

void setUp(void)
{
	proc_make();
	memset(&err, 0, sizeof err);
	snprintf(base, sizeof base, "%s/all", proc);
	merged = NULL;
}

void tearDown(void)
{
	sqlite3_close(merged);
	job_report_close(&report);
	memset(&report, 0, sizeof report);
	proc_remove();
}

/* Rank i of n on one of two hosts; steps of 4 ms of which it computes 2. */
static inline struct made_rank usual(int i, int n)
{
	return (struct made_rank){ .host = i < n / 2 ? "n1" : "n2", .rank = i, .ranks = n, .pid = 100 + i,
		.booted = MADE_JOB_NOW - (i < n / 2 ? 5 : 90) * HOUR, .steps = 10, .step_ns = 4 * MS, .kernel_ns = 2 * MS + (uint64_t)i * 1000 };
}

static inline void make(const struct made_rank *rank)
{
	TEST_ASSERT_EQUAL_MESSAGE(0, made_job_rank(rank, proc, &err), err.text);
}

static inline void make_usual(int n)
{
	for (int i = 0; i < n; i++) {
		struct made_rank rank = usual(i, n);
		make(&rank);
	}
}

static inline void merge(uint64_t expect)
{
	TEST_ASSERT_EQUAL_MESSAGE(0, job_report_open(&report, proc, expect, &err), err.text);
	TEST_ASSERT_EQUAL_MESSAGE(0, job_report_merge(&report, base, NULL, NULL, &err), err.text);
	TEST_ASSERT_EQUAL(SQLITE_OK, sqlite3_open(report.database, &merged));
}

/* The one number that a question to the merged database has as its answer. */
static inline int64_t ask(const char *sql)
{
	sqlite3_stmt *row;
	TEST_ASSERT_EQUAL_MESSAGE(SQLITE_OK, sqlite3_prepare_v2(merged, sql, -1, &row, NULL), sqlite3_errmsg(merged));
	TEST_ASSERT_EQUAL_MESSAGE(SQLITE_ROW, sqlite3_step(row), sql);
	int64_t answer = sqlite3_column_int64(row, 0);
	sqlite3_finalize(row);
	return answer;
}

static inline void expect_sound(void)
{
	TEST_ASSERT_EQUAL(0, ask("SELECT count(*) FROM pragma_integrity_check WHERE integrity_check <> 'ok'"));
	TEST_ASSERT_EQUAL(0, ask("SELECT count(*) FROM pragma_foreign_key_check"));
}

#define HAS(text, part) TEST_ASSERT_NOT_NULL_MESSAGE(strstr(text, part), text)

static inline void expect_problem(const char *text)
{
	TEST_ASSERT_EQUAL_MESSAGE(1, report.problems, report.problems > 1 ? report.problem[1] : "no problem was told");
	HAS(report.problem[0], text);
}

#endif
