/* SPDX-License-Identifier: MIT */
/*
 * What a tool library of ours offers beside the SDK's entry points, so that it
 * can be started and stopped where the SDK has no attach support (--late).
 * Plain C; any tool may offer the same.
 */
#ifndef ROCLATCH_ROCP_TOOL_ABI_H
#define ROCLATCH_ROCP_TOOL_ABI_H

/* 0 not initialised, 1 ready (tool_init ran), 2 recording, 3 stopped, < 0 it failed. */
#define TOOL_STATE "roclatch_tool_state"        /* int f(void) */
/* Read the environment anew, start recording; 0 or a reason as number. */
#define TOOL_START "roclatch_tool_start"        /* int f(void) */
/* Stop, flush; 0 or a reason as number. */
#define TOOL_STOP "roclatch_tool_stop"          /* int f(void) */

#endif
