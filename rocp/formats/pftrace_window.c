/* SPDX-License-Identifier: MIT */
/*
 * Records come when calls end, so what encloses comes after what is enclosed.
 * A window over them puts them into the order of their beginnings: of two that
 * begin together, the longer first.
 */
#include <stdlib.h>

#include "rocp/formats/pftrace_parts.h"

int window_open(struct window *window, struct err *err)
{
	*window = (struct window){
		.event = malloc(WINDOW * sizeof *window->event), .heap = malloc(WINDOW * sizeof *window->heap),
		.free_slot = malloc(WINDOW * sizeof *window->free_slot),
	};
	if (!window->event || !window->heap || !window->free_slot)
		return pf_no_memory(err);
	for (uint32_t i = 0; i < WINDOW; i++)
		window->free_slot[window->frees++] = WINDOW - 1 - i;
	return 0;
}

void window_close(struct window *window)
{
	free(window->event);
	free(window->heap);
	free(window->free_slot);
	*window = (struct window){ .event = NULL };
}

static bool before(const struct waiting *a, const struct waiting *b)
{
	return a->start != b->start ? a->start < b->start : a->end > b->end;
}

bool window_full(const struct window *window)
{
	return window->frees == 0;
}

void window_add(struct window *window, const struct event *event)
{
	uint32_t slot = window->free_slot[--window->frees];
	window->event[slot] = *event;
	struct waiting fresh = { event->start, event->end, slot };
	size_t at = window->used++;
	for (; at && before(&fresh, &window->heap[(at - 1) / 2]); at = (at - 1) / 2)
		window->heap[at] = window->heap[(at - 1) / 2];
	window->heap[at] = fresh;
}

bool window_take(struct window *window, struct event *event)
{
	if (!window->used)
		return false;
	uint32_t slot = window->heap[0].at;
	*event = window->event[slot];
	window->free_slot[window->frees++] = slot;
	struct waiting last = window->heap[--window->used];
	size_t at = 0, below;
	while ((below = 2 * at + 1) < window->used) {
		if (below + 1 < window->used && before(&window->heap[below + 1], &window->heap[below]))
			below++;
		if (!before(&window->heap[below], &last))
			break;
		window->heap[at] = window->heap[below];
		at = below;
	}
	window->heap[at] = last;
	return true;
}
