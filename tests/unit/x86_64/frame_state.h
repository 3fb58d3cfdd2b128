/* SPDX-License-Identifier: MIT */
/* Registers full of known values, for tests/unit/test_arch_frame.c. */
#ifndef ROCLATCH_TESTS_FRAME_STATE_H
#define ROCLATCH_TESTS_FRAME_STATE_H

#include <cpuid.h>
#include <string.h>

#include "arch/arch.h"

#define SPIN "jmp"

/* Everything but pc, sp and what the thread lives by (segments, fs and gs). */
static inline void fill_regs(struct regs *regs, uint8_t seed)
{
	/* glibc calls their type otherwise than musl */
	__typeof__(regs->gp.rax) *all[] = { &regs->gp.rax, &regs->gp.rbx, &regs->gp.rcx, &regs->gp.rdx, &regs->gp.rsi,
					    &regs->gp.rdi, &regs->gp.rbp, &regs->gp.r8, &regs->gp.r9, &regs->gp.r10,
					    &regs->gp.r11, &regs->gp.r12, &regs->gp.r13, &regs->gp.r14, &regs->gp.r15 };
	for (unsigned i = 0; i < sizeof all / sizeof all[0]; i++)
		*all[i] = 0x0101010101010101ul * (seed + i);
	const unsigned long flags = 0xcd5;      /* OF, DF, SF, ZF, AF, PF, CF */
	regs->gp.eflags = (regs->gp.eflags & ~flags) | (seed & 1 ? flags : 0);
	regs->gp.orig_rax = -1UL;
}

/* Everything in use, and nothing beyond SSE, when the rest must be as new again. */
static inline unsigned vector_kinds(void)
{
	return 2;
}

#define ENABLED_AT 464          /* XCR0, as the regset tells it */
#define IN_USE_AT 512
#define PKRU 9

/* One component of the XSAVE area after the other, as far as the CPU has it. */
static inline void fill_vector(struct vector_state *state, unsigned kind, uint8_t seed)
{
	static const struct { unsigned number, size; } components[] = {
		{ 2, 256 }, { 5, 64 }, { 6, 512 }, { 7, 1024 }          /* AVX, then AVX-512's three */
	};
	uint64_t enabled, in_use = 3;
	memcpy(&enabled, state->data + ENABLED_AT, sizeof enabled);
	for (unsigned i = 0; i < 8; i++)        /* x87: ten of sixteen bytes */
		memset(state->data + 32 + 16 * i, seed + (int)i, 10);
	memset(state->data, 0, 32);
	memcpy(state->data, (uint16_t[]){ seed & 1 ? 0x27f : 0x37f }, 2);
	state->data[4] = 0xff;                  /* all eight are in use */
	memcpy(state->data + 24, (uint32_t[]){ seed & 1 ? 0x5fa1 : 0x1f80, 0xffff }, 8);        /* mxcsr */
	for (unsigned i = 0; i < 16; i++)
		memset(state->data + 160 + 16 * i, seed + 0x20 + (int)i, 16);
	for (unsigned i = 0; i < sizeof components / sizeof components[0]; i++) {
		unsigned size, offset, c, d;
		if (kind == 1 || !(enabled >> components[i].number & 1) ||
		    !__get_cpuid_count(0xd, components[i].number, &size, &offset, &c, &d) ||
		    size != components[i].size)
			continue;
		for (unsigned at = 0; at < size; at++)
			state->data[offset + at] = (uint8_t)(seed + at / 16 + 0x40 * i);
		in_use |= 1ull << components[i].number;
	}
	unsigned size, offset, c, d;
	if (kind == 0 && (enabled >> PKRU & 1) && __get_cpuid_count(0xd, PKRU, &size, &offset, &c, &d)) {
		/* no page has the keys that are closed here; the first is that of all memory */
		memcpy(state->data + offset, (uint32_t[]){ (seed & 0xfu) << 8 }, sizeof(uint32_t));
		in_use |= 1ull << PKRU;
	}
	uint64_t others;                        /* what is none of these stays as it is */
	memcpy(&others, state->data + IN_USE_AT, sizeof others);
	in_use |= others & ~0xe7ull;
	memcpy(state->data + IN_USE_AT, &in_use, sizeof in_use);
}

/* In use with initial values, or not in use: both are the same state. */
static inline int same_vector(const struct vector_state *a, const struct vector_state *b)
{
	return a->size == b->size && !memcmp(a->data, b->data, IN_USE_AT) &&
	       !memcmp(a->data + IN_USE_AT + 8, b->data + IN_USE_AT + 8, a->size - IN_USE_AT - 8);
}

/* Registers with which rt_sigreturn finds the frame. */
static inline void enter_restore(struct regs *regs, uint64_t restore, uint64_t frame)
{
	regs->gp.rip = restore;
	regs->gp.rsp = frame + 8;
	regs->gp.orig_rax = -1UL;
}

static inline void continue_at(struct regs *regs, uint64_t pc)
{
	regs->gp.rip = pc;
	regs->gp.orig_rax = -1UL;
}

#define FRAME_ALIGNMENT 64

#endif
