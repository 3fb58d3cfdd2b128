/* SPDX-License-Identifier: MIT */
/* Lists of process ids, and who is whose child; parts of select.c. */
#ifndef ROCLATCH_ROCP_SELECT_FAMILY_H
#define ROCLATCH_ROCP_SELECT_FAMILY_H

#include "inject/proc.h"

struct processes {
	pid_t *v;
	size_t n, room;
	pid_t *parent;          /* of each, once they were asked for; else NULL */
};

/* Every process, ascending.  0, or -1 with err. */
int processes_list(struct processes *list, const char *proc, struct err *err);
void processes_free(struct processes *list);

bool family_status(const char *proc, pid_t pid, struct proc_status *status);

/* The children of pid, ascending: by PROC/PID/task/TID/children, or where the
 * kernel has no such file (CONFIG_PROC_CHILDREN) by the parents of `all`.
 * None if pid is gone.  0, or -1 with err (out of memory). */
int family_children(struct processes *children, const char *proc, pid_t pid, struct processes *all,
		    struct err *err);

#endif
