/* SPDX-License-Identifier: MIT */
#include "rocp/select_family.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "inject/cursor.h"

void everybody_free(struct everybody *all)
{
	pids_free(&all->pids);
	pids_free(&all->among);
	free(all->parent);
	all->parent = NULL;
}

/* "12 14 15 " */
static int append_text(struct pids *list, const char *text, size_t size, struct err *err)
{
	struct cursor c = { text, text + size };
	uint64_t number;
	for (cursor_blanks(&c); cursor_number(&c, 10, &number); cursor_blanks(&c))
		if (number > 0 && number <= INT32_MAX && pids_add(list, (pid_t)number, err) < 0)
			return -1;
	return 0;
}

/* All at once: one by one, a large family would read every status many times. */
static int ask_parents(struct everybody *all, const char *proc, struct err *err)
{
	struct proc_status status;
	if (all->parent)
		return 0;
	all->parent = calloc(all->pids.n + 1, sizeof *all->parent);
	if (!all->parent)
		return err_set(err, ERR_FAILED, ENOMEM, "list the processes");
	for (size_t i = 0; i < all->pids.n; i++)
		all->parent[i] = family_status(proc, all->pids.v[i], &status) ? status.ppid : 0;
	return 0;
}

static int children_by_parents(struct pids *children, const char *proc, pid_t pid, struct everybody *all,
			       struct err *err)
{
	if (ask_parents(all, proc, err) < 0)
		return -1;
	for (size_t i = 0; i < all->pids.n; i++)
		if (all->parent[i] == pid && pids_add(children, all->pids.v[i], err) < 0)
			return -1;
	return 0;
}

int family_children(struct pids *children, const char *proc, pid_t pid, struct everybody *all, struct err *err)
{
	char path[PATH_MAX];
	struct pids threads;
	bool told = false;
	int rc = 0;
	*children = (struct pids){ 0 };
	snprintf(path, sizeof path, "%s/%d/task", proc, (int)pid);
	if (pids_list(&threads, path, NULL) < 0)
		return 0;
	for (size_t i = 0; i < threads.n && rc == 0; i++) {
		size_t size;
		char *text = proc_read(&size, NULL, "%s/%d/task/%d/children", proc, (int)pid, (int)threads.v[i]);
		if (text) {
			told = true;
			rc = append_text(children, text, size, err);
		}
		free(text);
	}
	if (rc == 0 && !told)
		rc = children_by_parents(children, proc, pid, all, err);
	pids_free(&threads);
	pids_sort(children);
	if (rc < 0)
		pids_free(children);
	return rc;
}
