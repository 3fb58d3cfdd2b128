/* SPDX-License-Identifier: MIT */
/* Code that no table tells of: assembler, C libraries built without tables, code made at run time. */
#include "inject/watch/unwind_parts.h"

#define SEARCH_MAX (8u << 10)
/* Where the return address is when a function is entered. */
#define ON_STACK (UNWIND_RA == UNWIND_PC)

/* Does a call of the code that we are in end at ra, and does that code, from there on, take `depth`
 * off sp? */
static bool is_called(struct walk *w, const struct step *step, raddr ra, int64_t *depth)
{
	raddr target, pc = walk_pc(w);
	if (!code_is_call(w->unwinder, ra, &target) || !target)
		return false;
	target = code_resolve(w->unwinder, target);
	if (step->start && target != step->start)
		return false;
	*depth = target <= pc ? code_depth(w->unwinder, target, pc) : -1;
	return *depth >= 0;
}

/* Words that are restored from nowhere are not known any more. */
static int leave(struct walk *w, raddr cfa, raddr ra, bool untouched, enum frame_how how)
{
	if (!untouched)
		w->regs.known &= UINT64_C(1) << UNWIND_SP | UINT64_C(1) << UNWIND_PC;
	return walk_to_caller(w, cfa, ra, how);
}

/* Nothing was put on the stack since it was entered. */
static int by_leaf(struct walk *w, const struct step *step)
{
	uint64_t ra;
	int64_t depth;
	if (ON_STACK ? !walk_word(w, walk_sp(w), &ra) : !frame_knows(&w->regs, UNWIND_RA))
		return END_NO_TABLE;
	if (!ON_STACK)
		ra = w->regs.v[UNWIND_RA];
	ra = arch_unwind_strip(ra);
	if (!is_called(w, step, ra, &depth) || depth != 0)
		return END_NO_TABLE;
	return leave(w, walk_sp(w) + (ON_STACK ? 8 : 0), ra, true, FRAME_SEARCH);
}

/* A return address where the function's own instructions have put it. */
static int by_depth(struct walk *w, const struct step *step, raddr end)
{
	raddr sp = walk_sp(w);
	for (raddr slot = sp; slot + 8 <= end; slot += 8) {
		uint64_t ra;
		int64_t depth;
		if (!walk_word(w, slot, &ra))
			break;
		ra = arch_unwind_strip(ra);
		if (!is_called(w, step, ra, &depth))
			continue;
		if (ON_STACK ? slot == sp + (raddr)depth : slot < sp + (raddr)depth)
			return leave(w, sp + (raddr)depth + (ON_STACK ? 8 : 0), ra, false, FRAME_SEARCH);
	}
	return END_NO_TABLE;
}

/* The record that the frame pointer points to: the caller's, and the return address. */
static bool read_record(struct walk *w, uint64_t *fp, uint64_t *ra)
{
	raddr at = w->regs.v[UNWIND_FP], target;
	if (!frame_knows(&w->regs, UNWIND_FP) || at < walk_sp(w) || at % 8 || at >= walk_end(w) ||
	    !walk_word(w, at, fp) || !walk_word(w, at + 8, ra))
		return false;
	*ra = arch_unwind_strip(*ra);
	return (*fp == 0 || *fp > at) && code_is_call(w->unwinder, *ra, &target);
}

static int by_frame_pointer(struct walk *w, uint64_t fp, uint64_t ra)
{
	raddr cfa = w->regs.v[UNWIND_FP] + 16;
	int end = leave(w, cfa, ra, false, FRAME_POINTER);
	frame_set(&w->regs, UNWIND_FP, fp);
	return end;
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
	if (end > sp && end - sp > SEARCH_MAX)
		end = sp + SEARCH_MAX;
	if (w->exact && (way = by_leaf(w, step)) != END_NO_TABLE)
		return way;
	bool record = read_record(w, &fp, &ra);
	/* A frame pointer may be that of a caller further out; what lies below it is nearer. */
	if (record && w->regs.v[UNWIND_FP] + 8 < end)
		end = w->regs.v[UNWIND_FP] + 8;
	if ((way = by_depth(w, step, end)) != END_NO_TABLE)
		return way;
	if (record)
		return by_frame_pointer(w, fp, ra);
	if (w->exact && !ON_STACK && !frame_knows(&w->regs, UNWIND_RA) &&
	    (way = walk_search_leaf(w, step, sp)) == WALK_ON)
		return way;
	return END_NO_TABLE;
}
