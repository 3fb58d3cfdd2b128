/* SPDX-License-Identifier: MIT */
/* One step from a frame to its caller, where tables say how. */
#include <string.h>

#include "inject/watch/unwind_parts.h"

#define FP_SEARCH_MAX (16u << 10)
#define SIGNAL_FRAME_MAX (128u << 10)   /* with the largest vectors that there are */

static bool read_part(const uint8_t *bytes, raddr low, size_t there, raddr addr, void *buf, size_t size)
{
	if (addr < low || addr - low > there || size > there - (addr - low))
		return false;
	memcpy(buf, bytes + (addr - low), size);
	return true;
}

static bool read_copy(const struct stack_copy *copy, raddr addr, void *buf, size_t size)
{
	return read_part(copy->bytes, copy->low, copy->size, addr, buf, size) ||
	       read_part(copy->bytes + copy->size, copy->second_low, copy->second_size, addr, buf, size);
}

static bool read_live(struct walk *w, raddr addr, void *buf, size_t size)
{
	raddr page = addr & ~(raddr)(CODE_PAGE - 1);
	if (!w->live || addr - page + size > CODE_PAGE)
		return w->live && memory_read(w->live, addr, buf, size, NULL) == 0;
	if (!w->page_known || w->page != page) {
		w->page_known = page && w->live_pages++ < LIVE_PAGES_MAX && memory_read(w->live, page, w->page_bytes, CODE_PAGE, NULL) == 0;
		w->page = page;
	}
	if (!w->page_known)
		return false;
	memcpy(buf, w->page_bytes + (addr - page), size);
	return true;
}

bool walk_read(struct walk *w, raddr addr, void *buf, size_t size)
{
	return read_copy(w->copy, addr, buf, size) || read_live(w, addr, buf, size);
}

enum unwind_end walk_missing(const struct walk *w, raddr addr)
{
	const struct stack_copy *copy = w->copy;
	/* Live memory would have been read: there is none. */
	if (w->live || (copy->whole && addr >= copy->low && addr - copy->low < copy->size + CODE_PAGE))
		return END_LOST;
	return END_CUT;
}

raddr walk_end(const struct walk *w)
{
	const struct stack_copy *copy = w->copy;
	raddr sp = walk_sp(w), end = copy->low + copy->size;
	const struct mapping *m = w->live ? maps_at(&w->unwinder->images->maps, sp) : NULL;
	bool copied = sp - copy->low < copy->size;
	if (!copied && sp - copy->second_low < copy->second_size) {
		copied = true;
		end = copy->second_low + copy->second_size;
	}
	return m && (m->end > end || !copied) ? m->end : end;
}

/* Registers that a call may change are not known in the caller. */
int walk_to_caller(struct walk *w, raddr cfa, raddr ra, enum frame_how how)
{
	ra = arch_unwind_strip(ra);
	if (!ra)
		return END_OUTERMOST;
	/* A leaf that has taken nothing off sp is left where it was entered. */
	if (cfa < walk_sp(w) || (cfa == walk_sp(w) && (!w->exact || ra == walk_pc(w))))
		return END_LOOP;
	w->regs.known &= UNWIND_KEPT;
	frame_set(&w->regs, UNWIND_SP, cfa);
	frame_set(&w->regs, UNWIND_PC, ra);
	w->exact = false;
	w->how = how;
	return WALK_ON;
}

int walk_plain_from(struct walk *w, const struct step *step, raddr cfa, enum frame_how how)
{
	uint64_t ra, value;
	raddr sp = walk_sp(w), fp = w->regs.v[UNWIND_FP];
	bool fp_known = frame_knows(&w->regs, UNWIND_FP);
	if (step->ra_saved) {
		if (!walk_word(w, cfa + (raddr)(int64_t)step->ra_offset, &ra))
			return (int)walk_missing(w, cfa + (raddr)(int64_t)step->ra_offset);
	} else if (step->ra_reg != UNWIND_PC && frame_knows(&w->regs, step->ra_reg)) {
		ra = w->regs.v[step->ra_reg];
	} else {
		return step->ra_reg == UNWIND_PC ? END_MALFORMED : END_LOST;
	}
	for (unsigned i = 0; i < step->saved; i++) {
		bool by_fp = step->by_fp >> i & 1;
		raddr at = (by_fp ? fp : cfa) + (raddr)(int64_t)step->offset[i];
		if ((fp_known || !by_fp) && walk_word(w, at, &value))
			frame_set(&w->regs, step->reg[i], value);
		else
			w->regs.known &= ~(UINT64_C(1) << step->reg[i]);
	}
	w->regs.known &= ~step->lost;
	frame_set(&w->regs, UNWIND_SP, sp);
	return walk_to_caller(w, cfa, ra, how);
}

/* Where the frame pointer points to the place in which the caller's was saved, that place tells the frame's
 * address. */
int walk_by_record(struct walk *w, const struct step *step)
{
	uint64_t ra;
	raddr target;
	for (unsigned i = 0; i < step->saved && frame_knows(&w->regs, UNWIND_FP); i++) {
		raddr cfa = w->regs.v[UNWIND_FP] - (raddr)(int64_t)step->offset[i];
		bool by_cfa = !(step->by_fp >> i & 1);
		if (step->reg[i] == UNWIND_FP && by_cfa && step->ra_saved && walk_word(w, cfa + (raddr)(int64_t)step->ra_offset, &ra) &&
		    (!ra || code_is_return(w->unwinder, arch_unwind_strip(ra), &target)))
			return walk_plain_from(w, step, cfa, FRAME_POINTER);
	}
	return END_LOST;
}

int walk_by_plain(struct walk *w, struct step *step)
{
	if (!frame_knows(&w->regs, step->cfa_reg)) {
		if (step->cfa_word)
			return walk_by_row(w, step);
		int way = step->cfa_reg == UNWIND_SP ? walk_by_record(w, step) : END_LOST;
		return way == END_LOST ? walk_search(w, step) : way;
	}
	raddr cfa = w->regs.v[step->cfa_reg] + (raddr)(int64_t)step->cfa_offset;
	if (step->cfa_word && !walk_word(w, cfa, &cfa))
		return (int)walk_missing(w, cfa);
	if (!step->ra_saved && step->ra_reg != UNWIND_PC && !frame_knows(&w->regs, step->ra_reg))
		return walk_search_leaf(w, step, cfa);
	return walk_plain_from(w, step, cfa, FRAME_CFI);
}

static int ask_register(void *ctx, unsigned number, uint64_t *value)
{
	const struct walk *w = ctx;
	if (!frame_knows(&w->regs, number))
		return -1;
	*value = w->regs.v[number];
	return 0;
}

static int ask_memory(void *ctx, uint64_t addr, void *buf, size_t size)
{
	return walk_read(ctx, addr, buf, size) ? 0 : -1;
}

/* One register of the caller; false: not known. */
static bool restore(struct walk *w, struct cfi *cfi, const struct cfi_rule *rule, unsigned number, raddr cfa, uint64_t *value)
{
	struct cfi_world world = { ask_register, ask_memory, w };
	switch (rule->kind) {
	case CFI_SAME:
		return ask_register(w, number, value) == 0;
	case CFI_AT_OFFSET:
		return walk_word(w, cfa + (raddr)rule->offset, value);
	case CFI_IS_OFFSET:
		*value = cfa + (raddr)rule->offset;
		return true;
	case CFI_IN_REGISTER:
		return ask_register(w, rule->reg, value) == 0;
	case CFI_AT_EXPRESSION:
		return cfi_expression(cfi, rule, true, cfa, &world, value, NULL) == 0 && walk_word(w, *value, value);
	case CFI_IS_EXPRESSION:
		return cfi_expression(cfi, rule, true, cfa, &world, value, NULL) == 0;
	default:
		return false;
	}
}

static bool find_cfa(struct walk *w, struct cfi *cfi, const struct cfi_row *row, raddr *cfa)
{
	struct cfi_world world = { ask_register, ask_memory, w };
	if (row->cfa.kind == CFI_IS_EXPRESSION)
		return cfi_expression(cfi, &row->cfa, false, 0, &world, cfa, NULL) == 0;
	if (!frame_knows(&w->regs, row->cfa.reg))
		return false;
	*cfa = w->regs.v[row->cfa.reg] + (raddr)row->cfa.offset;
	return true;
}

/* Does the frame pointer, taken to be at `at`, lead to a frame that a call of this function made?  A function that
 * aligns its stack has put a copy of its return address behind the saved frame pointer, so that both agree. */
static bool agrees(struct walk *w, struct cfi *cfi, const struct cfi_row *row, raddr at, raddr *cfa)
{
	const struct cfi_rule *rule = &row->reg[row->return_register];
	uint64_t ra, again;
	raddr target;
	if (!walk_word(w, at + 8, &ra) || !code_is_call(w->unwinder, arch_unwind_strip(ra), &target))
		return false;
	bool this_one = target && code_resolve(w->unwinder, target) == row->start;
	frame_set(&w->regs, UNWIND_FP, at);
	return find_cfa(w, cfi, row, cfa) && *cfa > at && walk_word(w, *cfa + (raddr)rule->offset, &again) && again == ra &&
	       (this_one || (!target && *cfa + (raddr)rule->offset != at + 8));
}

static bool search_fp(struct walk *w, struct cfi *cfi, const struct cfi_row *row, raddr *cfa)
{
	raddr sp = walk_sp(w), end = walk_end(w);
	uint64_t known = w->regs.known;
	if (frame_knows(&w->regs, UNWIND_FP) || row->reg[row->return_register].kind != CFI_AT_OFFSET)
		return false;
	if (end > sp && end - sp > FP_SEARCH_MAX)
		end = sp + FP_SEARCH_MAX;
	for (raddr at = sp; at + 16 <= end; at += 8) {
		if (agrees(w, cfi, row, at, cfa))
			return true;
		w->regs.known = known;
	}
	return false;
}

/* The interrupted frame: what it had in its registers is what the kernel saved. */
static int to_interrupted(struct walk *w, const struct frame_regs *next, raddr pc)
{
	if (!frame_knows(next, UNWIND_SP))
		return END_LOST;
	w->regs = *next;
	frame_set(&w->regs, UNWIND_PC, pc);
	w->exact = true;
	w->how = FRAME_SIGNAL;
	return pc ? WALK_ON : END_OUTERMOST;
}

int walk_by_row(struct walk *w, const struct step *step)
{
	struct cfi_row row;
	struct cfi *cfi;
	raddr cfa;
	struct frame_regs next = { .known = 0 };
	if (w->full_steps++ == FULL_STEPS_MAX || !step_row(w->unwinder, step, walk_pc(w), w->exact, &row, &cfi))
		return END_MALFORMED;
	bool told = find_cfa(w, cfi, &row, &cfa);
	if (!told && !search_fp(w, cfi, &row, &cfa))
		return END_LOST;
	frame_set(&next, UNWIND_SP, cfa);
	for (unsigned i = 0; i < UNWIND_REGS; i++) {
		uint64_t value;
		bool same_sp = i == UNWIND_SP && row.reg[i].kind == CFI_SAME;
		if (!same_sp && restore(w, cfi, &row.reg[i], i, cfa, &value))
			frame_set(&next, i, value);
	}
	if (!frame_knows(&next, row.return_register))
		return END_LOST;
	raddr ra = next.v[row.return_register];
	if (row.signal_frame)   /* the return address of an interrupted frame is in a column of its own, or is pc */
		return to_interrupted(w, &next, ra);
	raddr sp = walk_sp(w);
	w->regs = next;
	frame_set(&w->regs, UNWIND_SP, sp);
	return walk_to_caller(w, next.v[UNWIND_SP], ra, told ? FRAME_CFI : FRAME_SEARCH);
}

static bool holds(struct walk *w, raddr sp, unsigned number, uint64_t value)
{
	uint64_t there;
	return walk_word(w, sp + (raddr)arch_unwind_sigcontext(number), &there) && there == value;
}

/* Where a frame pointer has led here, sp is somewhere below: where the registers that the kernel saved agree with
 * the record that it made of two of them for those who follow frame pointers. */
static bool find_saved(struct walk *w, raddr *sp)
{
	raddr from = walk_sp(w), record = w->regs.v[UNWIND_FP];
	uint64_t fp, ra, pc;
	if (!frame_knows(&w->regs, UNWIND_FP) || !walk_word(w, record, &fp) || !walk_word(w, record + 8, &ra))
		return false;
	for (*sp = (from + 15) & ~(raddr)15; *sp < record && *sp - from < SIGNAL_FRAME_MAX; *sp += 16)
		if (holds(w, *sp, UNWIND_FP, fp) && holds(w, *sp, UNWIND_RA, ra) &&
		    walk_word(w, *sp + (raddr)arch_unwind_sigcontext(UNWIND_PC), &pc) && is_code(w->unwinder, pc))
			return true;
	return false;
}

int walk_by_sigreturn(struct walk *w)
{
	struct frame_regs next = { .known = 0 };
	raddr sp = walk_sp(w);
	if (!frame_knows(&w->regs, UNWIND_SP) && !find_saved(w, &sp))
		return END_LOST;
	for (unsigned i = 0; i < UNWIND_REGS; i++) {
		uint64_t value;
		int offset = arch_unwind_sigcontext(i);
		if (offset >= 0 && walk_word(w, sp + (raddr)offset, &value))
			frame_set(&next, i, value);
	}
	if (!frame_knows(&next, UNWIND_PC))
		return (int)walk_missing(w, sp);
	return to_interrupted(w, &next, next.v[UNWIND_PC]);
}
