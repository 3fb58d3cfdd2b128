/* SPDX-License-Identifier: MIT */
/* A child, opened as a target, for tests of inject/. */
#ifndef ROCLATCH_TESTS_LIVE_TARGET_H
#define ROCLATCH_TESTS_LIVE_TARGET_H

#include <string.h>
#include <time.h>

#include "child.h"
#include "inject/images.h"

static struct err err;
static struct target target;
static struct images images;

static inline void nap_ms(long ms)
{
	nanosleep(&(struct timespec){ ms / 1000, ms % 1000 * 1000000 }, NULL);
}

/* A child that runs body(), which does not return. */
static inline pid_t child_run(void (*body)(void))
{
	pid_t pid = fork();
	TEST_ASSERT_TRUE(pid >= 0);
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		body();
		_exit(1);
	}
	return pid;
}

/* Wait until the thread sleeps in this system call (-1: in any). */
static inline struct proc_syscall wait_blocked(pid_t pid, pid_t tid, long nr)
{
	struct proc_syscall call = { .running = true };
	for (int i = 0; i < 5000; i++, nap_ms(1)) {
		struct proc_stat stat;
		if (proc_syscall(pid, tid, &call, NULL) == 0 && !call.running && (nr < 0 ? call.nr >= 0 : call.nr == nr) &&
		    proc_stat(pid, tid, &stat, NULL) == 0 && stat.state == 'S')
			return call;
	}
	TEST_FAIL_MESSAGE("the child does not come to sleep");
	return call;
}

static inline void open_target(pid_t pid)
{
	memset(&err, 0, sizeof err);
	TEST_ASSERT_EQUAL_MESSAGE(0, target_open(&target, pid, NULL, &err), err.text);
	TEST_ASSERT_EQUAL_MESSAGE(0, images_open(&images, &target, &err), err.text);
}

static inline void close_target(void)
{
	pid_t pid = target.pid;
	images_close(&images);
	target_close(&target);
	child_end(pid);
}

static inline raddr at(const volatile void *ours)
{
	return (uintptr_t)ours;
}

#endif
