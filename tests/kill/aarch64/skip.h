/* SPDX-License-Identifier: MIT */
/* A traced thread at the entry or exit of a system call. */
#ifndef ROCLATCH_TESTS_KILL_SKIP_H
#define ROCLATCH_TESTS_KILL_SKIP_H

#include <elf.h>
#include <stdint.h>
#include <sys/ptrace.h>
#include <sys/types.h>
#include <sys/uio.h>

#define SKIP_NT_ARM_SYSTEM_CALL 0x404

/* At the entry: let nothing be executed. */
static inline int skip_call(pid_t tid)
{
	int none = -1;
	struct iovec v = { &none, sizeof none };

	return (int)ptrace(PTRACE_SETREGSET, tid, (void *)(uintptr_t)SKIP_NT_ARM_SYSTEM_CALL, &v);
}

/* At the exit: what the caller is told. */
static inline int skip_result(pid_t tid, long result)
{
	uint64_t regs[34];      /* x0 to x30, sp, pc, pstate */
	struct iovec v = { regs, sizeof regs };

	if (ptrace(PTRACE_GETREGSET, tid, (void *)(uintptr_t)NT_PRSTATUS, &v) != 0)
		return -1;
	regs[0] = (uint64_t)result;
	return (int)ptrace(PTRACE_SETREGSET, tid, (void *)(uintptr_t)NT_PRSTATUS, &v);
}

#endif
