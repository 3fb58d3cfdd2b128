/* SPDX-License-Identifier: MIT */
#ifndef ROCLATCH_ROCP_FORMATS_UTF8_H
#define ROCLATCH_ROCP_FORMATS_UTF8_H

#include <stdbool.h>
#include <stddef.h>

#define UTF8_INSTEAD "\xef\xbf\xbd"     /* U+FFFD, for bytes that are none */

/* The length of the valid UTF-8 sequence at text (1 to 4), or 0 if there is
 * none; *skip is then how many bytes one U+FFFD stands for. */
size_t utf8_length(const unsigned char *text, size_t size, size_t *skip);
/* Is the sequence of that length one that a terminal would obey (C0, DEL, or C1: U+009B is "ESC [")? */
bool utf8_control(const unsigned char *text, size_t length);

#endif
