/* SPDX-License-Identifier: MIT */
/* The CPU of a process whose program cannot be read is told by what the kernel has put into it. */
#include "inject/machine.h"

#include <string.h>

#include "child.h"
#include "inject/target.h"

static struct err err;
static struct target target;
static pid_t child;

/* live_tid: a thread that is none has no program to be read. */
void setUp(void)
{
	err = (struct err){0};
	child = child_start(NULL);
	TEST_ASSERT_EQUAL_MESSAGE(0, target_open(&target, child, NULL, &err), err.text);
	target.live_tid = 0;
}

void tearDown(void)
{
	target_close(&target);
	child_end(child);
}

static void test_its_vdso_tells(void)
{
	TEST_ASSERT_NOT_EQUAL(0, target.auxv.vdso);
	target.auxv.wide = false;       /* asked last: not here */
	TEST_ASSERT_EQUAL_MESSAGE(0, machine_check(&target, &err), err.text);
}

static void test_without_a_vdso_the_width_of_its_auxv_tells(void)
{
	target.auxv.vdso = 0;
	TEST_ASSERT_EQUAL_MESSAGE(0, machine_check(&target, &err), err.text);
	target.auxv.wide = false;
	TEST_ASSERT_EQUAL(-1, machine_check(&target, &err));
	TEST_ASSERT_EQUAL(ERR_NOT_POSSIBLE, err.code);
	TEST_ASSERT_NOT_NULL(strstr(err.text, "is a 32-bit program"));
	TEST_ASSERT_NOT_NULL(strstr(err.remedy, "64-bit build"));
}

static void test_a_vdso_that_is_none_is_not_believed(void)
{
	target.auxv.vdso = target.auxv.entry;
	TEST_ASSERT_EQUAL_MESSAGE(0, machine_check(&target, &err), err.text);
	target.auxv.vdso = 8;
	TEST_ASSERT_EQUAL_MESSAGE(0, machine_check(&target, &err), err.text);
	target.auxv.wide = false;
	TEST_ASSERT_EQUAL(-1, machine_check(&target, &err));
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_its_vdso_tells);
	RUN_TEST(test_without_a_vdso_the_width_of_its_auxv_tells);
	RUN_TEST(test_a_vdso_that_is_none_is_not_believed);
	return UNITY_END();
}
