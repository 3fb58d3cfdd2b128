/* SPDX-License-Identifier: MIT */
/*
 * Attach a tool to one process and detach it again.  Between the two nobody
 * traces the process.  The state lies in the target itself (its environment and
 * its libraries), so that a second roclatch can detach what the first attached.
 */
#ifndef ROCLATCH_ROCP_ATTACH_H
#define ROCLATCH_ROCP_ATTACH_H

#include "inject/call.h"
#include "rocp/preflight.h"
#include "rocp/staged.h"

struct attachment {
	struct target target;
	struct images images;
	struct rocm_view view;
	bool opened;
	bool attached;          /* by us, and not detached again */
	int session;            /* lock that says that a living roclatch has it; -1 */
	struct preflight preflight;
	struct staged staged;
	struct call call;       /* the last one made in the target; .report tells how it went */
	unsigned status;        /* what the register (or the late tool) answered */
	bool answered;
	char stays[1024];       /* what stays in the target after detach, a line each */
	uint64_t attached_ns;   /* when it began to record */
	char earlier_log[1024]; /* of a recording that we have ended to begin this one, as the process sees it; "" */
	bool is_fetched;        /* what the tool writes is wanted when the detach has returned */
};

/* Open the target and look at it.  -1: not even that; preflight has its line. */
int attachment_open(struct attachment *attachment, pid_t pid, const struct request *request,
		    const struct say *say, struct err *err);
/* Attach: by the SDK's attach support, or late if the request says so. */
int attachment_begin(struct attachment *attachment, const struct request *request, struct err *err);
/* Begun and not ended well: if the process is attached by us, it is not to stay so.  0 also if there is nothing to do. */
int attachment_roll_back(struct attachment *attachment, const struct request *request, struct err *err);
/* Would a detach begin?  By reading alone. */
int attachment_can_end(const struct attachment *attachment, struct err *err);
/* Detach.  Also for what another roclatch attached. */
int attachment_end(struct attachment *attachment, const struct request *request, struct err *err);
void attachment_close(struct attachment *attachment);

/* For late.c: look at the target again; what is sent; a call that is about to be made. */
int attachment_refresh(struct attachment *attachment, struct err *err);
/* The variables that are to arrive; env is the caller's to free, also after -1. */
int attachment_env(const struct attachment *attachment, const struct request *request, struct env *env, struct err *err);
void attachment_prepare(struct attachment *attachment, const struct request *request);
/* After a failure in the tool or the SDK: the mark and the variables that only the attaching needed go.  The report of the call stays. */
#define TOOLS_VARIABLE "ROCP_TOOL_LIBRARIES"
#define SDK_VARIABLE "ROCPROFILER_REGISTER_LIBRARY"
void attachment_take_back(struct attachment *attachment, const struct request *request);

#endif
