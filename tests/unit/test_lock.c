/* SPDX-License-Identifier: MIT */
/* One at a time works on a process, and nothing that ends keeps another out. */
#include <string.h>

#include "child.h"
#include "inject/target.h"
#include "inject/thread.h"

#define A_WHILE_NS 20000000ull
#define LONG_NS 20000000000ull

static struct err err;
static struct target first, second;
static pid_t child, other;

static struct target of(pid_t pid)
{
	return (struct target){.pid = pid, .pidfd = -1, .memory.fd = -1, .lock = -1};
}

void setUp(void)
{
	err = (struct err){0};
	child = child_start(NULL);
	first = of(child);
	second = of(child);
	other = 0;
}

void tearDown(void)
{
	target_unlock(&first);
	target_unlock(&second);
	if (other)
		child_end(other);
	child_end(child);
}

static void lock(struct target *target)
{
	TEST_ASSERT_EQUAL_MESSAGE(0, target_lock(target, now_ns() + LONG_NS, &err), err.text);
}

static void test_the_second_waits_and_is_told_for_whom(void)
{
	TEST_ASSERT_FALSE(target_is_locked(child));
	lock(&first);
	TEST_ASSERT_TRUE(target_is_locked(child));
	const uint64_t began = now_ns();
	TEST_ASSERT_EQUAL(-1, target_lock(&second, began + A_WHILE_NS, &err));
	TEST_ASSERT_TRUE(now_ns() - began >= A_WHILE_NS);
	TEST_ASSERT_EQUAL(ERR_TIMEOUT, err.code);
	TEST_ASSERT_NOT_NULL(strstr(err.text, "another roclatch is at work on process"));
	TEST_ASSERT_NOT_NULL(strstr(err.remedy, "--timeout-msec"));
	TEST_ASSERT_EQUAL(-1, second.lock);
}

static void test_the_next_comes_in_when_it_is_given_up(void)
{
	lock(&first);
	target_unlock(&first);
	TEST_ASSERT_EQUAL(-1, first.lock);
	TEST_ASSERT_FALSE(target_is_locked(child));
	lock(&second);
	TEST_ASSERT_TRUE(target_is_locked(child));
}

static void test_a_child_that_has_the_descriptor_keeps_nobody_out(void)
{
	lock(&first);
	other = child_start(NULL);
	target_unlock(&first);
	lock(&second);
}

static void hold(void)
{
	struct target target = of(child);
	if (target_lock(&target, now_ns() + LONG_NS, &err) < 0)
		_exit(1);
}

static void test_one_that_is_killed_keeps_nobody_out(void)
{
	other = child_start(hold);
	TEST_ASSERT_TRUE(target_is_locked(child));
	child_end(other);
	other = 0;
	lock(&second);
}

static void test_there_is_no_lock_of_a_process_that_has_ended(void)
{
	child_end(child);
	TEST_ASSERT_FALSE(target_is_locked(child));
	TEST_ASSERT_EQUAL(-1, target_lock(&first, now_ns() + LONG_NS, &err));
	TEST_ASSERT_EQUAL(ERR_FAILED, err.code);
	TEST_ASSERT_NOT_NULL(strstr(err.text, "open /proc/"));
	child = child_start(NULL);
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_the_second_waits_and_is_told_for_whom);
	RUN_TEST(test_the_next_comes_in_when_it_is_given_up);
	RUN_TEST(test_a_child_that_has_the_descriptor_keeps_nobody_out);
	RUN_TEST(test_one_that_is_killed_keeps_nobody_out);
	RUN_TEST(test_there_is_no_lock_of_a_process_that_has_ended);
	return UNITY_END();
}
