/* SPDX-License-Identifier: MIT */
/* What a person presses, from the bytes that a terminal sends for it. */
#ifndef ROCLATCH_BIN_KEYS_H
#define ROCLATCH_BIN_KEYS_H

#include <stdbool.h>
#include <stddef.h>

/* Letters, digits and signs are themselves. */
enum key {
	KEY_NONE = 0,
	KEY_UP = 256, KEY_DOWN, KEY_LEFT, KEY_RIGHT, KEY_PAGE_UP, KEY_PAGE_DOWN, KEY_HOME, KEY_END,
	KEY_ENTER, KEY_ESCAPE,
	KEY_OTHER,              /* one that means nothing here */
};

struct keys {
	unsigned char bytes[64];
	size_t n;
};

/* What has been read.  What is too much for anybody's fingers is forgotten. */
void keys_put(struct keys *keys, const void *bytes, size_t n);
/* The next key; KEY_NONE: there is none, or it is not whole yet.  `all`: nothing came for a moment, so
 * that an Esc is the key and not the begin of another. */
int keys_next(struct keys *keys, bool all);

#endif
