/* SPDX-License-Identifier: MIT */
#include "rocp/formats/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define BUFFER (256u << 10)
#define NO_REPLACE 1            /* RENAME_NOREPLACE of linux/fs.h */

static bool partial_name(const char *path, char name[PATH_MAX])
{
	if (snprintf(name, PATH_MAX, "%s" FILE_PARTIAL, path) < PATH_MAX)
		return true;
	errno = ENAMETOOLONG;
	return false;
}

int partial_create(const char *path, struct err *err)
{
	char name[PATH_MAX];
	int fd = -1;
	if (partial_name(path, name) && access(path, F_OK) == 0)
		errno = EEXIST;
	else if (errno != ENAMETOOLONG)
		fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	return fd < 0 ? err_set(err, ERR_FAILED, errno, "cannot make %s", path) : fd;
}

/* Never over another, also on file systems and kernels that cannot do that at once. */
static int rename_new(const char *from, const char *to)
{
	if (syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, NO_REPLACE) == 0)
		return 0;
	if (errno != EINVAL && errno != ENOSYS)
		return -1;
	if (link(from, to) == 0)
		return unlink(from);
	if (errno == EEXIST)
		return -1;
	if (access(to, F_OK) == 0) {
		errno = EEXIST;
		return -1;
	}
	return rename(from, to);
}

int partial_publish(const char *path, struct err *err)
{
	char name[PATH_MAX];
	if (partial_name(path, name) && rename_new(name, path) == 0)
		return 0;
	int sys = errno;
	partial_remove(path);
	return err_set(err, ERR_FAILED, sys, "%s could not be given its name and was removed", path);
}

void partial_remove(const char *path)
{
	char name[PATH_MAX];
	if (partial_name(path, name))
		unlink(name);
}
#define SMALL 64

static int get_buffer(struct file *file, struct err *err)
{
	file->buffer = malloc(BUFFER);
	return file->buffer ? 0 : err_set(err, ERR_FAILED, 0, "out of memory for %s", file->path);
}

int file_create(struct file *file, const char *base, const char *ending, struct err *err)
{
	*file = (struct file){ .fd = -1 };
	if (snprintf(file->path, sizeof file->path, "%s%s", base, ending) >= (int)sizeof file->path)
		return err_set(err, ERR_USAGE, 0, "the path %.200s... is too long", base);
	if (get_buffer(file, err) < 0)
		return -1;
	file->fd = partial_create(file->path, err);
	if (file->fd < 0)
		free(file->buffer);
	return file->fd < 0 ? -1 : 0;
}

int file_borrow(struct file *file, int fd, const char *name, struct err *err)
{
	*file = (struct file){ .fd = -1, .borrowed = true };
	snprintf(file->path, sizeof file->path, "%s", name);
	if (get_buffer(file, err) < 0)
		return -1;
	file->fd = fd;
	return 0;
}

static void flush(struct file *file)
{
	const char *at = file->buffer;
	while (file->used && !file->sys) {
		ssize_t n = write(file->fd, at, file->used);
		if (n < 0 && errno != EINTR)
			file->sys = errno;
		if (n > 0) {
			at += n;
			file->used -= (size_t)n;
		}
	}
	file->used = 0;
}

void file_put(struct file *file, const void *data, size_t n)
{
	const char *from = data;
	file->written += n;
	/* Most of what is put is a digit or a word, and musl's memcpy is made for pages. */
	if (n <= SMALL && n < BUFFER - file->used && !file->sys) {
		char *to = file->buffer + file->used;
		file->used += n;
		for (; n >= 8; n -= 8, to += 8, from += 8)
			memcpy(to, from, 8);
		for (size_t i = 0; i < n; i++)
			to[i] = from[i];
		return;
	}
	while (n && !file->sys) {
		size_t part = BUFFER - file->used < n ? BUFFER - file->used : n;
		memcpy(file->buffer + file->used, from, part);
		file->used += part;
		from += part;
		n -= part;
		if (file->used == BUFFER)
			flush(file);
	}
}

void file_text(struct file *file, const char *text)
{
	file_put(file, text, strlen(text));
}

void file_unsigned(struct file *file, uint64_t value)
{
	char digits[24], *at = digits + sizeof digits;
	do
		*--at = (char)('0' + value % 10);
	while (value /= 10);
	file_put(file, at, (size_t)(digits + sizeof digits - at));
}

void file_signed(struct file *file, int64_t value)
{
	if (value < 0)
		file_put(file, "-", 1);
	file_unsigned(file, value < 0 ? -(uint64_t)value : (uint64_t)value);
}

void file_format(struct file *file, const char *fmt, ...)
{
	char text[1024], *longer = NULL;
	va_list ap, again;
	va_start(ap, fmt);
	va_copy(again, ap);
	int n = vsnprintf(text, sizeof text, fmt, ap);
	if (n >= (int)sizeof text && vasprintf(&longer, fmt, again) < 0)
		n = -1;
	va_end(again);
	va_end(ap);
	if (n < 0)
		file->sys = file->sys ? file->sys : ENOMEM;
	else
		file_put(file, longer ? longer : text, (size_t)n);
	free(longer);
}

static int release(struct file *file)
{
	int rc = file->borrowed || file->fd < 0 ? 0 : close(file->fd);
	file->fd = -1;
	free(file->buffer);
	file->buffer = NULL;
	return rc;
}

int file_finish(struct file *file, struct err *err)
{
	flush(file);
	int sys = file->sys;
	if (release(file) < 0 && !sys)
		sys = errno;
	if (!sys)
		return file->borrowed ? 0 : partial_publish(file->path, err);
	if (!file->borrowed)
		partial_remove(file->path);
	return err_set(err, ERR_FAILED, sys, "%s could not be written%s", file->path, file->borrowed ? "" : " and was removed");
}

void file_abandon(struct file *file)
{
	if (file->fd < 0)
		return;
	release(file);
	if (!file->borrowed)
		partial_remove(file->path);
}
