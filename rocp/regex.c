/* SPDX-License-Identifier: MIT */
/* The form of ECMAScript's regular expressions, as libstdc++ reads them. */
#include <ctype.h>
#include <string.h>

#include "rocp/matching.h"
#include "rocp/options.h"

#define DEPTH_MOST 64
#define SIZE_MOST 4096          /* its matcher recurses with the expression's length */

struct regex {
	const char *at;
	unsigned open, closed;  /* groups */
	bool can_repeat;        /* there is something before for a '*' */
};

static bool hex(const char *at, int n)
{
	for (int i = 0; i < n; i++)
		if (!isxdigit((unsigned char)at[i]))
			return false;
	return true;
}

/* Behind a backslash. */
static bool escape(struct regex *regex, bool in_class)
{
	char c = *regex->at;
	if (!c)
		return false;
	regex->at++;
	regex->can_repeat = c != 'b' && c != 'B';
	if (c == 'B' && in_class)
		return false;
	if (c == 'x' || c == 'u') {
		int n = c == 'x' ? 2 : 4;
		if (!hex(regex->at, n))
			return false;
		regex->at += n;
	} else if (c == 'c') {
		if (!isalpha((unsigned char)*regex->at))
			return false;
		regex->at++;
	} else if (c >= '1' && c <= '9') {
		/* A group that is complete; none in a class. */
		return !in_class && !isdigit((unsigned char)*regex->at) && (unsigned)(c - '0') <= regex->closed &&
		       regex->closed == regex->open;
	}
	return true;
}

/* Behind "[:". */
static bool class_name(struct regex *regex)
{
	static const char names[] = " alnum alpha blank cntrl digit graph lower print punct space upper xdigit d w s ";
	char word[12];
	size_t length = strcspn(regex->at, ":");
	if (!length || length > 8 || strncmp(regex->at + length, ":]", 2))
		return false;
	snprintf(word, sizeof word, " %.*s ", (int)length, regex->at);
	regex->at += length + 2;
	return strstr(names, word);
}

/* Behind '['.  Ranges have plain characters at both ends, in order. */
static bool bracket(struct regex *regex)
{
	int last = 0;           /* a plain character that may begin a range */
	regex->at += *regex->at == '^';
	for (;;) {
		char c = *regex->at++;
		if (!c)
			return false;
		if (c == ']') {
			regex->can_repeat = true;
			return true;
		}
		if (c == '\\') {
			if (!escape(regex, true) || *regex->at == '-')
				return false;
			last = 0;
		} else if (c == '[' && strchr(".=:", *regex->at) && *regex->at) {
			if (*regex->at++ != ':' || !class_name(regex) || *regex->at == '-')
				return false;
			last = 0;
		} else if (c == '-' && last && *regex->at != ']') {
			if (!*regex->at || strchr("\\[-", *regex->at) || (unsigned char)*regex->at < (unsigned char)last)
				return false;
			regex->at++;
			last = 0;
			if (*regex->at == '-' && regex->at[1] != ']')
				return false;
		} else {
			last = (unsigned char)c;
		}
	}
}

/* Behind '{': "3}", "3,}", "3,5}". */
static bool braces(struct regex *regex)
{
	size_t low = strspn(regex->at, "0123456789");
	if (!low || low > 3)
		return false;
	const char *from = regex->at;
	regex->at += low;
	if (*regex->at == ',') {
		size_t high = strspn(++regex->at, "0123456789");
		if (high > 3 || (high && (high < low || (high == low && strncmp(regex->at, from, low) < 0))))
			return false;
		regex->at += high;
	}
	return *regex->at++ == '}';
}

enum group { GROUP_CAPTURES, GROUP_PLAIN, GROUP_LOOKS };

/* Behind '('. */
static bool group(struct regex *regex, enum group *kind)
{
	*kind = GROUP_CAPTURES;
	regex->can_repeat = false;
	if (*regex->at != '?') {
		regex->open++;
		return true;
	}
	char c = regex->at[1];
	*kind = c == ':' ? GROUP_PLAIN : GROUP_LOOKS;
	if (!c || !strchr(":=!", c))
		return false;
	regex->at += 2;
	return true;
}

static bool quantifier(struct regex *regex, char c)
{
	if (!regex->can_repeat || (c == '{' && !braces(regex)))
		return false;
	regex->at += *regex->at == '?';
	return true;
}

bool is_regex(const char *text)
{
	struct regex regex = { .at = text };
	enum group kinds[DEPTH_MOST];
	unsigned depth = 0;
	if (strlen(text) > SIZE_MOST || !matching_is_modest(text))      /* it writes repetitions out, too, and throws */
		return false;
	while (*regex.at) {
		char c = *regex.at++;
		bool right = true;
		if (c == '\\') {
			right = escape(&regex, false);
		} else if (c == '[') {
			right = bracket(&regex);
		} else if (c == '(') {
			right = depth < DEPTH_MOST && group(&regex, &kinds[depth++]);
		} else if (c == ')') {
			if (!depth--)
				return false;
			regex.closed += kinds[depth] == GROUP_CAPTURES;
			regex.can_repeat = kinds[depth] != GROUP_LOOKS;
		} else if (strchr("*+?{", c)) {
			right = quantifier(&regex, c);
		} else {
			regex.can_repeat = !strchr("|^$", c);
		}
		if (!right)
			return false;
	}
	return !depth;
}
