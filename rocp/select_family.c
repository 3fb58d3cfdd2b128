/* SPDX-License-Identifier: MIT */
#include "rocp/select_family.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "inject/cursor.h"

void processes_free(struct processes *list)
{
	free(list->v);
	free(list->parent);
	*list = (struct processes){ 0 };
}

static int append(struct processes *list, pid_t pid, struct err *err)
{
	if (list->n == list->room) {
		size_t room = list->room ? list->room * 2 : 64;
		pid_t *larger = realloc(list->v, room * sizeof *larger);
		if (!larger)
			return err_set(err, ERR_FAILED, ENOMEM, "list the processes");
		list->v = larger;
		list->room = room;
	}
	list->v[list->n++] = pid;
	return 0;
}

static int compare(const void *a, const void *b)
{
	pid_t x = *(const pid_t *)a, y = *(const pid_t *)b;
	return (x > y) - (x < y);
}

static void sort(struct processes *list)
{
	if (list->n)
		qsort(list->v, list->n, sizeof *list->v, compare);
}

/* The folders of a folder that are numbers.  0, or -1 with err. */
static int numbers(struct processes *list, const char *path, struct err *err)
{
	DIR *folder = opendir(path);
	if (!folder)
		return err_set(err, ERR_FAILED, errno, "open %s", path);
	int rc = 0;
	for (struct dirent *entry; rc == 0 && (entry = readdir(folder)) != NULL;) {
		struct cursor c = { entry->d_name, entry->d_name + strlen(entry->d_name) };
		uint64_t number;
		if (cursor_number(&c, 10, &number) && !cursor_more(&c) && number > 0 && number <= INT32_MAX)
			rc = append(list, (pid_t)number, err);
	}
	closedir(folder);
	sort(list);
	return rc;
}

int processes_list(struct processes *list, const char *proc, struct err *err)
{
	int rc = numbers(list, proc, err);
	if (rc < 0)
		processes_free(list);
	return rc;
}

/* "12 14 15 " */
static int append_text(struct processes *list, const char *text, size_t size, struct err *err)
{
	struct cursor c = { text, text + size };
	uint64_t number;
	for (cursor_blanks(&c); cursor_number(&c, 10, &number); cursor_blanks(&c))
		if (number > 0 && number <= INT32_MAX && append(list, (pid_t)number, err) < 0)
			return -1;
	return 0;
}

/* All at once: one by one, a large family would read every status many times. */
static int ask_parents(struct processes *all, const char *proc, struct err *err)
{
	struct proc_status status;
	if (all->parent)
		return 0;
	all->parent = calloc(all->n + 1, sizeof *all->parent);
	if (!all->parent)
		return err_set(err, ERR_FAILED, ENOMEM, "list the processes");
	for (size_t i = 0; i < all->n; i++)
		all->parent[i] = family_status(proc, all->v[i], &status) ? status.ppid : 0;
	return 0;
}

static int children_by_parents(struct processes *children, const char *proc, pid_t pid, struct processes *all,
			       struct err *err)
{
	if (ask_parents(all, proc, err) < 0)
		return -1;
	for (size_t i = 0; i < all->n; i++)
		if (all->parent[i] == pid && append(children, all->v[i], err) < 0)
			return -1;
	return 0;
}

int family_children(struct processes *children, const char *proc, pid_t pid, struct processes *all,
		    struct err *err)
{
	char path[PATH_MAX];
	struct processes threads = { 0 };
	bool told = false;
	int rc = 0;
	*children = (struct processes){ 0 };
	snprintf(path, sizeof path, "%s/%d/task", proc, (int)pid);
	if (numbers(&threads, path, NULL) < 0) {
		processes_free(&threads);
		return 0;
	}
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
	processes_free(&threads);
	sort(children);
	if (rc < 0)
		processes_free(children);
	return rc;
}
