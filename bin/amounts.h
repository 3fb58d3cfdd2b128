/* SPDX-License-Identifier: MIT */
/* Numbers as people read them. */
#ifndef ROCLATCH_BIN_AMOUNTS_H
#define ROCLATCH_BIN_AMOUNTS_H

#include <stdint.h>

/* "1,234,567" and "78 MB", in one of a few buffers that live for a while. */
const char *count_text(uint64_t n);
const char *bytes_text(uint64_t n);
/* "45 ms", "12.3 s", "3 min 05", "2 h 05", "9 d 07 h" */
const char *duration_text(uint64_t ns);

#endif
