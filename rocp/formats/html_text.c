/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "rocp/formats/html_text.h"
#include "rocp/formats/utf8.h"

/* A script element ends at "</script" and changes its rules at "<!--": no '<' is ever written. */
static bool is_plain(unsigned char c)
{
	return c >= 0x20 && c != 0x7f && c != '"' && c != '\\' && c != '<' && c != '>' && c != '&';
}

void html_string(struct file *out, const char *text, size_t most)
{
	const unsigned char *at = (const unsigned char *)(text ? text : "");
	size_t left = strnlen((const char *)at, most + 1), skip = 0;
	bool cut = left > most;
	file_put(out, "\"", 1);
	for (left = cut ? most : left; left;) {
		size_t n = utf8_length(at, left, &skip);
		if (!n && cut && left < 4)
			break;
		if (!n)
			file_text(out, "\\ufffd");
		else if (n > 1 || is_plain(*at))
			file_put(out, at, n);
		else
			file_format(out, "\\u%04x", *at);
		n = n ? n : skip;
		at += n;
		left -= n;
	}
	file_text(out, cut ? "\xe2\x80\xa6\"" : "\"");
}

void html_base64(struct file *out, const void *data, size_t n)
{
	static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const unsigned char *at = data;
	for (; n; at += n < 3 ? n : 3, n -= n < 3 ? n : 3) {
		uint32_t word = (uint32_t)at[0] << 16 | (n > 1 ? (uint32_t)at[1] << 8 : 0) | (n > 2 ? at[2] : 0);
		char four[4] = { digit[word >> 18], digit[word >> 12 & 63], digit[word >> 6 & 63], digit[word & 63] };
		if (n < 3)
			four[3] = '=';
		if (n < 2)
			four[2] = '=';
		file_put(out, four, 4);
	}
}
