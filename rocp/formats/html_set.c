/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "rocp/formats/html_parts.h"
#include "rocp/trace/texts.h"

static size_t item_size(const struct html_set *set)
{
	return set->size ? set->size : sizeof(char *);
}

static uint64_t hash_item(const struct html_set *set, const void *item)
{
	const char *text = set->size ? item : *(const char *const *)item;
	return text_hash(text, set->size ? set->size : strlen(text));
}

static bool same(const struct html_set *set, const void *a, const void *b)
{
	if (set->size)
		return !memcmp(a, b, set->size);
	const char *x = *(const char *const *)a, *y = *(const char *const *)b;
	return x == y || !strcmp(x, y);
}

/* The slot of the item, or the empty one where it belongs; a slot holds number + 1. */
static uint32_t *find(const struct html_set *set, const void *item)
{
	size_t at = hash_item(set, item) & (set->slots - 1);
	while (set->slot[at] && !same(set, item, set->item + (set->slot[at] - 1) * item_size(set)))
		at = (at + 1) & (set->slots - 1);
	return &set->slot[at];
}

bool html_set_has(const struct html_set *set, const void *item)
{
	return set->slots && *find(set, item);
}

static int grow(struct html_set *set, struct err *err)
{
	size_t room = set->room ? 2 * set->room : 64;
	unsigned char *item = realloc(set->item, room * item_size(set));
	if (item)
		set->item = item;
	uint32_t *slot = calloc(2 * room, sizeof *slot);
	if (!item || !slot) {
		free(slot);
		return err_set(err, ERR_FAILED, 0, "out of memory for the page");
	}
	free(set->slot);
	set->slot = slot;
	set->slots = 2 * room;
	set->room = room;
	for (size_t i = 0; i < set->n; i++)
		*find(set, set->item + i * item_size(set)) = (uint32_t)i + 1;
	return 0;
}

int html_set_add(struct html_set *set, const void *item, uint32_t *number, struct err *err)
{
	if (set->n == set->room && grow(set, err) < 0)
		return -1;
	uint32_t *slot = find(set, item);
	if (!*slot) {
		memcpy(set->item + set->n * item_size(set), item, item_size(set));
		*slot = (uint32_t)++set->n;
	}
	*number = *slot - 1;
	return 0;
}

void html_set_free(struct html_set *set)
{
	free(set->item);
	free(set->slot);
	set->item = NULL;
	set->slot = NULL;
	set->n = set->room = set->slots = 0;
}
