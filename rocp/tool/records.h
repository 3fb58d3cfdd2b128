/* SPDX-License-Identifier: MIT */
/* The SDK's buffers become records of the log, as they are. */
#ifndef ROCLATCH_ROCP_TOOL_RECORDS_H
#define ROCLATCH_ROCP_TOOL_RECORDS_H

#include "rocp/tool/sdk.h"

#define RECORD_KINDS 128

/* Records of the kind with this number become `type`.  -1: the number is beyond what can be. */
int records_expect(int kind, uint16_t type);
sdk_buffer_callback records_take;

#endif
