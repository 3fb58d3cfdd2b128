/* SPDX-License-Identifier: MIT */
/* Regular expressions that users give (POSIX's extended ones).  C libraries write repetitions out, so that a short
 * expression may want gigabytes: such ones are refused. */
#ifndef ROCLATCH_ROCP_MATCHING_H
#define ROCLATCH_ROCP_MATCHING_H

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>

/* For expressions that are searched for, without their groups.  -1: `why` says what is wrong with it. */
int matching_compile(regex_t *regex, const char *text, char *why, size_t size);
/* Is it of a bearable length once its repetitions are written out? */
bool matching_is_modest(const char *text);

#endif
