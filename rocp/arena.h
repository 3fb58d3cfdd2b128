/* SPDX-License-Identifier: MIT */
/* Pieces of memory that live and die together.  The head is a void * that begins as NULL. */
#ifndef ROCLATCH_ROCP_ARENA_H
#define ROCLATCH_ROCP_ARENA_H

#include "elf/err.h"
#include "rocp/request.h"

/* Zeroed; NULL with err when there is none. */
void *arena_take(void **arena, size_t size, struct err *err);
/* The first `length` bytes of text, ended with a NUL. */
char *arena_text(void **arena, const char *text, size_t length, struct err *err);
char *arena_print(void **arena, struct err *err, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
void arena_free(void **arena);

/* Words whose array lies in an arena.  The word is not copied. */
int words_add(void **arena, struct words *words, const char *word, struct err *err);
char *words_join(void **arena, const struct words *words, const char *separator, struct err *err);
bool words_equal(const struct words *a, const struct words *b);

#endif
