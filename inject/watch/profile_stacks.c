/* SPDX-License-Identifier: MIT */
/* Stacks as paths in one tree, each path kept once. */
#include <string.h>

#include "inject/watch/profile_index.h"

static uint64_t hash_place(raddr pc, bool exact, uint8_t end)
{
	return hash_mix(hash_mix(0, pc), (uint64_t)exact << 8 | end);
}

static bool same_place(const struct profile *profile, uint32_t i, const void *key)
{
	const struct place *a = &profile->places[i], *b = key;
	return a->pc == b->pc && a->exact == b->exact && a->end == b->end;
}

static uint64_t place_hash(const struct profile *profile, uint32_t i)
{
	const struct place *place = &profile->places[i];
	return hash_place(place->pc, place->exact, place->end);
}

static const struct hash_kind places = { same_place, place_hash };

static uint32_t place_of(struct profile *profile, raddr pc, bool exact, uint8_t end)
{
	const struct place key = { .pc = pc, .exact = exact, .end = end };
	struct hash_table *table = &profile->index->places;
	uint32_t found = hash_find(table, profile, &places, hash_place(pc, exact, end), &key);
	if (found != NO_STACK)
		return found;
	if (profile_room((void **)&profile->places, profile->places_n, &profile->places_room, sizeof key) < 0)
		return NO_STACK;
	profile->places[profile->places_n] = key;
	if (hash_add(table, profile, &places, (uint32_t)profile->places_n) < 0)
		return NO_STACK;
	return (uint32_t)profile->places_n++;
}

static uint64_t hash_node(const struct stack_node *node)
{
	return hash_mix(hash_mix(0, (uint64_t)node->parent << 32 | node->place), node->how);
}

static bool same_node(const struct profile *profile, uint32_t i, const void *key)
{
	const struct stack_node *a = &profile->nodes[i], *b = key;
	return a->parent == b->parent && a->place == b->place && a->how == b->how;
}

static uint64_t node_hash(const struct profile *profile, uint32_t i)
{
	return hash_node(&profile->nodes[i]);
}

static const struct hash_kind nodes = { same_node, node_hash };

static uint32_t node_of(struct profile *profile, uint32_t parent, uint32_t place, uint8_t how)
{
	const struct stack_node key = { .parent = parent, .place = place, .how = how };
	struct hash_table *table = &profile->index->nodes;
	if (place == NO_STACK)
		return NO_STACK;
	uint32_t found = hash_find(table, profile, &nodes, hash_node(&key), &key);
	if (found != NO_STACK)
		return found;
	if (profile->nodes_n >= PROFILE_NODES_MAX ||
	    profile_room((void **)&profile->nodes, profile->nodes_n, &profile->nodes_room, sizeof key) < 0)
		return NO_STACK;
	profile->nodes[profile->nodes_n] = key;
	if (hash_add(table, profile, &nodes, (uint32_t)profile->nodes_n) < 0)
		return NO_STACK;
	return (uint32_t)profile->nodes_n++;
}

uint32_t profile_stack(struct profile *profile, const struct frames *frames)
{
	uint32_t node = NO_STACK;
	if (frames->n && frames->end != END_OUTERMOST) {
		node = node_of(profile, NO_STACK, place_of(profile, 0, true, (uint8_t)(frames->end + 1)), FRAME_TOP);
		if (node == NO_STACK)
			return NO_STACK;
	}
	for (size_t i = frames->n; i-- > 0;) {
		const struct frame *frame = &frames->v[i];
		node = node_of(profile, node, place_of(profile, frame->pc, frame->exact, 0), frame->how);
		if (node == NO_STACK)
			return NO_STACK;
	}
	return node;
}
