/* SPDX-License-Identifier: MIT */
/* DWARF for the Arm 64-bit Architecture, 4.1: x0..x30, sp, pc, and 34 for whether the return address is signed. */
#ifndef ROCLATCH_ARCH_UNWIND_REGS_H
#define ROCLATCH_ARCH_UNWIND_REGS_H

#define UNWIND_REGS 33
#define UNWIND_FP 29
#define UNWIND_RA 30
#define UNWIND_SP 31
#define UNWIND_PC 32
#define UNWIND_CALL_MAX 32
/* x19..x29 sp */
#define UNWIND_KEPT UINT64_C(0xbff80000)
/* asm/perf_regs.h: X0..X29 LR SP PC */
#define UNWIND_PERF_MASK UINT64_C(0x1ffffffff)

#endif
