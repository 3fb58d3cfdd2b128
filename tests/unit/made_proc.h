/* SPDX-License-Identifier: MIT */
/* A folder that looks like /proc. */
#ifndef ROCLATCH_TESTS_MADE_PROC_H
#define ROCLATCH_TESTS_MADE_PROC_H

#include <ftw.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "unity.h"

static char proc[32];

static inline void proc_make(void)
{
	strcpy(proc, "/tmp/proc-XXXXXX");
	TEST_ASSERT_NOT_NULL(mkdtemp(proc));
}

static inline int proc_remove_one(const char *path, const struct stat *st, int kind, struct FTW *place)
{
	(void)st;
	(void)kind;
	(void)place;
	return remove(path);
}

static inline void proc_remove(void)
{
	TEST_ASSERT_EQUAL(0, nftw(proc, proc_remove_one, 16, FTW_DEPTH | FTW_PHYS));
}

#define PROC_PATH(path, fmt) \
	do { \
		char name[64]; \
		va_list ap; \
		va_start(ap, fmt); \
		vsnprintf(name, sizeof name, fmt, ap); \
		va_end(ap); \
		snprintf(path, sizeof path, "%s/%s", proc, name); \
	} while (0)

static inline void put_bytes(const void *bytes, size_t size, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
static inline void put_bytes(const void *bytes, size_t size, const char *fmt, ...)
{
	char path[128];
	PROC_PATH(path, fmt);
	FILE *file = fopen(path, "w");
	TEST_ASSERT_NOT_NULL_MESSAGE(file, path);
	fwrite(bytes, 1, size, file);
	fclose(file);
}
#define put(text, ...) put_bytes(text, strlen(text), __VA_ARGS__)

static inline void make_folder(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
static inline void make_folder(const char *fmt, ...)
{
	char path[128];
	PROC_PATH(path, fmt);
	TEST_ASSERT_EQUAL_MESSAGE(0, mkdir(path, 0755), path);
}

static inline void make_link(const char *to, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static inline void make_link(const char *to, const char *fmt, ...)
{
	char path[128];
	PROC_PATH(path, fmt);
	TEST_ASSERT_EQUAL_MESSAGE(0, symlink(to, path), path);
}

#endif
