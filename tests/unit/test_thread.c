/* SPDX-License-Identifier: MIT */
/* A thread that was asked to stop stops, whatever other stops it meets first. */
#include "inject/thread.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "inject/borrow.h"
#include "inject/proc.h"
#include "unity.h"

#define LIMIT_NS 10000000000ull

static pid_t child;
static struct thread thread;
static struct err err;

void setUp(void)
{
	child = fork();
	if (child == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			pause();
	}
}

void tearDown(void)
{
	kill(child, SIGKILL);
	while (waitpid(child, NULL, __WALL) == child && thread_lives(child))
		;
}

static bool sleeps(void)
{
	struct proc_stat stat;
	return proc_stat(child, child, &stat, NULL) == 0 && stat.state == 'S';
}

static void await_sleep(void)
{
	uint64_t limit = now_ns() + LIMIT_NS;
	while (!sleeps() && now_ns() < limit)
		nanosleep(&(struct timespec){ 0, 1000000 }, NULL);
	TEST_ASSERT_TRUE(sleeps());
}

/* Traced, and asleep in a call whose end is a stop of its own. */
static void trace_into_call(void)
{
	await_sleep();
	TEST_ASSERT_EQUAL(0, thread_seize(&thread, child, &err));
	TEST_ASSERT_EQUAL(0, thread_stop(&thread, now_ns() + LIMIT_NS, &err));
	TEST_ASSERT_EQUAL(0, thread_resume(&thread, PTRACE_SYSCALL, 0, &err));
	TEST_ASSERT_EQUAL(THREAD_ENTRY, thread_wait(&thread, now_ns() + LIMIT_NS));
	TEST_ASSERT_EQUAL(0, thread_resume(&thread, PTRACE_SYSCALL, 0, &err));
	await_sleep();
}

static void test_one_in_a_call_whose_end_is_a_stop_is_stopped_behind_it(void)
{
	trace_into_call();
	TEST_ASSERT_EQUAL(0, thread_stop(&thread, now_ns() + LIMIT_NS, &err));
	TEST_ASSERT_EQUAL(THREAD_STOPPED, thread.state);
}

static void test_a_borrowed_one_in_such_a_call_is_halted_behind_it(void)
{
	trace_into_call();
	struct borrow borrow = { .thread = thread };
	TEST_ASSERT_EQUAL(0, borrow_halt(&borrow, &err));
	TEST_ASSERT_EQUAL(THREAD_STOPPED, borrow.thread.state);
}

static void test_one_that_was_let_go_sleeps_on(void)
{
	trace_into_call();
	TEST_ASSERT_EQUAL(0, thread_stop(&thread, now_ns() + LIMIT_NS, &err));
	TEST_ASSERT_EQUAL(0, thread_detach(&thread, 0, &err));
	await_sleep();
}

int main(void)
{
	sigset_t old;
	thread_listen(&old);
	UNITY_BEGIN();
	RUN_TEST(test_one_in_a_call_whose_end_is_a_stop_is_stopped_behind_it);
	RUN_TEST(test_a_borrowed_one_in_such_a_call_is_halted_behind_it);
	RUN_TEST(test_one_that_was_let_go_sleeps_on);
	return UNITY_END();
}
