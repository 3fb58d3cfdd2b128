/* SPDX-License-Identifier: MIT */
/* A file that is written once from its beginning to its end, through a buffer.  Until it is whole it has FILE_PARTIAL
 * behind its name, so that what a killed roclatch leaves is not taken for a whole one. */
#ifndef ROCLATCH_ROCP_FORMATS_FILE_H
#define ROCLATCH_ROCP_FORMATS_FILE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "elf/err.h"

#define FILE_PARTIAL ".partial"

struct file {
	char path[4096];
	int fd;                 /* -1: not open */
	bool borrowed;          /* the fd is not ours (stdout): nothing is removed */
	int sys;                /* the first error; all later puts do nothing */
	uint64_t written;       /* bytes, with those in the buffer */
	size_t used;
	char *buffer;
};

/* Made new, never over another, readable as the umask says: base followed by ending. */
int file_create(struct file *file, const char *base, const char *ending, struct err *err);
int file_borrow(struct file *file, int fd, const char *name, struct err *err);
/* These never fail at once: file_finish tells. */
void file_put(struct file *file, const void *data, size_t n);
void file_text(struct file *file, const char *text);
void file_unsigned(struct file *file, uint64_t value);
void file_signed(struct file *file, int64_t value);
void file_format(struct file *file, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Write what is left and close.  -1: it could not be written whole; it was removed. */
int file_finish(struct file *file, struct err *err);
void file_abandon(struct file *file);   /* close and remove; does nothing to one that is not open */

/* For those who write by themselves (partial.c): the file PATH.partial, made new.  The fd, which says by its lock that it
 * is at work until one of the other two has closed it; or -1, with EEXIST if PATH is there, or another is at work on it. */
int partial_create(const char *path, struct err *err);
int partial_publish(const char *path, int fd, struct err *err);
void partial_remove(const char *path, int fd);

#endif
