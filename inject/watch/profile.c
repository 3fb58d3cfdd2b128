/* SPDX-License-Identifier: MIT */
/* Threads, sums and stretches of time. */
#include "inject/watch/profile.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "inject/watch/profile_index.h"

int profile_init(struct profile *profile, struct err *err)
{
	*profile = (struct profile){ 0 };
	profile->index = calloc(1, sizeof *profile->index);
	return profile->index ? 0 : err_set(err, ERR_FAILED, ENOMEM, "keep what is sampled");
}

void profile_free(struct profile *profile)
{
	struct profile_index *index = profile->index;
	if (index) {
		free(index->nodes.slots);
		free(index->places.slots);
		free(index->buckets.slots);
		free(index->threads.slots);
		free(index->last);
	}
	free(index);
	free(profile->nodes);
	free(profile->places);
	free(profile->threads);
	free(profile->buckets);
	free(profile->stretches);
	*profile = (struct profile){ 0 };
}

static bool same_thread(const struct profile *profile, uint32_t i, const void *key)
{
	return profile->threads[i].tid == *(const pid_t *)key;
}

static uint64_t thread_hash(const struct profile *profile, uint32_t i)
{
	return hash_mix(0, (uint64_t)profile->threads[i].tid);
}

static const struct hash_kind threads = { same_thread, thread_hash };

static int last_room(struct profile_index *index, size_t n)
{
	if (n < index->last_room)
		return 0;
	size_t room = index->last_room ? index->last_room * 2 : 64;
	uint32_t *larger = realloc(index->last, room * sizeof *larger);
	if (!larger)
		return -1;
	index->last = larger;
	index->last_room = room;
	return 0;
}

static uint32_t add_thread(struct profile *profile, pid_t tid)
{
	struct profile_index *index = profile->index;
	size_t n = profile->threads_n;
	if (n >= NO_STACK - 1 || last_room(index, n) < 0 ||
	    profile_room((void **)&profile->threads, n, &profile->threads_room, sizeof *profile->threads) < 0)
		return NO_STACK;
	profile->threads[n] = (struct watched_thread){ .tid = tid, .first_ns = UINT64_MAX };
	index->last[n] = NO_STACK;
	if (hash_add(&index->threads, profile, &threads, (uint32_t)n) < 0)
		return NO_STACK;
	profile->threads_n++;
	return (uint32_t)n;
}

uint32_t profile_thread(struct profile *profile, pid_t tid, const char *name)
{
	uint32_t found = hash_find(&profile->index->threads, profile, &threads, hash_mix(0, (uint64_t)tid), &tid);
	if (found == NO_STACK)
		found = add_thread(profile, tid);
	if (found != NO_STACK)
		snprintf(profile->threads[found].name, sizeof profile->threads[found].name, "%s", name);
	return found;
}

static uint64_t hash_bucket(const struct bucket *bucket)
{
	return hash_mix(hash_mix(hash_mix(0, (uint64_t)bucket->thread << 32 | bucket->stack), bucket->state),
			(uint32_t)bucket->call);
}

static bool same_bucket(const struct profile *profile, uint32_t i, const void *key)
{
	const struct bucket *a = &profile->buckets[i], *b = key;
	return a->thread == b->thread && a->stack == b->stack && a->state == b->state && a->call == b->call;
}

static uint64_t bucket_hash(const struct profile *profile, uint32_t i)
{
	return hash_bucket(&profile->buckets[i]);
}

static const struct hash_kind buckets = { same_bucket, bucket_hash };

static int add_bucket(struct profile *profile, const struct bucket *key)
{
	struct hash_table *table = &profile->index->buckets;
	uint32_t found = hash_find(table, profile, &buckets, hash_bucket(key), key);
	if (found != NO_STACK) {
		profile->buckets[found].samples += key->samples;
		return 0;
	}
	if (profile_room((void **)&profile->buckets, profile->buckets_n, &profile->buckets_room, sizeof *key) < 0)
		return -1;
	profile->buckets[profile->buckets_n] = *key;
	if (hash_add(table, profile, &buckets, (uint32_t)profile->buckets_n) < 0)
		return -1;
	profile->buckets_n++;
	return 0;
}

/* The last stretch goes on if nothing has changed; else a new one begins. */
static int add_stretch(struct profile *profile, const struct bucket *key, uint64_t time_ns)
{
	uint32_t *last = &profile->index->last[key->thread];
	struct stretch *s = *last == NO_STACK ? NULL : &profile->stretches[*last];
	if (s && s->state == key->state && s->call == key->call && s->stack == key->stack) {
		s->to_ns = time_ns;
		s->samples += (uint32_t)key->samples;
		return 0;
	}
	if (profile->stretches_n >= PROFILE_STRETCHES_MAX) {
		profile->stretches_cut = true;
		*last = NO_STACK;
		return 0;
	}
	if (profile_room((void **)&profile->stretches, profile->stretches_n, &profile->stretches_room, sizeof *s) < 0)
		return -1;
	*last = (uint32_t)profile->stretches_n++;
	profile->stretches[*last] = (struct stretch){
		.from_ns = time_ns, .to_ns = time_ns, .thread = key->thread, .stack = key->stack,
		.state = key->state, .call = key->call, .samples = (uint32_t)key->samples,
	};
	return 0;
}

int profile_add(struct profile *profile, uint32_t thread, enum task_state state, int32_t call,
		uint32_t stack, uint64_t time_ns, uint64_t weight)
{
	if (thread >= profile->threads_n || (unsigned)state >= TASK_STATES)
		return -1;
	struct watched_thread *watched = &profile->threads[thread];
	const struct bucket key = {
		.thread = thread, .stack = stack, .state = (uint8_t)state, .call = call, .samples = weight,
	};
	if (watched->first_ns == UINT64_MAX)
		watched->first_ns = time_ns;
	watched->last_ns = time_ns;
	watched->in_state[state] += weight;
	profile->samples += weight;
	if (add_bucket(profile, &key) < 0)
		return -1;
	return add_stretch(profile, &key, time_ns);
}

/* A stretch can be changed as a whole only. */
static void move_stretch(struct profile *profile, const struct bucket *from, const struct bucket *to, uint64_t samples)
{
	uint32_t last = profile->index->last[from->thread];
	struct stretch *s = last == NO_STACK ? NULL : &profile->stretches[last];
	if (!s || s->state != from->state || s->stack != from->stack || s->call != from->call || s->samples > samples)
		return;
	s->state = to->state;
	s->stack = to->stack;
	s->call = to->call;
}

uint64_t profile_move(struct profile *profile, const struct bucket *from, const struct bucket *to)
{
	uint32_t found = hash_find(&profile->index->buckets, profile, &buckets, hash_bucket(from), from);
	uint64_t has = found == NO_STACK ? 0 : profile->buckets[found].samples;
	struct bucket moved = *to;
	moved.samples = from->samples < has ? from->samples : has;
	if (!moved.samples || add_bucket(profile, &moved) < 0)
		return 0;
	profile->buckets[found].samples -= moved.samples;
	profile->threads[from->thread].in_state[from->state] -= moved.samples;
	profile->threads[from->thread].in_state[to->state] += moved.samples;
	move_stretch(profile, from, to, moved.samples);
	return moved.samples;
}
