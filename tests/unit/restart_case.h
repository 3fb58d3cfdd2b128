/* SPDX-License-Identifier: MIT */
#ifndef ROCLATCH_TESTS_RESTART_CASE_H
#define ROCLATCH_TESTS_RESTART_CASE_H

#include <asm/unistd.h>
#include <errno.h>

#include "arch/arch.h"
#include "arch/restart.h"

#define CODE_WORDS ((ARCH_CODE_BEFORE + ARCH_CODE_BEHIND) / 4)
#define CODE_AT (ARCH_CODE_BEFORE / 4)  /* the word at pc */

/* A thread as a stop shows it, and what it was doing. */
struct restart_case {
	const char *what;
	struct regs regs;
	uint32_t code[CODE_WORDS];
	struct arch_seen seen;
	enum arch_interrupted how;
	long nr;                /* where it was in a call */
	bool settle;
};

#endif
