/* SPDX-License-Identifier: MIT */
#include "rocp/formats/utf8.h"

/* The Unicode standard, table 3-7: the second byte's range depends on the first. */
static bool second_byte_ok(unsigned char first, unsigned char second)
{
	unsigned char low = 0x80, high = 0xbf;
	switch (first) {
	case 0xe0: low = 0xa0; break;
	case 0xed: high = 0x9f; break;
	case 0xf0: low = 0x90; break;
	case 0xf4: high = 0x8f; break;
	}
	return second >= low && second <= high;
}

size_t utf8_length(const unsigned char *text, size_t size, size_t *skip)
{
	*skip = 1;
	unsigned char first = text[0];
	if (first < 0x80)
		return 1;
	size_t length = first >= 0xc2 && first <= 0xdf ? 2 :
			first >= 0xe0 && first <= 0xef ? 3 :
			first >= 0xf0 && first <= 0xf4 ? 4 : 0;
	for (size_t i = 1; i < length; i++) {
		bool ok = i < size && (i == 1 ? second_byte_ok(first, text[1])
					      : (text[i] & 0xc0) == 0x80);
		if (!ok) {
			*skip = i;
			return 0;
		}
	}
	return length;
}

bool utf8_control(const unsigned char *text, size_t length)
{
	return (length == 1 && (text[0] < 0x20 || text[0] == 0x7f)) || (length == 2 && text[0] == 0xc2 && text[1] < 0xa0);
}
