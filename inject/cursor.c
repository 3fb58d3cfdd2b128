/* SPDX-License-Identifier: MIT */
#include "inject/cursor.h"

/* The mappings of a large process have tens of thousands of digits, in no order that a CPU could foresee: a table knows
 * their kinds without branches. */
static const unsigned char value_of[256] = {
#define IS(ch, value) [ch] = (value) + 1
	IS('0', 0), IS('1', 1), IS('2', 2), IS('3', 3), IS('4', 4), IS('5', 5), IS('6', 6), IS('7', 7), IS('8', 8), IS('9', 9),
	IS('a', 10), IS('b', 11), IS('c', 12), IS('d', 13), IS('e', 14), IS('f', 15),
	IS('A', 10), IS('B', 11), IS('C', 12), IS('D', 13), IS('E', 14), IS('F', 15),
#undef IS
};

static inline __attribute__((always_inline)) bool number_in(struct cursor *c, unsigned base, uint64_t *value)
{
	const char *at = c->at;
	uint64_t sum = 0;
	for (; at < c->end; at++) {
		unsigned digit = value_of[(unsigned char)*at] - 1u;     /* of no digit it is more than any base */
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

bool cursor_number(struct cursor *c, unsigned base, uint64_t *value)
{
	/* a base that the compiler knows is shifted by, not multiplied with */
	return base == 16 ? number_in(c, 16, value) : number_in(c, base, value);
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
