/* SPDX-License-Identifier: MIT */
#include "inject/blocked.h"

#include <asm/unistd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "arch/restart.h"
#include "inject/thread.h"

#define IO_URING_EXTENDED 8u    /* IORING_ENTER_EXT_ARG: a timeout may be there */
#define LOOK_NS 200000

/* SO_RCVTIMEO or SO_SNDTIMEO turns a socket's calls into ones that answer EINTR.
 * Only a copy of the descriptor tells (since Linux 5.6). */
static bool socket_is_timed(const struct target *target, int fd)
{
#ifdef __NR_pidfd_getfd
	int copy = target->pidfd < 0 ? -1 : (int)syscall(__NR_pidfd_getfd, target->pidfd, fd, 0);
#else
	int copy = -1;
	(void)target, (void)fd;
#endif
	if (copy < 0)
		return false;
	struct timeval receive = { 0 }, send = { 0 };
	socklen_t size = sizeof receive;
	getsockopt(copy, SOL_SOCKET, SO_RCVTIMEO, &receive, &size);
	size = sizeof send;
	getsockopt(copy, SOL_SOCKET, SO_SNDTIMEO, &send, &size);
	close(copy);
	return receive.tv_sec || receive.tv_usec || send.tv_sec || send.tv_usec;
}

static bool is_timed(const struct target *target, const struct proc_syscall *call)
{
	switch (call->nr) {
#ifdef __NR_epoll_wait
	case __NR_epoll_wait:
#endif
	case __NR_epoll_pwait:
		return (int)call->args[3] >= 0;
#ifdef __NR_epoll_pwait2
	case __NR_epoll_pwait2:
		return call->args[3] != 0;
#endif
	case __NR_rt_sigtimedwait:
		return call->args[2] != 0;
	case __NR_semtimedop:
		return call->args[3] != 0;
	case __NR_io_getevents:
#ifdef __NR_io_pgetevents
	case __NR_io_pgetevents:
#endif
		return call->args[4] != 0;
#ifdef __NR_io_uring_enter
	case __NR_io_uring_enter:
		return call->args[3] & IO_URING_EXTENDED;
#endif
	case __NR_read: case __NR_readv: case __NR_write: case __NR_writev:
	case __NR_recvfrom: case __NR_recvmsg: case __NR_recvmmsg: case __NR_sendto:
	case __NR_sendmsg: case __NR_accept: case __NR_accept4:
		return socket_is_timed(target, (int)call->args[0]);
	default:
		return false;
	}
}

/* Calls that the kernel resumes exactly and that neither malloc nor, for long, the
 * loader makes. */
static bool is_exact(long nr)
{
	switch (nr) {
	case __NR_read: case __NR_readv: case __NR_write: case __NR_writev:
	case __NR_recvfrom: case __NR_recvmsg: case __NR_accept: case __NR_accept4:
	case __NR_ppoll: case __NR_pselect6: case __NR_nanosleep: case __NR_clock_nanosleep:
	case __NR_restart_syscall: case __NR_rt_sigsuspend: case __NR_wait4: case __NR_waitid:
	case __NR_msgrcv:
#ifdef __NR_poll
	case __NR_poll: case __NR_select: case __NR_pause:
#endif
		return true;
	default:
		return false;
	}
}

enum pick_class blocked_class(const struct target *target, const struct proc_syscall *call,
			      const char **what)
{
	if (call->running || call->nr < 0) {
		*what = "runs";
		return PICK_RUNNING;
	}
	if (call->nr == __NR_futex) {
		*what = "waits on a futex";
		return PICK_FUTEX;
	}
	if (restart_may_repeat(call->nr) && is_timed(target, call)) {
		*what = "is blocked in a timed call that must be made again";
		return PICK_REPEATED_TIMED;
	}
	if (is_exact(call->nr)) {
		*what = "is blocked in a call that the kernel resumes exactly";
		return PICK_EXACT;
	}
	if (restart_may_repeat(call->nr)) {
		*what = "is blocked in a call that must be made again";
		return PICK_REPEATED;
	}
	*what = "is in another system call";
	return PICK_NONE;
}

bool blocked_anew(const struct target *target, pid_t tid, uint64_t deadline_ns)
{
	uint64_t first, now;
	if (proc_switches(target->pid, tid, &first) < 0)
		return false;
	while (now_ns() < deadline_ns) {
		if (proc_switches(target->pid, tid, &now) < 0 || now != first)
			return true;
		nanosleep(&(struct timespec){ 0, LOOK_NS }, NULL);
	}
	return false;
}
