/* SPDX-License-Identifier: MIT */
/*
 * Where the frame of a function begins that no table describes: its instructions are followed from
 * its start, in order of address.  Behind one that does not go on, things are as at a jump
 * that leads there.  What comes of it is no more than likely: whoever asks looks whether a return
 * address is there.
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

/* Where nothing is known to lead to: a loop's body behind the jump to its condition is as at that
 * jump; what follows a return is most likely the body of the function, at its deepest. */
bool arch_unwind_follow(const uint8_t *code, size_t size, struct unwind_entered *state)
{
	struct jumps jumps;
	struct unwind_insn insn;
	struct unwind_entered deepest = { 0, -1, -1 };
	bool lost = false, returned = false;

	jumps.n = 0;
	*state = deepest;
	for (size_t at = 0; at < size; at += insn.length) {
		if (!arch_unwind_insn(code + at, size - at, &insn))
			return false;
		if (find(&jumps, at, state))
			lost = false;
		else if (returned)
			*state = deepest;
		apply(state, &insn);
		lost = (lost && !insn.reset) || insn.lost || state->depth < 0 || state->depth > DEPTH_MAX;
		if (state->depth > deepest.depth && !lost)
			deepest = *state;
		if (!lost && (insn.flow == FLOW_BRANCH || insn.flow == FLOW_JUMP))
			note(&jumps, at, size, insn.distance, state);
		returned = insn.flow == FLOW_END;
	}
	if (find(&jumps, size, state))
		return true;
	if (returned)
		*state = deepest;
	return !lost;
}
