/* SPDX-License-Identifier: MIT */
#include "rocp/pids.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>

#include "inject/cursor.h"

void pids_free(struct pids *pids)
{
	free(pids->v);
	*pids = (struct pids){ 0 };
}

int pids_add(struct pids *pids, pid_t pid, struct err *err)
{
	if (pids->n == pids->room) {
		size_t room = pids->room ? pids->room * 2 : 64;
		pid_t *larger = realloc(pids->v, room * sizeof *larger);
		if (!larger)
			return err_set(err, ERR_FAILED, ENOMEM, "list the processes");
		pids->v = larger;
		pids->room = room;
	}
	pids->v[pids->n++] = pid;
	return 0;
}

static int compare(const void *a, const void *b)
{
	pid_t x = *(const pid_t *)a, y = *(const pid_t *)b;
	return (x > y) - (x < y);
}

void pids_sort(struct pids *pids)
{
	if (pids->n)
		qsort(pids->v, pids->n, sizeof *pids->v, compare);
}

bool pids_have(const struct pids *pids, pid_t pid)
{
	return pids->n && bsearch(&pid, pids->v, pids->n, sizeof *pids->v, compare);
}

int pids_list(struct pids *pids, const char *path, struct err *err)
{
	*pids = (struct pids){ 0 };
	DIR *folder = opendir(path);
	if (!folder)
		return err_set(err, ERR_FAILED, errno, "open %s", path);
	int rc = 0;
	for (struct dirent *entry; rc == 0 && (entry = readdir(folder)) != NULL;) {
		struct cursor c = { entry->d_name, entry->d_name + strlen(entry->d_name) };
		uint64_t number;
		if (cursor_number(&c, 10, &number) && !cursor_more(&c) && number > 0 && number <= INT32_MAX)
			rc = pids_add(pids, (pid_t)number, err);
	}
	closedir(folder);
	if (rc < 0)
		pids_free(pids);
	pids_sort(pids);
	return rc;
}
