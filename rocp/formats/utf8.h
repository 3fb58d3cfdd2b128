/* SPDX-License-Identifier: MIT */
/* Texts of a process are bytes as found; files for others hold valid UTF-8. */
#ifndef ROCLATCH_ROCP_FORMATS_UTF8_H
#define ROCLATCH_ROCP_FORMATS_UTF8_H

#include <stddef.h>
#include <stdint.h>

#define UTF8_INSTEAD "\xef\xbf\xbd"     /* U+FFFD, for a byte that is none */

/* How many bytes the character at text has, 1 to 4; 0: it is not valid.  The text ends with a NUL. */
static inline size_t utf8_length(const char *text)
{
	const unsigned char *t = (const unsigned char *)text;
	size_t more = t[0] < 0x80 ? 0 : t[0] < 0xc2 ? 9 : t[0] < 0xe0 ? 1 : t[0] < 0xf0 ? 2 : t[0] < 0xf5 ? 3 : 9;
	if (more == 9)
		return 0;
	for (size_t i = 1; i <= more; i++)
		if ((t[i] & 0xc0) != 0x80)
			return 0;
	/* longer than needed, a half of a pair, beyond the last */
	if ((t[0] == 0xe0 && t[1] < 0xa0) || (t[0] == 0xed && t[1] >= 0xa0) || (t[0] == 0xf0 && t[1] < 0x90) ||
	    (t[0] == 0xf4 && t[1] >= 0x90))
		return 0;
	return more + 1;
}

#endif
