/* SPDX-License-Identifier: MIT */
/*
 * At a ptrace stop in a system call the kernel has already moved pc back onto
 * `svc` and put x0 back (arch/arm64/kernel/signal.c, do_signal); the reason is
 * gone from the registers.
 */
#include "arch/arch.h"

#include <asm/unistd.h>
#include <errno.h>
#include <linux/futex.h>
#include <string.h>
#include <time.h>

#include "arch/restart.h"
#include "words.h"

static bool is_pointer(uint64_t value)
{
	return value >= 4096;
}

/* restart_syscall in x8 hides the call's own number.  Only three calls go through
 * the restart block here, and their arguments, which are still there, differ. */
static long number_from_arguments(const struct regs *regs)
{
	uint64_t command = regs->x[1] & (uint64_t)FUTEX_CMD_MASK;
	if (regs->x[0] < 16 && regs->x[1] == 0 && is_pointer(regs->x[2]))
		return __NR_clock_nanosleep;
	if (is_pointer(regs->x[0]) && is_pointer(regs->x[1]))
		return __NR_nanosleep;
	/* the safe guess where both fit: a futex looks at its word again */
	if (is_pointer(regs->x[0]) && is_pointer(regs->x[3]) &&
	    (command == FUTEX_WAIT || command == FUTEX_WAIT_BITSET))
		return __NR_futex;
	if (is_pointer(regs->x[0]) && regs->x[1] == 0)
		return __NR_nanosleep;
	return __NR_restart_syscall;
}

/* The code before `svc` may have loaded it. */
static long number_from_code(const uint8_t *code)
{
	for (int back = 4; back <= ARCH_CODE_BEFORE; back += 4) {
		uint32_t word = word_at(code - back);
		if ((word & WORD_MOVZ_MASK) == WORD_MOVZ_X8)
			return (long)((word >> 5) & 0xffff);
	}
	return -1;
}

enum arch_interrupted arch_interrupted(const struct regs *regs, const uint8_t *code,
				       const struct arch_seen *seen, long *nr)
{
	*nr = (long)(int)regs->x[8];
	if (word_at(code) == WORD_SVC) {
		if (*nr != __NR_restart_syscall)
			return ARCH_RESTARTS;
		*nr = seen->settled ? seen->settled : number_from_code(code);
		if (*nr < 0)
			*nr = number_from_arguments(regs);
		return ARCH_RESTART_BLOCK;
	}
	if (word_at(code - 4) == WORD_SVC && (long)regs->x[0] == -EINTR && seen->blocked &&
	    seen->nr == *nr && seen->sp == regs->sp && restart_may_repeat(*nr))
		return ARCH_EINTR;
	return ARCH_NOT_IN_CALL;
}

static bool may_use_restart_block(const struct regs *regs)
{
	switch ((int)regs->x[8]) {
	case __NR_nanosleep:
		return true;
	case __NR_clock_nanosleep:
		return !(regs->x[1] & TIMER_ABSTIME);
	case __NR_futex: {
		int command = (int)regs->x[1] & FUTEX_CMD_MASK;
		return regs->x[3] && (command == FUTEX_WAIT || command == FUTEX_WAIT_BITSET);
	}
	default:
		return false;
	}
}

long arch_must_settle(const struct regs *regs, const uint8_t *code)
{
	return word_at(code) == WORD_SVC && may_use_restart_block(regs) ? (int)regs->x[8] : 0;
}

void arch_reissue(struct regs *regs, enum arch_interrupted how, long nr, uint64_t arg0)
{
	if (how == ARCH_RESTART_BLOCK)
		regs->x[8] = (uint64_t)nr;
	if (how != ARCH_EINTR)
		return;
	regs->pc -= ARCH_SYSCALL_SIZE;
	regs->x[0] = arg0;
}

void arch_answer_eintr(struct regs *regs)
{
	regs->pc += ARCH_SYSCALL_SIZE;
	regs->x[0] = (uint64_t)-EINTR;
}

bool arch_kernel_restarts(enum arch_interrupted how)
{
	(void)how;
	return false;
}
