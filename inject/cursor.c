/* SPDX-License-Identifier: MIT */
#include "inject/cursor.h"

static unsigned digit_value(char ch)
{
	if (ch >= '0' && ch <= '9')
		return (unsigned)(ch - '0');
	if (ch >= 'a' && ch <= 'f')
		return (unsigned)(ch - 'a') + 10;
	if (ch >= 'A' && ch <= 'F')
		return (unsigned)(ch - 'A') + 10;
	return 255;
}

bool cursor_number(struct cursor *c, unsigned base, uint64_t *value)
{
	const char *start = c->at;
	uint64_t sum = 0;
	for (; c->at < c->end; c->at++) {
		unsigned digit = digit_value(*c->at);
		if (digit >= base)
			break;
		if (__builtin_mul_overflow(sum, (uint64_t)base, &sum) || __builtin_add_overflow(sum, (uint64_t)digit, &sum))
			return false;
	}
	*value = sum;
	return c->at > start;
}

bool cursor_signed(struct cursor *c, int64_t *value)
{
	bool minus = cursor_take(c, '-');
	uint64_t magnitude;
	if (!cursor_number(c, 10, &magnitude) || magnitude > INT64_MAX)
		return false;
	*value = minus ? -(int64_t)magnitude : (int64_t)magnitude;
	return true;
}
