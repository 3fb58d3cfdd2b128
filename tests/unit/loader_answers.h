/* SPDX-License-Identifier: MIT */
/* What we say of a library beside what the loader does with it. */
#ifndef ROCLATCH_TESTS_LOADER_ANSWERS_H
#define ROCLATCH_TESTS_LOADER_ANSWERS_H

#include "inject/machine.h"
#include "loader_root.h"
#include "rocp/loadable.h"

static struct loadable found;

static inline void begin(void)
{
	start((struct start){ .program = "dlopens" });
}

static inline int check(const char *name)
{
	err = (struct err){ .code = ERR_NONE };
	return loadable_check(&images, name, &found, &err);
}

/* Both say yes, and mean this file. */
static inline void taken(const char *name, const char *path)
{
	TEST_ASSERT_EQUAL_MESSAGE(0, check(name), err.text);
	TEST_ASSERT_TRUE_MESSAGE(loads(name), said);
	TEST_ASSERT_EQUAL_STRING(path, found.path);
	TEST_ASSERT_EQUAL_STRING(path, said + 3);
}

/* We say no with that reason, and a remedy. */
static inline void refused_by_us(const char *name, const char *reason)
{
	TEST_ASSERT_EQUAL_MESSAGE(-1, check(name), name);
	TEST_ASSERT_EQUAL_MESSAGE(ERR_NOT_POSSIBLE, err.code, err.text);
	EXPECT_HAS(reason, err.text);
	TEST_ASSERT_TRUE_MESSAGE(err.remedy[0], err.text);
}

static inline void refused(const char *name, const char *reason)
{
	refused_by_us(name, reason);
	TEST_ASSERT_FALSE_MESSAGE(loads(name), name);
}

/* A user with groups, who is not root. */
static inline void somebody(void)
{
	gid_t groups[] = { 777, 4242 };
	if (setgroups(2, groups) < 0 || setgid(SOMEBODY) < 0 || setuid(SOMEBODY) < 0)
		_exit(99);
}

#endif
