/* SPDX-License-Identifier: MIT */
/* The LZMA decoder: a range coder whose bits say literals, matches and repeated matches. */
#include "elf/lzma.h"

#include <string.h>

#define PROBABILITY_BITS 11
#define MOVE_BITS 5
#define TOP (1u << 24)
#define MATCH_MIN 2

/* in == end is not fatal at once: behind the end zeros are read, and lzma_unpack tells. */
struct range {
	const uint8_t *in, *end;
	uint32_t range, code;
	bool short_of;          /* more was asked for than there is */
};

static void normalize(struct range *rc)
{
	if (rc->range >= TOP)
		return;
	rc->range <<= 8;
	rc->code <<= 8;
	if (rc->in < rc->end)
		rc->code |= *rc->in++;
	else
		rc->short_of = true;
}

static unsigned bit(struct range *rc, uint16_t *probability)
{
	normalize(rc);
	uint32_t bound = (rc->range >> PROBABILITY_BITS) * *probability;
	if (rc->code < bound) {
		rc->range = bound;
		*probability += (uint16_t)(((1u << PROBABILITY_BITS) - *probability) >> MOVE_BITS);
		return 0;
	}
	rc->range -= bound;
	rc->code -= bound;
	*probability -= *probability >> MOVE_BITS;
	return 1;
}

/* `bits` bits, the highest first, each with a probability that depends on those before. */
static unsigned tree(struct range *rc, uint16_t *probability, unsigned bits)
{
	unsigned at = 1;
	for (unsigned i = 0; i < bits; i++)
		at = at << 1 | bit(rc, &probability[at]);
	return at - (1u << bits);
}

static unsigned tree_reverse(struct range *rc, uint16_t *probability, unsigned bits)
{
	unsigned at = 1, value = 0;
	for (unsigned i = 0; i < bits; i++) {
		unsigned b = bit(rc, &probability[at]);
		at = at << 1 | b;
		value |= b << i;
	}
	return value;
}

static uint32_t direct(struct range *rc, unsigned bits)
{
	uint32_t value = 0;
	for (unsigned i = 0; i < bits; i++) {
		normalize(rc);
		rc->range >>= 1;
		uint32_t b = rc->code >= rc->range;
		if (b)
			rc->code -= rc->range;
		value = value << 1 | b;
	}
	return value;
}

static unsigned length(struct range *rc, struct lzma_lengths *lengths, unsigned pos_state)
{
	if (!bit(rc, &lengths->choice))
		return MATCH_MIN + tree(rc, lengths->low[pos_state], 3);
	if (!bit(rc, &lengths->choice_2))
		return MATCH_MIN + 8 + tree(rc, lengths->mid[pos_state], 3);
	return MATCH_MIN + 16 + tree(rc, lengths->high, 8);
}

static uint32_t distance(struct lzma *lzma, struct range *rc, unsigned matched)
{
	unsigned group = matched - MATCH_MIN < 3 ? matched - MATCH_MIN : 3;
	unsigned slot = tree(rc, lzma->slot[group], 6);
	if (slot < 4)
		return slot;
	unsigned bits = slot / 2 - 1;
	uint32_t base = (2 | (slot & 1)) << bits;
	/* special[] holds the trees of slots 4 to 13 without gaps; a tree's first element is not used. */
	if (slot < 14)
		return base + tree_reverse(rc, lzma->special + base - slot, bits);
	base += direct(rc, bits - 4) << 4;
	return base + tree_reverse(rc, lzma->align, 4);
}

static void literal(struct lzma *lzma, struct range *rc, struct unpacked *out)
{
	size_t done = out->size - out->dictionary;
	unsigned before = done ? out->data[out->size - 1] : 0;
	unsigned context = ((unsigned)done & ((1u << lzma->lp) - 1)) << lzma->lc | before >> (8 - lzma->lc);
	uint16_t *probability = lzma->literal + 0x300u * context;
	unsigned symbol = 1;

	/* Behind a match the byte that would have continued it tells what is unlikely. */
	if (lzma->state >= 7) {
		unsigned match = out->data[out->size - lzma->rep[0] - 1], same = 0x100;
		while (symbol < 0x100) {
			match <<= 1;
			unsigned b = bit(rc, &probability[same + (match & same) + symbol]);
			symbol = symbol << 1 | b;
			same &= b ? match : ~match;
		}
	} else {
		while (symbol < 0x100)
			symbol = symbol << 1 | bit(rc, &probability[symbol]);
	}
	out->data[out->size++] = (uint8_t)symbol;
	lzma->state = lzma->state < 4 ? 0 : lzma->state - (lzma->state < 10 ? 3 : 6);
}

static unsigned match(struct lzma *lzma, struct range *rc, unsigned pos_state)
{
	lzma->state = lzma->state < 7 ? 7 : 10;
	unsigned matched = length(rc, &lzma->match_length, pos_state);
	memmove(lzma->rep + 1, lzma->rep, 3 * sizeof *lzma->rep);
	lzma->rep[0] = distance(lzma, rc, matched);
	return matched;
}

/* Which of the distances used last; it becomes the first. */
static void repeat(struct lzma *lzma, struct range *rc)
{
	unsigned which = !bit(rc, &lzma->is_rep1[lzma->state]) ? 1 : 2 + bit(rc, &lzma->is_rep2[lzma->state]);
	uint32_t kept = lzma->rep[which];
	memmove(lzma->rep + 1, lzma->rep, which * sizeof *lzma->rep);
	lzma->rep[0] = kept;
}

static unsigned repeated_match(struct lzma *lzma, struct range *rc, unsigned pos_state)
{
	if (bit(rc, &lzma->is_rep0[lzma->state])) {
		repeat(lzma, rc);
	} else if (!bit(rc, &lzma->is_rep0_long[lzma->state][pos_state])) {
		lzma->state = lzma->state < 7 ? 9 : 11;
		return 1;
	}
	lzma->state = lzma->state < 7 ? 8 : 11;
	return length(rc, &lzma->rep_length, pos_state);
}

/* The source may overlap what it becomes: byte by byte. */
static int copy(const struct lzma *lzma, struct unpacked *out, size_t size)
{
	if (lzma->rep[0] >= out->size - out->dictionary)
		return -1;
	uint8_t *to = out->data + out->size;
	const uint8_t *from = to - lzma->rep[0] - 1;
	for (size_t i = 0; i < size; i++)
		to[i] = from[i];
	out->size += size;
	return 0;
}

int lzma_unpack(struct lzma *lzma, const uint8_t *in, size_t in_size, struct unpacked *out, size_t size)
{
	struct range rc = { .in = in + 5, .end = in + in_size, .range = UINT32_MAX };
	size_t end = out->size + size;

	if (in_size < 5 || in[0] != 0)
		return -1;
	for (int i = 1; i < 5; i++)
		rc.code = rc.code << 8 | in[i];
	while (out->size < end && !rc.short_of) {
		unsigned pos_state = (unsigned)(out->size - out->dictionary) & ((1u << lzma->pb) - 1);
		if (!bit(&rc, &lzma->is_match[lzma->state][pos_state])) {
			/* A state behind a match, but nothing to match in a new dictionary. */
			if (lzma->state >= 7 && lzma->rep[0] >= out->size - out->dictionary)
				return -1;
			literal(lzma, &rc, out);
			continue;
		}
		unsigned matched = bit(&rc, &lzma->is_rep[lzma->state]) ? repeated_match(lzma, &rc, pos_state) :
									   match(lzma, &rc, pos_state);
		if (matched > end - out->size || copy(lzma, out, matched))
			return -1;
	}
	normalize(&rc);
	return rc.short_of || rc.in != rc.end || rc.code != 0 ? -1 : 0;
}

bool lzma_properties(struct lzma *lzma, uint8_t byte)
{
	if (byte > (4 * 5 + 4) * 9 + 8)
		return false;
	lzma->lc = byte % 9;
	lzma->lp = byte / 9 % 5;
	lzma->pb = byte / 9 / 5;
	return lzma->lc + lzma->lp <= 4;
}

/* Probabilities are the members behind rep, all alike. */
void lzma_reset(struct lzma *lzma)
{
	uint16_t *first = (uint16_t *)((uint8_t *)lzma + offsetof(struct lzma, is_match));
	size_t n = (sizeof *lzma - offsetof(struct lzma, is_match)) / sizeof *first;

	_Static_assert(sizeof(struct lzma) - offsetof(struct lzma, literal) == sizeof lzma->literal,
		       "nothing stands behind the probabilities");
	for (size_t i = 0; i < n; i++)
		first[i] = 1u << (PROBABILITY_BITS - 1);
	lzma->state = 0;
	memset(lzma->rep, 0, sizeof lzma->rep);
}
