/* SPDX-License-Identifier: MIT */
#include "inject/watch/profile_index.h"

#include <stdlib.h>

uint32_t hash_find(const struct hash_table *table, const struct profile *profile, const struct hash_kind *kind,
		   uint64_t hash, const void *key)
{
	if (!table->size)
		return NO_STACK;
	for (size_t at = hash & (table->size - 1);; at = (at + 1) & (table->size - 1)) {
		if (!table->slots[at])
			return NO_STACK;
		if (kind->same(profile, table->slots[at] - 1, key))
			return table->slots[at] - 1;
	}
}

static void put(struct hash_table *table, uint64_t hash, uint32_t slot)
{
	size_t at = hash & (table->size - 1);
	while (table->slots[at])
		at = (at + 1) & (table->size - 1);
	table->slots[at] = slot;
}

static int grow(struct hash_table *table, const struct profile *profile, const struct hash_kind *kind)
{
	struct hash_table larger = { .size = table->size ? table->size * 2 : 64, .used = table->used };
	larger.slots = calloc(larger.size, sizeof *larger.slots);
	if (!larger.slots)
		return -1;
	for (size_t i = 0; i < table->size; i++)
		if (table->slots[i])
			put(&larger, kind->hash(profile, table->slots[i] - 1), table->slots[i]);
	free(table->slots);
	*table = larger;
	return 0;
}

int hash_add(struct hash_table *table, const struct profile *profile, const struct hash_kind *kind, uint32_t i)
{
	if (table->used * 4 >= table->size * 3 && grow(table, profile, kind) < 0)
		return -1;
	put(table, kind->hash(profile, i), i + 1);
	table->used++;
	return 0;
}

int profile_room(void **v, size_t n, size_t *room, size_t size)
{
	if (n < *room)
		return 0;
	size_t wanted = *room ? *room + *room / 2 : 32;
	void *larger = realloc(*v, wanted * size);
	if (!larger)
		return -1;
	*v = larger;
	*room = wanted;
	return 0;
}
