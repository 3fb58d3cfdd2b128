/* SPDX-License-Identifier: MIT */
/* An instruction that jumps to itself. */
#define CODE_OF_A_LOOP { 0xeb, 0xfe }
