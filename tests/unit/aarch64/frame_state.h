/* SPDX-License-Identifier: MIT */
/* Registers full of known values, for tests/unit/test_arch_frame.c. */
#ifndef ROCLATCH_TESTS_FRAME_STATE_H
#define ROCLATCH_TESTS_FRAME_STATE_H

#include <string.h>
#include <sys/prctl.h>

#include "arch/arch.h"

#define SPIN "b"

/* Everything but pc and sp. */
static inline void fill_regs(struct regs *regs, uint8_t seed)
{
	for (unsigned i = 0; i < 31; i++)
		regs->x[i] = 0x0101010101010101ull * (seed + i);
	regs->pstate = (regs->pstate & ~0xf0000000ull) | (seed & 1 ? 0xf0000000ull : 0);
}

static inline uint16_t sve_length(void)
{
	int length = prctl(PR_SVE_GET_VL);
	return length < 0 ? 0 : (uint16_t)(length & PR_SVE_VL_LEN_MASK);
}

/* Without and, where the CPU has it, with live SVE registers. */
static inline unsigned vector_kinds(void)
{
	return sve_length() ? 2 : 1;
}

static inline void fill_sve(struct vector_state *state, uint8_t seed)
{
	struct { uint32_t size, max_size; uint16_t vl, max_vl, flags, reserved; } header = { .flags = 1 };
	uint16_t vl = sve_length(), vq = vl / 16;
	size_t z = 32u * vl, p = 16u * 2 * vq, ffr = 2u * vq;
	state->sve_size = (sizeof header + z + p + ffr + 8 + 15) & ~15ul;      /* fpsr and fpcr behind them */
	header.size = (uint32_t)state->sve_size;
	header.vl = header.max_vl = vl;
	memset(state->sve, 0, state->sve_size);
	memcpy(state->sve, &header, sizeof header);
	for (size_t i = 0; i < z + p; i++)
		state->sve[sizeof header + i] = (uint8_t)(seed + i / 8);
	memset(state->sve + sizeof header + z + p, seed & 1 ? 0xff : 0x0f, vq * 2u / 2);
	size_t control = (sizeof header + z + p + ffr + 15) & ~15ul;
	memcpy(state->sve + control, (uint32_t[]){ state->fpsimd.fpsr, state->fpsimd.fpcr }, 8);
}

static inline void fill_vector(struct vector_state *state, unsigned kind, uint8_t seed)
{
	memset(state, 0, offsetof(struct vector_state, sve));
	for (unsigned i = 0; i < 32; i++)
		memset(&state->fpsimd.v[i], seed + (int)i, 16);
	state->fpsimd.fpsr = seed & 1 ? 0x1f : 0;
	state->fpsimd.fpcr = seed & 1 ? 0x00c00000 : 0x00400000;        /* rounding */
	if (kind == 1)
		fill_sve(state, seed);
}

/* After rt_sigreturn the kernel leaves anything in fpsimd.reserved. */
static inline int same_vector(const struct vector_state *a, const struct vector_state *b)
{
	return !memcmp(&a->fpsimd, &b->fpsimd, offsetof(struct fpsimd, reserved)) && a->sve_size == b->sve_size &&
	       !memcmp(a->sve, b->sve, a->sve_size);
}

/* Registers with which rt_sigreturn finds the frame. */
static inline void enter_restore(struct regs *regs, uint64_t restore, uint64_t frame)
{
	regs->pc = restore;
	regs->sp = frame;
}

static inline void continue_at(struct regs *regs, uint64_t pc)
{
	regs->pc = pc;
}

#define FRAME_ALIGNMENT 16

#endif
