/* SPDX-License-Identifier: MIT */
#include "rocp/matching.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LENGTH_MOST 10000u
#define DEPTH_MOST 64
#define TIMES_MOST 100000u

/* Behind "[": to the "]" that ends it, or the end of the text. */
static const char *skip_bracket(const char *at)
{
	at += *at == '^';
	at += *at == ']';
	for (; *at && *at != ']'; at++) {
		char kind = at[1];
		if (*at != '[' || !kind || !strchr(":.=", kind))
			continue;
		for (at += 2; *at && (*at != kind || at[1] != ']');)
			at++;
		if (!*at)
			return at;
		at++;
	}
	return at;
}

/* At "{", and on to its "}": at most so many times.  Without a number it stands for itself. */
static uint64_t times_of(const char **at)
{
	char *end;
	uint64_t least = strtoul(*at + 1, &end, 10), most = least;
	if (end == *at + 1)
		return 1;
	if (*end == ',' && end[1] == '}') {
		most = least + 1;
		end++;
	} else if (*end == ',') {
		most = strtoul(end + 1, &end, 10);
	}
	if (*end == '}')
		*at = end;
	return most > TIMES_MOST || least > TIMES_MOST ? TIMES_MOST : most > 1 ? most : 1;
}

bool matching_is_modest(const char *text)
{
	uint64_t length[DEPTH_MOST] = { 0 }, last = 0, times;   /* of each group that is open; of what may be repeated */
	unsigned depth = 0;
	for (const char *at = text; *at; at++) {
		times = 1;
		switch (*at) {
		case '(':
			if (++depth == DEPTH_MOST)
				return false;
			length[depth] = last = 0;
			break;
		case ')':
			last = depth ? length[depth--] + 1 : 1;
			length[depth] += last;
			break;
		case '+':
			times = 2;
			break;
		case '{':
			times = times_of(&at);
			break;
		case '*': case '?': case '|':
			break;
		case '[':
			at = skip_bracket(at + 1);
			length[depth] += last = 1;
			break;
		case '\\':
			at += at[1] != '\0';
			length[depth] += last = 1;
			break;
		default:
			length[depth] += last = 1;
		}
		length[depth] += last * (times - 1);
		last *= times;
		if (length[depth] > LENGTH_MOST)
			return false;
		if (!*at)
			break;
	}
	return true;
}

int matching_compile(regex_t *regex, const char *text, char *why, size_t size)
{
	if (!matching_is_modest(text)) {
		snprintf(why, size, "it repeats too much");
		return -1;
	}
	int wrong = regcomp(regex, text, REG_EXTENDED | REG_NOSUB);
	if (wrong)
		regerror(wrong, regex, why, size);
	return wrong ? -1 : 0;
}
