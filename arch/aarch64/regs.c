/* SPDX-License-Identifier: MIT */
#include "arch/arch.h"

#include <errno.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>

#define NT_ARM_SYSTEM_CALL_ 0x404
#define NT_ARM_SVE_ 0x405
#define NT_ARM_SSVE_ 0x40b
#define NT_ARM_ZA_ 0x40c
#define NT_ARM_GCS_ 0x410

/* struct user_sve_header and user_za_header of asm/ptrace.h */
struct vector_header {
	uint32_t size, max_size;
	uint16_t vl, max_vl, flags, reserved;
};
#define SVE_LIVE 1u     /* SVE_PT_REGS_SVE */

static int get_set(int request, pid_t tid, int set, void *buf, size_t *size)
{
	struct iovec iov = { buf, *size };
	if (ptrace(request, tid, (void *)(long)set, &iov) < 0)
		return -1;
	*size = iov.iov_len;
	return 0;
}

int arch_regs_get(pid_t tid, struct regs *regs)
{
	size_t size = sizeof *regs;
	return get_set(PTRACE_GETREGSET, tid, NT_PRSTATUS, regs, &size);
}

int arch_regs_set(pid_t tid, const struct regs *regs)
{
	size_t size = sizeof *regs;
	return get_set(PTRACE_SETREGSET, tid, NT_PRSTATUS, (void *)regs, &size);
}

/* State that a signal frame of ours does not carry. */
static int refuse_what_cannot_return(pid_t tid, struct err *err)
{
	struct vector_header header = { 0 };
	size_t size = sizeof header;
	if (get_set(PTRACE_GETREGSET, tid, NT_ARM_SSVE_, &header, &size) == 0 &&
	    (header.flags & SVE_LIVE))
		return err_set(err, ERR_NOT_POSSIBLE, 0, "thread %d is in SME streaming mode", tid);
	size = sizeof header;
	if (get_set(PTRACE_GETREGSET, tid, NT_ARM_ZA_, &header, &size) == 0 &&
	    header.size > sizeof header)
		return err_set(err, ERR_NOT_POSSIBLE, 0, "thread %d uses the SME ZA array", tid);

	uint64_t gcs[3] = { 0 };        /* features_enabled, features_locked, gcspr_el0 */
	size = sizeof gcs;
	if (get_set(PTRACE_GETREGSET, tid, NT_ARM_GCS_, gcs, &size) == 0 && (gcs[0] & 1))
		return err_set(err, ERR_NOT_POSSIBLE, 0,
			       "thread %d runs with a guarded control stack, on which a borrowed "
			       "thread cannot return by itself", tid);
	return 0;
}

int arch_vector_get(pid_t tid, struct vector_state *state, struct err *err)
{
	if (refuse_what_cannot_return(tid, err) < 0)
		return -1;

	size_t size = sizeof state->fpsimd;
	if (get_set(PTRACE_GETREGSET, tid, NT_FPREGSET, &state->fpsimd, &size) < 0)
		return err_set(err, ERR_FAILED, errno, "read the vector registers of thread %d", tid);

	state->sve_size = sizeof state->sve;
	const struct vector_header *header = (const void *)state->sve;
	if (get_set(PTRACE_GETREGSET, tid, NT_ARM_SVE_, state->sve, &state->sve_size) < 0 ||
	    !(header->flags & SVE_LIVE))
		state->sve_size = 0;
	/* Longer vectors do not fit beside the others in sigcontext.__reserved. */
	if (state->sve_size && header->vl > 96)
		return err_set(err, ERR_NOT_POSSIBLE, 0,
			       "thread %d is using SVE vectors of %u bytes", tid, header->vl);
	return 0;
}

int arch_vector_set(pid_t tid, const struct vector_state *state)
{
	if (state->sve_size) {
		size_t size = state->sve_size;
		return get_set(PTRACE_SETREGSET, tid, NT_ARM_SVE_, (void *)state->sve, &size);
	}
	size_t size = sizeof state->fpsimd;
	return get_set(PTRACE_SETREGSET, tid, NT_FPREGSET, (void *)&state->fpsimd, &size);
}

uint64_t arch_pc(const struct regs *regs) { return regs->pc; }
uint64_t arch_sp(const struct regs *regs) { return regs->sp; }
uint64_t arch_result(const struct regs *regs) { return regs->x[0]; }
uint64_t arch_arg(const struct regs *regs, unsigned number) { return regs->x[number]; }
void arch_arg_set(struct regs *regs, unsigned number, uint64_t value) { regs->x[number] = value; }

int arch_entry_nr(pid_t tid, const struct regs *regs, long *nr)
{
	(void)regs;
	int number = 0;
	size_t size = sizeof number;
	if (get_set(PTRACE_GETREGSET, tid, NT_ARM_SYSTEM_CALL_, &number, &size) < 0)
		return -1;
	*nr = number;
	return 0;
}

int arch_entry_replace(pid_t tid, struct regs *regs, long nr, uint64_t arg0, uint64_t arg1)
{
	int number = (int)nr;
	size_t size = sizeof number;
	regs->x[0] = arg0;
	regs->x[1] = arg1;
	if (arch_regs_set(tid, regs) < 0)
		return -1;
	return get_set(PTRACE_SETREGSET, tid, NT_ARM_SYSTEM_CALL_, &number, &size);
}

void arch_after_syscall(struct regs *regs, uint64_t arg0, uint64_t arg1)
{
	(void)arg0;
	regs->x[0] = 0;
	regs->x[1] = arg1;
}
