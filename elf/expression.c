/* SPDX-License-Identifier: MIT */
/* DWARF expressions as unwind tables use them: DWARF 5, 2.5 and 6.4.2. */
#include "elf/cfi_entry.h"

#define STACK_MAX 64
#define STEPS_MAX 1000          /* real ones have a dozen */

enum {
	OP_ADDR = 0x03, OP_DEREF = 0x06, OP_CONST1U = 0x08, OP_CONST1S, OP_CONST2U, OP_CONST2S, OP_CONST4U,
	OP_CONST4S, OP_CONST8U, OP_CONST8S, OP_CONSTU, OP_CONSTS, OP_DUP, OP_DROP, OP_OVER, OP_PICK, OP_SWAP,
	OP_ROT, OP_XDEREF, OP_ABS, OP_AND, OP_DIV, OP_MINUS, OP_MOD, OP_MUL, OP_NEG, OP_NOT, OP_OR, OP_PLUS,
	OP_PLUS_UCONST, OP_SHL, OP_SHR, OP_SHRA, OP_XOR, OP_BRA, OP_EQ, OP_GE, OP_GT, OP_LE, OP_LT, OP_NE,
	OP_SKIP, OP_LIT0 = 0x30, OP_REG0 = 0x50, OP_BREG0 = 0x70, OP_REGX = 0x90, OP_BREGX = 0x92,
	OP_DEREF_SIZE = 0x94, OP_NOP = 0x96, OP_STACK_VALUE = 0x9f, OP_GNU_ENCODED_ADDR = 0xf1,
};
_Static_assert(OP_SKIP == 0x2f && OP_CONSTS == 0x11 && OP_XOR == 0x27, "DWARF 5, table 7.9");

struct evaluation {
	struct cfi_cursor c;
	const struct cfi_section *section;
	const struct cfi_world *world;
	uint64_t start;
	uint64_t stack[STACK_MAX];
	size_t depth;
	const char *wrong;      /* NULL: all is well */
};

static void push(struct evaluation *e, uint64_t value)
{
	if (e->depth == STACK_MAX)
		e->wrong = "its stack is full";
	else
		e->stack[e->depth++] = value;
}

static uint64_t pop(struct evaluation *e)
{
	if (e->depth)
		return e->stack[--e->depth];
	e->wrong = "its stack is empty";
	return 0;
}

static void pick(struct evaluation *e, uint64_t index)
{
	if (index >= e->depth)
		e->wrong = "its stack is not so deep";
	else
		push(e, e->stack[e->depth - 1 - index]);
}

static void rotate(struct evaluation *e)
{
	uint64_t first = pop(e), second = pop(e), third = pop(e);
	push(e, first);
	push(e, third);
	push(e, second);
}

static void push_register(struct evaluation *e, uint64_t number, int64_t offset)
{
	uint64_t value = 0;
	if (number > UINT32_MAX || e->world->reg(e->world->ctx, (unsigned)number, &value))
		e->wrong = "a register is not known";
	push(e, value + (uint64_t)offset);
}

static void dereference(struct evaluation *e, uint64_t size)
{
	uint64_t value = 0, addr = pop(e);
	if (size == 0 || size > 8)
		e->wrong = "it reads a word of a strange size";
	else if (!e->wrong && e->world->memory(e->world->ctx, addr, &value, size))
		e->wrong = "memory cannot be read";
	push(e, value);
}

static void branch(struct evaluation *e, bool taken)
{
	int64_t distance = cfi_fixed_signed(&e->c, 2);
	uint64_t to = e->c.at + (uint64_t)distance;
	if (!taken || e->c.bad)
		return;
	if (to < e->start || to > e->c.end)
		e->wrong = "it jumps out of itself";
	else
		e->c.at = to;
}

static uint64_t divide(struct evaluation *e, int64_t first, int64_t second)
{
	if (!second) {
		e->wrong = "it divides by 0";
		return 0;
	}
	return second == -1 ? -(uint64_t)first : (uint64_t)(first / second);
}

static uint64_t modulo(struct evaluation *e, uint64_t first, uint64_t second)
{
	if (second)
		return first % second;
	e->wrong = "it divides by 0";
	return 0;
}

static uint64_t shift_signed(int64_t value, uint64_t by)
{
	return (uint64_t)(value >> (by < 63 ? by : 63));
}

static void binary(struct evaluation *e, uint8_t op)
{
	uint64_t b = pop(e), a = pop(e);
	int64_t sa = (int64_t)a, sb = (int64_t)b;
	switch (op) {
	case OP_AND: push(e, a & b); break;
	case OP_OR: push(e, a | b); break;
	case OP_XOR: push(e, a ^ b); break;
	case OP_PLUS: push(e, a + b); break;
	case OP_MINUS: push(e, a - b); break;
	case OP_MUL: push(e, a * b); break;
	case OP_DIV: push(e, divide(e, sa, sb)); break;
	case OP_MOD: push(e, modulo(e, a, b)); break;
	case OP_SHL: push(e, b < 64 ? a << b : 0); break;
	case OP_SHR: push(e, b < 64 ? a >> b : 0); break;
	case OP_SHRA: push(e, shift_signed(sa, b)); break;
	case OP_EQ: push(e, sa == sb); break;
	case OP_GE: push(e, sa >= sb); break;
	case OP_GT: push(e, sa > sb); break;
	case OP_LE: push(e, sa <= sb); break;
	case OP_LT: push(e, sa < sb); break;
	default: push(e, sa != sb); break;
	}
}

/* Constants, and what moves on the stack. */
static bool constant_or_stack(struct evaluation *e, uint8_t op)
{
	struct cfi_cursor *c = &e->c;
	struct cfi_bases none = { .data = e->section->data };
	uint64_t first, second;
	switch (op) {
	case OP_ADDR: push(e, cfi_fixed(c, 8) + e->section->bias); return true;
	case OP_CONST1U: case OP_CONST2U: case OP_CONST4U: case OP_CONST8U:
		push(e, cfi_fixed(c, (size_t)1 << (op - OP_CONST1U) / 2));
		return true;
	case OP_CONST1S: case OP_CONST2S: case OP_CONST4S: case OP_CONST8S:
		push(e, (uint64_t)cfi_fixed_signed(c, (size_t)1 << (op - OP_CONST1S) / 2));
		return true;
	case OP_CONSTU: push(e, cfi_uleb(c)); return true;
	case OP_CONSTS: push(e, (uint64_t)cfi_sleb(c)); return true;
	case OP_GNU_ENCODED_ADDR: push(e, cfi_pointer(c, (uint8_t)cfi_fixed(c, 1), &none)); return true;
	case OP_DUP: pick(e, 0); return true;
	case OP_DROP: pop(e); return true;
	case OP_OVER: pick(e, 1); return true;
	case OP_PICK: pick(e, cfi_fixed(c, 1)); return true;
	case OP_SWAP:
		first = pop(e);
		second = pop(e);
		push(e, first);
		push(e, second);
		return true;
	case OP_ROT: rotate(e); return true;
	default: return false;
	}
}

static void carry_out(struct evaluation *e, uint8_t op)
{
	struct cfi_cursor *c = &e->c;
	uint64_t value;
	switch (op) {
	case OP_DEREF: dereference(e, 8); break;
	case OP_DEREF_SIZE: dereference(e, cfi_fixed(c, 1)); break;
	case OP_ABS: value = pop(e); push(e, (int64_t)value < 0 ? -value : value); break;
	case OP_NEG: push(e, -pop(e)); break;
	case OP_NOT: push(e, ~pop(e)); break;
	case OP_PLUS_UCONST: value = pop(e); push(e, value + cfi_uleb(c)); break;
	case OP_BRA: branch(e, pop(e) != 0); break;
	case OP_SKIP: branch(e, true); break;
	case OP_REGX: push_register(e, cfi_uleb(c), 0); break;
	case OP_BREGX: value = cfi_uleb(c); push_register(e, value, cfi_sleb(c)); break;
	case OP_NOP: break;
	case OP_STACK_VALUE: c->at = c->end; break;
	case OP_AND: case OP_OR: case OP_XOR: case OP_PLUS: case OP_MINUS: case OP_MUL: case OP_DIV: case OP_MOD:
	case OP_SHL: case OP_SHR: case OP_SHRA: case OP_EQ: case OP_GE: case OP_GT: case OP_LE: case OP_LT: case OP_NE:
		binary(e, op);
		break;
	default:
		if (op >= OP_LIT0 && op < OP_LIT0 + 32)
			push(e, (uint64_t)(op - OP_LIT0));
		else if (op >= OP_REG0 && op < OP_REG0 + 32)
			push_register(e, (uint64_t)(op - OP_REG0), 0);
		else if (op >= OP_BREG0 && op < OP_BREG0 + 32)
			push_register(e, (uint64_t)(op - OP_BREG0), cfi_sleb(c));
		else if (!constant_or_stack(e, op))
			e->wrong = "it has an operation that is not known";
	}
}

int cfi_expression(struct cfi *cfi, const struct cfi_rule *rule, bool has_first, uint64_t first,
		   const struct cfi_world *world, uint64_t *value, struct err *err)
{
	struct elf_view view;
	struct cfi_section section = rule->reg ? cfi_debug_section(cfi) : cfi_eh_section(cfi);
	struct evaluation e = { .section = &section, .world = world, .start = rule->at, .depth = 0 };

	elf_view_init(&view, section.source, &cfi->image->bytes_read);
	e.c = (struct cfi_cursor){ .view = &view, .at = rule->at, .end = rule->at + rule->size };
	if (has_first)
		push(&e, first);
	for (unsigned steps = 0; e.c.at < e.c.end && !e.c.bad && !e.wrong; steps++) {
		if (steps == STEPS_MAX)
			e.wrong = "it does not end";
		else
			carry_out(&e, (uint8_t)cfi_fixed(&e.c, 1));
	}
	*value = e.c.bad || e.wrong ? 0 : pop(&e);
	if (e.c.bad)
		e.wrong = "it is cut";
	if (e.wrong)
		return err_set(err, ERR_FAILED, 0, "an expression of the unwind table fails: %s", e.wrong);
	return 0;
}
