/* SPDX-License-Identifier: MIT */
#include "arch/arch.h"

#include <cpuid.h>
#include <string.h>

/* mov $15, %rax; syscall: how every libc returns from a signal handler */
static const uint8_t restore_code[] = { 0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05 };
static const uint8_t syscall_code[] = { 0x0f, 0x05, 0xc3 };

void arch_gadgets_scan(struct gadgets *gadgets, const uint8_t *text, size_t size, uint64_t base)
{
	const uint8_t *at;
	if (!gadgets->syscall && (at = memmem(text, size, syscall_code, sizeof syscall_code)))
		gadgets->syscall = base + (uint64_t)(at - text);
	if (!gadgets->restore && (at = memmem(text, size, restore_code, sizeof restore_code)))
		gadgets->restore = base + (uint64_t)(at - text);
}

/* struct rt_sigframe (arch/x86/include/asm/sigframe.h), without the siginfo that
 * rt_sigreturn does not read. */
struct frame {
	uint64_t pretcode;
	uint64_t uc_flags, uc_link;
	uint64_t ss_sp;
	uint32_t ss_flags, ss_pad;
	uint64_t ss_size;
	uint64_t r8, r9, r10, r11, r12, r13, r14, r15;
	uint64_t di, si, bp, bx, dx, ax, cx, sp, ip, flags;
	uint16_t cs, gs, fs, ss;
	uint64_t err, trapno, oldmask, cr2, fpstate, reserved[8];
	uint64_t mask;
};
_Static_assert(offsetof(struct frame, r8) == 48, "struct sigcontext");
_Static_assert(offsetof(struct frame, fpstate) == 232, "struct sigcontext");
_Static_assert(offsetof(struct frame, mask) == 304, "struct ucontext");

#define FPSTATE_AT 320          /* in the frame: 64-byte aligned, behind struct frame */
_Static_assert(FPSTATE_AT >= sizeof(struct frame) && FPSTATE_AT % 64 == 0, "fpstate");

/* struct _fpx_sw_bytes, at the end of the legacy FXSAVE area */
struct sw_bytes {
	uint32_t magic1, extended_size;
	uint64_t features;
	uint32_t xstate_size, pad[7];
};
#define SW_BYTES_AT 464
_Static_assert(SW_BYTES_AT + sizeof(struct sw_bytes) == 512, "FXSAVE area");
#define MAGIC1 0x46505853u
#define MAGIC2 0x46505845u
#define XSTATE_HEADER_AT 512
#define XSTATE_MIN 576

static uint64_t word64(const uint8_t *at)
{
	uint64_t value;
	memcpy(&value, at, sizeof value);
	return value;
}

/* Where a component ends in the XSAVE area, 0 if this CPU has none such.  Asked once: in a virtual machine the answer
 * takes microseconds, for which the thread would stand still. */
static size_t component_end(unsigned number)
{
	static struct { bool known; size_t end; } component[63];
	unsigned size, offset, ecx, edx;

	if (!component[number].known) {
		bool has = __get_cpuid_count(0xd, number, &size, &offset, &ecx, &edx) && size;
		component[number].end = has ? (size_t)offset + size : 0;
		component[number].known = true;
	}
	return component[number].end;
}

/*
 * The kernel takes no more bytes than this thread may use: one without AMX
 * permission has a smaller area than the NT_X86_XSTATE regset, and too large a
 * size makes rt_sigreturn silently restore SSE alone.  What is in use tells
 * how much is needed; components in their initial state need not be there.
 */
static size_t xstate_used(const struct vector_state *state, uint64_t *features)
{
	uint64_t in_use = word64(state->data + XSTATE_HEADER_AT);
	uint64_t enabled = word64(state->data + SW_BYTES_AT);
	size_t used = XSTATE_MIN;

	for (unsigned i = 2; i < 63; i++)
		if ((in_use >> i & 1) && component_end(i) > used && component_end(i) <= state->size)
			used = component_end(i);
	*features = 3;
	for (unsigned i = 2; i < 63; i++)
		if ((enabled >> i & 1) && component_end(i) && component_end(i) <= used)
			*features |= 1ull << i;
	return used;
}

size_t arch_frame_size(const struct vector_state *state)
{
	uint64_t features;
	return FPSTATE_AT + xstate_used(state, &features) + sizeof(uint32_t);
}

uint64_t arch_frame_at(uint64_t limit, size_t size)
{
	return (limit - size) & ~63ull;
}

static void build_fpstate(uint8_t *to, const struct vector_state *state)
{
	uint32_t magic2 = MAGIC2;
	struct sw_bytes sw = { .magic1 = MAGIC1 };
	size_t used = xstate_used(state, &sw.features);
	sw.xstate_size = (uint32_t)used;
	sw.extended_size = (uint32_t)(used + sizeof magic2);

	memcpy(to, state->data, used);
	memcpy(to + SW_BYTES_AT, &sw, sizeof sw);
	memcpy(to + used, &magic2, sizeof magic2);
}

void arch_frame_build(uint8_t *buf, uint64_t at, const struct regs *resume,
		      const struct vector_state *state, uint64_t mask, uint64_t restore)
{
	const struct user_regs_struct *r = &resume->gp;
	struct frame frame = {
		.pretcode = restore,
		.uc_flags = 7,          /* FP_XSTATE, SIGCONTEXT_SS, STRICT_RESTORE_SS */
		.ss_flags = ~0u,        /* invalid, so that the alternate stack is left alone */
		.r8 = r->r8, .r9 = r->r9, .r10 = r->r10, .r11 = r->r11,
		.r12 = r->r12, .r13 = r->r13, .r14 = r->r14, .r15 = r->r15,
		.di = r->rdi, .si = r->rsi, .bp = r->rbp, .bx = r->rbx,
		.dx = r->rdx, .ax = r->rax, .cx = r->rcx, .sp = r->rsp,
		.ip = r->rip, .flags = r->eflags,
		.cs = (uint16_t)r->cs, .gs = (uint16_t)r->gs,
		.fs = (uint16_t)r->fs, .ss = (uint16_t)r->ss,
		.fpstate = at + FPSTATE_AT,
		.mask = mask,
	};
	memset(buf, 0, FPSTATE_AT);
	memcpy(buf, &frame, sizeof frame);
	build_fpstate(buf + FPSTATE_AT, state);
}

static void leave_call(struct regs *regs)
{
	regs->gp.orig_rax = -1UL;       /* no restart of the interrupted call now */
	regs->gp.eflags &= ~0x40500ul;  /* TF, DF, AC */
}

void arch_divert_syscall(struct regs *regs, const struct gadgets *gadgets, uint64_t frame,
			 long nr, const uint64_t args[6])
{
	leave_call(regs);
	regs->gp.rip = gadgets->syscall;
	regs->gp.rsp = frame;           /* `ret` takes pretcode and leaves rsp - 8 on the frame */
	regs->gp.rax = (unsigned long)nr;
	regs->gp.rdi = args[0];
	regs->gp.rsi = args[1];
	regs->gp.rdx = args[2];
	regs->gp.r10 = args[3];
	regs->gp.r8 = args[4];
	regs->gp.r9 = args[5];
}

void arch_divert_call(struct regs *regs, uint64_t entry, uint64_t stack, uint64_t mailbox)
{
	leave_call(regs);
	regs->gp.rip = entry;
	regs->gp.rsp = stack;
	regs->gp.rbp = 0;
	regs->gp.rdi = mailbox;
}

void arch_divert_recover(struct regs *regs, uint64_t recover, uint64_t saved_sp, uint64_t mailbox)
{
	leave_call(regs);
	regs->gp.rip = recover;
	regs->gp.rsp = saved_sp;
	regs->gp.rbx = mailbox;
}
