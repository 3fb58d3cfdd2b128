/* SPDX-License-Identifier: MIT */
/*
 * Attach to a process whose SDK knows of no attaching: it is made to load the
 * SDK and the tool as at its start, and passes on the tables that nobody took.
 * The tool is started and stopped by functions of its own (rocp/tool_abi.h).
 */
#ifndef ROCLATCH_ROCP_LATE_H
#define ROCLATCH_ROCP_LATE_H

#include "rocp/attach.h"

int late_begin(struct attachment *attachment, const struct request *request, struct err *err);
int late_end(struct attachment *attachment, const struct request *request, struct err *err);

#endif
