/* SPDX-License-Identifier: MIT */
/*
 * Would a system call of ours be killed by the target's seccomp filters?  The
 * filters are read (PTRACE_SECCOMP_GET_FILTER, needs CAP_SYS_ADMIN) and
 * evaluated here for each call that we are about to make.
 */
#ifndef ROCLATCH_INJECT_SECCOMP_H
#define ROCLATCH_INJECT_SECCOMP_H

#include <linux/filter.h>
#include <linux/seccomp.h>

#include "inject/proc.h"

/* Run one classic BPF program over `data` as the kernel does.  Returns the
 * SECCOMP_RET_* value; a malformed program gives SECCOMP_RET_KILL_PROCESS. */
uint32_t seccomp_evaluate(const struct sock_filter *program, size_t length,
			  const struct seccomp_data *data);

struct seccomp_call {
	long nr;
	uint64_t args[6];
	const char *what;
	bool may_fail;          /* an error as answer does no harm */
	raddr pc;               /* behind the system call instruction */
};

/* Ask all filters of `tid`, which we trace and hold stopped.  Returns 0 when
 * every call is answered by ALLOW or LOG, or by an error where it may fail; -1 with ERR_NOT_POSSIBLE that names
 * the call and the answer (kill, trap, errno, user notification, trace), or says
 * that the filters cannot be read and why. */
int seccomp_check(pid_t tid, uint32_t audit_arch, const struct seccomp_call *calls, size_t n,
		  struct err *err);

#endif
