/* SPDX-License-Identifier: MIT */
#include "fault.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>

/* Newer than musl's headers or old enough to be absent on some CPU. */
#ifndef SYS_open
#define SYS_open (-2)
#endif
#ifndef SYS_poll
#define SYS_poll (-2)
#endif
#ifndef SYS_stat
#define SYS_stat (-2)
#endif
#ifndef SYS_lstat
#define SYS_lstat (-2)
#endif
#ifndef SYS_readlink
#define SYS_readlink (-2)
#endif
#ifndef SYS_access
#define SYS_access (-2)
#endif
#ifndef SYS_arch_prctl
#define SYS_arch_prctl (-2)
#endif

enum { WAIT_P_PIDFD = 3 };

static const struct {
	long nr;
	const char *name;
	int fails[3];
} known[] = {
	{ SYS_ptrace, "ptrace", { ESRCH, EPERM, EIO } },
	{ SYS_wait4, "wait4", { EINTR, ECHILD } },
	{ SYS_waitid, "waitid", { EINTR, ECHILD } },
	{ SYS_process_vm_readv, "process_vm_readv", { EPERM, EFAULT, ESRCH } },
	{ SYS_process_vm_writev, "process_vm_writev", { EPERM, EFAULT, ESRCH } },
	{ SYS_pread64, "pread64", { EIO, ESRCH, EINTR } },
	{ SYS_pwrite64, "pwrite64", { EIO, ESRCH, EINTR } },
	{ SYS_read, "read", { EIO, ESRCH, EINTR } },
	{ SYS_readv, "readv", { EIO, EINTR } },
	{ SYS_write, "write", { EIO, EPIPE, EINTR } },
	{ SYS_writev, "writev", { EIO, EPIPE, EINTR } },
	{ SYS_open, "open", { EMFILE, EACCES, ENOENT } },
	{ SYS_openat, "openat", { EMFILE, EACCES, ENOENT } },
	{ SYS_openat2, "openat2", { EMFILE, EACCES, EAGAIN } },
	{ SYS_close, "close", { EIO, EINTR } },
	{ SYS_close_range, "close_range", { EINVAL } },
	{ SYS_lseek, "lseek", { EINVAL } },
	{ SYS_fstat, "fstat", { ENOMEM } },
	{ SYS_newfstatat, "newfstatat", { ENOENT, ENOMEM, EACCES } },
	{ SYS_stat, "stat", { ENOENT, ENOMEM, EACCES } },
	{ SYS_lstat, "lstat", { ENOENT, ENOMEM, EACCES } },
	{ SYS_statx, "statx", { ENOENT, ENOMEM, EACCES } },
	{ SYS_readlinkat, "readlinkat", { ENOENT, EACCES } },
	{ SYS_readlink, "readlink", { ENOENT, EACCES } },
	{ SYS_faccessat, "faccessat", { EACCES, ENOENT } },
	{ SYS_access, "access", { EACCES, ENOENT } },
	{ SYS_getdents64, "getdents64", { ENOENT, EINVAL } },
	{ SYS_mmap, "mmap", { ENOMEM, EAGAIN } },
	{ SYS_munmap, "munmap", { ENOMEM, EINVAL } },
	{ SYS_mprotect, "mprotect", { ENOMEM, EACCES } },
	{ SYS_mremap, "mremap", { ENOMEM } },
	{ SYS_madvise, "madvise", { EINVAL } },
	{ SYS_brk, "brk", { ENOMEM } },
	{ SYS_nanosleep, "nanosleep", { EINTR } },
	{ SYS_clock_nanosleep, "clock_nanosleep", { EINTR } },
	{ SYS_clock_gettime, "clock_gettime", { EINVAL } },
	{ SYS_poll, "poll", { EINTR, ENOMEM } },
	{ SYS_ppoll, "ppoll", { EINTR, ENOMEM } },
	{ SYS_epoll_pwait, "epoll_pwait", { EINTR } },
	{ SYS_rt_sigtimedwait, "rt_sigtimedwait", { EINTR, EAGAIN } },
	{ SYS_futex, "futex", { EAGAIN, EINTR } },
	{ SYS_pidfd_open, "pidfd_open", { EMFILE, ESRCH, EINVAL } },
	{ SYS_pidfd_send_signal, "pidfd_send_signal", { EPERM, ESRCH } },
	{ SYS_kill, "kill", { EPERM, ESRCH } },
	{ SYS_tgkill, "tgkill", { EPERM, ESRCH } },
	{ SYS_kcmp, "kcmp", { EPERM } },
	{ SYS_prctl, "prctl", { EINVAL } },
	{ SYS_clone, "clone", { EAGAIN, ENOMEM } },
	{ SYS_timer_create, "timer_create", { EAGAIN } },
	{ SYS_rt_sigaction, "rt_sigaction", { EINVAL } },
	{ SYS_rt_sigprocmask, "rt_sigprocmask", { EINVAL } },
	{ SYS_set_tid_address, "set_tid_address", { ENOSYS } },
	{ SYS_memfd_create, "memfd_create", { EMFILE } },
	{ SYS_fcntl, "fcntl", { EMFILE } },
	{ SYS_ioctl, "ioctl", { ENOTTY } },
	{ SYS_uname, "uname", { EFAULT } },
	{ SYS_getpid, "getpid", { 0 } },
	{ SYS_getuid, "getuid", { 0 } },
	{ SYS_geteuid, "geteuid", { 0 } },
	{ SYS_arch_prctl, "arch_prctl", { 0 } },        /* a libc cannot start without it */
	{ SYS_exit, "exit", { 0 } },
	{ SYS_exit_group, "exit_group", { 0 } },
	{ SYS_execve, "execve", { 0 } },
	{ SYS_rt_sigreturn, "rt_sigreturn", { 0 } },
};

static const struct { uint64_t request; const char *name; } requests[] = {
	{ 0x7, "CONT" }, { 0x8, "KILL" }, { 0xc, "GETREGS" }, { 0xd, "SETREGS" }, { 0x10, "ATTACH" },
	{ 0x11, "DETACH" }, { 0x18, "SYSCALL" }, { 0x4200, "SETOPTIONS" }, { 0x4201, "GETEVENTMSG" },
	{ 0x4202, "GETSIGINFO" }, { 0x4203, "SETSIGINFO" }, { 0x4204, "GETREGSET" }, { 0x4205, "SETREGSET" },
	{ 0x4206, "SEIZE" }, { 0x4207, "INTERRUPT" }, { 0x4208, "LISTEN" }, { 0x4209, "PEEKSIGINFO" },
	{ 0x420a, "GETSIGMASK" }, { 0x420b, "SETSIGMASK" }, { 0x420c, "SECCOMP_GET_FILTER" },
	{ 0x420d, "SECCOMP_GET_METADATA" }, { 0x420e, "GET_SYSCALL_INFO" }, { 0x420f, "GET_RSEQ_CONFIGURATION" },
};

/* What Linux 4.18 answers to what came later.  An unknown ptrace request ends
 * in EIO (kernel/ptrace.c, ptrace_request). */
static const struct {
	const char *name;
	long nr;
	int error;
	bool only;              /* only when the first argument is: */
	uint64_t first;
} features[] = {
	{ "pidfd_open", SYS_pidfd_open, ENOSYS, false, 0 },
	{ "pidfd_send_signal", SYS_pidfd_send_signal, ENOSYS, false, 0 },
	{ "pidfd_getfd", SYS_pidfd_getfd, ENOSYS, false, 0 },
	{ "waitid_pidfd", SYS_waitid, EINVAL, true, WAIT_P_PIDFD },
	{ "openat2", SYS_openat2, ENOSYS, false, 0 },
	{ "faccessat2", SYS_faccessat2, ENOSYS, false, 0 },
	{ "close_range", SYS_close_range, ENOSYS, false, 0 },
	{ "clone3", SYS_clone3, ENOSYS, false, 0 },
	{ "statx", SYS_statx, ENOSYS, false, 0 },
	{ "process_vm_readv", SYS_process_vm_readv, ENOSYS, false, 0 },
	{ "process_vm_writev", SYS_process_vm_writev, ENOSYS, false, 0 },
	{ "process_madvise", SYS_process_madvise, ENOSYS, false, 0 },
	{ "ptrace_get_syscall_info", SYS_ptrace, EIO, true, 0x420e },
	{ "ptrace_get_rseq_configuration", SYS_ptrace, EIO, true, 0x420f },
};

void fault_describe(const struct fault_call *call, char *text, size_t size)
{
	const char *name = NULL, *request = NULL;

	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if ((uint64_t)known[i].nr == call->nr)
			name = known[i].name;
	if (call->nr == SYS_ptrace)
		for (size_t i = 0; i < sizeof requests / sizeof *requests; i++)
			if (requests[i].request == call->arg[0])
				request = requests[i].name;
	if (request)
		snprintf(text, size, "ptrace(%s, %lld, 0x%llx)", request, (long long)call->arg[1],
			 (unsigned long long)call->arg[2]);
	else if (name)
		snprintf(text, size, "%s(0x%llx, 0x%llx, 0x%llx)", name, (unsigned long long)call->arg[0],
			 (unsigned long long)call->arg[1], (unsigned long long)call->arg[2]);
	else
		snprintf(text, size, "system call %llu", (unsigned long long)call->nr);
}

int fault_errno(const struct fault_call *call, unsigned round)
{
	for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
		unsigned choices = 0;

		if ((uint64_t)known[i].nr != call->nr)
			continue;
		while (choices < 3 && known[i].fails[choices] != 0)
			choices++;
		return choices ? known[i].fails[round % choices] : 0;
	}
	return EPERM;
}

uint64_t fault_feature(const char *name)
{
	for (unsigned i = 0; i < sizeof features / sizeof *features; i++)
		if (strcmp(features[i].name, name) == 0)
			return 1ull << i;
	return 0;
}

const char *fault_feature_name(unsigned bit)
{
	return bit < sizeof features / sizeof *features ? features[bit].name : NULL;
}

int fault_taken_away(const struct fault_call *call, uint64_t set)
{
	for (unsigned i = 0; i < sizeof features / sizeof *features; i++)
		if (set >> i & 1 && (uint64_t)features[i].nr == call->nr &&
		    (!features[i].only || features[i].first == call->arg[0]))
			return features[i].error;
	return 0;
}
