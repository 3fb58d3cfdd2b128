/* SPDX-License-Identifier: MIT */
/* Rows of a tree: children follow their parent, or the nearest ancestor that is shown. */
#include <errno.h>
#include <stdlib.h>

#include "rocp/processes.h"

#define ANCESTORS_MAX 256       /* that are not shown, between two that are */

static int compare(const void *a, const void *b)
{
	pid_t x = *(const pid_t *)a, y = ((const struct process *)b)->stat.pid;
	return (x > y) - (x < y);
}

static struct process *find(const struct processes *processes, pid_t pid)
{
	return processes->n ? bsearch(&pid, processes->v, processes->n, sizeof *processes->v, compare) : NULL;
}

/* NULL: none.  What is read one after the other may even say that two are each other's parents. */
static struct process *ancestor_shown(const struct processes *processes, const struct process *process)
{
	const struct process *at = process;
	struct process *parent = NULL;
	for (int i = 0; i < ANCESTORS_MAX; i++) {
		parent = at->stat.ppid > 0 ? find(processes, at->stat.ppid) : NULL;
		if (!parent || parent == process || parent->shown)
			break;
		at = parent;
	}
	return parent && parent != process && parent->shown ? parent : NULL;
}

/* From the last to the first, so that the lists of children are in order. */
static void link_families(struct processes *processes)
{
	for (size_t i = processes->n; i-- > 0;) {
		struct process *process = &processes->v[i];
		struct process *parent = process->shown ? ancestor_shown(processes, process) : NULL;
		if (!parent)
			continue;
		process->above = (size_t)(parent - processes->v) + 1;
		process->beside = parent->below;
		parent->below = i + 1;
	}
}

/* A process and all below it, without recursion: a line of descent may be as long as the list. */
static void add_family(struct processes *processes, struct process *root)
{
	struct process *at = root;
	while (at) {
		at->shown = false;
		processes->row[processes->rows++] = at;
		size_t next = at->below;
		unsigned depth = at->depth + 1;
		while (!next && at != root) {
			next = at->beside;
			depth = at->depth;
			at = &processes->v[at->above - 1];
		}
		at = next ? &processes->v[next - 1] : NULL;
		if (at && !at->shown)
			return;         /* a circle */
		if (at)
			at->depth = depth;
	}
}

int processes_order(struct processes *processes, struct err *err)
{
	free(processes->row);
	processes->row = calloc(processes->n + 1, sizeof(struct process *));
	processes->rows = 0;
	if (!processes->row)
		return err_set(err, ERR_FAILED, ENOMEM, "list the processes");
	link_families(processes);
	for (size_t i = 0; i < processes->n; i++)
		if (processes->v[i].shown && !processes->v[i].above)
			add_family(processes, &processes->v[i]);
	/* what is left has no beginning */
	for (size_t i = 0; i < processes->n; i++)
		if (processes->v[i].shown)
			add_family(processes, &processes->v[i]);
	return 0;
}
