/* SPDX-License-Identifier: MIT */
/*
 * A tool for a process that does not see its file: in a container, a chroot, or with
 * rights of its own.  Its bytes are brought there: into a file in memory that has no
 * name and is gone when the loader has mapped it, or into a file of the process's
 * user, which goes at the detach.
 */
#ifndef ROCLATCH_ROCP_STAGED_H
#define ROCLATCH_ROCP_STAGED_H

#include "rocp/attach.h"

struct staged {
	enum stage_how how;     /* STAGE_NONE: the process sees the tool by itself */
	int source;             /* our fd of the tool's bytes; -1 */
	int fd;                 /* of the file in memory, in the target; -1 */
	int folder;             /* ours, of the folder that a file was made in; -1 */
	char path[PATH_MAX];    /* the string for the register, as the target sees it */
};

/* Bring it there.  0, or -1 with err and nothing left behind. */
int staged_begin(struct staged *staged, struct attachment *attachment, const struct request *request, struct err *err);
/* The loader has mapped it: what need not stay goes. */
int staged_loaded(struct staged *staged, struct attachment *attachment, struct err *err);
/* After the detach, also of what an earlier roclatch has left: the file goes.  0, or -1 (ERR_RESIDUE). */
int staged_end(struct staged *staged, struct attachment *attachment, struct err *err);

#endif
