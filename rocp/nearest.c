/* SPDX-License-Identifier: MIT */
#include "rocp/nearest.h"

#include <stddef.h>
#include <string.h>

#define WORD_MAX 48

/* Levenshtein's distance; words too long to be ours are far from all. */
static size_t distance(const char *a, const char *b)
{
	size_t row[WORD_MAX + 1], na = strlen(a), nb = strlen(b);
	if (na > WORD_MAX || nb > WORD_MAX)
		return WORD_MAX;
	for (size_t j = 0; j <= nb; j++)
		row[j] = j;
	for (size_t i = 1; i <= na; i++) {
		size_t diagonal = row[0];
		row[0] = i;
		for (size_t j = 1; j <= nb; j++) {
			size_t best = diagonal + (a[i - 1] != b[j - 1]);
			if (row[j] + 1 < best)
				best = row[j] + 1;
			if (row[j - 1] + 1 < best)
				best = row[j - 1] + 1;
			diagonal = row[j];
			row[j] = best;
		}
	}
	return row[nb];
}

const char *nearest(const char *word, const char *(*next)(void *ctx), void *ctx)
{
	size_t length = strlen(word), limit = (length + 2) / 3;
	const char *best = NULL, *name;
	while ((name = next(ctx))) {
		size_t far = distance(word, name);
		/* "--timeout" is near "--timeout-msec" whatever the count says. */
		if (length >= 3 && !strncmp(name, word, length))
			far = 1;
		if (far <= limit) {
			best = name;
			limit = far ? far - 1 : 0;
		}
		if (!far)
			break;
	}
	return best;
}
