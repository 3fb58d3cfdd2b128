/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as the files of a thread that is followed: schedstat, stat, syscall and status, each ended by a byte 0xff;
 * then the same for a second look.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "inject/watch/tasks_look.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const files[] = { "schedstat", "stat", "syscall", "status" };
#define FILES (sizeof files / sizeof *files)
static char folder[40];
static int dir = -1, fd[FILES];

static void remove_folder(void)
{
	for (size_t i = 0; i < FILES; i++) {
		char name[16];
		snprintf(name, sizeof name, "7/%s", files[i]);
		unlinkat(dir, name, 0);
	}
	unlinkat(dir, "7", AT_REMOVEDIR);
	rmdir(folder);
}

static void make_folder(void)
{
	snprintf(folder, sizeof folder, "%s/fuzz-task-XXXXXX", access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm");
	dir = mkdtemp(folder) ? open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
	if (dir < 0 || mkdirat(dir, "7", 0700) || atexit(remove_folder))
		abort();
	for (size_t i = 0; i < FILES; i++) {
		char name[16];
		snprintf(name, sizeof name, "7/%s", files[i]);
		fd[i] = openat(dir, name, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
		if (fd[i] < 0)
			abort();
	}
}

static const uint8_t *put_files(const uint8_t *at, const uint8_t *end)
{
	for (size_t i = 0; i < FILES; i++) {
		const uint8_t *mark = at < end ? memchr(at, 0xff, (size_t)(end - at)) : NULL;
		size_t part = (size_t)((mark ? mark : end) - at);
		if (ftruncate(fd[i], 0) || pwrite(fd[i], at, part, 0) != (ssize_t)part)
			abort();
		at = mark ? mark + 1 : end;
	}
	return at;
}

static void check(const struct task *task)
{
	for (const char *c = task->name; *c; c++)
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			abort();
	if (task->state > TASK_GONE || (task->call_known && task->call.running) ||
	    strnlen(task->name, sizeof task->name) == sizeof task->name)
		abort();
}

static void look(const uint8_t *data, size_t size, bool sched_known, unsigned fds_max)
{
	struct task task = { .tid = 7, .is_new = true, .fd_sched = -1, .fd_call = -1, .fd_stat = -1 };
	struct tasks tasks = { .pid = 1, .dir = dir, .v = &task, .n = 1, .fds_max = fds_max, .sched_known = sched_known };
	const uint8_t *rest = put_files(data, data + size);
	task_look(&tasks, &task, 1000);
	check(&task);
	task.is_new = false;
	task_stood_still(&tasks, &task);
	put_files(rest, data + size);
	task_look(&tasks, &task, 2000);
	check(&task);
	task_close(&tasks, &task);
	if (tasks.fds)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size > 16384)
		return 0;
	if (dir < 0)
		make_folder();
	look(data, size, true, 3);
	look(data, size, true, 0);
	look(data, size, false, 3);
	return 0;
}
