/* SPDX-License-Identifier: MIT */
/* What the target's code says: where calls are, and where they lead. */
#include <string.h>

#include "inject/watch/unwind_parts.h"

#define JUMPS_MAX 4             /* a stub that leads to a thunk that leads ... */
#define PROLOGUE_MAX 16384

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

bool code_is_call(struct unwinder *u, raddr after, raddr *target)
{
	uint8_t bytes[UNWIND_CALL_MAX];
	*target = 0;
	if (after < sizeof bytes || !is_code(u, after - 1) || code_read(u, after - sizeof bytes, bytes, sizeof bytes) < sizeof bytes ||
	    !arch_unwind_is_call(bytes, sizeof bytes, after, target))
		return false;
	uint64_t slot = *target ? 0 : arch_unwind_call_slot(bytes, sizeof bytes, after);
	if (slot)
		*target = word_at(u, slot);
	return true;
}

int64_t code_depth(struct unwinder *u, raddr start, raddr pc)
{
	uint8_t code[PROLOGUE_MAX];
	uint64_t depth;
	if (!start || pc < start || pc - start > sizeof code)
		return -1;
	size_t size = code_read(u, start, code, pc - start);
	return arch_unwind_depth(code, size, &depth) ? (int64_t)depth : -1;
}
