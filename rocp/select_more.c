/* SPDX-License-Identifier: MIT */
#include "rocp/select_more.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "inject/cursor.h"
#include "inject/proc.h"

#define FIRST_LINE_MAX 64
#define PID_HIGHEST 0x400000u   /* PID_MAX_LIMIT, include/linux/threads.h */

/* Whoever writes it may have come no further yet: what stands there is never shown, as it may be any file's. */
static int parse(const char *path, const char *text, size_t size, pid_t *pid, struct err *err)
{
	struct cursor c = { text, text + size };
	struct cursor line = cursor_line(&c);
	uint64_t number;
	cursor_blanks(&line);
	if (cursor_number(&line, 10, &number) && number > 0 && number <= PID_HIGHEST) {
		cursor_blanks(&line);
		cursor_take(&line, '\r');
		*pid = (pid_t)number;
		if (!cursor_more(&line))
			return 0;
	}
	err_set(err, ERR_FAILED, 0, "the first line of %.200s is no process id", path);
	return err_remedy(err, "write the id of the process there, in decimal");
}

int select_pid_file(const char *path, pid_t *pid, struct err *err)
{
	char text[FIRST_LINE_MAX];
	struct stat st;
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0)
		return err_set(err, errno == ENOENT || errno == ENOTDIR ? ERR_FAILED : ERR_NOT_POSSIBLE, errno,
			       "the file of a process id, %.200s", path);
	ssize_t n = fstat(fd, &st) == 0 && S_ISREG(st.st_mode) ? pread(fd, text, sizeof text, 0) : -1;
	close(fd);
	if (n < 0)
		return err_set(err, ERR_NOT_POSSIBLE, 0, "%.200s, which is to hold a process id, is no ordinary file", path);
	return parse(path, text, (size_t)n, pid, err);
}

bool select_has_variable(const char *proc, pid_t pid, const char *wanted)
{
	size_t size, length = strlen(wanted);
	bool any = !strchr(wanted, '='), found = false;
	char *text = proc_read(&size, NULL, "%s/%d/environ", proc, (int)pid);
	for (const char *at = text, *end = text ? text + size : text; at < end && !found; at += strlen(at) + 1)
		found = !strncmp(at, wanted, length) && at[length] == (any ? '=' : '\0');
	free(text);
	return found;
}
