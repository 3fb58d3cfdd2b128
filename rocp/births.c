/* SPDX-License-Identifier: MIT */
#include "rocp/births.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool read_stat(const struct births *births, pid_t pid, struct proc_stat *stat)
{
	char text[1024];
	ssize_t n = proc_read_into(text, sizeof text, "%s/%d/stat", births->proc, (int)pid);
	return n > 0 && stat_parse(stat, text, (size_t)n, NULL) == 0 && stat->state != 'Z' && stat->state != 'X';
}

static int append(struct births *births, const struct proc_stat *stat, pid_t root, struct err *err)
{
	if (births->n == births->room) {
		size_t room = births->room ? 2 * births->room : 64;
		struct member *v = realloc(births->v, room * sizeof *v);
		if (!v)
			return err_set(err, ERR_FAILED, ENOMEM, "list the processes");
		births->v = v;
		births->room = room;
	}
	births->v[births->n++] = (struct member){ .pid = stat->pid, .root = root, .start_time = stat->start_time,
						  .faults = stat->faults };
	return 0;
}

int births_add(struct births *births, pid_t pid, pid_t root, struct err *err)
{
	struct proc_stat stat;
	return read_stat(births, pid, &stat) ? append(births, &stat, root, err) : 0;
}

bool births_lives(struct births *births, size_t i)
{
	struct member *member = &births->v[i];
	struct proc_stat stat;
	if (member->gone)
		return false;
	member->gone = !read_stat(births, member->pid, &stat) || stat.start_time != member->start_time;
	if (!member->gone)
		member->faults = stat.faults;
	return !member->gone;
}

/* An id may belong to another process by now. */
static const struct member *parent_of(struct births *births, const struct proc_stat *stat)
{
	for (size_t i = births->n; i-- > 0;)
		if (births->v[i].pid == stat->ppid && births_lives(births, i))
			return &births->v[i];
	return NULL;
}

/* Those that were not there before, again and again, as one may be listed before its parent. */
static int add_new(struct births *births, struct pids *now, struct err *err)
{
	size_t found;
	do {
		size_t k = 0;
		found = 0;
		for (size_t i = 0; i < now->n; i++) {
			while (k < births->before.n && births->before.v[k] < now->v[i])
				k++;
			bool known = k < births->before.n && births->before.v[k] == now->v[i];
			for (size_t m = 0; m < births->n && !known; m++)
				known = births->v[m].pid == now->v[i] && !births->v[m].gone;
			struct proc_stat stat;
			if (known || !read_stat(births, now->v[i], &stat))
				continue;
			const struct member *parent = parent_of(births, &stat);
			if (parent && append(births, &stat, parent->root, err) < 0)
				return -1;
			found += parent != NULL;
		}
	} while (found);
	return 0;
}

/* "0.1 0.2 0.3 1/234 5678": the last number is the id that was given last (fs/proc/loadavg.c). */
static bool somebody_came(struct births *births)
{
	char text[128];
	if (proc_read_into(text, sizeof text, "%s/loadavg", births->proc) <= 0 || !strrchr(text, ' '))
		return true;
	uint64_t last = strtoull(strrchr(text, ' ') + 1, NULL, 10);
	bool came = last != births->last;
	births->last = last;
	return came;
}

int births_look(struct births *births, struct err *err)
{
	struct pids now;
	bool first = !births->before.v;
	if (!somebody_came(births) && !first)
		return 0;
	if (pids_list(&now, births->proc, err) < 0)
		return -1;
	int rc = first ? 0 : add_new(births, &now, err);
	pids_free(&births->before);
	births->before = now;
	return rc;
}

void births_free(struct births *births)
{
	pids_free(&births->before);
	free(births->v);
	*births = (struct births){ 0 };
}
