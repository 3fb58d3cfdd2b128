/* SPDX-License-Identifier: MIT */
#include "arch/arch.h"

#include <errno.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>

#ifndef NT_X86_XSTATE
#define NT_X86_XSTATE 0x202
#endif
#define NT_X86_SHSTK 0x204

int arch_regs_get(pid_t tid, struct regs *regs)
{
	struct iovec iov = { &regs->gp, sizeof regs->gp };
	return ptrace(PTRACE_GETREGSET, tid, (void *)NT_PRSTATUS, &iov) < 0 ? -1 : 0;
}

int arch_regs_set(pid_t tid, const struct regs *regs)
{
	struct iovec iov = { (void *)&regs->gp, sizeof regs->gp };
	return ptrace(PTRACE_SETREGSET, tid, (void *)NT_PRSTATUS, &iov) < 0 ? -1 : 0;
}

int arch_vector_get(pid_t tid, struct vector_state *state, struct err *err)
{
	uint64_t ssp = 0;
	struct iovec iov = { &ssp, sizeof ssp };
	/* Answers ENODEV unless a shadow stack is active (arch/x86/kernel/fpu/regset.c). */
	if (ptrace(PTRACE_GETREGSET, tid, (void *)NT_X86_SHSTK, &iov) == 0 && ssp)
		return err_set(err, ERR_NOT_POSSIBLE, 0,
			       "thread %d runs with a shadow stack, on which a borrowed thread "
			       "cannot return by itself", tid);

	iov = (struct iovec){ state->data, sizeof state->data };
	if (ptrace(PTRACE_GETREGSET, tid, (void *)NT_X86_XSTATE, &iov) < 0)
		return err_set(err, ERR_FAILED, errno, "read the vector registers of thread %d", tid);
	state->size = iov.iov_len;
	if (state->size < 576 || state->size >= sizeof state->data)
		return err_set(err, ERR_NOT_POSSIBLE, 0,
			       "the vector registers of thread %d have %zu bytes", tid, state->size);
	return 0;
}

int arch_vector_set(pid_t tid, const struct vector_state *state)
{
	struct iovec iov = { (void *)state->data, state->size };
	return ptrace(PTRACE_SETREGSET, tid, (void *)NT_X86_XSTATE, &iov) < 0 ? -1 : 0;
}

uint64_t arch_pc(const struct regs *regs) { return regs->gp.rip; }
uint64_t arch_sp(const struct regs *regs) { return regs->gp.rsp; }
uint64_t arch_result(const struct regs *regs) { return regs->gp.rax; }

static cpu_word *arg_register(struct user_regs_struct *r, unsigned number)
{
	switch (number) {
	case 0: return &r->rdi;
	case 1: return &r->rsi;
	case 2: return &r->rdx;
	case 3: return &r->r10;
	case 4: return &r->r8;
	default: return &r->r9;
	}
}

uint64_t arch_arg(const struct regs *regs, unsigned number)
{
	struct regs copy = *regs;
	return *arg_register(&copy.gp, number);
}

void arch_arg_set(struct regs *regs, unsigned number, uint64_t value)
{
	*arg_register(&regs->gp, number) = value;
}

int arch_entry_nr(pid_t tid, const struct regs *regs, long *nr)
{
	(void)tid;
	*nr = (long)regs->gp.orig_rax;
	return 0;
}

int arch_entry_replace(pid_t tid, struct regs *regs, long nr, uint64_t arg0, uint64_t arg1)
{
	regs->gp.orig_rax = (unsigned long)nr;
	regs->gp.rdi = arg0;
	regs->gp.rsi = arg1;
	return arch_regs_set(tid, regs);
}

void arch_after_syscall(struct regs *regs, uint64_t arg0, uint64_t arg1)
{
	regs->gp.rax = 0;
	regs->gp.rdi = arg0;
	regs->gp.rsi = arg1;
}
