/* SPDX-License-Identifier: MIT */
/* As much of an SDK as the tool library wants to be configured by, in the program itself: records are handed
 * over by the program, so that nothing but the tool is measured. */
#ifndef ROCLATCH_TESTS_BENCH_TOOL_SDK_H
#define ROCLATCH_TESTS_BENCH_TOOL_SDK_H

#include "rocp/tool/sdk.h"

enum { BENCH_KIND_HIP = 5, BENCH_KIND_DISPATCH = 11 };

/* What the tool wants records of its first buffer to be given to. */
extern sdk_buffer_callback *bench_callback;

#endif
