/* SPDX-License-Identifier: MIT */
/* A 32-bit program for the CPU at hand: sleeps for ten seconds. */
#ifndef ROCLATCH_TESTS_SMALL_H
#define ROCLATCH_TESTS_SMALL_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct small {
	uint16_t machine;
	uint32_t flags;
	unsigned char code[40];
};
extern const struct small small;

pid_t small_start(void);
bool small_runs(void);          /* on this CPU and kernel */

#endif
