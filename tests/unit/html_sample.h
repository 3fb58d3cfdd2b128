/* SPDX-License-Identifier: MIT */
/* A log of a busy program, of any length and always the same; it has everything that a page shows. */
#ifndef ROCLATCH_TESTS_HTML_SAMPLE_H
#define ROCLATCH_TESTS_HTML_SAMPLE_H

#include <stdint.h>

#define SAMPLE_HOSTILE "</script><script>document.title='broken'</script><!--<script>\"'&\x01\xff \xe2\x80\xae" "evil"
#define SAMPLE_CPU 100u
#define SAMPLE_GPU 101u

/* Steps of work; each is about three events. */
void sample_log(const char *path, uint64_t steps);

#endif
