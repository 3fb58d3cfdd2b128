/* SPDX-License-Identifier: MIT */
/* A place in a text of known end.  What /proc says is read with it, word by
 * word; nothing is assumed to end in NUL. */
#ifndef ROCLATCH_INJECT_CURSOR_H
#define ROCLATCH_INJECT_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct cursor {
	const char *at, *end;
};

static inline bool cursor_more(const struct cursor *c)
{
	return c->at < c->end;
}

/* Step over `ch` if it is next. */
static inline bool cursor_take(struct cursor *c, char ch)
{
	if (c->at == c->end || *c->at != ch)
		return false;
	c->at++;
	return true;
}

static inline void cursor_blanks(struct cursor *c)
{
	while (c->at < c->end && (*c->at == ' ' || *c->at == '\t'))
		c->at++;
}

/* Cut the next line off (without its newline). */
static inline struct cursor cursor_line(struct cursor *c)
{
	const char *newline = memchr(c->at, '\n', (size_t)(c->end - c->at));
	struct cursor line = {c->at, newline ? newline : c->end};
	c->at = newline ? newline + 1 : c->end;
	return line;
}

/* With how many bytes both begin; musl's memcmp takes one at a time. */
size_t cursor_common(const char *a, const char *b, size_t most);
static inline bool cursor_same_eight(const char *a, const char *b)
{
	uint64_t x, y;
	memcpy(&x, a, sizeof x);
	memcpy(&y, b, sizeof y);
	return x == y;
}

/* A number without sign in base 8, 10 or 16; false if there is none or it does
 * not fit. */
bool cursor_number(struct cursor *c, unsigned base, uint64_t *value);

/* The value of a digit and one; 0 for what is none.  The mappings of a large process have tens of thousands of digits, in
 * no order that a CPU could foresee: a table knows their kinds without branches. */
extern const unsigned char cursor_digits[256];

/* A decimal number that may be negative. */
bool cursor_signed(struct cursor *c, int64_t *value);

#endif
