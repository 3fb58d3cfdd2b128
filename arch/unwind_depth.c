/* SPDX-License-Identifier: MIT */
/*
 * Where the frame of a function begins that no table describes: its instructions are followed from
 * its start, in order of address.  Behind one that does not go on, the depth is that of a jump
 * that leads there.
 */
#include "arch/unwind.h"

#define JUMPS_MAX 256

struct jumps {
	struct { size_t to; uint64_t depth; } v[JUMPS_MAX];
	size_t n;
};

static void note(struct jumps *jumps, size_t at, size_t size, const struct unwind_insn *insn, uint64_t depth)
{
	int64_t to = (int64_t)at + insn->distance;
	/* What jumps back leads to where we have been. */
	if (insn->distance <= 0 || to > (int64_t)size || jumps->n == JUMPS_MAX)
		return;
	jumps->v[jumps->n].to = (size_t)to;
	jumps->v[jumps->n++].depth = depth;
}

static bool find(const struct jumps *jumps, size_t at, uint64_t *depth)
{
	for (size_t i = 0; i < jumps->n; i++) {
		if (jumps->v[i].to == at) {
			*depth = jumps->v[i].depth;
			return true;
		}
	}
	return false;
}

bool arch_unwind_depth(const uint8_t *code, size_t size, uint64_t *depth)
{
	struct jumps jumps;
	struct unwind_insn insn;
	bool known = true;

	jumps.n = 0;
	*depth = 0;
	for (size_t at = 0; at < size; at += insn.length) {
		if (!arch_unwind_insn(code + at, size - at, &insn))
			return false;
		known = find(&jumps, at, depth) || known;
		if (insn.reset)
			*depth = 0;
		known = (known && !insn.lost) || insn.reset;
		*depth += (uint64_t)insn.depth;
		if (known && (insn.flow == FLOW_BRANCH || insn.flow == FLOW_JUMP))
			note(&jumps, at, size, &insn, *depth);
		if (insn.flow == FLOW_JUMP || insn.flow == FLOW_END)
			known = false;
	}
	known = find(&jumps, size, depth) || known;
	return known && *depth < UINT32_MAX;
}
