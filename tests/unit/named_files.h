/* SPDX-License-Identifier: MIT */
/* The libraries of tests/names, which lie beside the folder of the unit tests. */
#ifndef ROCLATCH_TESTS_NAMED_FILES_H
#define ROCLATCH_TESTS_NAMED_FILES_H

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "elf/file.h"
#include "unity.h"

#define NAMED_ID "5eed0123456789abcdef0123456789abcdef0123"
#define MINI_ID "feed5eed0123456789abcdef0123456789abcdef0123"
#define NAMED_WHOLE "libnamed.so"
#define NAMED_STRIPPED "stripped/libnamed.so"
#define NAMED_MINI "libmini.so"
#define NAMED_DEBUG "debug/.build-id/5e/ed0123456789abcdef0123456789abcdef0123.debug"

static inline const char *named_path(const char *name)
{
	static char path[4][PATH_MAX];
	static unsigned turn;
	char *here = path[turn++ % 4];
	ssize_t n = readlink("/proc/self/exe", here, 2048);
	TEST_ASSERT_TRUE(n > 0);
	here[n] = '\0';
	for (int up = 0; up < 2; up++)
		*strrchr(here, '/') = '\0';
	snprintf(here + strlen(here), 1024, "/names/%s", name);
	return here;
}

static inline int named_open(const char *name)
{
	int fd = open(named_path(name), O_RDONLY | O_CLOEXEC);
	TEST_ASSERT_TRUE_MESSAGE(fd >= 0, named_path(name));
	return fd;
}

/* Where a symbol is, by the whole library's .symtab (which both libraries were made from). */
static inline uint64_t named_address(const char *symbol)
{
	struct elf_file file;
	struct elf_symbol found;
	struct err why = { 0 };
	int fd = named_open(NAMED_WHOLE);
	TEST_ASSERT_EQUAL_MESSAGE(0, elf_file_open(&file, fd, &why), why.text);
	TEST_ASSERT_EQUAL_MESSAGE(1, elf_file_symbol_find(&file, symbol, &found, &why), symbol);
	close(fd);
	return found.addr;
}

#endif
