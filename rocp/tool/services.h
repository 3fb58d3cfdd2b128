/* SPDX-License-Identifier: MIT */
/* What the SDK is asked to do: set up once, switched on and off by contexts. */
#ifndef ROCLATCH_ROCP_TOOL_SERVICES_H
#define ROCLATCH_ROCP_TOOL_SERVICES_H

#include "rocp/tool/settings.h"

/* In the SDK's initialisation; later it is locked.  0, or the SDK's status. */
int services_configure(const struct settings *settings);
/* 0, or the SDK's status. */
int services_start(void);
/* -1: somebody is within and does not come out; nothing is stopped. */
int services_stop(void);
/* Around a fork.  A child records nothing, and its calls go nowhere. */
void services_before_fork(void);
void services_after_fork(void);
void services_forked(void);
/* Everything that is in the SDK's buffers comes to us before it returns. */
void services_flush(void);

#endif
