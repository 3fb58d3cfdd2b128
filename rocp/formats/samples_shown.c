/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include "rocp/formats/samples_parts.h"
#include "rocp/formats/utf8.h"

#define CUT "..."

static uint32_t code_point(const unsigned char *at, size_t length)
{
	uint32_t code = length == 1 ? at[0] : at[0] & (0x7fu >> length);
	for (size_t i = 1; i < length; i++)
		code = code << 6 | (at[i] & 0x3f);
	return code;
}

/* Control characters, and those that turn or hide the text around them. */
static bool steers(uint32_t code)
{
	return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0xad || code == 0x61c || (code >= 0x200b && code <= 0x200f) ||
	       (code >= 0x2028 && code <= 0x202e) || (code >= 0x2060 && code <= 0x206f) || code == 0xfeff;
}

/* The next character as it is shown, and its columns. */
static size_t spell(const unsigned char *at, size_t left, char word[12], size_t *skip)
{
	size_t length = utf8_length(at, left, skip);
	uint32_t code = length ? code_point(at, length) : at[0];
	*skip = length ? length : 1;
	if (length && !steers(code)) {
		memcpy(word, at, length);
		word[length] = '\0';
		return 1;
	}
	return (size_t)snprintf(word, 12, code < 0x100 ? "\\x%02x" : "\\u%04x", code);
}

size_t samples_shown(const char *text, size_t width, char *out, size_t size)
{
	const unsigned char *at = (const unsigned char *)text, *end = at + strlen(text);
	size_t columns = 0, used = 0, skip, kept = 0, kept_columns = 0;
	char word[12];
	for (; at < end; at += skip) {
		size_t n = spell(at, (size_t)(end - at), word, &skip);
		if (columns + n > width || used + strlen(word) >= size)
			break;
		memcpy(out + used, word, strlen(word));
		used += strlen(word);
		columns += n;
		if (columns + strlen(CUT) <= width) {
			kept = used;
			kept_columns = columns;
		}
	}
	if (at < end && width >= strlen(CUT) && kept + sizeof CUT <= size) {
		memcpy(out + kept, CUT, strlen(CUT));
		used = kept + strlen(CUT);
		columns = kept_columns + strlen(CUT);
	}
	out[used] = '\0';
	return columns;
}
