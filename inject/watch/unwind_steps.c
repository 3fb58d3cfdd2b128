/* SPDX-License-Identifier: MIT */
/* What tables say of an address, made compact and kept. */
#include <stdlib.h>

#include "inject/watch/unwind_parts.h"

static uint64_t key_of(raddr pc, bool exact)
{
	return pc << 1 | exact;
}

static struct step *set_of(struct unwinder *u, uint64_t key)
{
	uint64_t hash = key * UINT64_C(0x9e3779b97f4a7c15);
	return u->steps + (hash >> 40) % STEP_SETS * STEP_WAYS;
}

static int ask(struct unwinder *u, raddr pc, struct cfi_row *row, struct cfi **cfi)
{
	struct tables *tables = tables_at(u, pc);
	if (!tables)
		return 0;
	int found = cfi_row(&tables->cfi, pc, row, NULL);
	if (found == 0 && !tables->file_tried && tables_file(u, tables, pc))
		found = cfi_row(&tables->cfi, pc, row, NULL);
	*cfi = &tables->cfi;
	return found;
}

static bool fits(int64_t offset)
{
	return offset == (int32_t)offset;
}

/* False: the row has more than a plain step can say. */
static bool make_plain(const struct cfi_row *row, struct step *step)
{
	if (row->cfa.kind != CFI_IS_OFFSET || row->cfa.reg >= UNWIND_REGS || !fits(row->cfa.offset))
		return false;
	step->cfa_reg = row->cfa.reg;
	step->cfa_offset = (int32_t)row->cfa.offset;
	for (uint8_t i = 0; i < UNWIND_REGS; i++) {
		const struct cfi_rule *rule = &row->reg[i];
		if (rule->kind == CFI_SAME)
			continue;
		if (rule->kind == CFI_UNDEFINED) {
			step->lost |= UINT64_C(1) << i;
			continue;
		}
		if (rule->kind != CFI_AT_OFFSET || !fits(rule->offset) || step->saved == STEP_SAVED_MAX)
			return false;
		if (i == row->return_register) {
			step->ra_saved = true;
			step->ra_offset = (int32_t)rule->offset;
			continue;
		}
		step->reg[step->saved] = i;
		step->offset[step->saved++] = (int32_t)rule->offset;
	}
	return true;
}

static void keep_row(struct unwinder *u, struct step *step, const struct cfi_row *row)
{
	if (u->full_n == FULL_ROWS_MAX)
		return;
	struct cfi_row *kept = malloc(sizeof *kept);
	if (!kept)
		return;
	*kept = *row;
	u->full[u->full_n++] = kept;
	step->full = (uint16_t)u->full_n;
}

static void make_from_row(struct unwinder *u, struct step *step, const struct cfi_row *row)
{
	step->start = row->start;
	step->end = row->end;
	step->after_signal = row->signal_frame;
	step->ra_reg = (uint8_t)row->return_register;
	step->outermost = row->reg[row->return_register].kind == CFI_UNDEFINED;
	if (row->return_register >= UNWIND_REGS) {
		step->kind = STEP_BROKEN;
	} else if (!row->signal_frame && make_plain(row, step)) {
		step->kind = STEP_PLAIN;
	} else {
		step->kind = STEP_FULL;
		keep_row(u, step, row);
	}
}

static void make(struct unwinder *u, raddr pc, bool exact, struct step *step)
{
	uint8_t code[16];
	struct cfi_row row;
	struct cfi *cfi;
	*step = (struct step){ .key = key_of(pc, exact), .kind = STEP_NO_CODE, .depth = -2 };
	if (!is_code(u, exact ? pc : pc - 1))
		return;
	/* A handler returns to this code, so that pc is its beginning, though nothing called it. */
	if (code_read(u, pc, code, sizeof code) == sizeof code && arch_unwind_is_sigreturn(code)) {
		step->kind = STEP_SIGRETURN;
		step->after_signal = true;
		return;
	}
	int found = ask(u, exact ? pc : pc - 1, &row, &cfi);
	if (found == 1) {
		make_from_row(u, step, &row);
		return;
	}
	step->kind = found < 0 ? STEP_BROKEN : STEP_NO_TABLE;
	if (!found) {
		step->start = symbol_start(u, exact ? pc : pc - 1);
		step_from_code(u, step->start, pc, step);
	}
}

static struct step *find(struct unwinder *u, raddr pc, bool exact)
{
	uint64_t key = key_of(pc, exact);
	struct step *set = set_of(u, key);
	for (unsigned i = 0; i < STEP_WAYS; i++)
		if (set[i].kind != STEP_EMPTY && set[i].key == key)
			return &set[i];
	return NULL;
}

struct step step_at(struct unwinder *u, raddr pc, bool exact)
{
	struct step *kept = find(u, pc, exact);
	if (!kept) {
		struct step *set = set_of(u, key_of(pc, exact));
		kept = &set[u->turn++ % STEP_WAYS];
		for (unsigned i = 0; i < STEP_WAYS; i++)
			if (set[i].kind == STEP_EMPTY)
				kept = &set[i];
		make(u, pc, exact, kept);
	}
	return *kept;
}

bool step_row(struct unwinder *u, const struct step *step, raddr pc, bool exact, struct cfi_row *row, struct cfi **cfi)
{
	raddr at = exact ? pc : pc - 1;
	if (!step->full)
		return ask(u, at, row, cfi) == 1;
	struct tables *tables = tables_at(u, at);
	if (!tables)
		return false;
	*row = *u->full[step->full - 1];
	*cfi = &tables->cfi;
	return true;
}

int64_t step_depth(struct unwinder *u, struct step *step, raddr pc, bool exact)
{
	if (step->depth == -2) {
		struct unwind_entered entered;
		step->depth = code_follow(u, step->start, pc, &entered) ? (int32_t)entered.depth : -1;
		struct step *kept = find(u, pc, exact);
		if (kept)
			kept->depth = step->depth;
	}
	return step->depth;
}
