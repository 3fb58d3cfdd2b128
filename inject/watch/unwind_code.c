/* SPDX-License-Identifier: MIT */
/* What the target's code says: where calls are, and where they lead. */
#include <string.h>

#include "inject/watch/unwind_parts.h"

#define JUMPS_MAX 4             /* a stub that leads to a thunk that leads ... */
#define FUNCTION_MAX 16384

bool is_code(const struct unwinder *u, raddr addr)
{
	const struct mapping *m = maps_at(&u->images->maps, addr);
	return m && m->x;
}

static const uint8_t *page_of(struct unwinder *u, raddr addr)
{
	raddr at = addr & ~(raddr)(CODE_PAGE - 1);
	struct code_page *page = &u->pages[at / CODE_PAGE % CODE_PAGES];
	if (page->at == at && at)
		return page->bytes;
	page->at = 0;
	if (!at || memory_read(&u->images->target->memory, at, page->bytes, CODE_PAGE, NULL) < 0)
		return NULL;
	page->at = at;
	return page->bytes;
}

size_t code_read(struct unwinder *u, raddr at, void *buf, size_t size)
{
	size_t done = 0;
	while (done < size) {
		const uint8_t *page = page_of(u, at + done);
		size_t into = (at + done) % CODE_PAGE, part = CODE_PAGE - into;
		if (!page)
			break;
		if (part > size - done)
			part = size - done;
		memcpy((uint8_t *)buf + done, page + into, part);
		done += part;
	}
	return done;
}

/* Data may change, so it is not kept. */
static raddr word_at(struct unwinder *u, raddr slot)
{
	uint64_t value;
	return memory_read(&u->images->target->memory, slot, &value, sizeof value, NULL) < 0 ? 0 : value;
}

raddr code_resolve(struct unwinder *u, raddr at)
{
	for (int i = 0; i < JUMPS_MAX && at; i++) {
		uint8_t code[24];
		uint64_t target, slot;
		size_t size = code_read(u, at, code, sizeof code);
		if (!arch_unwind_is_jump(code, size, at, &target, &slot))
			break;
		at = slot ? word_at(u, slot) : target;
	}
	return at;
}

static bool spend(struct unwinder *u, unsigned cost)
{
	if (u->budget < cost)
		return false;
	u->budget -= cost;
	return true;
}

bool code_is_call(struct unwinder *u, raddr after, raddr *target)
{
	uint8_t bytes[UNWIND_CALL_MAX];
	*target = 0;
	if (after < sizeof bytes || !spend(u, 1) || !is_code(u, after - 1) ||
	    code_read(u, after - sizeof bytes, bytes, sizeof bytes) < sizeof bytes ||
	    !arch_unwind_is_call(bytes, sizeof bytes, after, target))
		return false;
	uint64_t slot = *target ? 0 : arch_unwind_call_slot(bytes, sizeof bytes, after);
	if (slot)
		*target = word_at(u, slot);
	return true;
}

bool code_is_return(struct unwinder *u, raddr ra, raddr *target)
{
	uint8_t code[16];
	return code_is_call(u, ra, target) ||
	       (is_code(u, ra) && spend(u, 1) && code_read(u, ra, code, sizeof code) == sizeof code && arch_unwind_is_sigreturn(code));
}

bool code_follow(struct unwinder *u, raddr start, raddr pc, struct unwind_entered *entered)
{
	uint8_t code[FUNCTION_MAX];
	if (!start || pc < start || pc - start > sizeof code || !spend(u, 1 + (unsigned)(pc - start) / 8))
		return false;
	return code_read(u, start, code, pc - start) == pc - start && arch_unwind_follow(code, pc - start, entered);
}

bool step_from_code(struct unwinder *u, raddr start, raddr pc, struct step *step)
{
	struct unwind_entered entered;
	int64_t entry = UNWIND_RA == UNWIND_PC ? 8 : 0;         /* the caller's sp is so far above it */
	step->code_known = code_follow(u, start, pc, &entered) && entered.depth + entry <= INT32_MAX;
	if (!step->code_known)
		return false;
	step->saved = 0;
	step->cfa_reg = UNWIND_SP;
	step->cfa_offset = (int32_t)(entered.depth + entry);
	step->ra_reg = UNWIND_RA;
	step->ra_saved = entry || entered.ra_at >= 0;
	step->ra_offset = (int32_t)(entry ? -entry : -entered.ra_at);
	if (entered.fp_at >= 0) {
		step->reg[0] = UNWIND_FP;
		step->offset[step->saved++] = (int32_t)(-entered.fp_at - entry);
	}
	/* Others may be anywhere. */
	step->lost = UNWIND_KEPT & ~(UINT64_C(1) << UNWIND_FP | UINT64_C(1) << UNWIND_SP);
	return true;
}
