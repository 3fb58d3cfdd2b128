/* SPDX-License-Identifier: MIT */
/* A traced thread at the entry or exit of a system call. */
#ifndef ROCLATCH_TESTS_KILL_SKIP_H
#define ROCLATCH_TESTS_KILL_SKIP_H

#include <stddef.h>
#include <sys/ptrace.h>
#include <sys/types.h>
#include <sys/user.h>

/* At the entry: let nothing be executed. */
static inline int skip_call(pid_t tid)
{
	return (int)ptrace(PTRACE_POKEUSER, tid, (void *)offsetof(struct user_regs_struct, orig_rax), (void *)-1L);
}

/* At the exit: what the caller is told. */
static inline int skip_result(pid_t tid, long result)
{
	return (int)ptrace(PTRACE_POKEUSER, tid, (void *)offsetof(struct user_regs_struct, rax), (void *)result);
}

#endif
