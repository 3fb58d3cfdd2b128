/* SPDX-License-Identifier: MIT */
/* Who is whose child; a part of select.c. */
#ifndef ROCLATCH_ROCP_SELECT_FAMILY_H
#define ROCLATCH_ROCP_SELECT_FAMILY_H

#include "inject/proc.h"
#include "rocp/pids.h"

struct everybody {
	struct pids pids;
	struct pids among;      /* those of them that are looked at */
	pid_t *parent;          /* of each, once they were asked for; else NULL */
};

void everybody_free(struct everybody *all);

bool family_status(const char *proc, pid_t pid, struct proc_status *status);

/* The children of pid, ascending: by PROC/PID/task/TID/children, or where the
 * kernel has no such file (CONFIG_PROC_CHILDREN) by the parents of `all`.
 * None if pid is gone.  0, or -1 with err (out of memory). */
int family_children(struct pids *children, const char *proc, pid_t pid, struct everybody *all,
		    struct err *err);

#endif
