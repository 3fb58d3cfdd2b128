/* SPDX-License-Identifier: MIT */
/* Texts of a process are bytes as found; files for others hold valid UTF-8. */
#ifndef ROCLATCH_ROCP_FORMATS_UTF8_H
#define ROCLATCH_ROCP_FORMATS_UTF8_H

#include <stddef.h>

#define UTF8_INSTEAD "\xef\xbf\xbd"     /* U+FFFD, for what is none */

/* The length of the valid UTF-8 sequence at text (1 to 4), or 0 if there is
 * none; *skip is then how many bytes one U+FFFD stands for. */
size_t utf8_length(const unsigned char *text, size_t size, size_t *skip);

/* The same in a text that ends with a NUL, at which a sequence ends too. */
static inline size_t utf8_here(const char *text)
{
	size_t skip;
	return utf8_length((const unsigned char *)text, 4, &skip);
}

#endif
