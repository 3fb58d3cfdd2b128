/* SPDX-License-Identifier: MIT */
/* Whether a call that a stop has cut short can be made again when nobody saw its arguments: x86_64 keeps them
 * in registers, aarch64 has the answer where the first one was. */
#define STOP_MENDS_UNSEEN_CALL 0
/* An instruction that jumps to itself. */
#define CODE_OF_A_LOOP { 0x00, 0x00, 0x00, 0x14 }
