/* SPDX-License-Identifier: MIT */
/* What both CPUs know of interrupted system calls. */
#ifndef ROCLATCH_ARCH_RESTART_H
#define ROCLATCH_ARCH_RESTART_H

#include <asm/unistd.h>
#include <linux/futex.h>
#include <stdbool.h>
#include <stdint.h>

/* include/linux/errno.h of the kernel; user space sees them only by ptrace */
#define KERNEL_ERESTARTSYS 512
#define KERNEL_ERESTARTNOINTR 513
#define KERNEL_ERESTARTNOHAND 514
#define KERNEL_ERESTART_RESTARTBLOCK 516

/* Calls that answer EINTR to any stop, even one without a signal, and that have
 * then done nothing yet, so that they may be made again. */
static inline bool restart_always_eintr(long nr)
{
	switch (nr) {
#ifdef __NR_epoll_wait
	case __NR_epoll_wait:
#endif
	case __NR_epoll_pwait:
#ifdef __NR_epoll_pwait2
	case __NR_epoll_pwait2:
#endif
	case __NR_rt_sigtimedwait:
	case __NR_semop:
	case __NR_semtimedop:
	case __NR_io_getevents:
#ifdef __NR_io_uring_enter
	case __NR_io_uring_enter:
#endif
#ifdef __NR_io_pgetevents
	case __NR_io_pgetevents:
#endif
		return true;
	default:
		return false;
	}
}

/* Those, and the ones of sockets with SO_RCVTIMEO or SO_SNDTIMEO. */
static inline bool restart_may_repeat(long nr)
{
	switch (nr) {
	case __NR_read:
	case __NR_readv:
	case __NR_write:
	case __NR_writev:
	case __NR_recvfrom:
	case __NR_recvmsg:
	case __NR_recvmmsg:
	case __NR_sendto:
	case __NR_sendmsg:
	case __NR_accept:
	case __NR_accept4:
		return true;
	default:
		return restart_always_eintr(nr);
	}
}

/* Calls that end with EINTR when a handler ran, whatever SA_RESTART says
 * (signal(7)): -ERESTARTNOHAND and those that always say EINTR. */
static inline bool restart_never_after_handler(long nr)
{
	switch (nr) {
#ifdef __NR_poll
	case __NR_poll:
	case __NR_select:
	case __NR_pause:
#endif
	case __NR_ppoll:
	case __NR_pselect6:
	case __NR_rt_sigsuspend:
	case __NR_nanosleep:
	case __NR_clock_nanosleep:
	case __NR_msgrcv:
	case __NR_msgsnd:
		return true;
	default:
		return false;
	}
}

/* Calls that end with EINTR when a handler ran that was not installed with SA_RESTART: -ERESTARTSYS.
 * (A futex that is no plain wait says -ERESTARTNOINTR.) */
static inline bool restart_asks_handler(long nr, uint64_t arg1)
{
	uint64_t command = arg1 & (uint64_t)FUTEX_CMD_MASK;
	switch (nr) {
	case __NR_futex:
		return command == FUTEX_WAIT || command == FUTEX_WAIT_BITSET;
	case __NR_wait4:
	case __NR_waitid:
	case __NR_connect:
	case __NR_openat:
	case __NR_flock:
	case __NR_fcntl:
	case __NR_ioctl:
	case __NR_mq_timedsend:
	case __NR_mq_timedreceive:
		return true;
	default:
		return restart_may_repeat(nr) && !restart_always_eintr(nr);
	}
}

#endif
