/* SPDX-License-Identifier: MIT */
/* A child whose threads are followed. */
#ifndef ROCLATCH_TESTS_UNIT_FOLLOWED_H
#define ROCLATCH_TESTS_UNIT_FOLLOWED_H

#include "inject/watch/tasks.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/resource.h>

#include "inject/thread.h"
#include "watched_child.h"

static struct tasks tasks;
static pid_t child;

void setUp(void)
{
	shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	child = 0;
}

void tearDown(void)
{
	if (child > 0)
		child_end(child);
	munmap(shared, sizeof *shared);
}

static inline void follow(pid_t pid)
{
	memset(&err, 0, sizeof err);
	TEST_ASSERT_EQUAL_MESSAGE(0, tasks_open(&tasks, pid, &err), err.text);
}

static inline void tick(bool list)
{
	TEST_ASSERT_EQUAL_MESSAGE(0, tasks_tick(&tasks, list, &err), err.text);
}

static inline struct task *task_of(pid_t tid)
{
	for (size_t i = 0; i < tasks.n; i++)
		if (tasks.v[i].tid == tid)
			return &tasks.v[i];
	TEST_FAIL_MESSAGE("a thread is not in the list");
	return NULL;
}

static inline void spin_and_sleep(void)
{
	begin_thread(spin, (void *)&shared->tid[0]);
	begin_thread(sleep_long, (void *)&shared->tid[1]);
}

static inline void start_spin_and_sleep(void)
{
	child = child_start(spin_and_sleep);
	WAIT_FOR(shared->tid[0] && shared->tid[1]);
	wait_blocked(child, shared->tid[1], -1);
	wait_blocked(child, child, -1);
}

#endif
