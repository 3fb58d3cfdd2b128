/* SPDX-License-Identifier: MIT */
#ifndef ROCLATCH_ARCH_REGS_H
#define ROCLATCH_ARCH_REGS_H

#include <elf.h>
#include <linux/audit.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/user.h>

#define ARCH_NAME "x86_64"
#define ARCH_MACHINE EM_X86_64
#define ARCH_AUDIT AUDIT_ARCH_X86_64
#define ARCH_RED_ZONE 128       /* System V ABI 3.2.2 */
#define ARCH_KEEPS_ARGUMENTS 1  /* all of a system call's are in registers still when it has answered */
#define ARCH_SYSCALL_SIZE 2
#define ARCH_RESOLVER_TAKES 0   /* arguments of the resolver of an indirect function: glibc's sys/ifunc.h */
#define ARCH_VECTOR_MAX 16384   /* XSAVE area with AMX is 11008 bytes */

struct regs {
	struct user_regs_struct gp;
};

/* unsigned long in musl, unsigned long long in glibc */
typedef __typeof__(((struct user_regs_struct *)0)->rax) cpu_word;

struct vector_state {
	size_t size;
	_Alignas(64) uint8_t data[ARCH_VECTOR_MAX];     /* NT_X86_XSTATE */
};

#endif
