/* SPDX-License-Identifier: MIT */
/* The two ways in which a tool is brought, for staged.c. */
#ifndef ROCLATCH_ROCP_STAGED_PARTS_H
#define ROCLATCH_ROCP_STAGED_PARTS_H

#include "rocp/attach.h"

/* Tools on their way: what they are called, our fds of them, and the strings for the register. */
struct staging {
	size_t n;
	struct { char name[NAME_MAX + 1], string[PATH_MAX]; int source; } v[STAGED_MAX];
};

/* Copy all that lies behind an fd.  0, or -1 with errno. */
int staging_copy(int from, int to);

/* Each makes files in the target and their strings, or nothing: -1 with err. */
int staged_memory_make(struct attachment *attachment, const struct request *request, struct staging *staging,
		       struct err *err);
int staged_file_make(struct attachment *attachment, struct staging *staging, struct err *err);
/* Close all descriptors of such files there; remove all such folders.  -1 (ERR_RESIDUE): some are there still. */
int staged_memory_clear(struct attachment *attachment, const struct request *request, struct err *err);
int staged_file_clear(struct attachment *attachment, struct err *err);

#endif
