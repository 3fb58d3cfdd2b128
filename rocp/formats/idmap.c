/* SPDX-License-Identifier: MIT */
#include "rocp/formats/idmap.h"

#include <stdlib.h>
#include <string.h>

#include "rocp/trace/texts.h"

#define FREE_SLOT UINT64_MAX

static uint64_t scatter(uint64_t n)
{
	n = (n ^ n >> 31) * 0x9e3779b97f4a7c15u;
	return n ^ n >> 29;
}

uint64_t idmap_mix(uint64_t a, uint64_t b)
{
	return scatter(scatter(a) + b) & INT64_MAX;
}

/* Not the one above: keys come from recordings, and who makes one could make them all meet. */
static size_t home(const struct idmap *map, uint64_t key)
{
	return text_hash((const char *)&key, sizeof key) & (map->room - 1);
}

static struct idmap_slot *find(const struct idmap *map, uint64_t key)
{
	size_t at = home(map, key);
	while (map->slot[at].key != key && map->slot[at].key != FREE_SLOT)
		at = (at + 1) & (map->room - 1);
	return &map->slot[at];
}

bool idmap_get(const struct idmap *map, uint64_t key, uint64_t *value)
{
	if (key == FREE_SLOT) {
		*value = map->last;
		return map->has_last;
	}
	const struct idmap_slot *slot = map->room ? find(map, key) : NULL;
	if (!slot || slot->key != key)
		return false;
	*value = slot->value;
	return true;
}

static int grow(struct idmap *map)
{
	struct idmap bigger = *map;
	bigger.room = map->room ? 2 * map->room : 64;
	bigger.slot = malloc(bigger.room * sizeof *bigger.slot);
	if (!bigger.slot)
		return -1;
	memset(bigger.slot, 0xff, bigger.room * sizeof *bigger.slot);
	for (size_t i = 0; i < map->room; i++)
		if (map->slot[i].key != FREE_SLOT)
			*find(&bigger, map->slot[i].key) = map->slot[i];
	free(map->slot);
	*map = bigger;
	return 0;
}

int idmap_set(struct idmap *map, uint64_t key, uint64_t value)
{
	if (key == FREE_SLOT) {
		map->has_last = true;
		map->last = value;
		return 0;
	}
	if (4 * (map->used + 1) > 3 * map->room && grow(map) < 0)
		return -1;
	struct idmap_slot *slot = find(map, key);
	map->used += slot->key != key;
	*slot = (struct idmap_slot){ key, value };
	return 0;
}

/* What was put further on because this slot was taken moves up, so that it is found again. */
void idmap_remove(struct idmap *map, uint64_t key)
{
	uint64_t value;
	if (key == FREE_SLOT)
		map->has_last = false;
	if (key == FREE_SLOT || !idmap_get(map, key, &value))
		return;
	size_t mask = map->room - 1, hole = (size_t)(find(map, key) - map->slot);
	for (size_t at = (hole + 1) & mask; map->slot[at].key != FREE_SLOT; at = (at + 1) & mask)
		if (((at - home(map, map->slot[at].key)) & mask) >= ((at - hole) & mask)) {
			map->slot[hole] = map->slot[at];
			hole = at;
		}
	map->slot[hole].key = FREE_SLOT;
	map->used--;
}

void idmap_free(struct idmap *map)
{
	free(map->slot);
	*map = (struct idmap){ 0 };
}

static int keep(struct textmap *map, const char *text, uint64_t key)
{
	if (map->texts == map->room) {
		size_t room = map->room ? 2 * map->room : 64;
		const char **more = realloc(map->text, room * sizeof *more);
		if (!more)
			return -1;
		map->text = more;
		map->room = room;
	}
	map->text[map->texts++] = text;
	return idmap_set(&map->by_content, key, map->texts);
}

/* Where its number is or would be. */
static uint64_t key_of(const struct textmap *map, const char *text)
{
	uint64_t number, key = text_hash(text, strlen(text)) & INT64_MAX;
	while (idmap_get(&map->by_content, key, &number) && strcmp(map->text[number - 1], text) != 0)
		key = (key + 1) & INT64_MAX;
	return key;
}

uint64_t textmap_number(struct textmap *map, const char *text, bool *is_new)
{
	uint64_t number;
	*is_new = false;
	if (idmap_get(&map->by_pointer, (uintptr_t)text, &number))
		return number;
	uint64_t key = key_of(map, text);
	if (!idmap_get(&map->by_content, key, &number)) {
		if (keep(map, text, key) < 0)
			return 0;
		number = map->texts;
		*is_new = true;
	}
	return idmap_set(&map->by_pointer, (uintptr_t)text, number) < 0 ? 0 : number;
}

uint64_t textmap_find(const struct textmap *map, const char *text)
{
	uint64_t number = 0;
	if (!idmap_get(&map->by_pointer, (uintptr_t)text, &number))
		idmap_get(&map->by_content, key_of(map, text), &number);
	return number;
}

void textmap_free(struct textmap *map)
{
	idmap_free(&map->by_pointer);
	idmap_free(&map->by_content);
	free(map->text);
	*map = (struct textmap){ 0 };
}
