/* SPDX-License-Identifier: MIT */
/* rax and orig_rax tell; pc is behind `syscall`. */
#ifndef ROCLATCH_TESTS_RESTART_CASES_H
#define ROCLATCH_TESTS_RESTART_CASES_H

#include "restart_case.h"

#define PC 0x401002ul
#define REGS(number, result) { .gp = { .rip = PC, .rsp = 0x7000, .orig_rax = (unsigned long)(number), \
	.rax = (unsigned long)(result), .rdi = 11, .rsi = 12, .rdx = 13, .r10 = 14, .r8 = 15, .r9 = 16 } }
#define POINTER 0x5000
/* rdi, rsi, rdx and r10 of a call that has gone through restart_syscall */
#define RESTARTED(a, b, c, d) { .gp = { .rip = PC, .rsp = 0x7000, .orig_rax = __NR_restart_syscall, \
	.rax = (unsigned long)-516, .rdi = a, .rsi = b, .rdx = c, .r10 = d } }
#define MOV_EAX(number) (0xb890u | (number) << 16)      /* nop and the start of mov $number, %eax */
#define STOPPED(name, number, error, answer) \
	{ .what = name, .regs = REGS(number, -(error)), .how = answer, .nr = number }

static const struct restart_case cases[] = {
	STOPPED("read with ERESTARTSYS", __NR_read, 512, ARCH_RESTARTS),
	STOPPED("futex with ERESTARTSYS", __NR_futex, 512, ARCH_RESTARTS),
	STOPPED("a call with ERESTARTNOINTR", __NR_openat, 513, ARCH_RESTARTS),
	STOPPED("ppoll with ERESTARTNOHAND", __NR_ppoll, 514, ARCH_RESTARTS),
	STOPPED("pause with ERESTARTNOHAND", __NR_pause, 514, ARCH_RESTARTS),
	STOPPED("nanosleep with its restart block", __NR_nanosleep, 516, ARCH_RESTART_BLOCK),
	STOPPED("poll with its restart block", __NR_poll, 516, ARCH_RESTART_BLOCK),
	STOPPED("restart_syscall with the restart block", __NR_restart_syscall, 516, ARCH_RESTART_BLOCK),
	/* Restarted once: the code, else the arguments, tell what it was. */
	{ "restarted, number right before", RESTARTED(0x9000, 0, 0, 0), .code = { [CODE_AT - 2] = MOV_EAX(__NR_clock_nanosleep),
	  [CODE_AT - 1] = 0x050f0000 }, .how = ARCH_RESTART_BLOCK, .nr = __NR_clock_nanosleep },
	{ "restarted, arguments of clock_nanosleep", RESTARTED(1, 0, POINTER, 0), .how = ARCH_RESTART_BLOCK, .nr = __NR_clock_nanosleep },
	{ "restarted, arguments of nanosleep", RESTARTED(POINTER, POINTER, 0, 0), .how = ARCH_RESTART_BLOCK, .nr = __NR_nanosleep },
	{ "restarted, arguments of nanosleep without a remainder", RESTARTED(POINTER, 0, 0, 0),
	  .how = ARCH_RESTART_BLOCK, .nr = __NR_nanosleep },
	{ "restarted, arguments of a private futex", RESTARTED(POINTER, 128, 0, POINTER), .how = ARCH_RESTART_BLOCK, .nr = __NR_futex },
	{ "restarted, arguments of a shared futex", RESTARTED(POINTER, 0, 0, POINTER), .how = ARCH_RESTART_BLOCK, .nr = __NR_futex },
	STOPPED("epoll_wait cut short", __NR_epoll_wait, EINTR, ARCH_EINTR),
	STOPPED("recvmsg with a time limit cut short", __NR_recvmsg, EINTR, ARCH_EINTR),
	STOPPED("close that says EINTR", __NR_close, EINTR, ARCH_NOT_IN_CALL),
	STOPPED("connect that says EINTR", __NR_connect, EINTR, ARCH_NOT_IN_CALL),
	STOPPED("a call that has succeeded", __NR_read, -100, ARCH_NOT_IN_CALL),
	STOPPED("a call that has failed", __NR_read, EAGAIN, ARCH_NOT_IN_CALL),
	STOPPED("an error that no restart is", __NR_read, 515, ARCH_NOT_IN_CALL),
	{ .what = "own code with 512 in rax", .regs = REGS(-1, -512), .how = ARCH_NOT_IN_CALL },
	{ .what = "own code with EINTR in rax", .regs = REGS(-1, -EINTR), .how = ARCH_NOT_IN_CALL },
};

static inline uint64_t instruction_of(const struct restart_case *one)
{
	return one->regs.gp.rip - 2;
}
static inline uint64_t arg0_of(const struct restart_case *one)
{
	return one->regs.gp.rdi;
}
static inline long number_in(const struct regs *regs)
{
	/* The kernel must not restart it once more. */
	return (long)regs->gp.orig_rax == -1 ? (long)regs->gp.rax : -2;
}

/* The kernel does so while rax and orig_rax say it. */
#define KERNEL_RESTARTS true

#endif
