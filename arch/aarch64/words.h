/* SPDX-License-Identifier: MIT */
/* The few A64 instruction words that we know (Arm ARM, C4 and C6). */
#ifndef ROCLATCH_ARCH_WORDS_H
#define ROCLATCH_ARCH_WORDS_H

#include <stdint.h>
#include <string.h>

#define WORD_SVC 0xd4000001u            /* svc #0 */
#define WORD_RET 0xd65f03c0u            /* ret */
#define WORD_NOP 0xd503201fu
#define WORD_RT_SIGRETURN 0xd2801168u   /* mov x8, #139 */
#define WORD_MOVZ_MASK 0xffe0001fu      /* mov x8, #imm16 */
#define WORD_MOVZ_X8 0xd2800008u

static inline uint32_t word_at(const uint8_t *code)
{
	uint32_t word;
	memcpy(&word, code, sizeof word);
	return word;
}

#endif
