/* SPDX-License-Identifier: MIT */
/*
 * Which processes does a request mean?  A snapshot, by reading /proc alone:
 * what is born later is not in it, and what it names may be gone when it is
 * opened.
 */
#ifndef ROCLATCH_ROCP_SELECT_H
#define ROCLATCH_ROCP_SELECT_H

#include "rocp/request.h"

#define SELECT_PROC "/proc"
#define SELECT_MAX 4096         /* processes of one selection */

struct selected {
	pid_t pid;
	pid_t root;             /* the process through which it came in: itself, or an ancestor */
	bool required;          /* false: skipped without failure if it cannot be attached */
};

struct selection {
	struct selected *v;     /* each process once; roots first, then descendants breadth-first */
	size_t n;
};

/*
 * Given ids come in their order, then that of --pid-file, then --name, --env, --all, --cgroup and --slurm-job, each in
 * order of ids; a thread's id means its process.  With request->children the descendants of given and named processes
 * follow, not required; nor is what the others found, as they ask for what can be attached.  Our own process and a
 * roclatch that started us are left out, unless they are given by id.  proc is SELECT_PROC, or a folder
 * made like it.  0, or -1: ERR_USAGE (nothing asked for, a wrong expression),
 * ERR_NOT_POSSIBLE (no process answers, or too many).  An id that is given is
 * selected even if there is no such process: opening it tells why.
 */
int select_processes(struct selection *selection, const struct request *request, const char *proc,
		     struct err *err);
void selection_free(struct selection *selection);

/* The same again and again, of those alone that are due: a process that did not answer a moment ago is not
 * asked each time.  Given ids, and the descendants of who answers, are always due. */
struct select_scope {
	bool (*due)(void *ctx, pid_t pid);      /* each process of /proc once, in order of ids */
	void *ctx;
	struct err missing;     /* why nobody answers to one of the ways, which is no failure here */
};
int select_among(struct selection *selection, const struct request *request, const char *proc, struct select_scope *scope,
		 struct err *err);

#endif
