/* SPDX-License-Identifier: MIT */
/* Which threads there are, and the round over all of them. */
#include "inject/watch/tasks.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "inject/cursor.h"
#include "inject/thread.h"
#include "inject/watch/tasks_look.h"

#define LIST_BYTES (64u << 10)
#define LIST_BLIND_NS 100000000u        /* how often the folder is read where its links do not count */

struct tid_list {
	pid_t *v;
	size_t n, room;
};

const char *task_state_text(enum task_state state)
{
	static const char *const texts[TASK_STATES] = { "running", "sleeping", "waiting", "stopped", "gone" };
	return (unsigned)state < TASK_STATES ? texts[state] : "unknown";
}

/* Leave most of what we may open to others. */
static unsigned fds_allowed(void)
{
	struct rlimit limit;
	if (getrlimit(RLIMIT_NOFILE, &limit) < 0 || limit.rlim_cur / 4 >= TASKS_FDS_MAX)
		return TASKS_FDS_MAX;
	return (unsigned)limit.rlim_cur / 4;
}

int tasks_open(struct tasks *tasks, pid_t pid, struct err *err)
{
	char path[64];
	*tasks = (struct tasks){ .pid = pid };
	snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
	tasks->dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (tasks->dir < 0 && (errno == ENOENT || errno == ESRCH))
		return err_set(err, ERR_NOT_POSSIBLE, 0, "there is no process %d", (int)pid);
	if (tasks->dir < 0)
		return err_set(err, ERR_FAILED, errno, "open %s", path);
	tasks->sched_known = task_sched_counts();
	tasks->fds_max = fds_allowed();
	return 0;
}

void tasks_close(struct tasks *tasks)
{
	for (size_t i = 0; i < tasks->n; i++) {
		if (tasks->gone)
			tasks->gone(tasks->ctx, &tasks->v[i]);
		task_close(tasks, &tasks->v[i]);
	}
	free(tasks->v);
	if (tasks->dir >= 0)
		close(tasks->dir);
	tasks->v = NULL;
	tasks->n = tasks->room = 0;
	tasks->dir = -1;
}

static int ended(const struct tasks *tasks, struct err *err)
{
	return err_set(err, ERR_TARGET_EXITED, 0, "process %d has ended", (int)tasks->pid);
}

static int compare_tids(const void *a, const void *b)
{
	pid_t x = *(const pid_t *)a, y = *(const pid_t *)b;
	return (x > y) - (x < y);
}

static int append(struct tid_list *list, pid_t tid)
{
	if (list->n == list->room) {
		size_t room = list->room ? list->room * 2 : 128;
		pid_t *larger = realloc(list->v, room * sizeof *larger);
		if (!larger)
			return -1;
		list->v = larger;
		list->room = room;
	}
	list->v[list->n++] = tid;
	return 0;
}

struct entry {          /* getdents64(2) */
	uint64_t inode;
	int64_t offset;
	uint16_t size;
	uint8_t type;
	char name[];
};

/* Entries that are not numbers are "." and "..". */
static int take_entries(struct tid_list *list, const char *buf, size_t size)
{
	for (size_t at = 0; at + sizeof(struct entry) <= size;) {
		const struct entry *entry = (const struct entry *)(const void *)(buf + at);
		struct cursor c = { entry->name, entry->name + strlen(entry->name) };
		uint64_t tid;
		if (cursor_number(&c, 10, &tid) && !cursor_more(&c) && tid <= INT32_MAX &&
		    append(list, (pid_t)tid) < 0)
			return -1;
		at += entry->size;
	}
	return 0;
}

/* Large pieces: for each one the kernel walks from the first thread to where it was. */
static int read_folder(int dir, struct tid_list *list)
{
	char *buf = malloc(LIST_BYTES);
	long n = -1;
	if (!buf)
		return -1;
	if (lseek(dir, 0, SEEK_SET) == 0)
		while ((n = syscall(SYS_getdents64, dir, buf, LIST_BYTES)) > 0)
			if (take_entries(list, buf, (size_t)n) < 0) {
				errno = ENOMEM;
				n = -1;
				break;
			}
	int saved = errno;
	free(buf);
	errno = saved;
	if (list->n)
		qsort(list->v, list->n, sizeof *list->v, compare_tids);
	return n < 0 ? -1 : 0;
}

static struct task fresh(pid_t tid)
{
	return (struct task){ .tid = tid, .is_new = true, .fd_sched = -1, .fd_call = -1, .fd_stat = -1 };
}

/* Count those that are not known; put them behind the others if `room` is there. */
static size_t add_unknown(struct tasks *tasks, const struct tid_list *list, bool room)
{
	size_t known = 0, added = 0, n = tasks->n;
	for (size_t i = 0; i < list->n; i++) {
		if (i && list->v[i] == list->v[i - 1])
			continue;       /* read twice, as others ended meanwhile */
		while (known < n && tasks->v[known].tid < list->v[i])
			known++;
		if (known < n && tasks->v[known].tid == list->v[i])
			continue;
		if (room)
			tasks->v[n + added] = fresh(list->v[i]);
		added++;
	}
	return added;
}

static int compare_tasks(const void *a, const void *b)
{
	const struct task *x = a, *y = b;
	return (x->tid > y->tid) - (x->tid < y->tid);
}

/* Who is missing in the list is not dropped for that: the look at it tells. */
static int merge(struct tasks *tasks, const struct tid_list *list)
{
	size_t added = add_unknown(tasks, list, false);
	if (!added)
		return 0;
	if (tasks->n + added > tasks->room) {
		size_t room = tasks->n + added + tasks->n / 4;
		struct task *larger = realloc(tasks->v, room * sizeof *larger);
		if (!larger)
			return -1;
		tasks->v = larger;
		tasks->room = room;
	}
	add_unknown(tasks, list, true);
	bool in_order = tasks->n == 0 || tasks->v[tasks->n - 1].tid < tasks->v[tasks->n].tid;
	tasks->n += added;
	if (!in_order)
		qsort(tasks->v, tasks->n, sizeof *tasks->v, compare_tasks);
	return 0;
}

static unsigned long links_of(const struct tasks *tasks)
{
	struct stat st;
	return fstat(tasks->dir, &st) == 0 ? (unsigned long)st.st_nlink : 0;
}

static int list_all(struct tasks *tasks, struct err *err)
{
	struct tid_list list = { 0 };
	tasks->calls_refused = false;
	tasks->links = links_of(tasks);
	tasks->listed_ns = tasks->tick_ns;
	int rc = read_folder(tasks->dir, &list);
	if (rc < 0 && (errno == ENOENT || errno == ESRCH))
		rc = ended(tasks, err);
	else if (rc < 0 || merge(tasks, &list) < 0)
		rc = err_set(err, ERR_FAILED, errno, "list the threads of process %d", (int)tasks->pid);
	/* fs/proc/base.c, proc_task_getattr: two and one for each thread */
	tasks->links_count = tasks->links > 2;
	free(list.v);
	return rc;
}

bool tasks_may_differ(const struct tasks *tasks)
{
	if (tasks->some_gone || !tasks->listed_ns)
		return true;
	if (!tasks->links_count)
		return now_ns() - tasks->listed_ns >= LIST_BLIND_NS;
	return links_of(tasks) != tasks->links;
}

/* Those of whom the last tick has told that they are gone. */
static void drop_gone(struct tasks *tasks)
{
	size_t kept = 0;
	for (size_t i = 0; i < tasks->n; i++) {
		struct task *task = &tasks->v[i];
		if (task->state == TASK_GONE) {
			if (tasks->gone)
				tasks->gone(tasks->ctx, task);
			task_close(tasks, task);
			continue;
		}
		task->is_new = false;
		tasks->v[kept++] = *task;
	}
	tasks->n = kept;
	tasks->some_gone = false;
}

int tasks_tick(struct tasks *tasks, bool list, struct err *err)
{
	size_t alive = 0;
	drop_gone(tasks);
	uint64_t now = now_ns();
	tasks->elapsed_ns = now - tasks->tick_ns;
	tasks->tick_ns = now;
	if (list && list_all(tasks, err) < 0)
		return -1;
	for (size_t i = 0; i < tasks->n; i++) {
		task_look(tasks, &tasks->v[i], tasks->tick_ns);
		alive += tasks->v[i].state != TASK_GONE;
	}
	/* between two lists all that were known may have ended while others began */
	if (!alive && !list)
		return tasks_tick(tasks, true, err);
	return alive ? 0 : ended(tasks, err);
}

void task_wait_channel(pid_t pid, pid_t tid, char *text, size_t size)
{
	size_t n;
	char *read = proc_read(&n, NULL, "/proc/%d/task/%d/wchan", (int)pid, (int)tid);
	snprintf(text, size, "%s", read && strcmp(read, "0") != 0 ? read : "");
	free(read);
}
