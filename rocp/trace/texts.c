/* SPDX-License-Identifier: MIT */
#include "rocp/trace/texts.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK (64u << 10)

struct text_chunk {
	struct text_chunk *next;
	size_t used, size;
	char data[];
};

struct index_slot { uint64_t key; size_t place; };

static int no_memory(struct err *err)
{
	return err_set(err, ERR_FAILED, ENOMEM, "keep what a recording says");
}

/* The address of a function differs from run to run: who makes a recording cannot know which keys collide. */
static uint64_t seed(void)
{
	return (uint64_t)(uintptr_t)seed;
}

static uint64_t mix(uint64_t value)
{
	value *= 0x9e3779b97f4a7c15u;
	return value ^ value >> 29;
}

uint64_t text_hash(const char *text, size_t length)
{
	uint64_t hash = seed() ^ length, word;
	for (; length >= 8; text += 8, length -= 8) {
		memcpy(&word, text, 8);
		hash = mix(hash ^ word);
	}
	word = 0;
	memcpy(&word, text, length);
	return mix(mix(hash ^ word) + 1);
}

static char *chunk_take(struct texts *texts, size_t size, struct err *err)
{
	struct text_chunk *chunk = texts->chunk;
	if (!chunk || chunk->size - chunk->used < size) {
		size_t room = size > CHUNK ? size : CHUNK;
		chunk = malloc(sizeof *chunk + room);
		if (!chunk) {
			no_memory(err);
			return NULL;
		}
		*chunk = (struct text_chunk){ .next = texts->chunk, .size = room };
		texts->chunk = chunk;
	}
	chunk->used += size;
	return chunk->data + chunk->used - size;
}

static int texts_grow(struct texts *texts, struct err *err)
{
	size_t room = texts->room ? 2 * texts->room : 256;
	const char **slot = calloc(room, sizeof *slot);
	if (!slot)
		return no_memory(err);
	for (size_t i = 0; i < texts->room; i++) {
		const char *text = texts->slot[i];
		if (!text)
			continue;
		size_t at = text_hash(text, strlen(text)) & (room - 1);
		while (slot[at])
			at = (at + 1) & (room - 1);
		slot[at] = text;
	}
	free(texts->slot);
	texts->slot = slot;
	texts->room = room;
	return 0;
}

const char *texts_keep(struct texts *texts, const char *text, size_t length, struct err *err)
{
	if (texts->n + 1 > texts->room / 4 * 3 && texts_grow(texts, err) < 0)
		return NULL;
	size_t at = text_hash(text, length) & (texts->room - 1);
	for (; texts->slot[at]; at = (at + 1) & (texts->room - 1))
		if (!strncmp(texts->slot[at], text, length) && !texts->slot[at][length])
			return texts->slot[at];
	char *copy = chunk_take(texts, length + 1, err);
	if (!copy)
		return NULL;
	memcpy(copy, text, length);
	copy[length] = '\0';
	texts->n++;
	return texts->slot[at] = copy;
}

const char *texts_print(struct texts *texts, struct err *err, const char *fmt, ...)
{
	char text[512];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	return texts_keep(texts, text, strlen(text), err);
}

void texts_free(struct texts *texts)
{
	while (texts->chunk) {
		struct text_chunk *next = texts->chunk->next;
		free(texts->chunk);
		texts->chunk = next;
	}
	free(texts->slot);
	*texts = (struct texts){ .n = 0 };
}

/* The slot of a key, or the free one where it would be. */
static struct index_slot *index_find(const struct index *index, uint64_t key)
{
	size_t at = mix(key ^ seed()) & (index->room - 1);
	/* NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult): all slots are set when they are made */
	while (index->slot[at].place != INDEX_NONE && index->slot[at].key != key)
		at = (at + 1) & (index->room - 1);
	return &index->slot[at];
}

size_t index_get(const struct index *index, uint64_t key)
{
	return index->room ? index_find(index, key)->place : INDEX_NONE;
}

static int index_grow(struct index *index, struct err *err)
{
	struct index larger = { .n = index->n, .room = index->room ? 2 * index->room : 64 };
	larger.slot = malloc(larger.room * sizeof *larger.slot);
	if (!larger.slot)
		return no_memory(err);
	for (size_t i = 0; i < larger.room; i++)
		larger.slot[i].place = INDEX_NONE;
	for (size_t i = 0; i < index->room; i++)
		if (index->slot[i].place != INDEX_NONE)
			*index_find(&larger, index->slot[i].key) = index->slot[i];
	free(index->slot);
	*index = larger;
	return 0;
}

int index_put(struct index *index, uint64_t key, size_t place, struct err *err)
{
	if (index->n + 1 > index->room / 4 * 3 && index_grow(index, err) < 0)
		return -1;
	struct index_slot *slot = index_find(index, key);
	index->n += slot->place == INDEX_NONE;
	*slot = (struct index_slot){ key, place };
	return 0;
}

bool index_each(const struct index *index, size_t *at, uint64_t *key)
{
	while (*at < index->room) {
		const struct index_slot *slot = &index->slot[(*at)++];
		if (slot->place != INDEX_NONE) {
			*key = slot->key;
			return true;
		}
	}
	return false;
}

void index_free(struct index *index)
{
	free(index->slot);
	*index = (struct index){ .n = 0 };
}

void *array_add(void *array, size_t *n, size_t size, struct err *err)
{
	unsigned char *data;
	memcpy(&data, array, sizeof data);
	if (!(*n & (*n - 1))) {
		data = reallocarray(data, *n ? 2 * *n : 1, size);
		if (!data) {
			no_memory(err);
			return NULL;
		}
		memcpy(array, &data, sizeof data);
	}
	return memset(data + (*n)++ * size, 0, size);
}
