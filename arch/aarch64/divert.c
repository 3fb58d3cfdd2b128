/* SPDX-License-Identifier: MIT */
#include "arch/arch.h"

#include <string.h>

#include "words.h"

void arch_gadgets_scan(struct gadgets *gadgets, const uint8_t *text, size_t size, uint64_t base)
{
	for (size_t at = 0; at + 8 <= size; at += 4) {
		uint32_t first = word_at(text + at), second = word_at(text + at + 4);
		if (!gadgets->syscall && first == WORD_SVC && second == WORD_RET)
			gadgets->syscall = base + at;
		if (!gadgets->restore && first == WORD_RT_SIGRETURN && second == WORD_SVC)
			gadgets->restore = base + at;
		if (gadgets->syscall && gadgets->restore)
			return;
	}
}

bool arch_gadget_is_syscall(const uint8_t code[16])
{
	return word_at(code) == WORD_SVC && word_at(code + 4) == WORD_RET;
}

bool arch_gadget_is_restore(const uint8_t code[16])
{
	return word_at(code) == WORD_RT_SIGRETURN && word_at(code + 4) == WORD_SVC;
}

/* struct rt_sigframe (arch/arm64/kernel/signal.c) up to the records. */
struct frame {
	uint8_t siginfo[128];
	uint64_t uc_flags, uc_link;
	uint64_t ss_sp;
	uint32_t ss_flags, ss_pad;
	uint64_t ss_size;
	uint64_t mask;
	uint8_t unused[120], align[8];
	uint64_t fault_address, x[31], sp, pc, pstate, align2;
};
_Static_assert(offsetof(struct frame, mask) == 128 + 40, "struct ucontext");
_Static_assert(offsetof(struct frame, fault_address) == 128 + 176, "struct sigcontext");
_Static_assert(sizeof(struct frame) == 128 + 176 + 288, "sigcontext.__reserved");

/* records of asm/sigcontext.h */
struct record { uint32_t magic, size; };
struct fpsimd_record { struct record head; uint32_t fpsr, fpcr; __uint128_t v[32]; };
struct sve_record { struct record head; uint16_t vl, flags, reserved[2]; };
_Static_assert(sizeof(struct fpsimd_record) == 528, "struct fpsimd_context");
_Static_assert(sizeof(struct sve_record) == 16, "struct sve_context");
#define FPSIMD_MAGIC 0x46508001u
#define SVE_MAGIC 0x53564501u
#define PTRACE_SVE_HEADER 16    /* sizeof(struct user_sve_header) */

/* Z, P and FFR registers lie the same way in the regset and in the frame. */
static size_t sve_registers(uint16_t vl)
{
	size_t vq = vl / 16u;
	return vq * (32 * 16 + 16 * 2 + 2);
}

static uint16_t sve_vl(const struct vector_state *state)
{
	uint16_t vl;
	memcpy(&vl, state->sve + 8, sizeof vl);
	return vl;
}

static size_t sve_record_size(const struct vector_state *state)
{
	if (!state->sve_size)
		return 0;
	return (sizeof(struct sve_record) + sve_registers(sve_vl(state)) + 15) & ~15ul;
}

size_t arch_frame_size(const struct vector_state *state)
{
	return sizeof(struct frame) + sizeof(struct fpsimd_record) + sve_record_size(state) + 16;
}

uint64_t arch_frame_at(uint64_t limit, size_t size)
{
	return (limit - size) & ~15ull;
}

static uint8_t *add_fpsimd(uint8_t *to, const struct vector_state *state)
{
	struct fpsimd_record record = {
		.head = { FPSIMD_MAGIC, sizeof record },
		.fpsr = state->fpsimd.fpsr,
		.fpcr = state->fpsimd.fpcr,
	};
	memcpy(record.v, state->fpsimd.v, sizeof record.v);
	memcpy(to, &record, sizeof record);
	return to + sizeof record;
}

static uint8_t *add_sve(uint8_t *to, const struct vector_state *state)
{
	size_t size = sve_record_size(state);
	if (!size)
		return to;
	struct sve_record record = { .head = { SVE_MAGIC, (uint32_t)size }, .vl = sve_vl(state) };
	memset(to, 0, size);
	memcpy(to, &record, sizeof record);
	memcpy(to + sizeof record, state->sve + PTRACE_SVE_HEADER, sve_registers(record.vl));
	return to + size;
}

void arch_frame_build(uint8_t *buf, uint64_t at, const struct regs *resume,
		      const struct vector_state *state, uint64_t mask, uint64_t restore)
{
	(void)at;
	(void)restore;          /* rt_sigreturn is reached by the link register */
	struct frame frame = {
		.ss_flags = ~0u,        /* invalid, so that the alternate stack is left alone */
		.mask = mask,
		.sp = resume->sp, .pc = resume->pc, .pstate = resume->pstate,
	};
	memcpy(frame.x, resume->x, sizeof frame.x);
	memcpy(buf, &frame, sizeof frame);
	uint8_t *end = add_sve(add_fpsimd(buf + sizeof frame, state), state);
	memset(end, 0, 16);
}

#define PSTATE_NZCV 0xf0000000ull
#define PSTATE_BTYPE 0xc00ull

void arch_divert_syscall(struct regs *regs, const struct gadgets *gadgets, uint64_t frame,
			 long nr, const uint64_t args[6])
{
	memcpy(regs->x, args, 6 * sizeof args[0]);
	regs->x[8] = (uint64_t)nr;
	regs->x[30] = gadgets->restore;
	regs->sp = frame;
	regs->pc = gadgets->syscall;
	regs->pstate &= ~PSTATE_BTYPE;
}

void arch_divert_call(struct regs *regs, uint64_t entry, uint64_t stack, uint64_t mailbox)
{
	regs->x[0] = mailbox;
	regs->x[29] = 0;
	regs->x[30] = 0;
	regs->sp = stack;
	regs->pc = entry;
	regs->pstate &= ~(PSTATE_NZCV | PSTATE_BTYPE);
}

void arch_divert_recover(struct regs *regs, uint64_t recover, uint64_t saved_sp, uint64_t mailbox)
{
	regs->x[19] = mailbox;
	regs->sp = saved_sp;
	regs->pc = recover;
	regs->pstate &= ~(PSTATE_NZCV | PSTATE_BTYPE);
}
