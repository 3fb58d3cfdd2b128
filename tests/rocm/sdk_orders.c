// SPDX-License-Identifier: MIT
/* Stands in for AMD's librocprofiler-sdk.so.1: what a test tells it through the program; no real SDK has this. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sdk.h"
#include "truth.h"

/* 0: no such order.  counts: records that were delivered; flush-truth: its lines are in the file now;
 * drop N: the next callback of a buffer is told of so many dropped records. */
PUBLIC int sdk_order(const char *line, char *answer, size_t size);

int sdk_order(const char *line, char *answer, size_t size)
{
	if (!strcmp(line, "counts")) {
		truth_counts(answer, size);
		return 1;
	}
	if (!strcmp(line, "flush-truth")) {
		truth_flush();
		snprintf(answer, size, "0");
		return 1;
	}
	if (!strncmp(line, "drop ", 5)) {
		buffers_drop(strtoull(line + 5, NULL, 10));
		snprintf(answer, size, "0");
		return 1;
	}
	return emit_order(line, answer, size) || marker_order(line, answer, size) || stream_order(line, answer, size);
}
