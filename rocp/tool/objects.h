/* SPDX-License-Identifier: MIT */
/* What the SDK tells of code objects, their kernels, and agents: remembered. */
#ifndef ROCLATCH_ROCP_TOOL_OBJECTS_H
#define ROCLATCH_ROCP_TOOL_OBJECTS_H

#include "rocp/tool/sdk.h"

sdk_tracing_callback objects_loaded;
void agents_remember(void);

/* GPUs, in the SDK's order. */
#define GPUS_MOST 128
struct gpu { uint64_t id; int number; char name[64]; };
extern struct gpu gpus[GPUS_MOST];
extern unsigned gpu_count;

#endif
