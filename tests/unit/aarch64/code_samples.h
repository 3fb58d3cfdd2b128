/* SPDX-License-Identifier: MIT */
/* Machine code for tests/unit/test_arch_check.c. */
#ifndef ROCLATCH_TESTS_CODE_SAMPLES_H
#define ROCLATCH_TESTS_CODE_SAMPLES_H

#include "samples.h"

#define BYTES(word) (word) & 0xff, (word) >> 8 & 0xff, (word) >> 16 & 0xff, (uint8_t)((uint32_t)(word) >> 24)
#define WORDS1(a) { BYTES(a) }, 4
#define WORDS2(a, b) { BYTES(a), BYTES(b) }, 8
#define WORDS3(a, b, c) { BYTES(a), BYTES(b), BYTES(c) }, 12
#define WORDS4(a, b, c, d) { BYTES(a), BYTES(b), BYTES(c), BYTES(d) }, 16
#define FILLER 0                /* never needed: all instructions have one size */

#define SVC 0xd4000001
#define RET 0xd65f03c0
#define NOP 0xd503201f
#define MOV_X8_93 0xd2800ba8
#define MOV_X0_0 0xd2800000
#define STP 0xa9bf7bfd          /* stp x29, x30, [sp, #-16]! */

static inline size_t instruction_size(const uint8_t *code, size_t size)
{
	(void)code;
	return size < 4 ? 0 : 4;
}

/* Instructions that the trampoline must not hold anywhere. */
static const struct sample foreign[] = {
	{ "udf", WORDS1(0x00000000) },
	{ "ones", WORDS1(0xffffffff) },
	{ "brk", WORDS1(0xd4200000) },
	{ "hlt", WORDS1(0xd4400000) },
	{ "hvc", WORDS1(0xd4000002) },
	{ "smc", WORDS1(0xd4000003) },
	{ "svc #1", WORDS1(0xd4000021) },
	{ "nop", WORDS1(NOP) },
	{ "br x16", WORDS1(0xd61f0200) },
	{ "ret x1", WORDS1(0xd65f0020) },
	{ "eret", WORDS1(0xd69f03e0) },
	{ "bti c", WORDS1(0xd503245f) },
	{ "tbz to itself", WORDS1(0x36000000) },
	{ "adr", WORDS1(0x10000000) },
	{ "ldr from text", WORDS1(0x58000000) },
	{ "ldr q0, [x0]", WORDS1(0x3dc00000) },
	{ "movk", WORDS1(0xf2800000) },
	{ "msr tpidr_el0, x0", WORDS1(0xd51bd040) },
	{ "ic ivau, x0", WORDS1(0xd50b7520) },
	{ "cas", WORDS1(0xc8a07c00) },
	{ "SVE ptrue", WORDS1(0x2518e3e0) },
};

/* A jump over `distance` bytes, by each of the forms there are.  Its size, 0: no such form. */
#define JUMP_FORMS 6
static inline size_t make_jump(uint8_t *to, unsigned form, int64_t distance)
{
	static const struct { uint32_t word, shift, bits; } forms[JUMP_FORMS] = {
		{ 0x14000000, 0, 26 },  /* b */
		{ 0x94000000, 0, 26 },  /* bl */
		{ 0x54000001, 5, 19 },  /* b.ne */
		{ 0x34000009, 5, 19 },  /* cbz w9 */
		{ 0xb5000000, 5, 19 },  /* cbnz x0 */
		{ 0x37080009, 5, 14 },  /* tbnz w9, #1 */
	};
	int64_t words = distance / 4, limit = 1ll << (forms[form].bits - 1);
	if (words < -limit || words >= limit || distance % 4)
		return 0;
	uint32_t word = forms[form].word | ((uint32_t)words & ((1u << forms[form].bits) - 1)) << forms[form].shift;
	memcpy(to, &word, sizeof word);
	return sizeof word;
}

static const struct sample sane_functions[] = {
	{ "stp, mov, ret", WORDS3(STP, 0x910003fd, RET) },
	{ "bti c, ret", WORDS2(0xd503245f, RET) },
	{ "paciasp, stp", WORDS2(0xd503233f, STP) },
	{ "ret and data", WORDS2(RET, 0x00000000) },
	{ "b and data", WORDS2(0x14000004, 0x00000000) },
	{ "svc, ret", WORDS2(SVC, RET) },
	{ "ldr x16, br x16, data", WORDS4(0x58000050, 0xd61f0200, 0x00000000, 0x02000000) },
	{ "retaa and data", WORDS2(0xd65f0bff, 0x00000000) },
	{ "braa and data", WORDS2(0xd71f0a11, 0x00000000) },
	{ "SME zero {za}, ret", WORDS2(0xc00800ff, RET) },
	{ "SVE ptrue, ret", WORDS2(0x2518e3e0, RET) },
	{ "ldr q0, ret", WORDS2(0x3dc00000, RET) },
};
static const struct sample insane_functions[] = {
	{ "zeros", WORDS2(0, 0) },
	{ "udf", WORDS2(0x00001234, RET) },
	{ "stp, udf", WORDS3(STP, 0x00000000, RET) },
	{ "brk", WORDS2(0xd4200000, RET) },
	{ "stp, brk #1", WORDS3(STP, 0xd4200020, RET) },
	{ "hlt", WORDS2(0xd4400000, RET) },
	{ "smc", WORDS2(0xd4000003, RET) },
	{ "a word of group 1", WORDS2(0x02000000, RET) },
	{ "a word of group 3", WORDS2(0x06000000, RET) },
	{ "cut in its first instruction", { 0xfd, 0x7b }, 2 },
	{ "nothing", { 0 }, 0 },
};
/* In an image that marks its branch targets. */
static const struct sample guarded_functions[] = {
	{ "bti c", WORDS2(0xd503245f, RET) },
	{ "bti jc", WORDS2(0xd50324df, RET) },
	{ "paciasp", WORDS2(0xd503233f, RET) },
	{ "pacibsp", WORDS2(0xd503237f, RET) },
};
static const struct sample unguarded_functions[] = {
	{ "stp", WORDS2(STP, RET) },
	{ "nop", WORDS2(NOP, RET) },
	{ "bti", WORDS2(0xd503241f, RET) },
	{ "bti j", WORDS2(0xd503249f, RET) },
	{ "autiasp", WORDS2(0xd50323bf, RET) },
	{ "stp, bti c", WORDS3(STP, 0xd503245f, RET) },
};

static const struct sample syscalls[] = {
	{ "svc, ret", WORDS2(SVC, RET) },
};
static const struct sample no_syscalls[] = {
	{ "zeros", WORDS2(0, 0) },
	{ "svc, ret x1", WORDS2(SVC, 0xd65f0020) },
	{ "svc #1, ret", WORDS2(0xd4000021, RET) },
	{ "svc, cmn, ret", WORDS3(SVC, 0xb13ffc1f, RET) },
	{ "nop, svc, ret", WORDS3(NOP, SVC, RET) },
	{ "hvc, ret", WORDS2(0xd4000002, RET) },
};
static const struct sample restores[] = {
	{ "mov x8, #139; svc", WORDS2(0xd2801168, SVC) },
};
static const struct sample no_restores[] = {
	{ "mov x8, #138; svc", WORDS2(0xd2801148, SVC) },
	{ "mov x9, #139; svc", WORDS2(0xd2801169, SVC) },
	{ "mov x8, #139; nop; svc", WORDS3(0xd2801168, NOP, SVC) },
	{ "mov x8, #139; svc #1", WORDS2(0xd2801168, 0xd4000021) },
	{ "svc alone", WORDS2(SVC, RET) },
};

/* Entered with x8 and x2 as `leading_regs` makes them. */
static const struct sample leading[] = {
	{ "glibc: mov x0, #0; svc; b", WORDS4(MOV_X8_93, MOV_X0_0, SVC, 0x17fffffe) },
	{ "glibc: mov x8, x2; svc", WORDS2(0xaa0203e8, SVC) },
	{ "musl: mov w8, #93; svc", WORDS2(0x52800ba8, SVC) },
	{ "mov x0, xzr; mov x8, #93; svc", WORDS3(0xaa1f03e0, MOV_X8_93, SVC) },
	{ "b back to a mov before it", WORDS4(0x14000002, SVC, 0xaa0203e8, 0x17fffffe) },
	{ "bti c, nop", WORDS4(0xd503245f, NOP, MOV_X8_93, SVC) },
};
static const struct sample not_leading[] = {
	{ "another number", WORDS2(0xd2800bc8, SVC) },
	{ "the number of munmap, then exit", WORDS4(0xd2801ae8, SVC, MOV_X8_93, SVC) },
	{ "its own number", WORDS1(SVC) },
	{ "stp", WORDS3(STP, MOV_X8_93, SVC) },
	{ "ldr x8", WORDS2(0xf9400048, SVC) },
	{ "str x8", WORDS3(0xf9000048, MOV_X8_93, SVC) },
	{ "bl", WORDS3(0x94000001, MOV_X8_93, SVC) },
	{ "ret", WORDS3(RET, MOV_X8_93, SVC) },
	{ "mov sp, x0", WORDS3(0x9100001f, MOV_X8_93, SVC) },
	{ "orr of two registers", WORDS3(0xaa020108, MOV_X8_93, SVC) },
	{ "a shifted number", WORDS2(0xd2a00ba8, SVC) },
	{ "br x2", WORDS3(0xd61f0040, MOV_X8_93, SVC) },
	{ "a condition", WORDS3(0x54000020, MOV_X8_93, SVC) },
	{ "an endless loop", WORDS3(0x14000000, MOV_X8_93, SVC) },
	{ "a jump before the text", WORDS3(0x17fffffc, MOV_X8_93, SVC) },
	{ "a jump behind the text", WORDS3(0x14000040, MOV_X8_93, SVC) },
	{ "cut before the system call", { BYTES(MOV_X8_93), 0x01, 0x00 }, 6 },
	{ "the end of the text", WORDS1(MOV_X8_93) },
};

static inline struct regs leading_regs(uint64_t pc)
{
	struct regs regs = { .pc = pc };
	regs.x[8] = 215;
	regs.x[2] = 93;
	return regs;
}

#endif
