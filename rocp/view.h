/* SPDX-License-Identifier: MIT */
/*
 * What of ROCm is in a target, by reading alone: libraries, what is registered
 * with rocprofiler-register, the listener thread, the environment as it is now.
 */
#ifndef ROCLATCH_ROCP_VIEW_H
#define ROCLATCH_ROCP_VIEW_H

#include "inject/images.h"
#include "rocp/env.h"

#define LISTENER_NAME "rocp-bg-attach"
/* In the target's environment while a roclatch has it attached: "1" by the SDK's attach, "late". */
#define ATTACHED_MARKER "ROCLATCH_ATTACHED"

/* Tables that runtimes register, in a mask. */
enum rocm_api {
	API_HSA = 1 << 0, API_HIP = 1 << 1, API_HIP_COMPILER = 1 << 2, API_ROCTX = 1 << 3, API_RCCL = 1 << 4,
	API_ROCDECODE = 1 << 5, API_ROCJPEG = 1 << 6, API_OTHER = 1 << 7, API_ROCATTACH = 1 << 8,
};

struct rocm_view {
	struct images *images;
	struct env environment;         /* of the process now, as getenv there would answer */
	bool environment_known;
	struct image *reg;              /* librocprofiler-register; NULL: none */
	unsigned regs;                  /* how many copies of it are mapped */
	char register_version[32];      /* "0.6.0" by its file name, or "" */
	bool register_can_attach, register_can_late;    /* exports _attach and _detach; _invoke_nonpropagated_ */
	struct image *attach_library;   /* librocprofiler-sdk-attach */
	struct image *sdk;              /* librocprofiler-sdk */
	bool sdk_can_attach;            /* exports rocprofiler_attach and _detach */
	struct image *tool;             /* librocprofiler-sdk-tool, or what the last attach named */
	struct image *hsa, *hip;        /* libhsa-runtime64, libamdhip64 */
	struct image *startup_tool;     /* another image that exports rocprofiler_configure */
	unsigned registered;            /* enum rocm_api; 0 also if unknown */
	bool registered_known;          /* the register's list was found in its memory */
	pid_t listener;                 /* thread LISTENER_NAME, or 0 */
	const char *tool_path;          /* string of the attach before, by ROCPROF_ATTACH_TOOL_LIBRARY there, or NULL */
	bool was_attached;              /* ROCPROFILER_REGISTER_TOOL_ATTACHED is set and the SDK is there */
	bool attached;                  /* the marker is set, and was_attached or late */
	bool late;                      /* the marker says so */
	bool owned;                     /* a living roclatch holds the session lock (rocp/session.h) */
};

/* 0, or -1 with err.  images must outlive the view. */
int rocm_view_open(struct rocm_view *view, struct images *images, struct err *err);
/* The same; of a process without a register no more than that. */
int rocm_view_glance(struct rocm_view *view, struct images *images, struct err *err);
void rocm_view_close(struct rocm_view *view);

/* The image of a tool by the string that the register was given; NULL: it is not loaded. */
struct image *rocm_view_tool(struct rocm_view *view, const char *path);

/* "hsa, hip, roctx" */
void rocm_api_names(unsigned apis, char *text, size_t size);

#endif
