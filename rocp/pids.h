/* SPDX-License-Identifier: MIT */
/* Lists of process ids. */
#ifndef ROCLATCH_ROCP_PIDS_H
#define ROCLATCH_ROCP_PIDS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "elf/err.h"

struct pids {
	pid_t *v;
	size_t n, room;
};

/* The names in a folder that are numbers, ascending: the processes in /proc, the threads in
 * /proc/PID/task.  0, or -1 with err. */
int pids_list(struct pids *pids, const char *folder, struct err *err);
int pids_add(struct pids *pids, pid_t pid, struct err *err);
void pids_sort(struct pids *pids);
bool pids_have(const struct pids *pids, pid_t pid);     /* of a sorted list */
void pids_free(struct pids *pids);

#endif
