// SPDX-License-Identifier: MIT
#include "report.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const char *label, *only;
static unsigned wrong, failed;
static char reasons[4096];
static const char *skipped;

void report_begin(const char *its_label, const char *wanted)
{
	label = its_label;
	only = wanted;
}

int report_end(void)
{
	return failed ? 1 : 0;
}

void skip(const char *why)
{
	skipped = why;
}

bool is_for_musl(void)
{
	return !strncmp(label, "musl", 4);
}

void fail(const char *fmt, ...)
{
	size_t used = strlen(reasons);
	va_list ap;

	wrong++;
	va_start(ap, fmt);
	used += (size_t)snprintf(reasons + used, sizeof(reasons) - used, "  ");
	if (used < sizeof(reasons))
		vsnprintf(reasons + used, sizeof(reasons) - used, fmt, ap);
	va_end(ap);
	used = strlen(reasons);
	snprintf(reasons + used, sizeof(reasons) - used, "\n");
}

void expect_number(const char *file, int line, const char *what, long expected, long got)
{
	if (expected != got)
		fail("%s:%d: %s is %ld and not %ld", file, line, what, got, expected);
}

void test(const char *sentence, void (*run)(void))
{
	if (only && !strstr(sentence, only))
		return;
	wrong = 0;
	reasons[0] = 0;
	skipped = NULL;
	run();
	if (skipped && !wrong) {
		printf("skip %s: %s (%s)\n", label, sentence, skipped);
		return;
	}
	printf("%s %s: %s\n%s", wrong ? "not ok" : "ok", label, sentence, reasons);
	fflush(stdout);
	failed += wrong != 0;
}
