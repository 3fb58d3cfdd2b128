/* SPDX-License-Identifier: MIT */
#include "bin/amounts.h"

#include <inttypes.h>
#include <stdio.h>

#define TEXTS 8
#define TEXT_MAX 32

static char *next_text(void)
{
	static char texts[TEXTS][TEXT_MAX];
	static unsigned next;
	return texts[next++ % TEXTS];
}

const char *count_text(uint64_t n)
{
	char digits[24], *text = next_text(), *out = text;
	int length = snprintf(digits, sizeof digits, "%" PRIu64, n);
	for (int i = 0; i < length; i++) {
		if (i && (length - i) % 3 == 0)
			*out++ = ',';
		*out++ = digits[i];
	}
	*out = '\0';
	return text;
}

const char *bytes_text(uint64_t n)
{
	static const char *const units[] = { "bytes", "kB", "MB", "GB", "TB" };
	char *text = next_text();
	double value = (double)n;
	unsigned unit = 0;
	for (; value >= 999.5 && unit < 4; unit++)
		value /= 1000;
	snprintf(text, TEXT_MAX, unit && value < 9.95 ? "%.1f %s" : "%.0f %s", value, units[unit]);
	return text;
}

const char *duration_text(uint64_t ns)
{
	char *text = next_text();
	uint64_t s = ns / 1000000000u;
	if (s < 1)
		snprintf(text, TEXT_MAX, "%" PRIu64 " ms", ns / 1000000u);
	else if (s < 100)
		snprintf(text, TEXT_MAX, "%.1f s", (double)ns / 1e9);
	else if (s < 3600)
		snprintf(text, TEXT_MAX, "%" PRIu64 " min %02" PRIu64, s / 60, s % 60);
	else if (s < 86400)
		snprintf(text, TEXT_MAX, "%" PRIu64 " h %02" PRIu64, s / 3600, s / 60 % 60);
	else
		snprintf(text, TEXT_MAX, "%" PRIu64 " d %02" PRIu64 " h", s / 86400, s / 3600 % 24);
	return text;
}
