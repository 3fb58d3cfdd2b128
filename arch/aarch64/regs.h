/* SPDX-License-Identifier: MIT */
#ifndef ROCLATCH_ARCH_REGS_H
#define ROCLATCH_ARCH_REGS_H

#include <elf.h>
#include <linux/audit.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ARCH_NAME "aarch64"
#define ARCH_MACHINE EM_AARCH64
#define ARCH_AUDIT AUDIT_ARCH_AARCH64
#define ARCH_RED_ZONE 0
#define ARCH_KEEPS_ARGUMENTS 0  /* a system call's answer is where its first argument was */
#define ARCH_SYSCALL_SIZE 4
#define ARCH_RESOLVER_TAKES 2   /* AT_HWCAP with bit 62 set, and a pointer to __ifunc_arg_t: glibc's sys/ifunc.h */
#define ARCH_VECTOR_MAX 16384   /* SVE with 2048-bit vectors is 8768 bytes */

/* struct user_pt_regs of asm/ptrace.h, which cannot be included beside sys/ptrace.h. */
struct regs {
	uint64_t x[31], sp, pc, pstate;
};
_Static_assert(sizeof(struct regs) == 34 * 8, "NT_PRSTATUS");

struct fpsimd {         /* NT_FPREGSET */
	__uint128_t v[32];
	uint32_t fpsr, fpcr, reserved[2];
};
_Static_assert(sizeof(struct fpsimd) == 528, "NT_FPREGSET");

struct vector_state {
	struct fpsimd fpsimd;
	size_t sve_size;        /* 0: no SVE registers are live, fpsimd is all there is */
	_Alignas(16) uint8_t sve[ARCH_VECTOR_MAX];      /* NT_ARM_SVE, header included */
};

#endif
