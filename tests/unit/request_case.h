/* SPDX-License-Identifier: MIT */
/* A command line, the caller's environment, and exactly what arrives. */
#ifndef ROCLATCH_TESTS_REQUEST_CASE_H
#define ROCLATCH_TESTS_REQUEST_CASE_H

#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "rocp/request.h"
#include "unity.h"

static struct request request;
static struct err err;
static char *argv_of[128], *environment_of[64];
static char argv_text[4096], environment_text[4096], here[PATH_MAX];

/* Words between blanks; "_" alone is an empty word, and "~" in a word is a blank. */
static int split(char *text, size_t size, const char *line, const char *between, char **words)
{
	int n = 0;
	TEST_ASSERT_LESS_THAN(size, strlen(line));
	strcpy(text, line);
	for (char *word = strtok(text, between); word; word = strtok(NULL, between)) {
		for (char *at = word; *at; at++)
			*at = *at == '~' ? ' ' : *at;
		words[n++] = !strcmp(word, "_") ? word + 1 : word;
	}
	words[n] = NULL;
	return n;
}

/* Variables between ends of lines. */
static int read_as(enum request_style style, const char *line, const char *environment, bool secure)
{
	request_free(&request);
	memset(&err, 0, sizeof err);
	int argc = split(argv_text, sizeof argv_text, line, " ", argv_of);
	split(environment_text, sizeof environment_text, environment ? environment : "", "\n", environment_of);
	return request_read(&request, style, argc, argv_of, environment_of, secure, &err);
}

static int read_with(const char *line, const char *environment)
{
	return read_as(STYLE_ROCLATCH, line, environment, false);
}

static int read_line(const char *line)
{
	return read_with(line, NULL);
}

static void expect_set(struct env *env, const char *expected)
{
	char text[4096], *words[64];
	int n = split(text, sizeof text, expected, "\n", words);
	for (int i = 0; i < n; i++) {
		char *equals = strchr(words[i], '=');
		if (words[i][0] == '-') {
			env_unset(env, words[i] + 1);
			continue;
		}
		TEST_ASSERT_NOT_NULL(equals);
		*equals = '\0';
		env_set(env, words[i], equals + 1, &err);
	}
}

static void same_env(const struct env *expected, const struct env *got, const char *message)
{
	char text[2048];
	for (size_t i = 0; i < got->n; i++) {
		snprintf(text, sizeof text, "%s: unexpected %s=%s", message, got->v[i].name, got->v[i].value);
		TEST_ASSERT_NOT_NULL_MESSAGE(env_get(expected, got->v[i].name), text);
	}
	for (size_t i = 0; i < expected->n; i++) {
		snprintf(text, sizeof text, "%s: %s", message, expected->v[i].name);
		TEST_ASSERT_EQUAL_STRING_MESSAGE(expected->v[i].value, env_get(got, expected->v[i].name), text);
	}
}

/* What "-p 42" alone brings, changed as `changes` says ("NAME=value", or "-NAME" for one that is not there). */
static void arrives_as(const char *changes, const char *message)
{
	struct env expected = { .n = 0 };
	TEST_ASSERT_NOT_NULL(getcwd(here, sizeof here));
	expect_set(&expected, "ROCPROFILER_LIBRARY_CTOR=1\nROCPROF_OUTPUT_FORMAT=rocpd\nROCPROF_ATTACH_PID=42\n"
		   "ROCPROF_ATTACH_CHILDREN=1");
	env_set(&expected, "ROCPROF_OUTPUT_PATH", here, &err);
	expect_set(&expected, changes);
	same_env(&expected, &request.env, message);
	env_free(&expected);
}

static inline void arrives(const char *line, const char *changes)
{
	char text[2048];
	int rc = read_line(line);
	snprintf(text, sizeof text, "%s: %s", line, err.text);
	TEST_ASSERT_EQUAL_MESSAGE(0, rc, text);
	arrives_as(changes, line);
}

static inline void arrives_with(const char *line, const char *environment, const char *changes)
{
	char text[2048];
	int rc = read_with(line, environment);
	snprintf(text, sizeof text, "%s: %s", line, err.text);
	TEST_ASSERT_EQUAL_MESSAGE(0, rc, text);
	arrives_as(changes, line);
}

static void says(const char *line, const char *part)
{
	TEST_ASSERT_EQUAL_MESSAGE(ERR_USAGE, err.code, line);
	if (!strstr(err.text, part)) {
		char text[2048];
		snprintf(text, sizeof text, "%s: '%s' is not in '%s'", line, part, err.text);
		TEST_FAIL_MESSAGE(text);
	}
}

static inline void refuses_with(const char *line, const char *environment, const char *part)
{
	TEST_ASSERT_EQUAL_MESSAGE(-1, read_with(line, environment), line);
	says(line, part);
}

static inline void refuses(const char *line, const char *part)
{
	refuses_with(line, NULL, part);
}

static inline bool warned(const char *part)
{
	for (size_t i = 0; i < request.warnings.n; i++)
		if (strstr(request.warnings.v[i], part))
			return true;
	return false;
}

#endif
