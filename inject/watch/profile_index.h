/* SPDX-License-Identifier: MIT */
/* Finding again what a profile holds once: open addressing over the indexes of its arrays. */
#ifndef ROCLATCH_INJECT_WATCH_PROFILE_INDEX_H
#define ROCLATCH_INJECT_WATCH_PROFILE_INDEX_H

#include "inject/watch/profile.h"

struct hash_table {
	uint32_t *slots;        /* index + 1; 0: free */
	size_t size, used;      /* size is a power of two */
};

struct profile_index {
	struct hash_table nodes, places, buckets, threads;
	uint32_t *last;         /* of each thread: its last stretch, NO_STACK if none */
	size_t last_room;
};

static inline uint64_t hash_mix(uint64_t hash, uint64_t value)
{
	hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
	return hash ^ hash >> 29;
}

/* Does entry `i` of what is indexed equal `key`?  And its hash, when the table grows. */
struct hash_kind {
	bool (*same)(const struct profile *profile, uint32_t i, const void *key);
	uint64_t (*hash)(const struct profile *profile, uint32_t i);
};

/* The index of an entry that equals key, or NO_STACK. */
uint32_t hash_find(const struct hash_table *table, const struct profile *profile, const struct hash_kind *kind,
		   uint64_t hash, const void *key);
/* Entry `i` is new.  -1: no memory. */
int hash_add(struct hash_table *table, const struct profile *profile, const struct hash_kind *kind, uint32_t i);

/* Room for one more in an array; -1: no memory. */
int profile_room(void **v, size_t n, size_t *room, size_t size);

#endif
