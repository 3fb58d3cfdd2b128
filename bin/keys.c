/* SPDX-License-Identifier: MIT */
#include "bin/keys.h"

#include <string.h>

#define ESC 0x1b
#define SEQUENCE_MAX 24         /* no key sends more */

void keys_put(struct keys *keys, const void *bytes, size_t n)
{
	size_t room = sizeof keys->bytes - keys->n;
	n = n < room ? n : room;
	memcpy(keys->bytes + keys->n, bytes, n);
	keys->n += n;
}

static int take(struct keys *keys, size_t n, int key)
{
	memmove(keys->bytes, keys->bytes + n, keys->n - n);
	keys->n -= n;
	return key;
}

/* ESC [ 5 ~ */
static int numbered(const unsigned char *digits)
{
	switch (digits[0]) {
	case '1': case '7': return KEY_HOME;
	case '4': case '8': return KEY_END;
	case '5': return KEY_PAGE_UP;
	case '6': return KEY_PAGE_DOWN;
	default: return KEY_OTHER;
	}
}

static int lettered(unsigned char letter)
{
	switch (letter) {
	case 'A': return KEY_UP;
	case 'B': return KEY_DOWN;
	case 'C': return KEY_RIGHT;
	case 'D': return KEY_LEFT;
	case 'H': return KEY_HOME;
	case 'F': return KEY_END;
	case 'M': return KEY_ENTER;     /* of the number pad */
	default: return KEY_OTHER;
	}
}

/* ESC [ parameters letter (ECMA-48), or ESC O letter. */
static int sequence(struct keys *keys, bool all)
{
	const unsigned char *bytes = keys->bytes;
	size_t at = 2;
	while (bytes[1] == '[' && at < keys->n && bytes[at] >= 0x20 && bytes[at] < 0x40)
		at++;
	if (at >= SEQUENCE_MAX || (at == keys->n && all))
		return take(keys, at, KEY_OTHER);
	if (at == keys->n)
		return KEY_NONE;
	/* a control character or a letter of UTF-8 ends it unfinished */
	if (bytes[at] < 0x40 || bytes[at] > 0x7e)
		return take(keys, at, KEY_OTHER);
	int key = bytes[at] != '~' ? lettered(bytes[at]) : at == 3 ? numbered(bytes + 2) : KEY_OTHER;
	return take(keys, at + 1, key);
}

int keys_next(struct keys *keys, bool all)
{
	if (!keys->n)
		return KEY_NONE;
	unsigned char first = keys->bytes[0];
	if (first == ESC && keys->n == 1)
		return all ? take(keys, 1, KEY_ESCAPE) : KEY_NONE;
	if (first == ESC && (keys->bytes[1] == '[' || keys->bytes[1] == 'O'))
		return sequence(keys, all);
	if (first == ESC)
		return take(keys, 1, KEY_ESCAPE);
	if (first == '\r' || first == '\n')
		return take(keys, 1, KEY_ENTER);
	return take(keys, 1, first >= 0x20 && first < 0x7f ? first : KEY_OTHER);
}
