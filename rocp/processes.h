/* SPDX-License-Identifier: MIT */
/*
 * The processes of this machine and which of them use a GPU, looked at once or again and again.
 * Of one that uses none as little is read as possible: its stat, and its mappings once as long as it
 * takes no page faults.  Nothing in a process changes by it.
 */
#ifndef ROCLATCH_ROCP_PROCESSES_H
#define ROCLATCH_ROCP_PROCESSES_H

#include "inject/proc.h"
#include "rocp/attachable.h"
#include "rocp/container.h"
#include "rocp/runtimes.h"
#include "rocp/users.h"

struct process {
	struct proc_stat stat;
	pid_t inside;           /* its id in its own pid namespace; the same as stat.pid if that is ours */
	uid_t uid;              /* effective */
	const char *user;       /* its name, or NULL; lives as long as struct processes */
	struct container container;
	double cpu_percent;     /* of one CPU */
	bool since_look;        /* since the look before; false: since its start */
	struct runtimes runtimes;
	bool unread;            /* its mappings may not be read */
	struct attachable *attachable;  /* NULL: not asked, as it uses no GPU */
	unsigned depth;         /* below how many of those shown it was started */
	/* own */
	uint64_t at_ns;         /* when its stat was read */
	bool shown;
	size_t above, below, beside;    /* places of parent, first child, next of the same parent, + 1; 0 none */
};

struct processes {
	/* to be set before the first look */
	const char *proc, *kfd, *passwd;        /* "/proc", KFD_SYSTEM, USERS_FILE, or made like them */
	bool all;               /* every process; false: those that use a GPU */
	bool ask;               /* of those that use a GPU, whether they can be attached */

	/* the answer */
	struct process **row;   /* those shown; children follow their parent, ascending ids among equals */
	size_t rows;
	size_t unread;          /* how many of all may not be read */
	bool hidden;            /* /proc does not show those of others (hidepid) */

	/* own */
	struct process *v, *before;     /* all of this look and of the one before, by id */
	size_t n, n_before;
	struct users users;
	struct place ours;
	bool began;
};

/* Look anew.  What ends meanwhile is left out.  0, or -1: ERR_FAILED; ERR_SIGNAL + n when
 * call_stop_signal is set meanwhile. */
int processes_look(struct processes *processes, struct err *err);
void processes_free(struct processes *processes);

/* --- processes_tree.c: parts of it --- */
int processes_order(struct processes *processes, struct err *err);

#endif
