/* SPDX-License-Identifier: MIT */
#include "inject/seccomp.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef PTRACE_SECCOMP_GET_FILTER
#define PTRACE_SECCOMP_GET_FILTER 0x420c
#endif

static int refuse_unreadable(pid_t tid, int failure, struct err *err)
{
	const char *why = "the kernel does not tell them";
	if (failure == EACCES)
		why = "that needs CAP_SYS_ADMIN outside of containers, and a roclatch without seccomp filters of its own";
	else if (failure == EMEDIUMTYPE)
		why = "one is not classic BPF";
	err_set(err, ERR_NOT_POSSIBLE, failure, "the seccomp filters of thread %d cannot be read (%s), and one of them "
		"could kill the process for a call of ours", (int)tid, why);
	return err_remedy(err, failure == EACCES ? "run roclatch as root on the host, or go on with --trust-seccomp" :
			  "go on with --trust-seccomp if the filters are known to be harmless");
}

/* One filter in a new buffer; index 0 is the one installed first
 * (kernel/seccomp.c:get_nth_filter; ptrace(2) says the opposite). */
static struct sock_filter *read_filter(pid_t tid, unsigned long index, size_t *length)
{
	long n = syscall(SYS_ptrace, PTRACE_SECCOMP_GET_FILTER, (long)tid, index, NULL);
	if (n <= 0)
		return NULL;
	struct sock_filter *program = calloc((size_t)n, sizeof *program);
	if (!program)
		return NULL;
	if (syscall(SYS_ptrace, PTRACE_SECCOMP_GET_FILTER, (long)tid, index, program) != n) {
		int saved = errno;
		free(program);
		errno = saved;
		return NULL;
	}
	*length = (size_t)n;
	return program;
}

static int32_t action_of(uint32_t answer)
{
	return (int32_t)(answer & SECCOMP_RET_ACTION_FULL);
}

/* kernel/seccomp.c:seccomp_run_filters: the lowest action counts, compared with
 * sign, and of equal ones the newest.  `answer` is newer here. */
static uint32_t stricter(uint32_t so_far, uint32_t answer)
{
	return action_of(answer) <= action_of(so_far) ? answer : so_far;
}

static int refuse_call(const struct seccomp_call *call, uint32_t answer, struct err *err)
{
	char text[128];
	unsigned data = answer & SECCOMP_RET_DATA;
	switch (answer & SECCOMP_RET_ACTION_FULL) {
	case SECCOMP_RET_KILL_THREAD:
		snprintf(text, sizeof text, "would kill the thread");
		break;
	case SECCOMP_RET_TRAP:
		snprintf(text, sizeof text, "would send it SIGSYS");
		break;
	case SECCOMP_RET_ERRNO:
		snprintf(text, sizeof text, "answers it with an error (%s)", strerror((int)data));
		break;
	case SECCOMP_RET_USER_NOTIF:
		snprintf(text, sizeof text, "hands it to a supervisor process, whose answer is not known");
		break;
	case SECCOMP_RET_TRACE:
		snprintf(text, sizeof text, "hands it to a tracer");
		break;
	default:
		snprintf(text, sizeof text, "would kill the process");
		break;
	}
	err_set(err, ERR_NOT_POSSIBLE, 0, "a seccomp filter of the process forbids %s (system call %ld): it %s",
		call->what, call->nr, text);
	return err_remedy(err, "allow this call in the sandbox of the process");
}

static struct seccomp_data data_of(const struct seccomp_call *call, uint32_t audit_arch)
{
	struct seccomp_data data = {
		.nr = (int)call->nr, .arch = audit_arch, .instruction_pointer = call->pc,
	};
	for (int i = 0; i < 6; i++)
		data.args[i] = call->args[i];
	return data;
}

static int check_filters(pid_t tid, uint32_t audit_arch, const struct seccomp_call *calls, size_t n,
			 uint32_t *answers, struct err *err)
{
	/* To the newest, however many: the kernel has a limit to their length in sum (MAX_INSNS_PER_PATH). */
	for (unsigned long index = 0;; index++) {
		size_t length;
		struct sock_filter *program = read_filter(tid, index, &length);
		if (!program && errno == ENOENT && index > 0)
			break;
		if (!program)
			return refuse_unreadable(tid, errno, err);
		for (size_t i = 0; i < n; i++) {
			struct seccomp_data data = data_of(&calls[i], audit_arch);
			answers[i] = stricter(answers[i], seccomp_evaluate(program, length, &data));
		}
		free(program);
	}
	for (size_t i = 0; i < n; i++) {
		uint32_t action = answers[i] & SECCOMP_RET_ACTION_FULL;
		if (action != SECCOMP_RET_ALLOW && action != SECCOMP_RET_LOG &&
		    !(action == SECCOMP_RET_ERRNO && calls[i].may_fail))
			return refuse_call(&calls[i], answers[i], err);
	}
	return 0;
}

int seccomp_check(pid_t tid, uint32_t audit_arch, const struct seccomp_call *calls, size_t n, struct err *err)
{
	struct proc_status status;
	if (proc_status(tid, 0, &status, err) < 0)
		return -1;
	if (status.seccomp == SECCOMP_MODE_DISABLED || n == 0)
		return 0;
	if (status.seccomp == SECCOMP_MODE_STRICT) {
		err_set(err, ERR_NOT_POSSIBLE, 0, "thread %d is in strict seccomp mode: any call but read, write and exit "
			"kills it", (int)tid);
		return err_remedy(err, "borrow another thread (--thread)");
	}
	uint32_t *answers = malloc(n * sizeof *answers);
	if (!answers)
		return err_set(err, ERR_FAILED, ENOMEM, "check the seccomp filters");
	for (size_t i = 0; i < n; i++)
		answers[i] = SECCOMP_RET_ALLOW;
	int result = check_filters(tid, audit_arch, calls, n, answers, err);
	free(answers);
	return result;
}
