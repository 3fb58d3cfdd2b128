/* SPDX-License-Identifier: MIT */
/* Code that no table tells of: assembler, C libraries built without tables, code made at run time. */
#include "inject/watch/unwind_parts.h"

#define SEARCH_MAX (8u << 10)
enum { CHAIN_LIKELY = 2, CHAIN_SURE = 4 };

/* Is the word that `step`, taken from code, says to be the return address one?  For a leaf on a CPU
 * that has it in a register, that register. */
static bool is_return(struct walk *w, const struct step *step, raddr *target)
{
	uint64_t ra = w->regs.v[UNWIND_RA];
	*target = 0;
	if (!frame_knows(&w->regs, UNWIND_SP))
		return false;
	if (step->ra_saved) {
		raddr slot = walk_sp(w) + (raddr)(int64_t)(step->cfa_offset + step->ra_offset);
		if (!walk_word(w, slot, &ra))
			return false;
	} else if (!w->exact || !frame_knows(&w->regs, UNWIND_RA)) {
		return false;
	}
	return !ra || code_is_return(w->unwinder, arch_unwind_strip(ra), target);
}

static int leave(struct walk *w, const struct step *step)
{
	return walk_plain_from(w, step, walk_sp(w) + (raddr)(int64_t)step->cfa_offset, FRAME_SEARCH);
}

/* Symbols tell where the function begins, and its instructions where its return address is: from sp, or from the
 * record that the frame pointer points to. */
static int by_code(struct walk *w, const struct step *step)
{
	raddr target;
	if (step->code_known && !frame_knows(&w->regs, UNWIND_SP)) {
		int way = walk_by_record(w, step);
		return way == END_LOST ? END_NO_TABLE : way;
	}
	return step->code_known && is_return(w, step, &target) ? leave(w, step) : END_NO_TABLE;
}

/* Nobody tells where it begins: a return address on the stack does, if a call before it leads to code from
 * where on the instructions put it right there. */
static int by_call(struct walk *w, uint64_t ra)
{
	raddr target, again;
	struct step step = { .kind = STEP_NO_TABLE };
	if (!code_is_call(w->unwinder, arch_unwind_strip(ra), &target) || !target)
		return END_NO_TABLE;
	target = code_resolve(w->unwinder, target);
	if (!step_from_code(w->unwinder, target, walk_pc(w), &step) || !is_return(w, &step, &again) ||
	    !again || code_resolve(w->unwinder, again) != target)
		return END_NO_TABLE;
	return leave(w, &step);
}

static int by_stack(struct walk *w, raddr end)
{
	int way = END_NO_TABLE;
	if (UNWIND_RA != UNWIND_PC && w->exact && frame_knows(&w->regs, UNWIND_RA))
		way = by_call(w, w->regs.v[UNWIND_RA]);
	for (raddr slot = walk_sp(w); slot + 8 <= end && way == END_NO_TABLE; slot += 8) {
		uint64_t ra;
		if (!walk_word(w, slot, &ra))
			break;
		way = by_call(w, ra);
	}
	return way;
}

/* The record that the frame pointer points to: the caller's, and the return address. */
static bool read_record(struct walk *w, uint64_t *fp, uint64_t *ra)
{
	raddr at = w->regs.v[UNWIND_FP], target;
	if (!frame_knows(&w->regs, UNWIND_FP) || at < walk_sp(w) || at % 8 || at >= walk_end(w) ||
	    !walk_word(w, at, fp) || !walk_word(w, at + 8, ra))
		return false;
	*ra = arch_unwind_strip(*ra);
	/* What a caller has in that register need not be a frame pointer if a table tells of it. */
	if (code_is_call(w->unwinder, *ra, &target))
		return *fp == 0 || *fp > at || step_at(w->unwinder, *ra, false).kind == STEP_PLAIN;
	return code_is_return(w->unwinder, *ra, &target);
}

static int by_frame_pointer(struct walk *w, raddr at, uint64_t fp, uint64_t ra, enum frame_how how)
{
	/* Other registers may be anywhere. */
	w->regs.known &= UINT64_C(1) << UNWIND_SP | UINT64_C(1) << UNWIND_PC;
	frame_set(&w->regs, UNWIND_FP, fp);
	int way = walk_to_caller(w, at + 16, ra, how);
	/* A record is at the lower end of its frame where calls do not push: sp is somewhere above. */
	if (UNWIND_RA != UNWIND_PC)
		w->regs.known &= ~(UINT64_C(1) << UNWIND_SP);
	return way;
}

/* How many records hang together from the one at `at` on; 0: it is none. */
static unsigned chain(struct walk *w, raddr at)
{
	unsigned n = 0;
	uint64_t fp = at, next, ra;
	raddr target;
	while (n < CHAIN_SURE && walk_word(w, fp, &next) && walk_word(w, fp + 8, &ra) &&
	       code_is_return(w->unwinder, arch_unwind_strip(ra), &target)) {
		n++;
		if (next <= fp || next % 8 || next >= walk_end(w))
			break;
		fp = next;
	}
	return n;
}

/* Where the frame pointer is not known: the first record that others hang on, or that belongs to a call of
 * this very function. */
static int by_chain(struct walk *w, const struct step *step, raddr end)
{
	for (raddr at = walk_sp(w); at + 16 <= end; at += 8) {
		uint64_t fp, ra;
		raddr target;
		if (!walk_word(w, at, &fp) || !walk_word(w, at + 8, &ra) ||
		    !code_is_call(w->unwinder, arch_unwind_strip(ra), &target))
			continue;
		bool this_one = target && step->start && code_resolve(w->unwinder, target) == step->start;
		if (chain(w, at) >= (this_one ? CHAIN_LIKELY : CHAIN_SURE))
			return by_frame_pointer(w, at, fp, ra, FRAME_SEARCH);
	}
	return END_NO_TABLE;
}

/* The program's first instruction is not called, nor is a thread's. */
static bool is_outermost(struct walk *w)
{
	uint8_t code[16];
	raddr pc = walk_pc(w), entry = w->unwinder->images->target->auxv.entry;
	if (entry && pc >= entry && pc - entry < 64)
		return true;
	return !w->exact && code_read(w->unwinder, pc, code, sizeof code) == sizeof code && arch_unwind_is_exit(code);
}

int walk_without_table(struct walk *w, const struct step *step)
{
	uint64_t fp, ra;
	raddr end = walk_end(w), sp = walk_sp(w);
	int way;
	if (is_outermost(w))
		return END_OUTERMOST;
	if (!walk_word(w, sp, &ra))
		return (int)walk_missing(w, sp);
	if (end > sp && end - sp > SEARCH_MAX)
		end = sp + SEARCH_MAX;
	if ((way = by_code(w, step)) != END_NO_TABLE)
		return way;
	bool record = read_record(w, &fp, &ra);
	/* A frame pointer may be that of a caller further out; what lies below it is nearer. */
	if (record && w->regs.v[UNWIND_FP] + 8 < end)
		end = w->regs.v[UNWIND_FP] + 8;
	if (!step->code_known && frame_knows(&w->regs, UNWIND_SP) && (way = by_stack(w, end)) != END_NO_TABLE)
		return way;
	if (record)
		return by_frame_pointer(w, w->regs.v[UNWIND_FP], fp, ra, FRAME_POINTER);
	if (UNWIND_RA != UNWIND_PC && w->exact && !frame_knows(&w->regs, UNWIND_RA) &&
	    (way = walk_search_leaf(w, step, sp)) == WALK_ON)
		return way;
	return frame_knows(&w->regs, UNWIND_FP) ? END_NO_TABLE : by_chain(w, step, end);
}
