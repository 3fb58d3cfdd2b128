/* SPDX-License-Identifier: MIT */
/* The files of check-sdk among each other; see check_sdk.c. */
#ifndef ROCLATCH_TESTS_CHECK_SDK_H
#define ROCLATCH_TESTS_CHECK_SDK_H

#include <stdbool.h>

#include "sdk_abi.h"

int sdk_order(const char *line, char *answer, size_t size);

void is(const char *what, long long got, long long wanted);

/* check_lines.c */
bool write_begin(const char *path);
void write_circumstances(void);
void write_record(uint64_t context, const struct record_header *header);
void write_callback(const struct callback_tracing_record *record);
void write_counted(uint64_t context, const void *data, const void *records, size_t n);
void write_end(void);

#endif
