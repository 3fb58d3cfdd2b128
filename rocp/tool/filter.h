/* SPDX-License-Identifier: MIT */
/* Which dispatches are counted: kernels by their names, and runs of each by number (from 1). */
#ifndef ROCLATCH_ROCP_TOOL_FILTER_H
#define ROCLATCH_ROCP_TOOL_FILTER_H

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rocp/tool/settings.h"

#define RANGES_MOST 256
struct range { uint32_t low, high; };
/* "[1-3], [7], 9-12": how many ranges, or -1. */
int range_read(const char *text, struct range *range, size_t most);

/* What users write (ECMAScript) as POSIX's extended expression.  -1: it cannot be said so, or is too long. */
int pattern_translate(const char *pattern, char *posix, size_t size);
/* -1: `why` says what is wrong with it. */
int pattern_compile(const char *pattern, regex_t *regex, char *why, size_t size);

/* Notes what is wrong with the filters; then nothing passes. */
void filter_open(const struct settings *settings);
/* A recording begins: runs are counted from 1. */
void filter_begin(void);
/* A kernel is there: decided once, by its name. */
void filter_kernel(uint64_t id, const char *name);
/* A kernel is dispatched: is this run wanted? */
bool filter_passes(uint64_t kernel);

#endif
