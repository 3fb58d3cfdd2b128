/* SPDX-License-Identifier: MIT */
/* A child that sleeps, and its thread, borrowed and given back. */
#ifndef ROCLATCH_TESTS_BORROW_CASE_H
#define ROCLATCH_TESTS_BORROW_CASE_H

#include <asm/unistd.h>

#include "inject/borrow.h"
#include "inject/gadgets.h"
#include "live_target.h"

#define LIMIT_NS 20000000000ull

static struct gadgets gadgets;
static struct borrow borrow;
static sigset_t listening;
static int wire[2];             /* for a word to the child */

static inline void borrow_set_up(void)
{
	memset(&target, 0, sizeof target);
	TEST_ASSERT_EQUAL(0, pipe(wire));
	thread_listen(&listening);
}

static inline void borrow_tear_down(void)
{
	if (target.pid)
		close_target();
	thread_unlisten(&listening);
	close(wire[0]);
	close(wire[1]);
}

static inline void open_child(pid_t pid)
{
	open_target(pid);
	TEST_ASSERT_EQUAL_MESSAGE(0, gadgets_find(&images, &gadgets, &err), err.text);
}

static inline void sleep_for_ever(void)
{
	for (;;)
		pause();
}

static inline void open_sleeper(void)
{
	pid_t pid = child_run(sleep_for_ever);
	wait_blocked(pid, pid, -1);
	open_child(pid);
}

static inline int begin_on(pid_t tid)
{
	return borrow_begin(&borrow, &images, &gadgets, tid, NULL, false, now_ns() + LIMIT_NS, &err);
}

static inline int begin(void)
{
	return begin_on(target.pid);
}

static inline void begin_surely(void)
{
	TEST_ASSERT_EQUAL_MESSAGE(0, begin(), err.text);
}

static inline void give_back(void)
{
	TEST_ASSERT_EQUAL_MESSAGE(0, borrow_give_back(&borrow, NULL, &err), err.text);
}

static inline long call_on_it(long nr, uint64_t arg0, uint64_t arg1, uint64_t arg2, uint64_t arg3)
{
	const uint64_t args[6] = { arg0, arg1, arg2, arg3 };
	long result = 0;
	TEST_ASSERT_EQUAL_MESSAGE(0, borrow_syscall(&borrow, nr, args, &result, &err), err.text);
	return result;
}

/* A system call on it that changes nothing, so that it has been diverted. */
static inline void divert(void)
{
	TEST_ASSERT_EQUAL(target.pid, call_on_it(__NR_getpid, 0, 0, 0, 0));
}

static inline char state(void)
{
	struct proc_stat stat;
	return proc_stat(target.pid, target.pid, &stat, NULL) == 0 ? stat.state : '?';
}

static inline void await_state(char wanted)
{
	for (uint64_t limit = now_ns() + LIMIT_NS; state() != wanted && now_ns() < limit;)
		nap_ms(1);
	TEST_ASSERT_EQUAL_INT(wanted, state());
}

static inline void expect_untraced(void)
{
	struct proc_status status;
	TEST_ASSERT_EQUAL_MESSAGE(0, proc_status(target.pid, target.pid, &status, &err), err.text);
	TEST_ASSERT_EQUAL_INT(0, status.tracer);
}

#endif
