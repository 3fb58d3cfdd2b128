/* SPDX-License-Identifier: MIT */
/*
 * A stack that was copied from outside tells sp and pc alone.  Where a table asks for another register, the
 * return address is searched for: a word that points behind a call of this very function, or, when
 * the call does not say what it calls, one that everything around it agrees with.
 */
#include "inject/watch/unwind_parts.h"

#define SEARCH_MAX (32u << 10)
#define SEARCH_ON 1024u
#define LEAF_SEARCH_MAX (4u << 10)
#define FUNCTION_MAX (64u << 10)
#define UNTOLD_MAX (4u << 10)

enum { SCORE_INDIRECT = 1, SCORE_CHAIN = 2, SCORE_DEPTH = 2, SCORE_ENOUGH = 3, SCORE_CALL = 4 };

static raddr search_end(const struct walk *w, raddr from, raddr limit)
{
	raddr end = walk_end(w);
	return end > from && end - from > limit ? from + limit : end;
}

/* A frame pointer that was saved at `slot`: does it lead to a frame above, that somebody called? */
static bool leads_on(struct walk *w, raddr slot)
{
	uint64_t fp, ra;
	raddr target;
	return walk_word(w, slot, &fp) && fp > slot && fp % 8 == 0 && fp < walk_end(w) && walk_word(w, fp + 8, &ra) &&
	       code_is_return(w->unwinder, arch_unwind_strip(ra), &target);
}

static bool saved_at(const struct step *step, unsigned reg, int32_t *offset)
{
	for (unsigned i = 0; i < step->saved; i++) {
		if (step->reg[i] == reg && !(step->by_fp >> i & 1)) {
			*offset = step->offset[i];
			return true;
		}
	}
	return false;
}

/* How much speaks for the frame's address being cfa. */
static int judge(struct walk *w, const struct step *step, raddr cfa, raddr expected)
{
	uint64_t ra;
	raddr target;
	int32_t fp_offset;
	if (!walk_word(w, cfa + (raddr)(int64_t)step->ra_offset, &ra))
		return 0;
	ra = arch_unwind_strip(ra);
	if (!code_is_return(w->unwinder, ra, &target))
		return 0;
	bool this_one = target && (target == step->start || code_resolve(w->unwinder, target) == step->start);
	/* One that calls another function may have come here by a jump: only if it is in the right place. */
	if (target && !this_one && cfa != expected)
		return 0;
	int score = this_one ? SCORE_CALL : SCORE_INDIRECT;
	if (cfa == expected)
		score += SCORE_DEPTH;
	if (saved_at(step, UNWIND_FP, &fp_offset) && leads_on(w, cfa + (raddr)(int64_t)fp_offset))
		score += SCORE_CHAIN;
	return score;
}

int walk_search(struct walk *w, struct step *step)
{
	if (!step->ra_saved)
		return END_LOST;
	raddr sp = walk_sp(w), best = 0, expected = 0;
	int64_t depth = step_depth(w->unwinder, step, walk_pc(w), w->exact);
	int best_score = 0;
	/* A call has put the return address on the stack before, where it does that. */
	if (depth >= 0) {
		expected = sp + (raddr)depth + (UNWIND_RA == UNWIND_PC ? 8 : 0);
		best_score = judge(w, step, best = expected, expected);
	}
	raddr first = sp - (raddr)(int64_t)step->ra_offset, end = search_end(w, sp, SEARCH_MAX);
	for (raddr slot = sp, cfa = first; best_score < SCORE_CALL + SCORE_DEPTH && slot + 8 <= end; slot += 8, cfa += 8) {
		if (cfa <= sp)
			continue;
		int score = judge(w, step, cfa, expected);
		if (score > best_score) {
			best_score = score;
			best = cfa;
			/* A better one is not far from a good one. */
			if (score >= SCORE_CALL)
				end = search_end(w, slot, SEARCH_ON);
		}
	}
	if (best_score < SCORE_ENOUGH)
		return END_LOST;
	return walk_plain_from(w, step, best, FRAME_SEARCH);
}

static bool calls(struct unwinder *u, raddr after, const struct step *leaf, raddr pc)
{
	raddr target;
	if (!code_is_call(u, after, &target) || !target)
		return false;
	if (leaf->start)
		return target == leaf->start || code_resolve(u, target) == leaf->start;
	/* Nobody says where the leaf begins: right there, if nothing on the way touches sp. */
	struct unwind_entered entered;
	return target <= pc && code_follow(u, target, pc, &entered) && entered.depth == 0;
}

/* What the code at a call says of the stack: its table, or its instructions from `start` on. */
static bool site_step(struct walk *w, raddr start, raddr after, struct step *site)
{
	*site = step_at(w->unwinder, after, false);
	if (site->kind == STEP_NO_TABLE)
		step_from_code(w->unwinder, start, after, site);
	return (site->kind == STEP_PLAIN || site->code_known) && site->cfa_reg == UNWIND_SP && site->ra_saved;
}

/* Where in the function that begins at `start` is the leaf called, so that the function's own return
 * address is at `slot`?  0 if nowhere. */
static raddr call_site(struct walk *w, raddr start, raddr end, const struct step *leaf, raddr cfa, raddr slot)
{
	for (raddr after = start + 4; after <= end; after += 4) {
		struct step site;
		if (calls(w->unwinder, after, leaf, walk_pc(w)) && site_step(w, start, after, &site) &&
		    cfa + (raddr)(int64_t)site.cfa_offset + (raddr)(int64_t)site.ra_offset == slot)
			return after;
	}
	return 0;
}

/* The end of the function that begins there, or up to where it is looked at; 0: it does not. */
static raddr function_end(struct walk *w, raddr start)
{
	struct step first = step_at(w->unwinder, start, true);
	if (first.kind == STEP_NO_TABLE)
		return start + UNTOLD_MAX;
	if (first.kind != STEP_PLAIN || first.start != start)
		return 0;
	return first.end - start > FUNCTION_MAX ? start + FUNCTION_MAX : first.end;
}

/*
 * The return address of a leaf is in a register that is not known.  Its caller has saved its own: that
 * one's call tells which function the caller is, and in there the call of the leaf is found.
 */
int walk_search_leaf(struct walk *w, const struct step *step, raddr cfa)
{
	raddr end = search_end(w, cfa, LEAF_SEARCH_MAX);
	for (raddr slot = cfa; slot + 8 <= end; slot += 8) {
		uint64_t ra;
		raddr target;
		if (!walk_word(w, slot, &ra) || !code_is_call(w->unwinder, arch_unwind_strip(ra), &target) || !target)
			continue;
		target = code_resolve(w->unwinder, target);
		raddr site = call_site(w, target, function_end(w, target), step, cfa, slot);
		if (site)
			return walk_to_caller(w, cfa, site, FRAME_SEARCH);
	}
	return END_LOST;
}
