/* SPDX-License-Identifier: MIT */
/* Live processes for unit tests: children that prepare themselves and wait, and
 * looks at them through other eyes (without privileges, under a filter). */
#ifndef ROCLATCH_TESTS_CHILD_H
#define ROCLATCH_TESTS_CHILD_H

#include <grp.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "elf/err.h"
#include "unity.h"

#define SOMEBODY 12345

/* A child that has run prepare() and now waits to be killed. */
static inline pid_t child_start(void (*prepare)(void))
{
	int ready[2];
	char byte = 0;
	TEST_ASSERT_EQUAL(0, pipe(ready));
	pid_t pid = fork();
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (prepare)
			prepare();
		if (write(ready[1], "r", 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	close(ready[1]);
	ssize_t n = read(ready[0], &byte, 1);
	close(ready[0]);
	TEST_ASSERT_TRUE_MESSAGE(pid > 0 && n == 1, "the child could not prepare itself");
	return pid;
}

static inline void child_end(pid_t pid)
{
	kill(pid, SIGKILL);
	while (waitpid(pid, NULL, __WALL) == pid && kill(pid, 0) == 0)
		;
}

static inline void become_somebody(void)
{
	/* changing ids makes a process undumpable; say that it is not meant */
	if (setgroups(0, NULL) < 0 || setgid(SOMEBODY) < 0 || setuid(SOMEBODY) < 0 || prctl(PR_SET_DUMPABLE, 1) < 0)
		_exit(99);
}

/* Let a system call fail with ENOSYS, as on an old kernel, for good. */
static inline void without_call(int nr)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)nr, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | 38 /* ENOSYS */),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {sizeof code / sizeof *code, code};
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) < 0)
		_exit(98);
}

struct seen {
	int result;
	struct err err;
};

/* What look(pid) answers in another process that has first become() something. */
static inline struct seen seen_as(void (*become)(void), int (*look)(pid_t pid, struct err *err), pid_t pid)
{
	struct seen seen = {.result = -99};
	int answer[2];
	TEST_ASSERT_EQUAL(0, pipe(answer));
	pid_t looker = fork();
	if (looker == 0) {
		struct seen mine = {0};
		become();
		mine.result = look(pid, &mine.err);
		_exit(write(answer[1], &mine, sizeof mine) == sizeof mine ? 0 : 1);
	}
	close(answer[1]);
	ssize_t n = read(answer[0], &seen, sizeof seen);
	close(answer[0]);
	waitpid(looker, NULL, 0);
	TEST_ASSERT_EQUAL_MESSAGE((ssize_t)sizeof seen, n, "the looker did not answer");
	return seen;
}

#define EXPECT_HAS(part, text) \
	TEST_ASSERT_TRUE_MESSAGE(strstr(text, part) != NULL, text)

#endif
