/* SPDX-License-Identifier: MIT */
/*
 * roclatch's own tool library, libroclatch-tool.so: where its file is, what it
 * is told beside rocprofv3's variables, and what it says of itself while it
 * works, read from outside.
 */
#ifndef ROCLATCH_ROCP_OWN_TOOL_H
#define ROCLATCH_ROCP_OWN_TOOL_H

#include <limits.h>
#include <sys/stat.h>

#include "rocp/attach.h"
#include "rocp/log.h"
#include "rocp/owner.h"
#include "rocp/tool_abi.h"

#define OWN_TOOL_WORD "roclatch"        /* -t roclatch */
#define OWN_TOOL_NAME "libroclatch-tool.so"
#define OWN_TOOL_VARIABLE "ROCLATCH_TOOL"

/* All formats that were asked for, with those that no tool writes: what a later roclatch detach
 * is to make.  The tool itself does not look at it. */
#define OWN_FORMATS_VARIABLE "ROCPROF_ROCLATCH_FORMATS"

/* Its file on our disk: $ROCLATCH_TOOL, beside this program, in its lib or in ../lib.  folder is that of
 * the program, NULL: find it out.  1 and path "": none of these, take what is built in; -1: not even that, with the
 * places. */
int own_tool_file(const char *folder, const char *named, char *path, size_t size, struct err *err);

/* The one that is built into this program, as an fd of a file without a name, at its start.  -1 with err, also where
 * none is built in: in libraries. */
int own_tool_bytes(struct err *err);
bool own_tool_is_built_in(void);

/* Does the target see the very same file, or one with the same bytes, at that path?  0, or -1 with
 * the remedy. */
int own_tool_visible(const struct target *target, const char *path, struct err *err);

/* What it is told: where its log is to be, as the target sees it, and the formats. */
int own_tool_environment(const struct target *target, const struct rocm_view *view, const struct request *request,
			 struct env *env, struct err *err);

/* How the files of a tool are to be called, with the variables that it is sent: the path up to _results.db
 * and the like, as the target sees it. */
int own_tool_output(const struct target *target, const struct rocm_view *view, const struct env *sent, char *path, size_t size,
		    struct err *err);
/* The formats alone: as they were said, and html with them. */
int own_tool_formats(const struct request *request, struct env *env, struct err *err);

/* As TOOL_STATE answers. */
#define TOOL_RECORDING 2
#define TOOL_STOPPED 3

/* A tool at work. */
struct own_log {
	raddr status;           /* where struct tool_status lies; 0: the tool is not ours */
	struct tool_status last;        /* as it was read last */
	int folder;             /* of the log, open, so that it is found when the target is gone; -1 */
	struct owner owner;     /* whose the log must be */
	uint32_t pid;           /* of the target as it sees itself */
	char path[sizeof((struct tool_status *)0)->log];        /* of the log, as the target sees it; "": none yet */
	bool idle;              /* it did not record when it was found, and there is no log of an earlier time */
};

/* 1: the attached tool is ours and its status was read; 0: it is another one; -1 with err. */
int own_log_open(struct own_log *log, struct attachment *attachment, struct err *err);
/* Read the status again, without stopping anything; -1: the target is gone, the last one stays. */
int own_log_read(struct own_log *log, struct attachment *attachment);
/* Does it record, as its status that was read last says?  0, or -1 with why not. */
int own_log_records(const struct own_log *log, struct err *err);
void own_log_close(struct own_log *log);
/* The folder as a path that we can use, also when the target is gone: one below /proc/self/fd, as what a path leads
 * to is the target's to change; the plain one for whoever is not root, where that is the same folder.  -1: there
 * is no log, or its folder cannot be reached. */
int own_log_folder(const struct own_log *log, char *path, size_t size, struct err *err);
/* The log's file name in that folder. */
const char *own_log_name(const struct own_log *log);
/* The log itself, or a database in its place: an ordinary file, the target's own where we are root.  An fd, and st
 * says which file it is; -1 with err. */
int own_log_file(const struct own_log *log, struct stat *st, struct err *err);
/* Remove that file, as its owner.  false: it is there still, as that is not its name any more, or it may not be. */
bool own_log_remove(const struct own_log *log, const struct stat *st);

#endif
