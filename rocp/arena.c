/* SPDX-License-Identifier: MIT */
#include "rocp/arena.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

struct piece {
	struct piece *next;
	max_align_t data[];
};

void *arena_take(void **arena, size_t size, struct err *err)
{
	struct piece *piece = calloc(1, sizeof *piece + size);
	if (!piece) {
		err_set(err, ERR_FAILED, ENOMEM, "read what is asked for");
		return NULL;
	}
	piece->next = *arena;
	*arena = piece;
	return piece->data;
}

char *arena_text(void **arena, const char *text, size_t length, struct err *err)
{
	char *copy = arena_take(arena, length + 1, err);
	if (copy)
		memcpy(copy, text, length);
	return copy;
}

char *arena_print(void **arena, struct err *err, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	int length = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	char *text = length < 0 ? NULL : arena_take(arena, (size_t)length + 1, err);
	if (!text)
		return NULL;
	va_start(ap, fmt);
	vsnprintf(text, (size_t)length + 1, fmt, ap);
	va_end(ap);
	return text;
}

void arena_free(void **arena)
{
	struct piece *piece = *arena;
	while (piece) {
		struct piece *next = piece->next;
		free(piece);
		piece = next;
	}
	*arena = NULL;
}

/* The room doubles at each power of two, so that it need not be kept. */
int words_add(void **arena, struct words *words, const char *word, struct err *err)
{
	if (!word)
		return -1;
	if (!(words->n & (words->n - 1))) {
		char **v = arena_take(arena, (words->n ? 2 * words->n : 1) * sizeof *v, err);
		if (!v)
			return -1;
		if (words->n)
			memcpy(v, words->v, words->n * sizeof *v);
		words->v = v;
	}
	words->v[words->n++] = (char *)(uintptr_t)word;
	return 0;
}

char *words_join(void **arena, const struct words *words, const char *separator, struct err *err)
{
	size_t size = 1, between = strlen(separator);
	for (size_t i = 0; i < words->n; i++)
		size += strlen(words->v[i]) + between;
	char *text = arena_take(arena, size, err);
	if (!text)
		return NULL;
	char *at = text;
	for (size_t i = 0; i < words->n; i++) {
		if (i)
			at = stpcpy(at, separator);
		at = stpcpy(at, words->v[i]);
	}
	return text;
}

bool words_equal(const struct words *a, const struct words *b)
{
	if (a->n != b->n)
		return false;
	for (size_t i = 0; i < a->n; i++)
		if (strcmp(a->v[i], b->v[i]))
			return false;
	return true;
}
