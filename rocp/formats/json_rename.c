/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdlib.h>

#include "rocp/formats/json_parts.h"

static size_t slot_of(const struct renames *renames, const char *text)
{
	uint64_t hash = (uint64_t)(uintptr_t)text * 0x9e3779b97f4a7c15u;
	size_t at = (size_t)(hash >> 32) & (renames->slots - 1);
	while (renames->slot[at] && renames->text[renames->slot[at] - 1] != text)
		at = (at + 1) & (renames->slots - 1);
	return at;
}

static int grow(struct renames *renames, struct err *err)
{
	size_t room = renames->room ? 2 * renames->room : 64;
	const char **text = realloc(renames->text, room * sizeof *text);
	if (text)
		renames->text = text;
	uint32_t *slot = calloc(2 * room, sizeof *slot);
	if (!text || !slot) {
		free(slot);
		return err_set(err, ERR_FAILED, ENOMEM, "number the names of kernels");
	}
	free(renames->slot);
	renames->slot = slot;
	renames->slots = 2 * room;
	renames->room = room;
	for (size_t i = 0; i < renames->n; i++)
		slot[slot_of(renames, renames->text[i])] = (uint32_t)i + 1;
	return 0;
}

/* Texts live as long as the trace, so that an address stands for one. */
int renames_add(struct renames *renames, const char *text, struct err *err)
{
	if (renames->n == renames->room && grow(renames, err) < 0)
		return -1;
	size_t at = slot_of(renames, text);
	if (!renames->slot[at]) {
		renames->text[renames->n++] = text;
		renames->slot[at] = (uint32_t)renames->n;
	}
	return 0;
}

uint64_t renames_number(const struct renames *renames, const char *text)
{
	return renames->n ? renames->slot[slot_of(renames, text)] : 0;
}

void renames_free(struct renames *renames)
{
	free(renames->text);
	free(renames->slot);
}
