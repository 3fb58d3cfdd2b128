/* SPDX-License-Identifier: MIT */
/* A chain of calls that no table tells of: one, two, three, then untold_last. */
#ifndef ROCLATCH_TESTS_UNTOLD_CHAIN_H
#define ROCLATCH_TESTS_UNTOLD_CHAIN_H

#include <stddef.h>
#include <stdint.h>

int untold_one(int n);
int untold_two(int n);
int untold_three(int n);
void untold_handler(int number);        /* calls three */

/* of the test */
extern int (*volatile untold_last)(int n);
void untold_note(uint64_t ra);

#endif
