/* SPDX-License-Identifier: MIT */
/* What ELF files and loaders say of each CPU that roclatch works on: facts by e_machine, as a file may be for another
 * CPU than ours. */
#ifndef ROCLATCH_ARCH_MACHINES_H
#define ROCLATCH_ARCH_MACHINES_H

#include <stdbool.h>
#include <stdint.h>

struct arch_machine {
	uint16_t machine;       /* e_machine */
	const char *name;
	const char *narrow;     /* its programs with 32-bit pointers */
	int32_t cache_flag;     /* glibc's, in entries of the loader's cache */
	uint32_t feature_note;  /* type of the property whose bit 0 says that branch targets are marked */
	bool exec_stack;        /* what glibc assumes without PT_GNU_STACK: DEFAULT_STACK_PERMS in stackinfo.h */
	bool signs_returns;     /* DW_CFA_GNU_window_save means that the return address becomes signed, or is no longer */
};

/* NULL: none of ours. */
const struct arch_machine *arch_machine(uint16_t machine);

#endif
