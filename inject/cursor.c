/* SPDX-License-Identifier: MIT */
#include "inject/cursor.h"

size_t cursor_common(const char *a, const char *b, size_t most)
{
	size_t n = 0;
	while (most - n >= 8 && cursor_same_eight(a + n, b + n))
		n += 8;
	while (n < most && a[n] == b[n])
		n++;
	return n;
}

const unsigned char cursor_digits[256] = {
#define IS(ch, value) [ch] = (value) + 1
	IS('0', 0), IS('1', 1), IS('2', 2), IS('3', 3), IS('4', 4), IS('5', 5), IS('6', 6), IS('7', 7), IS('8', 8), IS('9', 9),
	IS('a', 10), IS('b', 11), IS('c', 12), IS('d', 13), IS('e', 14), IS('f', 15),
	IS('A', 10), IS('B', 11), IS('C', 12), IS('D', 13), IS('E', 14), IS('F', 15),
#undef IS
};

bool cursor_number(struct cursor *c, unsigned base, uint64_t *value)
{
	const char *at = c->at;
	uint64_t sum = 0;
	for (; at < c->end; at++) {
		unsigned digit = cursor_digits[(unsigned char)*at] - 1u;        /* of no digit it is more than any base */
		if (digit >= base)
			break;
		if (__builtin_mul_overflow(sum, (uint64_t)base, &sum) || __builtin_add_overflow(sum, (uint64_t)digit, &sum))
			return false;
	}
	bool some = at > c->at;
	c->at = at;
	*value = sum;
	return some;
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
