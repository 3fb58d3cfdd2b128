/* SPDX-License-Identifier: MIT */
/* Texts that live as long as a recording, each kept once; and numbers that lead to places in arrays. */
#ifndef ROCLATCH_ROCP_TRACE_TEXTS_H
#define ROCLATCH_ROCP_TRACE_TEXTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "elf/err.h"

struct texts {
	struct text_chunk *chunk;       /* the newest first */
	const char **slot;              /* open addressing; NULL: free */
	size_t n, room;
};

/* The same text gives the same pointer.  NULL with err: no memory. */
const char *texts_keep(struct texts *texts, const char *text, size_t length, struct err *err);
const char *texts_print(struct texts *texts, struct err *err, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
void texts_free(struct texts *texts);
uint64_t text_hash(const char *text, size_t length);

#define INDEX_NONE SIZE_MAX
struct index {
	struct index_slot *slot;
	size_t n, room;
};

size_t index_get(const struct index *index, uint64_t key);     /* INDEX_NONE: not there */
int index_put(struct index *index, uint64_t key, size_t place, struct err *err);       /* the last counts */
/* The next key from *at on, which begins as 0, in no order. */
bool index_each(const struct index *index, size_t *at, uint64_t *key);
void index_free(struct index *index);

/* One more element, zeroed, behind the *n of the array that *array points to; NULL with err.
 * The room doubles at each power of two, so that it need not be kept. */
void *array_add(void *array, size_t *n, size_t size, struct err *err);

#endif
