/* SPDX-License-Identifier: MIT */
#include "rocp/formats/file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BUFFER (256u << 10)
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

/* What is still to be published or removed. */
static int release(struct file *file)
{
	int fd = file->fd;
	file->fd = -1;
	free(file->buffer);
	file->buffer = NULL;
	return fd;
}

int file_finish(struct file *file, struct err *err)
{
	flush(file);
	int fd = release(file);
	if (!file->sys)
		return file->borrowed ? 0 : partial_publish(file->path, fd, err);
	if (!file->borrowed)
		partial_remove(file->path, fd);
	return err_set(err, ERR_FAILED, file->sys, "%s could not be written%s", file->path, file->borrowed ? "" : " and was removed");
}

void file_abandon(struct file *file)
{
	if (file->fd < 0)
		return;
	int fd = release(file);
	if (!file->borrowed)
		partial_remove(file->path, fd);
}
