/* SPDX-License-Identifier: MIT */
#include "arch/arch.h"

#include <asm/unistd.h>
#include <errno.h>
#include <linux/futex.h>

#include "arch/restart.h"

static bool is_pointer(uint64_t value)
{
	return value >= 4096;
}

/* A call that was restarted once hides its own number behind restart_syscall.  The code
 * before it may have loaded it (mov $nr, %eax); else only four calls go through the
 * restart block, and their arguments, which are still there, differ.  A futex is the
 * safe guess: it looks at its word again. */
static long own_number(const struct regs *regs, const uint8_t *code)
{
	const struct user_regs_struct *r = &regs->gp;
	const uint8_t *mov = code - ARCH_SYSCALL_SIZE - 5;
	if (mov[0] == 0xb8 && !mov[3] && !mov[4])
		return mov[1] | mov[2] << 8;
	if (r->rdi < 16 && r->rsi == 0 && is_pointer(r->rdx))
		return __NR_clock_nanosleep;
	if (is_pointer(r->rdi) && is_pointer(r->rsi))
		return __NR_nanosleep;
	uint64_t command = r->rsi & (uint64_t)FUTEX_CMD_MASK;
	if (is_pointer(r->rdi) && is_pointer(r->r10) && (command == FUTEX_WAIT || command == FUTEX_WAIT_BITSET))
		return __NR_futex;
	if (is_pointer(r->rdi) && r->rsi == 0)
		return __NR_nanosleep;
	if (is_pointer(r->rdi) && r->rsi < 4096)
		return __NR_poll;
	return __NR_restart_syscall;
}

enum arch_interrupted arch_interrupted(const struct regs *regs, const uint8_t *code,
				       const struct arch_seen *seen, long *nr)
{
	(void)seen;
	/* Not negative only between a system call's entry and its return. */
	*nr = (long)regs->gp.orig_rax;
	if (*nr < 0)
		return ARCH_NOT_IN_CALL;
	switch ((long)regs->gp.rax) {
	case -KERNEL_ERESTARTSYS:
	case -KERNEL_ERESTARTNOINTR:
	case -KERNEL_ERESTARTNOHAND:
		return ARCH_RESTARTS;
	case -KERNEL_ERESTART_RESTARTBLOCK:
		if (*nr == __NR_restart_syscall)
			*nr = own_number(regs, code);
		return ARCH_RESTART_BLOCK;
	case -EINTR:
		return restart_may_repeat(*nr) ? ARCH_EINTR : ARCH_NOT_IN_CALL;
	default:
		return ARCH_NOT_IN_CALL;
	}
}

long arch_must_settle(const struct regs *regs, const uint8_t *code)
{
	(void)regs;
	(void)code;
	return 0;
}

void arch_reissue(struct regs *regs, enum arch_interrupted how, long nr, uint64_t arg0)
{
	(void)arg0;             /* rdi is never overwritten by a result */
	if (how == ARCH_NOT_IN_CALL)
		return;
	regs->gp.rip -= ARCH_SYSCALL_SIZE;
	regs->gp.rax = (unsigned long)nr;
	regs->gp.orig_rax = -1UL;
}

void arch_answer_eintr(struct regs *regs)
{
	regs->gp.rip += ARCH_SYSCALL_SIZE;
	regs->gp.rax = (unsigned long)-EINTR;
}

bool arch_kernel_restarts(enum arch_interrupted how)
{
	return how == ARCH_RESTARTS || how == ARCH_RESTART_BLOCK;
}
