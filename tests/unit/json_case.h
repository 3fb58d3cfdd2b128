/* SPDX-License-Identifier: MIT */
/* JSON read back by SQLite, which takes RFC 8259's JSON and no other for valid here. */
#ifndef ROCLATCH_TESTS_JSON_CASE_H
#define ROCLATCH_TESTS_JSON_CASE_H

#include <sqlite3.h>

#include "conversion_case.h"

static sqlite3 *db;

static inline void json_begin(void)
{
	case_begin();
	TEST_ASSERT_EQUAL(SQLITE_OK, sqlite3_open(":memory:", &db));
	TEST_ASSERT_EQUAL(SQLITE_OK, sqlite3_exec(db, "CREATE TABLE document(text)", NULL, NULL, NULL));
}

static inline void json_end(void)
{
	sqlite3_close(db);
	case_end();
}

/* What the query answers, or "" for nothing; valid until the next one. */
static inline const char *ask(const char *query, const char *argument)
{
	static char answer[65536];
	sqlite3_stmt *statement;
	TEST_ASSERT_EQUAL_MESSAGE(SQLITE_OK, sqlite3_prepare_v2(db, query, -1, &statement, NULL), sqlite3_errmsg(db));
	if (argument)
		sqlite3_bind_text(statement, 1, argument, -1, SQLITE_TRANSIENT);
	int rc = sqlite3_step(statement);
	TEST_ASSERT_TRUE_MESSAGE(rc == SQLITE_ROW || rc == SQLITE_DONE, sqlite3_errmsg(db));
	const unsigned char *text = rc == SQLITE_ROW ? sqlite3_column_text(statement, 0) : NULL;
	snprintf(answer, sizeof answer, "%s", text ? (const char *)text : "");
	sqlite3_finalize(statement);
	return answer;
}

static inline void json_load(const char *name)
{
	char *text = content_of(name);
	ask("DELETE FROM document", NULL);
	ask("INSERT INTO document VALUES (?)", text);
	free(text);
	TEST_ASSERT_EQUAL_STRING("1", ask("SELECT json_valid(text, 1) FROM document", NULL));
}

#define PROCESS "$.\"rocprofiler-sdk-tool\"[0]"

/* The value at a path below the process, as JSON writes it. */
static inline const char *value_at(const char *path)
{
	char whole[256];
	snprintf(whole, sizeof whole, PROCESS "%s", path);
	return ask("SELECT text -> ? FROM document", whole);
}

static inline void is(const char *path, const char *json)
{
	TEST_ASSERT_EQUAL_STRING_MESSAGE(json, value_at(path), path);
}

static inline void is_number(const char *path, uint64_t number)
{
	char text[24];
	snprintf(text, sizeof text, "%llu", (unsigned long long)number);
	is(path, text);
}

/* As text, unescaped. */
static inline void is_text(const char *path, const char *wanted)
{
	char whole[256];
	snprintf(whole, sizeof whole, PROCESS "%s", path);
	TEST_ASSERT_EQUAL_STRING_MESSAGE(wanted, ask("SELECT text ->> ? FROM document", whole), path);
	TEST_ASSERT_EQUAL_STRING_MESSAGE("text", ask("SELECT json_type(text, ?) FROM document", whole), path);
}

/* The keys of an object in their order. */
static inline void keys_are(const char *path, const char *wanted)
{
	char whole[256];
	snprintf(whole, sizeof whole, PROCESS "%s", path);
	TEST_ASSERT_EQUAL_STRING_MESSAGE(wanted,
		ask("SELECT group_concat(key, ' ') FROM document, json_each(text, ?)", whole), path);
}

static inline void length_is(const char *path, size_t wanted)
{
	char whole[256], text[24];
	snprintf(whole, sizeof whole, PROCESS "%s", path);
	snprintf(text, sizeof text, "%zu", wanted);
	TEST_ASSERT_EQUAL_STRING_MESSAGE(text, ask("SELECT json_array_length(text, ?) FROM document", whole), path);
}

#endif
