/* SPDX-License-Identifier: MIT */
/* Machine code for tests/unit/test_unwind_arch.c. */
#ifndef ROCLATCH_TESTS_UNWIND_SAMPLES_H
#define ROCLATCH_TESTS_UNWIND_SAMPLES_H

#define AFTER UINT64_C(0x400100)        /* where calls end */
#define AT UINT64_C(0x400100)           /* where jumps begin */
#define WORD(w) (w) & 0xff, (w) >> 8 & 0xff, (w) >> 16 & 0xff, (w) >> 24 & 0xff
#define NOP WORD(0xd503201fu)

static const struct call_sample calls[] = {
	{ "bl", CODE(NOP, WORD(0x94000041u)), true, AFTER + 0x100, 0 },
	{ "bl backwards", CODE(NOP, WORD(0x97ffffc1u)), true, AFTER - 0x100, 0 },
	{ "blr x3", CODE(NOP, WORD(0xd63f0060u)), true, 0, 0 },
	{ "blraaz x3", CODE(NOP, WORD(0xd63f087fu)), true, 0, 0 },
	{ "blraa x3, x4", CODE(NOP, WORD(0xd73f0864u)), true, 0, 0 },
	{ "adrp x0; ldr x0, [x0, #8]; blr x0", CODE(WORD(0xb0000000u), WORD(0xf9400400u), WORD(0xd63f0000u)), true, 0, 0x401008 },
	{ "adrp x1; ldr x0, [x1, #8]; nop; blr x0", CODE(WORD(0xb0000001u), WORD(0xf9400420u), NOP, WORD(0xd63f0000u)), true, 0, 0x401008 },
	{ "adrp x1; mov x1, x2; ldr x0, [x1, #8]; blr x0",
	  CODE(WORD(0xb0000001u), WORD(0xaa0203e1u), WORD(0xf9400420u), WORD(0xd63f0000u)), true, 0, 0 },
	{ "br x3", CODE(NOP, WORD(0xd61f0060u)), false, 0, 0 },
	{ "ret", CODE(NOP, WORD(0xd65f03c0u)), false, 0, 0 },
	{ "b", CODE(NOP, WORD(0x14000040u)), false, 0, 0 },
	{ "half a word", CODE(0x41, 0x00), false, 0, 0 },
	{ "nothing", { 0 }, 0, false, 0, 0 },
};

static const struct jump_sample jumps[] = {
	{ "PLT", CODE(WORD(0xb0000010u), WORD(0xf9400611u), WORD(0x91002210u), WORD(0xd61f0220u)), 0, 0x401008 },
	{ "PLT with BTI", CODE(WORD(0xd503245fu), WORD(0xb0000010u), WORD(0xf9400611u), WORD(0x91002210u), WORD(0xd61f0220u)), 0, 0x401008 },
	{ "b", CODE(WORD(0x14000040u)), AT + 0x100, 0 },
	{ "bti c; b backwards", CODE(WORD(0xd503245fu), WORD(0x17ffffc0u)), AT + 4 - 0x100, 0 },
	{ "stp x29, x30, [sp, #-16]!", CODE(WORD(0xa9bf7bfdu), NOP, NOP, NOP), 0, 0 },
	{ "half of a PLT", CODE(WORD(0xb0000010u), WORD(0xf9400611u)), 0, 0 },
	{ "nothing", { 0 }, 0, 0, 0 },
};

static const struct follow_sample follows[] = {
	{ "entered", { 0 }, 0, true, 0, -1, -1 },
	{ "stp x29, x30, [sp, #-48]!; mov x29, sp", CODE(WORD(0xa9bd7bfdu), WORD(0x910003fdu)), true, 48, 40, 48 },
	{ "sub sp, sp, #64; stp x29, x30, [sp, #48]; add x29, sp, #48",
	  CODE(WORD(0xd10103ffu), WORD(0xa9037bfdu), WORD(0x9100c3fdu)), true, 64, 8, 16 },
	{ "str x30, [sp, #-16]!", CODE(WORD(0xf81f0ffeu)), true, 16, 16, -1 },
	{ "sub sp, sp, #1, lsl #12; str x30, [sp, #8]", CODE(WORD(0xd14007ffu), WORD(0xf90007feu)), true, 4096, 4088, -1 },
	{ "stp d8, d9, [sp, #-16]!", CODE(WORD(0x6dbf27e8u)), true, 16, -1, -1 },
	{ "stp x29, x30, [sp, #-32]!; ldp x29, x30, [sp], #32", CODE(WORD(0xa9be7bfdu), WORD(0xa8c27bfdu)), true, 0, -1, -1 },
	{ "stp x29, x30, [sp, #-32]!; cbz x0, over; ldp x29, x30, [sp], #32; ret; over:",
	  CODE(WORD(0xa9be7bfdu), WORD(0xb4000060u), WORD(0xa8c27bfdu), WORD(0xd65f03c0u)), true, 32, 24, 32 },
	{ "sub sp, sp, x0", CODE(WORD(0xcb2063ffu)), false, 0, 0, 0 },
	{ "mov sp, x29", CODE(WORD(0x910003bfu)), false, 0, 0, 0 },
	{ "cut", CODE(0xfd, 0x7b), false, 0, 0, 0 },
};

static const uint8_t sigreturn_code[][16] = { { WORD(0xd2801168u), WORD(0xd4000001u) } };
static const uint8_t exit_code[16] = { WORD(0xd2800ba8u), WORD(0xd4000001u) };

/* The kernel's order is the same. */
static const uint8_t perf_order[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22,
				      23, 24, 25, 26, 27, 28, 29, 30, 31, 32 };

#endif
