/* SPDX-License-Identifier: MIT */
/* System V ABI, figure 3.36: rax rdx rcx rbx rsi rdi rbp rsp r8..r15, return address. */
#ifndef ROCLATCH_ARCH_UNWIND_REGS_H
#define ROCLATCH_ARCH_UNWIND_REGS_H

#define UNWIND_REGS 17
#define UNWIND_FP 6
#define UNWIND_SP 7
#define UNWIND_PC 16
#define UNWIND_RA UNWIND_PC
#define UNWIND_CALL_MAX 7
/* rbx rbp rsp r12..r15 */
#define UNWIND_KEPT UINT64_C(0xf0c8)
/* asm/perf_regs.h: AX BX CX DX SI DI BP SP IP FLAGS CS SS DS ES FS GS R8..R15; all but the segments and flags */
#define UNWIND_PERF_MASK UINT64_C(0xff01ff)

#endif
