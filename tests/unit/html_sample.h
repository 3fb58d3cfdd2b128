/* SPDX-License-Identifier: MIT */
/* A recording that is made up while it is read: any length, always the same. */
#ifndef ROCLATCH_TESTS_HTML_SAMPLE_H
#define ROCLATCH_TESTS_HTML_SAMPLE_H

#include "rocp/trace/trace.h"

#define SAMPLE_START 5000000000u
#define SAMPLE_HOSTILE "</script><script>document.title='broken'</script><!--<script>\"'&\x01\xff \xe2\x80\xae" "evil"

/* Steps of work; each gives about four events. */
void sample_open(struct trace *trace, uint64_t steps);

#endif
