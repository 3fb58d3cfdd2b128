/* SPDX-License-Identifier: MIT */
/* Counters of dispatches, by the SDK's counting service. */
#ifndef ROCLATCH_ROCP_TOOL_COUNTERS_H
#define ROCLATCH_ROCP_TOOL_COUNTERS_H

#include "rocp/tool/sdk.h"
#include "rocp/tool/settings.h"

/* Finds the counters asked for on each GPU; notes those that are nowhere.  Then the service is part of the context. */
void counters_configure(struct sdk_handle context, const struct settings *settings);
/* A recording begins. */
void counters_begin(void);
void counters_forked(void);

#endif
