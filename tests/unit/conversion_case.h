/* SPDX-License-Identifier: MIT */
/* A made log that is converted into a folder of its own; the test reads what came of it. */
#ifndef ROCLATCH_TESTS_CONVERSION_CASE_H
#define ROCLATCH_TESTS_CONVERSION_CASE_H

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "made_log_everything.h"
#include "rocp/formats/file.h"
#include "rocp/formats/formats.h"
#include "unity.h"

static char folder[64], log_path[128], base[128];
static struct trace trace;
static struct stats stats;
static struct settings settings;
static struct env env;
static struct err err;
static struct conversion conversion;
static size_t files_told;
static uint64_t bytes_told;

static inline void told(void *ctx, const char *path, uint64_t bytes)
{
	struct stat st;
	(void)ctx;
	TEST_ASSERT_EQUAL_MESSAGE(0, stat(path, &st), path);
	TEST_ASSERT_EQUAL_UINT64_MESSAGE((uint64_t)st.st_size, bytes, path);
	files_told++;
	bytes_told += bytes;
}

static inline void case_begin(void)
{
	err = (struct err){ 0 };
	env = (struct env){ 0 };
	files_told = 0;
	bytes_told = 0;
	strcpy(folder, "/tmp/roclatch-formats-XXXXXX");
	TEST_ASSERT_NOT_NULL(mkdtemp(folder));
	snprintf(log_path, sizeof log_path, "%s/log%s", folder, LOG_ENDING);
	snprintf(base, sizeof base, "%s/out", folder);
}

static inline void case_end(void)
{
	stats_free(&stats);
	trace_close(&trace);
	settings_free(&settings);
	env_free(&env);
	DIR *dir = opendir(folder);
	for (struct dirent *entry; dir && (entry = readdir(dir));)
		unlinkat(dirfd(dir), entry->d_name, 0);
	closedir(dir);
	rmdir(folder);
}

static inline void set(const char *name, const char *value)
{
	TEST_ASSERT_EQUAL(0, env_set(&env, name, value, &err));
}

/* Opens the log that was made, with the settings that were set. */
static inline void case_open(void)
{
	TEST_ASSERT_EQUAL_MESSAGE(0, settings_from(&settings, &env, &err), err.text);
	TEST_ASSERT_EQUAL_MESSAGE(0, trace_open(&trace, log_path, &err), err.text);
	trace_naming(&trace, settings.naming, settings.kernel_rename);
	TEST_ASSERT_EQUAL_MESSAGE(0, stats_read(&stats, &trace, &err), err.text);
	conversion = (struct conversion){ .trace = &trace, .stats = &stats, .settings = &settings, .base = base, .wrote = told };
}

static inline size_t files_of(const char *ending)
{
	size_t n = 0;
	DIR *dir = opendir(folder);
	for (struct dirent *entry; (entry = readdir(dir));) {
		size_t length = strlen(entry->d_name), end = strlen(ending);
		n += length >= end && !strcmp(entry->d_name + length - end, ending);
	}
	closedir(dir);
	return n;
}

static inline bool is_there(const char *name)
{
	char path[256];
	snprintf(path, sizeof path, "%s/%s", folder, name);
	return access(path, F_OK) == 0;
}

/* The whole file, ended with a NUL; the caller frees it. */
static inline char *content_of(const char *name)
{
	char path[256];
	struct stat st;
	snprintf(path, sizeof path, "%s/%s", folder, name);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	TEST_ASSERT_TRUE_MESSAGE(fd >= 0 && fstat(fd, &st) == 0, path);
	char *text = malloc((size_t)st.st_size + 1);
	TEST_ASSERT_EQUAL(st.st_size, read(fd, text, (size_t)st.st_size));
	text[st.st_size] = '\0';
	close(fd);
	return text;
}

#endif
