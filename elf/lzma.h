/* SPDX-License-Identifier: MIT */
/*
 * LZMA and LZMA2, the way in which .xz packs.  What is unpacked stays in one buffer, which is
 * also the dictionary.
 */
#ifndef ROCLATCH_ELF_LZMA_H
#define ROCLATCH_ELF_LZMA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "elf/err.h"

#define LZMA_STATES 12
#define LZMA_POS_STATES 16
#define LZMA_LITERALS_MAX (0x300u << 4) /* LZMA2: literal bits are 4 at most */

/* What has been unpacked so far; grows up to limit. */
struct unpacked {
	uint8_t *data;
	size_t size, room, limit;
	size_t dictionary;      /* where it begins: nothing before is copied from */
};

/* Room for `more` bytes.  0, or -1 with err. */
int unpacked_grow(struct unpacked *out, size_t more, struct err *err);

struct lzma_lengths {
	uint16_t choice, choice_2;
	uint16_t low[LZMA_POS_STATES][8], mid[LZMA_POS_STATES][8], high[256];
};

struct lzma {
	unsigned lc, lp, pb;    /* how many bits of the byte before and of the position count */
	unsigned state;
	uint32_t rep[4];        /* the distances used last */

	/* probabilities, each of a bit being 0 */
	uint16_t is_match[LZMA_STATES][LZMA_POS_STATES], is_rep[LZMA_STATES], is_rep0[LZMA_STATES],
		 is_rep1[LZMA_STATES], is_rep2[LZMA_STATES], is_rep0_long[LZMA_STATES][LZMA_POS_STATES];
	uint16_t slot[4][64], special[128], align[16];
	struct lzma_lengths match_length, rep_length;
	uint16_t literal[LZMA_LITERALS_MAX];
};

/* The byte that holds lc, lp and pb; false if LZMA2 does not allow it. */
bool lzma_properties(struct lzma *lzma, uint8_t byte);
void lzma_reset(struct lzma *lzma);
/* Unpack exactly `size` bytes from exactly `in_size`; out has room for them.  0, or -1: damaged. */
int lzma_unpack(struct lzma *lzma, const uint8_t *in, size_t in_size, struct unpacked *out, size_t size);

/* Unpack LZMA2 up to its end mark; *used: how many bytes of in it took.  0, or -1 with err. */
int lzma2_unpack(const uint8_t *in, size_t in_size, size_t *used, struct unpacked *out, struct err *err);

#endif
