/* SPDX-License-Identifier: MIT */
#include "arch/unwind.h"

#include <signal.h>
#include <ucontext.h>

#include "words.h"

void arch_unwind_regs(const struct regs *regs, struct frame_regs *frame)
{
	_Static_assert(offsetof(struct regs, pc) == 8 * UNWIND_PC && offsetof(struct regs, sp) == 8 * UNWIND_SP,
		       "in the order of DWARF numbers");
	memcpy(frame->v, regs, sizeof frame->v);
	frame->known = (UINT64_C(1) << UNWIND_REGS) - 1;
}

/* enum perf_event_arm_regs has the same order. */
void arch_unwind_perf(const uint64_t *values, struct frame_regs *frame)
{
	memcpy(frame->v, values, sizeof frame->v);
	frame->known = (UINT64_C(1) << UNWIND_REGS) - 1;
}

/* User addresses have at most 48 bits (52 only for those who ask mmap for it, which no loader does);
 * the signature is above (Arm ARM, D8.10). */
uint64_t arch_unwind_strip(uint64_t addr)
{
	return addr & ((UINT64_C(1) << 48) - 1);
}

static uint64_t signed_field(uint64_t value, unsigned bits)
{
	uint64_t sign = UINT64_C(1) << (bits - 1);
	return ((value & (2 * sign - 1)) ^ sign) - sign;
}

/* bl, or b: a distance of 26 bits in words */
static uint64_t branch_target(uint32_t word, uint64_t at)
{
	return at + 4 * signed_field(word, 26);
}

bool arch_unwind_is_call(const uint8_t *bytes, size_t size, uint64_t after, uint64_t *target)
{
	*target = 0;
	if (size < 4 || after % 4)
		return false;
	uint32_t word = word_at(bytes + size - 4);
	if (word >> 26 == 0x25) {
		*target = branch_target(word, after - 4);
		return true;
	}
	return (word & 0xfffffc1f) == 0xd63f0000 ||     /* blr */
	       (word & 0xfefff800) == 0xd63f0800;       /* blraa, blrab, blraaz, blrabz */
}

static uint64_t adrp_page(uint32_t word, uint64_t at)
{
	uint64_t pages = signed_field((word >> 5 & 0x7ffff) << 2 | (word >> 29 & 3), 21);
	return (at & ~UINT64_C(4095)) + (pages << 12);
}

/* adrp m, page; ldr n, [m, #offset]; blr n: with others between them that change neither register */
uint64_t arch_unwind_call_slot(const uint8_t *bytes, size_t size, uint64_t after)
{
	uint32_t call = size >= 4 ? word_at(bytes + size - 4) : 0, reg = call >> 5 & 31;
	uint64_t offset = 0;
	bool loaded = false;
	if ((call & 0xfffffc1f) != 0xd63f0000)
		return 0;
	for (size_t back = 8; back <= size; back += 4) {
		uint32_t word = word_at(bytes + size - back);
		if (loaded && (word & 0x9f00001f) == (0x90000000 | reg))
			return adrp_page(word, after - back) + offset;
		if (!loaded && (word & 0xffc0001f) == (0xf9400000 | reg)) {
			loaded = true;
			offset = 8 * (word >> 10 & 0xfff);
			reg = word >> 5 & 31;
		} else if ((word & 31) == reg || word >> 26 == 0x25 || (word & 0xfffffc1f) == 0xd63f0000) {
			return 0;
		}
	}
	return 0;
}

/* A PLT stub: adrp x16, page; ldr x17, [x16, #offset]; add x16, ...; br x17 */
static bool is_stub(const uint8_t *code, uint64_t at, uint64_t *slot)
{
	uint32_t adrp = word_at(code), ldr = word_at(code + 4), br = word_at(code + 12);
	if ((adrp & 0x9f00001f) != 0x90000010 || (ldr & 0xffc003ff) != 0xf9400211 || br != 0xd61f0220)
		return false;
	*slot = adrp_page(adrp, at) + 8 * (ldr >> 10 & 0xfff);
	return true;
}

bool arch_unwind_is_jump(const uint8_t *code, size_t size, uint64_t at, uint64_t *target, uint64_t *slot)
{
	size_t i = size >= 4 && (word_at(code) & 0xffffff3f) == 0xd503241f ? 4 : 0;     /* bti */
	*target = *slot = 0;
	if (size - i >= 4 && word_at(code + i) >> 26 == 5)
		*target = branch_target(word_at(code + i), at + i);
	else if (size - i >= 16)
		is_stub(code + i, at + i, slot);
	return *target || *slot;
}

/* What an instruction does to sp. */
static void judge_stack(uint32_t word, struct unwind_insn *out)
{
	bool of_sp = (word >> 5 & 31) == 31;
	if ((word & 0xff8003ff) == 0xd10003ff || (word & 0xff8003ff) == 0x910003ff) {
		int64_t size = (int64_t)(word >> 10 & 0xfff) << (word >> 22 & 1 ? 12 : 0);
		out->depth = word >> 30 & 1 ? size : -size;     /* sub, add sp, sp, #size */
	} else if (of_sp && (word & 0x3a800000) == 0x28800000) {
		unsigned kind = word >> 30 << 1 | (word >> 26 & 1);
		out->depth = -8 * (int64_t)signed_field(word >> 15, 7); /* stp x, y, [sp, #-size]!; ldp x, y, [sp], #size */
		out->lost = kind != 4 && kind != 3;             /* not of x or d registers: another unit */
	} else if (of_sp && (word & 0xff200400) == 0xf8000400) {
		out->depth = -(int64_t)signed_field(word >> 12, 9);     /* str x, [sp, #-size]!; ldr x, [sp], #size */
	} else if ((word & 0x1f) == 31 && ((word & 0xff800000) == 0x91000000 || (word & 0xff800000) == 0xd1000000 ||
					   (word & 0xffe00000) == 0xcb200000 || (word & 0xffe00000) == 0x8b200000 ||
					   (word & 0xff800000) == 0x92000000)) {
		out->lost = true;                               /* sp from another register, or aligned */
	}
}

static void note_store(struct unwind_insn *out, unsigned reg, int64_t at)
{
	if (reg == UNWIND_RA)
		out->ra_at = at;
	if (reg == UNWIND_FP)
		out->fp_at = at;
}

/* Which of x29 and x30 it puts on the stack. */
static void judge_stores(uint32_t word, struct unwind_insn *out)
{
	if ((word >> 5 & 31) != 31)
		return;
	if ((word & 0xffc00000) == 0xa9000000 || (word & 0xffc00000) == 0xa9800000) {
		/* stp x, y, [sp, #at]; or with sp lowered to there */
		int64_t at = word >> 23 & 1 ? 0 : 8 * (int64_t)signed_field(word >> 15, 7);
		note_store(out, word & 31, at);
		note_store(out, word >> 10 & 31, at + 8);
	} else if ((word & 0xffc00000) == 0xf9000000) {         /* str x, [sp, #at] */
		note_store(out, word & 31, 8 * (int64_t)(word >> 10 & 0xfff));
	} else if ((word & 0xffe00c00) == 0xf8000c00) {         /* str x, [sp, #-size]! */
		note_store(out, word & 31, 0);
	}
}

static void judge_flow(uint32_t word, struct unwind_insn *out)
{
	if (word >> 26 == 5) {                                  /* b */
		out->flow = FLOW_JUMP;
		out->distance = 4 * (int64_t)signed_field(word, 26);
	} else if ((word & 0xff000000) == 0x54000000 || (word & 0x7e000000) == 0x34000000) {
		out->flow = FLOW_BRANCH;                        /* b.cond, cbz, cbnz */
		out->distance = 4 * (int64_t)signed_field(word >> 5, 19);
	} else if ((word & 0x7e000000) == 0x36000000) {         /* tbz, tbnz */
		out->flow = FLOW_BRANCH;
		out->distance = 4 * (int64_t)signed_field(word >> 5, 14);
	} else if (((word & 0xfe9f0000) == 0xd61f0000 && (word >> 21 & 3) != 1) ||       /* br, ret, with or without signature */
		   (word & 0xffe0001f) == 0xd4200000 || !(word >> 16)) {                /* brk, udf */
		out->flow = FLOW_END;
	}
}

bool arch_unwind_insn(const uint8_t *code, size_t size, struct unwind_insn *out)
{
	*out = (struct unwind_insn){ .flow = FLOW_ON, .length = 4, .ra_at = -1, .fp_at = -1 };
	if (size < 4)
		return false;
	judge_stack(word_at(code), out);
	judge_stores(word_at(code), out);
	judge_flow(word_at(code), out);
	return true;
}

bool arch_unwind_is_exit(const uint8_t code[16])
{
	return word_at(code) == (WORD_MOVZ_X8 | 93 << 5) && word_at(code + 4) == WORD_SVC;
}

bool arch_unwind_is_sigreturn(const uint8_t code[16])
{
	return word_at(code) == WORD_RT_SIGRETURN && word_at(code + 4) == WORD_SVC;
}

/* struct rt_sigframe (arch/arm64/kernel/signal.c): siginfo, then the ucontext. */
int arch_unwind_sigcontext(unsigned number)
{
	_Static_assert(sizeof(siginfo_t) == 128, "struct siginfo of the kernel");
	_Static_assert(offsetof(ucontext_t, uc_mcontext) == 176, "struct ucontext of the kernel");
	_Static_assert(offsetof(mcontext_t, regs) == 8 && offsetof(mcontext_t, sp) == 8 * 32 &&
		       offsetof(mcontext_t, pc) == 8 * 33, "struct sigcontext of the kernel");
	return number < UNWIND_REGS ? (int)(128 + 176 + 8 + 8 * number) : -1;
}
