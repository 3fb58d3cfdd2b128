/* SPDX-License-Identifier: MIT */
/* The readers: the only ones here that open files. */
#include "inject/proc.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <stdlib.h>
#include <unistd.h>

#include "inject/cursor.h"

#define READ_LIMIT ((size_t)64 << 20)
#define READ_FIRST ((size_t)8 << 10)
#define READ_LINES ((size_t)120 << 10)  /* the mappings of a process with two hundred libraries */

/* (musl's open adds an fcntl for O_CLOEXEC, which kernels have obeyed since 2.6.23.) */
static int open_to_read(const char *path)
{
	return (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
}

/* Take whole lines that are those of `then` again off the beginning of the text.  How many bytes these were, or SIZE_MAX if
 * it is another text from here on. */
static size_t pass_over(char *text, size_t used, struct cursor *then)
{
	if (used > (size_t)(then->end - then->at) || cursor_common(text, then->at, used) < used)
		return SIZE_MAX;
	const char *newline = memrchr(text, '\n', used);
	size_t lines = newline ? (size_t)(newline + 1 - text) : 0;
	memmove(text, text + lines, used - lines);
	then->at += lines;
	return lines;
}

/* Read to the end.  A short read is no end: maps comes a page at a time. */
static char *read_whole(int fd, struct cursor *then, size_t *size)
{
	size_t room = then ? READ_LINES : READ_FIRST, used = 0;
	char *text = malloc(room + 1);
	while (text) {
		ssize_t n = read(fd, text + used, room - used);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			break;
		used += (size_t)n;
		if (n == 0) {
			text[used] = '\0';
			*size = used;
			return text;
		}
		size_t passed = then ? pass_over(text, used, then) : SIZE_MAX;
		if (passed == SIZE_MAX)
			then = NULL;
		else
			used -= passed;
		if (used < room)
			continue;
		if (room >= READ_LIMIT) {
			errno = EFBIG;
			break;
		}
		room = room < READ_LIMIT / 16 ? room * 16 : READ_LIMIT;
		char *larger = realloc(text, room + 1);
		if (!larger)
			break;
		text = larger;
	}
	int saved = errno;
	free(text);
	errno = saved;
	return NULL;
}

static char *read_named(size_t *size, struct cursor *then, struct err *err, const char *fmt, va_list ap)
{
	char path[4352];
	int n = vsnprintf(path, sizeof path, fmt, ap);
	*size = 0;
	if (n < 0 || (size_t)n >= sizeof path) {
		err_set(err, ERR_FAILED, ENAMETOOLONG, "open a file of /proc");
		return NULL;
	}
	int fd = open_to_read(path);
	if (fd < 0) {
		err_set(err, ERR_FAILED, errno, "open %s", path);
		return NULL;
	}
	char *text = read_whole(fd, then, size);
	if (!text)
		err_set(err, ERR_FAILED, errno, "read %s", path);
	close(fd);
	return text;
}

char *proc_read(size_t *size, struct err *err, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	char *text = read_named(size, NULL, err, fmt, ap);
	va_end(ap);
	return text;
}

char *proc_read_since(size_t *size, struct cursor *then, struct err *err, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	char *text = read_named(size, then, err, fmt, ap);
	va_end(ap);
	return text;
}

#define SMALL 16384     /* status of a machine with thousands of CPUs */

static ssize_t read_once(const char *path, char *buf, size_t size)
{
	int fd = open_to_read(path);
	if (fd < 0)
		return -1;
	ssize_t n;
	do
		n = read(fd, buf, size - 1);
	while (n < 0 && errno == EINTR);
	int failed = errno;
	if (n >= 0)
		buf[n] = '\0';
	close(fd);
	errno = failed;
	return n;
}

ssize_t proc_read_into(char *buf, size_t size, const char *fmt, ...)
{
	char path[4352];
	va_list ap;
	va_start(ap, fmt);
	int n = vsnprintf(path, sizeof path, fmt, ap);
	va_end(ap);
	if (n >= 0 && (size_t)n < sizeof path)
		return read_once(path, buf, size);
	errno = ENAMETOOLONG;
	return -1;
}

/* A small file of a thread; tid 0 means the process as a whole, which is its leader. */
static ssize_t read_small(pid_t pid, pid_t tid, const char *name, char buf[SMALL], struct err *err)
{
	char path[64];
	if (tid)
		snprintf(path, sizeof path, "/proc/%d/task/%d/%s", (int)pid, (int)tid, name);
	else
		snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, name);
	ssize_t n = read_once(path, buf, SMALL);
	return n < 0 ? err_set(err, ERR_FAILED, errno, "read %s", path) : n;
}

int proc_status(pid_t pid, pid_t tid, struct proc_status *status, struct err *err)
{
	char text[SMALL];
	ssize_t n = read_small(pid, tid, "status", text, err);
	return n < 0 ? -1 : status_parse(status, text, (size_t)n, err);
}

int proc_stat(pid_t pid, pid_t tid, struct proc_stat *stat, struct err *err)
{
	char text[SMALL];
	ssize_t n = read_small(pid, tid, "stat", text, err);
	return n < 0 ? -1 : stat_parse(stat, text, (size_t)n, err);
}

int proc_syscall(pid_t pid, pid_t tid, struct proc_syscall *call, struct err *err)
{
	char text[SMALL];
	ssize_t n = read_small(pid, tid, "syscall", text, err);
	return n < 0 ? -1 : syscall_parse(call, text, (size_t)n, err);
}

int proc_switches(pid_t pid, pid_t tid, uint64_t *switches)
{
	static const char key[] = "\nvoluntary_ctxt_switches:";
	char text[SMALL];
	if (read_small(pid, tid, "status", text, NULL) < 0)
		return -1;
	const char *found = strstr(text, key);
	if (!found)
		return -1;
	*switches = strtoull(found + sizeof key - 1, NULL, 10);
	return 0;
}

static int compare_pids(const void *a, const void *b)
{
	pid_t x = *(const pid_t *)a, y = *(const pid_t *)b;
	return (x > y) - (x < y);
}

static int append_pid(pid_t **v, size_t *n, size_t *room, pid_t pid)
{
	if (*n == *room) {
		size_t wanted = *room ? *room * 4 : 64;
		pid_t *larger = realloc(*v, wanted * sizeof **v);
		if (!larger)
			return -1;
		*v = larger;
		*room = wanted;
	}
	(*v)[(*n)++] = pid;
	return 0;
}

int proc_threads(pid_t pid, pid_t **tids, size_t *n, struct err *err)
{
	size_t room = 0;
	char path[64];
	*tids = NULL;
	*n = 0;
	snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
	DIR *folder = opendir(path);
	if (!folder)
		return err_set(err, ERR_FAILED, errno, "open %s", path);
	for (struct dirent *entry; (errno = 0, entry = readdir(folder)) != NULL;) {
		struct cursor c = {entry->d_name, entry->d_name + strlen(entry->d_name)};
		uint64_t tid;
		if (!cursor_number(&c, 10, &tid) || cursor_more(&c) || tid > INT32_MAX)
			continue;
		if (append_pid(tids, n, &room, (pid_t)tid) < 0) {
			errno = ENOMEM;
			break;
		}
	}
	int failed = errno;
	closedir(folder);
	if (failed) {
		free(*tids);
		*tids = NULL;
		*n = 0;
		return err_set(err, ERR_FAILED, failed, "list %s", path);
	}
	if (*n)
		qsort(*tids, *n, sizeof **tids, compare_pids);
	return 0;
}
