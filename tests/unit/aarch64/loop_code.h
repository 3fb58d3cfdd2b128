/* SPDX-License-Identifier: MIT */
/* An instruction that jumps to itself. */
#define CODE_OF_A_LOOP { 0x00, 0x00, 0x00, 0x14 }
