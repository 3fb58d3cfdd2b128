/* SPDX-License-Identifier: MIT */
/* A64 instructions are fixed words, so a table of the ones that we use is enough. */
#include "arch/arch.h"

#include <asm/unistd.h>

#include "words.h"

enum branch { STRAIGHT, BRANCH_26, BRANCH_19, BRANCH_14 };

/* Everything that trampoline.S is made of. */
static const struct pattern {
	uint32_t mask, value;
	enum branch branch;
} patterns[] = {
	{ 0xffffffffu, WORD_SVC, STRAIGHT },
	{ 0xffffffffu, WORD_RET, STRAIGHT },
	{ 0xfffffc1fu, 0xd63f0000u, STRAIGHT }, /* blr */
	{ 0xfc000000u, 0x14000000u, BRANCH_26 },/* b */
	{ 0xfc000000u, 0x94000000u, BRANCH_26 },/* bl */
	{ 0xff000010u, 0x54000000u, BRANCH_19 },/* b.cond */
	{ 0x7e000000u, 0x34000000u, BRANCH_19 },/* cbz, cbnz */
	{ 0x7f000000u, 0x37000000u, BRANCH_14 },/* tbnz */
	{ 0xffc00000u, 0xa9800000u, STRAIGHT }, /* stp x, x, [..]! */
	{ 0xffc00000u, 0xa9000000u, STRAIGHT }, /* stp x, x, [..] */
	{ 0xffc00000u, 0xa9400000u, STRAIGHT }, /* ldp x, x, [..] */
	{ 0xffc00000u, 0xa8c00000u, STRAIGHT }, /* ldp x, x, [..], # */
	{ 0xffc00000u, 0xb9400000u, STRAIGHT }, /* ldr w */
	{ 0xffc00000u, 0xf9400000u, STRAIGHT }, /* ldr x */
	{ 0xffc00000u, 0xb9000000u, STRAIGHT }, /* str w */
	{ 0xffc00000u, 0xf9000000u, STRAIGHT }, /* str x */
	{ 0xffe00c00u, 0xf8000c00u, STRAIGHT }, /* str x, [..]! */
	{ 0xfffffc00u, 0x889ffc00u, STRAIGHT }, /* stlr w */
	{ 0xffe0ffe0u, 0xaa0003e0u, STRAIGHT }, /* mov x, x */
	{ 0xffe00000u, 0xd2800000u, STRAIGHT }, /* mov x, # */
	{ 0xffe00000u, 0x52800000u, STRAIGHT }, /* mov w, # */
	{ 0xffc00000u, 0x91000000u, STRAIGHT }, /* add x, x, # (mov to or from sp) */
	{ 0xffc00000u, 0x51000000u, STRAIGHT }, /* sub w, w, # */
	{ 0xffc0001fu, 0x7100001fu, STRAIGHT }, /* cmp w, # */
	{ 0xffe0fc1fu, 0x6b00001fu, STRAIGHT }, /* cmp w, w */
	{ 0xffffffe0u, 0xd51b4400u, STRAIGHT }, /* msr fpcr */
	{ 0xffffffe0u, 0xd51b4420u, STRAIGHT }, /* msr fpsr */
};

static const struct pattern *pattern_of(uint32_t word)
{
	for (size_t i = 0; i < sizeof patterns / sizeof patterns[0]; i++)
		if ((word & patterns[i].mask) == patterns[i].value)
			return &patterns[i];
	return NULL;
}

/* Signed distance in bytes from a field of `bits` bits at `shift`. */
static int64_t distance(uint32_t word, unsigned shift, unsigned bits)
{
	uint32_t field = word >> shift & ((1u << bits) - 1);
	int64_t value = field;
	if (field >> (bits - 1))
		value -= INT64_C(1) << bits;
	return value * 4;
}

static int64_t branch_distance(uint32_t word, enum branch branch)
{
	switch (branch) {
	case BRANCH_26: return distance(word, 0, 26);
	case BRANCH_19: return distance(word, 5, 19);
	case BRANCH_14: return distance(word, 5, 14);
	default: return 0;
	}
}

int arch_trampoline_check(const uint8_t *code, size_t size, struct err *err)
{
	if (size == 0 || size % 4)
		return err_set(err, ERR_FAILED, 0, "the trampoline has %zu bytes", size);
	for (size_t at = 0; at < size; at += 4) {
		uint32_t word = word_at(code + at);
		const struct pattern *pattern = pattern_of(word);
		if (!pattern)
			return err_set(err, ERR_FAILED, 0,
				       "the trampoline holds the word 0x%08x at +0x%zx, which it must not",
				       word, at);
		int64_t to = (int64_t)at + branch_distance(word, pattern->branch);
		if (to < 0 || to >= (int64_t)size)
			return err_set(err, ERR_FAILED, 0,
				       "the trampoline jumps out of itself at +0x%zx", at);
	}
	uint32_t last = word_at(code + size - 4);
	if (last != WORD_RET && (last & 0xfc000000u) != 0x14000000u)
		return err_set(err, ERR_FAILED, 0, "the trampoline runs off its end");
	return 0;
}

/* b, br, ret and their forms with pointer authentication */
static bool ends_flow(uint32_t word)
{
	return (word & 0xfc000000u) == 0x14000000u || (word & 0xfe9f0000u) == 0xd61f0000u;
}

/* brk, hlt, hvc, smc: exceptions that no function begins with */
static bool is_trap(uint32_t word)
{
	return (word & 0xff000000u) == 0xd4000000u && (word & 0xffe0001fu) != WORD_SVC;
}

/* op0 of C4.1: 1 and 3 are not allocated; 0 is SME if bit 31 is set, else only udf */
static bool is_unallocated(uint32_t word)
{
	unsigned group = word >> 25 & 15;
	return group == 1 || group == 3 || (group == 0 && !(word >> 31));
}

static bool is_branch_target(uint32_t word)
{
	return word == 0xd503245fu || word == 0xd50324dfu ||    /* bti c, bti jc */
	       word == 0xd503233fu || word == 0xd503237fu;      /* paciasp, pacibsp */
}

int arch_function_check(const uint8_t *code, size_t size, bool guarded, struct err *err)
{
	if (size < 4)
		return err_set(err, ERR_NOT_POSSIBLE, 0, "only %zu bytes of code are there", size);
	if (guarded && !is_branch_target(word_at(code)))
		return err_set(err, ERR_NOT_POSSIBLE, 0,
			       "it is protected by BTI and does not begin with a branch target: "
			       "it is not the start of a function");
	for (size_t at = 0; at + 4 <= size; at += 4) {
		uint32_t word = word_at(code + at);
		if (is_unallocated(word))
			return err_set(err, ERR_NOT_POSSIBLE, 0,
				       "its word at +0x%zx, 0x%08x, is no instruction", at, word);
		if (is_trap(word))
			return err_set(err, ERR_NOT_POSSIBLE, 0,
				       "it has a breakpoint or trap at +0x%zx", at);
		if (ends_flow(word))
			return 0;
	}
	return 0;
}

/* Interpret one word that only moves registers.  False: it is something else. */
static bool follow(struct regs *regs, uint32_t word)
{
	unsigned to = word & 31;
	uint64_t next = regs->pc + 4;

	if ((word & 0xfc000000u) == 0x14000000u)
		next = regs->pc + (uint64_t)distance(word, 0, 26);
	else if ((word & 0x7fe00000u) == 0x52800000u && to != 31)
		regs->x[to] = word >> 5 & 0xffff;
	else if ((word & 0x7fe0ffe0u) == 0x2a0003e0u && to != 31)
		regs->x[to] = (word >> 16 & 31) == 31 ? 0 : regs->x[word >> 16 & 31];
	else if (word != WORD_NOP && !is_branch_target(word))
		return false;
	regs->pc = next;
	return true;
}

bool arch_leads_to_exit(const struct regs *regs, const uint8_t *text, size_t size, uint64_t base)
{
	struct regs now = *regs;
	for (int i = 0; i < 16; i++) {
		if (now.pc < base || now.pc - base + 4 > size)
			return false;
		uint32_t word = word_at(text + (now.pc - base));
		if (word == WORD_SVC)
			return now.x[8] == __NR_exit;
		if (!follow(&now, word))
			return false;
	}
	return false;
}
