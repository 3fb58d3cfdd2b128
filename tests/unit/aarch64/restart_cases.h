/* SPDX-License-Identifier: MIT */
/* The kernel has put pc back onto `svc` and x0 as it was; only code tells. */
#ifndef ROCLATCH_TESTS_RESTART_CASES_H
#define ROCLATCH_TESTS_RESTART_CASES_H

#include <linux/futex.h>
#include <time.h>

#include "restart_case.h"

#define PC 0x401004ul
#define SP 0x7000
#define SVC 0xd4000001u
#define MOV_X8(number) (0xd2800008u | (number) << 5)
#define POINTER 0x5000

/* x0 to x3 and x8 */
#define REGS(number, a, b, c, d) { .pc = PC, .sp = SP, \
	.x = { [0] = (uint64_t)(a), [1] = (uint64_t)(b), [2] = (uint64_t)(c), [3] = (uint64_t)(d), [8] = (uint64_t)(number) } }
#define ON_SVC .code = { [CODE_AT] = SVC }
#define BEHIND_SVC .code = { [CODE_AT - 1] = SVC }
#define SEEN(number) .seen = { .blocked = true, .nr = number, .arg0 = 77, .sp = SP }

static const struct restart_case cases[] = {
	{ "read", REGS(__NR_read, 3, POINTER, 1, 0), ON_SVC, SEEN(__NR_read), ARCH_RESTARTS, __NR_read, false },
	{ "ppoll", REGS(__NR_ppoll, POINTER, 1, POINTER, 0), ON_SVC, SEEN(__NR_ppoll), ARCH_RESTARTS, __NR_ppoll, false },
	{ "about to enter", REGS(__NR_getpid, 0, 0, 0, 0), ON_SVC, .how = ARCH_RESTARTS, .nr = __NR_getpid },
	{ "x8 with another number above its 32 bits", REGS(__NR_read | 1ll << 40, 3, POINTER, 1, 0), ON_SVC,
	  .how = ARCH_RESTARTS, .nr = __NR_read },
	{ "nanosleep", REGS(__NR_nanosleep, POINTER, POINTER, 0, 0), ON_SVC, SEEN(__NR_nanosleep),
	  ARCH_RESTARTS, __NR_nanosleep, true },
	{ "relative clock_nanosleep", REGS(__NR_clock_nanosleep, CLOCK_MONOTONIC, 0, POINTER, 0), ON_SVC,
	  SEEN(__NR_clock_nanosleep), ARCH_RESTARTS, __NR_clock_nanosleep, true },
	{ "absolute clock_nanosleep", REGS(__NR_clock_nanosleep, CLOCK_MONOTONIC, TIMER_ABSTIME, POINTER, 0), ON_SVC,
	  SEEN(__NR_clock_nanosleep), ARCH_RESTARTS, __NR_clock_nanosleep, false },
	{ "futex wait with a time", REGS(__NR_futex, POINTER, FUTEX_WAIT | FUTEX_PRIVATE_FLAG, 0, POINTER), ON_SVC,
	  SEEN(__NR_futex), ARCH_RESTARTS, __NR_futex, true },
	{ "futex wait bitset with a time", REGS(__NR_futex, POINTER, FUTEX_WAIT_BITSET, 0, POINTER), ON_SVC,
	  SEEN(__NR_futex), ARCH_RESTARTS, __NR_futex, true },
	{ "futex wait without a time", REGS(__NR_futex, POINTER, FUTEX_WAIT, 0, 0), ON_SVC,
	  SEEN(__NR_futex), ARCH_RESTARTS, __NR_futex, false },
	{ "futex lock_pi with a time", REGS(__NR_futex, POINTER, FUTEX_LOCK_PI, 0, POINTER), ON_SVC,
	  SEEN(__NR_futex), ARCH_RESTARTS, __NR_futex, false },

	/* Once restarted, x8 is restart_syscall: the code, else the arguments, tell what it was. */
	{ "restarted, number two words before", REGS(__NR_restart_syscall, 1, 0, POINTER, 0),
	  .code = { [CODE_AT - 2] = MOV_X8(__NR_clock_nanosleep), [CODE_AT] = SVC },
	  .how = ARCH_RESTART_BLOCK, .nr = __NR_clock_nanosleep },
	{ "restarted, number eight words before", REGS(__NR_restart_syscall, POINTER, 0, 0, 0),
	  .code = { [CODE_AT - 8] = MOV_X8(__NR_futex), [CODE_AT] = SVC },
	  .how = ARCH_RESTART_BLOCK, .nr = __NR_futex },
	{ "restarted, the nearest of two numbers", REGS(__NR_restart_syscall, POINTER, 0, 0, 0),
	  .code = { [CODE_AT - 5] = MOV_X8(__NR_read), [CODE_AT - 1] = MOV_X8(__NR_nanosleep), [CODE_AT] = SVC },
	  .how = ARCH_RESTART_BLOCK, .nr = __NR_nanosleep },
	{ "restarted while it was looked at, whatever lies in x3", REGS(__NR_restart_syscall, POINTER, 0, 0, POINTER), ON_SVC,
	  .seen = { .settled = __NR_nanosleep }, .how = ARCH_RESTART_BLOCK, .nr = __NR_nanosleep },
	{ "restarted, arguments of clock_nanosleep", REGS(__NR_restart_syscall, CLOCK_MONOTONIC, 0, POINTER, 0), ON_SVC,
	  .how = ARCH_RESTART_BLOCK, .nr = __NR_clock_nanosleep },
	{ "restarted, arguments of nanosleep", REGS(__NR_restart_syscall, POINTER, POINTER, 0, 0), ON_SVC,
	  .how = ARCH_RESTART_BLOCK, .nr = __NR_nanosleep },
	{ "restarted, arguments of nanosleep without a remainder", REGS(__NR_restart_syscall, POINTER, 0, 0, 0), ON_SVC,
	  .how = ARCH_RESTART_BLOCK, .nr = __NR_nanosleep },
	{ "restarted, arguments of a private futex", ON_SVC, .regs = REGS(__NR_restart_syscall, POINTER,
	  FUTEX_WAIT_BITSET | FUTEX_PRIVATE_FLAG | FUTEX_CLOCK_REALTIME, 0, POINTER),
	  .how = ARCH_RESTART_BLOCK, .nr = __NR_futex },
	{ "restarted, arguments of a shared futex", REGS(__NR_restart_syscall, POINTER, FUTEX_WAIT, 0, POINTER), ON_SVC,
	  .how = ARCH_RESTART_BLOCK, .nr = __NR_futex },
	{ "restarted, arguments of nothing known", REGS(__NR_restart_syscall, 1, 2, 3, 4), ON_SVC,
	  .how = ARCH_RESTART_BLOCK, .nr = __NR_restart_syscall },

	{ "epoll_pwait cut short", REGS(__NR_epoll_pwait, -EINTR, POINTER, 1, -1), BEHIND_SVC, SEEN(__NR_epoll_pwait),
	  ARCH_EINTR, __NR_epoll_pwait, false },
	{ "recvfrom with a time limit cut short", REGS(__NR_recvfrom, -EINTR, POINTER, 1, 0), BEHIND_SVC,
	  SEEN(__NR_recvfrom), ARCH_EINTR, __NR_recvfrom, false },
	{ "EINTR of one that was not blocked", REGS(__NR_epoll_pwait, -EINTR, POINTER, 1, -1), BEHIND_SVC,
	  .seen = { .nr = __NR_epoll_pwait, .sp = SP }, .how = ARCH_NOT_IN_CALL },
	{ "EINTR of another call than the one it was in", REGS(__NR_epoll_pwait, -EINTR, POINTER, 1, -1), BEHIND_SVC,
	  SEEN(__NR_read), ARCH_NOT_IN_CALL, 0, false },
	{ "EINTR in another frame", REGS(__NR_epoll_pwait, -EINTR, POINTER, 1, -1), BEHIND_SVC,
	  .seen = { .blocked = true, .nr = __NR_epoll_pwait, .sp = SP - 512 }, .how = ARCH_NOT_IN_CALL },
	{ "EINTR of a call that may have done something", REGS(__NR_close, -EINTR, 0, 0, 0), BEHIND_SVC,
	  SEEN(__NR_close), ARCH_NOT_IN_CALL, 0, false },
	{ "a call that has returned", REGS(__NR_epoll_pwait, 1, POINTER, 1, -1), BEHIND_SVC, SEEN(__NR_epoll_pwait),
	  ARCH_NOT_IN_CALL, 0, false },
	{ "own code with EINTR in x0", REGS(__NR_epoll_pwait, -EINTR, POINTER, 1, -1), .seen = { .blocked = true,
	  .nr = __NR_epoll_pwait, .sp = SP }, .how = ARCH_NOT_IN_CALL },
	{ "own code with the number of nanosleep", REGS(__NR_nanosleep, POINTER, 0, 0, 0), .how = ARCH_NOT_IN_CALL },
};

static inline uint64_t instruction_of(const struct restart_case *one)
{
	return one->regs.pc - (one->how == ARCH_EINTR ? 4 : 0);
}
/* Where x0 holds the result, only what was seen before knows it. */
static inline uint64_t arg0_of(const struct restart_case *one)
{
	return one->how == ARCH_EINTR ? one->seen.arg0 : one->regs.x[0];
}
static inline long number_in(const struct regs *regs)
{
	return (int)regs->x[8];
}

/* At a stop it already has. */
#define KERNEL_RESTARTS false

#endif
