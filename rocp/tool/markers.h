/* SPDX-License-Identifier: MIT */
/*
 * What a thread is in: ranges of markers and HIP streams.  The SDK's buffers have
 * neither the text of markers nor streams; they come by callbacks on the thread.
 */
#ifndef ROCLATCH_ROCP_TOOL_MARKERS_H
#define ROCLATCH_ROCP_TOOL_MARKERS_H

#include <stdbool.h>

#include "rocp/tool/sdk.h"

sdk_tracing_callback markers_called;    /* of MARKER_CORE_RANGE_API */
sdk_tracing_callback streams_called;    /* of HIP_STREAM */
sdk_request_callback external_wanted;   /* for dispatches and copies: LOG_EXTERNAL */

extern bool markers_rename;             /* kernels are to be called by the range they are launched in */
extern bool markers_recorded;           /* texts are for the log, not for renaming alone */

/* A new log has none of the texts and streams of the one before. */
void markers_open(uint32_t session);

#endif
