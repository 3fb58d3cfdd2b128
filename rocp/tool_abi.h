/* SPDX-License-Identifier: MIT */
/*
 * What a tool library of ours offers beside the SDK's entry points, so that it
 * can be started and stopped where the SDK has no attach support (--late), and
 * watched from outside.  Plain C; any tool may offer the same.
 */
#ifndef ROCLATCH_ROCP_TOOL_ABI_H
#define ROCLATCH_ROCP_TOOL_ABI_H

#include <stdint.h>

/* 0 not initialised, 1 ready (tool_init ran), 2 recording, 3 stopped, < 0 it failed. */
#define TOOL_STATE "roclatch_tool_state"        /* int f(void) */
/* Read the environment anew, start recording; 0 or a reason as number. */
#define TOOL_START "roclatch_tool_start"        /* int f(void) */
/* Stop, flush; 0 or a reason as number. */
#define TOOL_STOP "roclatch_tool_stop"          /* int f(void) */

/* Where the tool is to put its log: an absolute path with LOG_ENDING.  If there is such a file, _1, _2, ...
 * comes before the ending.  Without it: ROCPROF_OUTPUT_PATH or the current folder, roclatch-PID.rlog. */
#define TOOL_LOG_VARIABLE "ROCPROF_ROCLATCH_LOG"

/* How the note in the log begins that lists the variables of which nothing is recorded. */
#define TOOL_LEAVES_OUT "not recorded, as only AMD's tool records it: "

/* A variable of the tool, read from outside while it works. */
#define TOOL_STATUS "roclatch_tool_status"
#define TOOL_STATUS_MAGIC 0x7375746174536c52u   /* "RlStatus" */

struct tool_status {
	uint64_t magic;
	uint32_t version;       /* 1 */
	uint32_t size;          /* of this structure */
	int32_t state;          /* as TOOL_STATE answers */
	int32_t sys;            /* errno behind why, or 0 */
	uint64_t records;       /* of LOG_API to LOG_MARKER, taken since the start */
	uint64_t bytes;         /* that the kernel has taken */
	uint64_t lost;          /* records that are not in the log */
	uint64_t sessions;      /* how often recording was started */
	char why[192];          /* what stopped the recording, a clause; "" */
	char log[1024];         /* the log's path as the process sees it */
};
_Static_assert(sizeof(struct tool_status) == 1272, "tool_status");

#endif
