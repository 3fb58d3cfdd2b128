/* SPDX-License-Identifier: MIT */
/* Any text as what the tool library is told of kernels: expressions of names, ranges of runs, counters, yes and no. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "rocp/tool/filter.h"
#include "rocp/tool/remembered.h"
#include "rocp/tool/sdk.h"

#define POSIX 1024

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The parts of the tool that filter.c is linked with. */
struct sdk sdk;
void remember_note(const char *format, ...) { (void)format; }

static const char *variable;
static const char *any(const char *name) { (void)name; return variable; }

static void read_ranges(const char *text)
{
	struct range range[8];
	int n = range_read(text, range, 8);
	if (n > 8)
		abort();
	for (int i = 0; i < n; i++)
		if (range[i].low > range[i].high)
			abort();
}

static void read_counters(const char *text)
{
	char name[32];
	int device;
	for (const char *at = text; settings_counter(&at, name, sizeof name, &device);)
		if (device < -1 || strlen(name) >= sizeof name || at > text + strlen(text))
			abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char posix[POSIX];
	struct settings settings;
	if (size > 4096)
		return 0;
	char *text = strndup((const char *)data, size);
	if (!text)
		abort();
	if (pattern_translate(text, posix, sizeof posix) == 0 && strnlen(posix, sizeof posix) == sizeof posix)
		abort();
	read_ranges(text);
	read_counters(text);
	variable = text;
	settings_read(&settings, any);
	if (settings.counters && settings.counters != text)
		abort();
	free(text);
	return 0;
}
