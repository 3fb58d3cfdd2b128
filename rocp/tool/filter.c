/* SPDX-License-Identifier: MIT */
#include "rocp/tool/filter.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "rocp/tool/futex.h"
#include "rocp/tool/remembered.h"
#include "rocp/tool/sdk.h"

/* Kernels' numbers are small and dense: a page holds 256 of them. */
#define PAGES 4096u
#define PAGE 256u
struct seen { _Atomic uint32_t runs; _Atomic uint8_t decided /* 1 no, 2 yes */; };
static struct seen *_Atomic page[PAGES];

static struct range range[RANGES_MOST];
static int ranges;
static regex_t include, exclude;
static bool has_include, has_exclude, mangled, nothing;

static bool number(const char **at, uint32_t *value)
{
	const char *begin = *at;
	uint64_t sum = 0;
	for (; **at >= '0' && **at <= '9' && sum <= UINT32_MAX; ++*at)
		sum = sum * 10 + (uint64_t)(**at - '0');
	*value = (uint32_t)sum;
	return *at > begin && sum <= UINT32_MAX;
}

int range_read(const char *text, struct range *list, size_t most)
{
	static const char between[] = "[], ";
	size_t n = 0;
	for (text += strspn(text, between); *text; text += strspn(text, between)) {
		struct range one;
		if (n == most || !number(&text, &one.low))
			return -1;
		one.high = one.low;
		if (*text == '-' && (text++, !number(&text, &one.high) || one.high < one.low))
			return -1;
		if (*text && !strchr(between, *text))
			return -1;
		list[n++] = one;
	}
	return (int)n;
}

static bool compile(const char *pattern, regex_t *regex, const char *what)
{
	char why[256];
	if (!pattern)
		return false;
	if (pattern_compile(pattern, regex, why, sizeof why) == 0)
		return true;
	nothing = true;
	remember_note("no kernel is counted: the expression of kernels to %s, %s, is not understood: %s", what, pattern, why);
	return false;
}

void filter_open(const struct settings *settings)
{
	mangled = settings->mangled;
	has_include = compile(settings->include, &include, "include");
	has_exclude = compile(settings->exclude, &exclude, "exclude");
	ranges = settings->range ? range_read(settings->range, range, RANGES_MOST) : 0;
	if (ranges < 0) {
		nothing = true;
		remember_note("no kernel is counted: the list of runs, %s, is not understood", settings->range);
	}
}

static struct seen *find(uint64_t id)
{
	uint64_t i = id / PAGE;
	if (i >= PAGES)
		return NULL;
	struct seen *there = atomic_load(&page[i]);
	if (!there) {
		struct seen *fresh = calloc(PAGE, sizeof *fresh);
		if (!fresh)
			return NULL;
		if (atomic_compare_exchange_strong(&page[i], &there, fresh))
			there = fresh;
		else
			free(fresh);
	}
	return &there[id % PAGE];
}

void filter_begin(void)
{
	for (unsigned i = 0; i < PAGES; i++) {
		struct seen *there = atomic_load(&page[i]);
		for (unsigned k = 0; there && k < PAGE; k++)
			atomic_store(&there[k].runs, 0);
	}
}

static bool matches(const char *name)
{
	return (!has_include || !regexec(&include, name, 0, NULL, 0)) &&
	       (!has_exclude || regexec(&exclude, name, 0, NULL, 0));
}

/* By the name that people see: without .kd, demangled by the process's own C++ library. */
static bool decide(const char *name)
{
	int status = -1;
	char *plain = strdup(name);
	if (!plain)
		return false;
	size_t length = strlen(plain);
	if (length > 3 && !strcmp(plain + length - 3, ".kd"))
		plain[length - 3] = '\0';
	char *readable = sdk.demangle && !mangled ? sdk.demangle(plain, NULL, NULL, &status) : NULL;
	bool wanted = matches(readable && !status ? readable : plain);
	free(readable);
	free(plain);
	return wanted;
}

void filter_kernel(uint64_t id, const char *name)
{
	if (!has_include && !has_exclude)
		return;
	struct seen *seen = find(id);
	if (seen && name)
		atomic_store(&seen->decided, decide(name) ? 2 : 1);
}

static bool in_ranges(uint32_t run)
{
	for (int i = 0; i < ranges; i++)
		if (run >= range[i].low && run <= range[i].high)
			return true;
	return !ranges;
}

bool filter_passes(uint64_t kernel)
{
	if (nothing)
		return false;
	struct seen *seen = find(kernel);
	if (!seen)
		return !has_include && !ranges;
	uint32_t run = atomic_fetch_add(&seen->runs, 1) + 1;
	uint8_t decided = atomic_load(&seen->decided);
	return (decided ? decided == 2 : !has_include) && in_ranges(run);
}
