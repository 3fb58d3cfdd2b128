/* SPDX-License-Identifier: MIT */
/*
 * Where the frame of a function begins that no table describes: its instructions are followed from
 * its start, in order of address.  Behind one that does not go on, things are as at a jump
 * that leads there.
 */
#include "arch/unwind.h"

#define JUMPS_MAX 256
#define DEPTH_MAX INT32_MAX

struct jumps {
	struct { size_t to; struct unwind_entered state; } v[JUMPS_MAX];
	size_t n;
};

static void note(struct jumps *jumps, size_t at, size_t size, int64_t distance, const struct unwind_entered *state)
{
	/* What jumps back leads to where we have been. */
	if (distance <= 0 || (uint64_t)distance > size - at || jumps->n == JUMPS_MAX)
		return;
	jumps->v[jumps->n].to = at + (size_t)distance;
	jumps->v[jumps->n++].state = *state;
}

static bool find(const struct jumps *jumps, size_t at, struct unwind_entered *state)
{
	for (size_t i = 0; i < jumps->n; i++) {
		if (jumps->v[i].to == at) {
			*state = jumps->v[i].state;
			return true;
		}
	}
	return false;
}

static void apply(struct unwind_entered *state, const struct unwind_insn *insn)
{
	if (insn->reset)
		*state = (struct unwind_entered){ 0, -1, -1 };
	state->depth += insn->depth;
	if (insn->ra_at >= 0 && state->ra_at < 0)
		state->ra_at = state->depth - insn->ra_at;
	if (insn->fp_at >= 0 && state->fp_at < 0)
		state->fp_at = state->depth - insn->fp_at;
	/* An epilogue has taken them back. */
	if (state->ra_at > state->depth)
		state->ra_at = -1;
	if (state->fp_at > state->depth)
		state->fp_at = -1;
}

bool arch_unwind_follow(const uint8_t *code, size_t size, struct unwind_entered *state)
{
	struct jumps jumps;
	struct unwind_insn insn;
	bool known = true;

	jumps.n = 0;
	*state = (struct unwind_entered){ 0, -1, -1 };
	for (size_t at = 0; at < size; at += insn.length) {
		if (!arch_unwind_insn(code + at, size - at, &insn))
			return false;
		known = find(&jumps, at, state) || known;
		apply(state, &insn);
		known = (known && !insn.lost && state->depth >= 0 && state->depth < DEPTH_MAX) || insn.reset;
		if (known && (insn.flow == FLOW_BRANCH || insn.flow == FLOW_JUMP))
			note(&jumps, at, size, insn.distance, state);
		if (insn.flow == FLOW_JUMP || insn.flow == FLOW_END)
			known = false;
	}
	return find(&jumps, size, state) || known;
}
