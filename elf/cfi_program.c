/* SPDX-License-Identifier: MIT */
/* The instructions of an entry: DWARF 5, 6.4.2, and what GNU and Arm added. */
#include <string.h>

#include "arch/machines.h"
#include "elf/cfi_entry.h"

#define REMEMBERED_MAX 8

enum {
	ADVANCE = 0x40, OFFSET = 0x80, RESTORE = 0xc0,  /* with an operand in the low six bits */
	NOP = 0x00, SET_LOC, ADVANCE_1, ADVANCE_2, ADVANCE_4, OFFSET_EXTENDED, RESTORE_EXTENDED, UNDEFINED,
	SAME_VALUE, REGISTER, REMEMBER_STATE, RESTORE_STATE, DEF_CFA, DEF_CFA_REGISTER, DEF_CFA_OFFSET,
	DEF_CFA_EXPRESSION, EXPRESSION, OFFSET_EXTENDED_SF, DEF_CFA_SF, DEF_CFA_OFFSET_SF, VAL_OFFSET,
	VAL_OFFSET_SF, VAL_EXPRESSION,
	MIPS_ADVANCE_8 = 0x1d, NEGATE_RA_STATE_WITH_PC = 0x2c,
	GNU_WINDOW_SAVE = 0x2d,         /* SPARC's; to some the return address becomes signed, or is no longer */
	GNU_ARGS_SIZE = 0x2e, GNU_NEGATIVE_OFFSET_EXTENDED = 0x2f,
};
_Static_assert(VAL_EXPRESSION == 0x16, "DWARF 5, table 7.29");

/* What instructions change. */
struct rules {
	struct cfi_rule cfa;
	struct cfi_rule reg[CFI_REGS];
	bool ra_signed;
};

struct machine {
	struct cfi_cursor c;
	const struct cfi_section *section;
	const struct cfi_fde *fde;
	uint64_t location, pc;
	struct rules now, initial;
	struct rules remembered[REMEMBERED_MAX];
	size_t depth;
	bool signs_returns;
	const char *wrong;
};

static int64_t scaled(const struct machine *m, uint64_t factor)
{
	return (int64_t)(factor * (uint64_t)m->fde->cie.data_align);
}

static void set(struct machine *m, uint64_t reg, struct cfi_rule rule)
{
	if (reg < CFI_REGS)
		m->now.reg[reg] = rule;
}

static void restore(struct machine *m, uint64_t reg)
{
	if (reg < CFI_REGS)
		m->now.reg[reg] = m->initial.reg[reg];
}

static void set_offset(struct machine *m, enum cfi_kind kind, uint64_t reg, int64_t offset)
{
	set(m, reg, (struct cfi_rule){ .kind = (uint8_t)kind, .offset = offset });
}

/* A block whose length comes first. */
static struct cfi_rule read_expression(struct machine *m, enum cfi_kind kind)
{
	uint64_t size = cfi_uleb(&m->c);
	struct cfi_rule rule = { .kind = (uint8_t)kind, .reg = m->section->is_debug, .size = (uint32_t)size };
	rule.at = cfi_skip(&m->c, size);
	if (size > UINT32_MAX)
		m->c.bad = true;
	return rule;
}

static void set_cfa(struct machine *m, uint64_t reg, int64_t offset)
{
	if (reg >= CFI_REGS)
		m->wrong = "the frame's address is in a register that does not exist";
	m->now.cfa = (struct cfi_rule){ .kind = CFI_IS_OFFSET, .reg = (uint8_t)reg, .offset = offset };
}

static void set_in_register(struct machine *m, uint64_t reg, uint64_t other)
{
	if (other < CFI_REGS)
		set(m, reg, (struct cfi_rule){ .kind = CFI_IN_REGISTER, .reg = (uint8_t)other });
	else
		set(m, reg, (struct cfi_rule){ .kind = CFI_UNDEFINED });
}

static void remember(struct machine *m)
{
	if (m->depth == REMEMBERED_MAX)
		m->wrong = "too many remembered states";
	else
		m->remembered[m->depth++] = m->now;
}

static void recall(struct machine *m)
{
	if (!m->depth)
		m->wrong = "no state was remembered";
	else
		m->now = m->remembered[--m->depth];
}

static void advance(struct machine *m, uint64_t delta)
{
	uint64_t step;
	if (__builtin_mul_overflow(delta, m->fde->cie.code_align, &step) ||
	    __builtin_add_overflow(m->location, step, &m->location))
		m->location = UINT64_MAX;
}

static void set_location(struct machine *m)
{
	struct cfi_bases bases = { .data = m->section->data, .function = m->fde->start };
	m->location = cfi_pointer(&m->c, m->fde->cie.encoding, &bases) + m->section->bias;
}

static void define_cfa(struct machine *m, uint8_t op)
{
	struct cfi_cursor *c = &m->c;
	uint64_t reg;
	switch (op) {
	case DEF_CFA:
		reg = cfi_uleb(c);
		set_cfa(m, reg, (int64_t)cfi_uleb(c));
		break;
	case DEF_CFA_SF:
		reg = cfi_uleb(c);
		set_cfa(m, reg, scaled(m, (uint64_t)cfi_sleb(c)));
		break;
	case DEF_CFA_REGISTER:
		set_cfa(m, cfi_uleb(c), m->now.cfa.offset);
		break;
	case DEF_CFA_OFFSET:
		set_cfa(m, m->now.cfa.reg, (int64_t)cfi_uleb(c));
		break;
	case DEF_CFA_OFFSET_SF:
		set_cfa(m, m->now.cfa.reg, scaled(m, (uint64_t)cfi_sleb(c)));
		break;
	default:
		m->now.cfa = read_expression(m, CFI_IS_EXPRESSION);
	}
}

static void define_register(struct machine *m, uint8_t op)
{
	struct cfi_cursor *c = &m->c;
	uint64_t reg = cfi_uleb(c);
	switch (op) {
	case OFFSET_EXTENDED: set_offset(m, CFI_AT_OFFSET, reg, scaled(m, cfi_uleb(c))); break;
	case OFFSET_EXTENDED_SF: set_offset(m, CFI_AT_OFFSET, reg, scaled(m, (uint64_t)cfi_sleb(c))); break;
	case GNU_NEGATIVE_OFFSET_EXTENDED: set_offset(m, CFI_AT_OFFSET, reg, scaled(m, -cfi_uleb(c))); break;
	case VAL_OFFSET: set_offset(m, CFI_IS_OFFSET, reg, scaled(m, cfi_uleb(c))); break;
	case VAL_OFFSET_SF: set_offset(m, CFI_IS_OFFSET, reg, scaled(m, (uint64_t)cfi_sleb(c))); break;
	case RESTORE_EXTENDED: restore(m, reg); break;
	case UNDEFINED: set_offset(m, CFI_UNDEFINED, reg, 0); break;
	case SAME_VALUE: set_offset(m, CFI_SAME, reg, 0); break;
	case REGISTER: set_in_register(m, reg, cfi_uleb(c)); break;
	case EXPRESSION: set(m, reg, read_expression(m, CFI_AT_EXPRESSION)); break;
	default: set(m, reg, read_expression(m, CFI_IS_EXPRESSION)); break;
	}
}

static void carry_out_extended(struct machine *m, uint8_t op)
{
	switch (op) {
	case NOP:
		break;
	case SET_LOC:
		set_location(m);
		break;
	case ADVANCE_1: case ADVANCE_2: case ADVANCE_4:
		advance(m, cfi_fixed(&m->c, (size_t)1 << (op - ADVANCE_1)));
		break;
	case MIPS_ADVANCE_8:
		advance(m, cfi_fixed(&m->c, 8));
		break;
	case REMEMBER_STATE:
		remember(m);
		break;
	case RESTORE_STATE:
		recall(m);
		break;
	case DEF_CFA: case DEF_CFA_SF: case DEF_CFA_REGISTER: case DEF_CFA_OFFSET: case DEF_CFA_OFFSET_SF:
	case DEF_CFA_EXPRESSION:
		define_cfa(m, op);
		break;
	case GNU_ARGS_SIZE:
		cfi_uleb(&m->c);
		break;
	case GNU_WINDOW_SAVE: case NEGATE_RA_STATE_WITH_PC:
		m->now.ra_signed = m->signs_returns && !m->now.ra_signed;
		break;
	case OFFSET_EXTENDED: case OFFSET_EXTENDED_SF: case GNU_NEGATIVE_OFFSET_EXTENDED: case VAL_OFFSET:
	case VAL_OFFSET_SF: case RESTORE_EXTENDED: case UNDEFINED: case SAME_VALUE: case REGISTER:
	case EXPRESSION: case VAL_EXPRESSION:
		define_register(m, op);
		break;
	default:
		m->wrong = "an instruction that is not known";
	}
}

static void carry_out(struct machine *m)
{
	uint8_t op = (uint8_t)cfi_fixed(&m->c, 1), low = op & 0x3f;
	switch (op & 0xc0) {
	case ADVANCE: advance(m, low); break;
	case OFFSET: set_offset(m, CFI_AT_OFFSET, low, scaled(m, cfi_uleb(&m->c))); break;
	case RESTORE: restore(m, low); break;
	default: carry_out_extended(m, op);
	}
}

/* What holds at pc is what stands before the first location behind it. */
static int run(struct machine *m, uint64_t at, uint64_t end, struct err *err)
{
	m->c.at = at;
	m->c.end = end;
	while (m->c.at < end && !m->c.bad && !m->wrong && m->location <= m->pc)
		carry_out(m);
	if (m->c.bad)
		m->wrong = "an instruction is cut";
	if (m->wrong)
		return err_set(err, ERR_FAILED, 0, "malformed unwind table: %s", m->wrong);
	return 0;
}

int cfi_program(const struct cfi *cfi, struct elf_view *view, const struct cfi_section *section,
		const struct cfi_fde *fde, uint64_t pc, struct cfi_row *row, struct err *err)
{
	struct machine m;

	m.c = (struct cfi_cursor){ .view = view };
	m.section = section;
	m.fde = fde;
	m.depth = 0;
	m.wrong = NULL;
	const struct arch_machine *cpu = arch_machine(cfi->image->machine);
	m.signs_returns = cpu && cpu->signs_returns;
	memset(&m.now, 0, sizeof m.now);
	m.initial = m.now;
	m.location = 0;
	m.pc = UINT64_MAX;      /* all of the CIE */
	if (run(&m, fde->cie.program, fde->cie.end, err))
		return -1;
	m.initial = m.now;
	m.location = fde->start;
	m.pc = pc;
	if (run(&m, fde->program, fde->program_end, err))
		return -1;
	row->start = fde->start;
	row->end = fde->end;
	row->cfa = m.now.cfa;
	memcpy(row->reg, m.now.reg, sizeof row->reg);
	row->return_register = fde->cie.return_register;
	row->signal_frame = fde->cie.signal_frame;
	row->ra_signed = m.now.ra_signed;
	if (row->cfa.kind != CFI_IS_OFFSET && row->cfa.kind != CFI_IS_EXPRESSION)
		return err_set(err, ERR_FAILED, 0, "malformed unwind table: it does not say where the frame is");
	return 0;
}
