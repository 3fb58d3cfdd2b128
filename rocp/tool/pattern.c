/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include "rocp/matching.h"
#include "rocp/tool/filter.h"

struct posix { char *at, *end; };

static int put(struct posix *posix, const char *text, size_t n)
{
	if (n >= (size_t)(posix->end - posix->at))
		return -1;
	memcpy(posix->at, text, n);
	posix->at += n;
	*posix->at = '\0';
	return 0;
}

static int put_text(struct posix *posix, const char *text)
{
	return put(posix, text, strlen(text));
}

/* What \d and the like mean inside of brackets; NULL: the character itself. */
static const char *class_of(char c)
{
	switch (c) {
	case 'd': return "0-9";
	case 'w': return "[:alnum:]_";
	case 's': return "[:space:]";
	default: return NULL;
	}
}

static const char *control_of(char c)
{
	switch (c) {
	case 't': return "\t";
	case 'n': return "\n";
	case 'r': return "\r";
	case 'f': return "\f";
	case 'v': return "\v";
	default: return NULL;
	}
}

static int escape(struct posix *posix, char c)
{
	const char *control = control_of(c);
	char plain[2] = { '\\', c };
	switch (c) {
	case 'd': return put_text(posix, "[0-9]");
	case 'D': return put_text(posix, "[^0-9]");
	case 'w': return put_text(posix, "[[:alnum:]_]");
	case 'W': return put_text(posix, "[^[:alnum:]_]");
	case 's': return put_text(posix, "[[:space:]]");
	case 'S': return put_text(posix, "[^[:space:]]");
	case 'b': case 'B': return put(posix, plain, 2);
	case '\0': return -1;
	default: break;
	}
	if (control)
		return put_text(posix, control);
	if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '0')
		return -1;      /* \x41, \u0041, \cA, \0 */
	return strchr(".[]()*+?{}|^$\\123456789", c) ? put(posix, plain, 2) : put(posix, &c, 1);
}

/* Behind '['.  There is no backslash in POSIX's brackets: ']' stands first, '-' last. */
static int brackets(struct posix *posix, const char **at)
{
	char inside[512];
	struct posix in = { inside, inside + sizeof inside };
	const char *p = *at;
	bool not = *p == '^', closing = false, dash = false;
	inside[0] = '\0';
	for (p += not; *p && *p != ']'; p++) {
		const char *class = *p == '\\' ? class_of(p[1]) : NULL;
		int wrong = 0;
		if (*p == '[' && p[1] == ':' && strstr(p, ":]")) {
			const char *end = strstr(p, ":]") + 2;
			wrong = put(&in, p, (size_t)(end - p));
			p = end - 1;
		} else if (class) {
			wrong = put_text(&in, class);
			p++;
		} else if (*p == '\\' && control_of(p[1])) {
			wrong = put_text(&in, control_of(*++p));
		} else if (*p == '\\' && p[1] == ']') {
			closing = true;
			p++;
		} else if (*p == '\\' && p[1] == '-') {
			dash = true;
			p++;
		} else if (*p == '\\' && (!p[1] || strchr("DWSbxuc0", p[1]))) {
			return -1;
		} else {
			p += *p == '\\';
			wrong = put(&in, p, 1);
		}
		if (wrong < 0)
			return -1;
	}
	if (*p != ']')
		return -1;
	*at = p;
	if (!closing && !dash && inside[0] == '^' && !not && !inside[1])
		return put_text(posix, "\\^");
	if (put_text(posix, not ? "[^" : "[") < 0 || (closing && put_text(posix, "]") < 0) || put_text(posix, inside) < 0)
		return -1;
	return put_text(posix, dash ? "-]" : "]");
}

int pattern_translate(const char *pattern, char *text, size_t size)
{
	struct posix posix = { text, text + size };
	*text = '\0';
	for (const char *p = pattern; *p; p++) {
		int wrong;
		if (*p == '\\') {
			wrong = escape(&posix, *++p);
		} else if (*p == '[') {
			p++;
			wrong = brackets(&posix, &p);
		} else if (*p == '(' && p[1] == '?') {
			wrong = p[2] == ':' ? put_text(&posix, "(") : -1;       /* (?= and (?! look ahead */
			p += 2;
		} else if (*p == '?' && p > pattern && strchr("*+?}", p[-1]) && (p < pattern + 2 || p[-2] != '\\')) {
			wrong = 0;      /* least rather than most: the same to a search */
		} else {
			wrong = put(&posix, p, 1);
		}
		if (wrong < 0)
			return -1;
	}
	return 0;
}

int pattern_compile(const char *pattern, regex_t *regex, char *why, size_t size)
{
	char posix[4096];
	if (pattern_translate(pattern, posix, sizeof posix) < 0) {
		snprintf(why, size, "it uses what POSIX's regular expressions cannot say");
		return -1;
	}
	return matching_compile(regex, posix, why, size);
}
