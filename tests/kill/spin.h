/* SPDX-License-Identifier: MIT */
/*
 * One round of computing that keeps every general and vector register, the
 * flags, the rounding mode and the red zone, where there is one, alive in a loop.  The result depends on all of
 * them and is the same each time, so comparing it with an undisturbed round
 * shows any register that an injector changed.
 */
#ifndef ROCLATCH_TESTS_KILL_SPIN_H
#define ROCLATCH_TESTS_KILL_SPIN_H

#include <stdint.h>

struct spin {
	uint64_t loops;         /* at 0; ARCH/spin.S knows these offsets */
	uint64_t control;       /* at 8: FPCR or MXCSR for the time of the loop */
	uint64_t general[32];   /* at 16; from 144 on x86_64's red zone */
	uint64_t status;        /* at 272: FPSR or MXCSR after the loop */
	uint64_t wide;          /* at 280: use the wider vector registers */
	uint64_t vector[32][8]; /* at 288 */
	uint64_t x87[2];        /* at 2336 */
};

_Static_assert(sizeof(struct spin) == 2352, "offsets in spin.S");

/* Reads where to start from *s, leaves the result there. */
void spin_round(struct spin *s);

uint64_t spin_control(void);    /* a rounding mode that is not the usual one */
uint64_t spin_wide(void);       /* may the wider registers be used here? */

#endif
