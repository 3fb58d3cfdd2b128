/* SPDX-License-Identifier: MIT */
#include "rocp/trace/log_read.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* All of n bytes, or how many there are; -1: errno says why. */
static ssize_t read_at(int fd, void *data, size_t n, uint64_t offset)
{
	size_t done = 0;
	while (done < n) {
		ssize_t part = pread(fd, (char *)data + done, n - done, (off_t)(offset + done));
		if (part < 0 && errno == EINTR)
			continue;
		if (part < 0)
			return -1;
		if (!part)
			break;
		done += (size_t)part;
	}
	return (ssize_t)done;
}

static int check_head(struct log_file *file, const char *path, struct err *err)
{
	struct log_head *head = &file->head;
	ssize_t n = read_at(file->fd, head, sizeof *head, 0);
	if (n < 0)
		return err_set(err, ERR_FAILED, errno, "cannot read %s", path);
	if (n < 12 || memcmp(head->magic, LOG_MAGIC, 8))
		return err_set(err, ERR_FAILED, 0, "%s is no recording of roclatch", path);
	if (head->version != LOG_VERSION) {
		err_set(err, ERR_FAILED, 0, "%s is a recording of version %u, this roclatch reads version %u", path,
			head->version, LOG_VERSION);
		return err_remedy(err, "convert it with the roclatch that recorded it, or a newer one");
	}
	if (n < (ssize_t)sizeof *head)
		return err_set(err, ERR_FAILED, 0, "%s ends within its first %zu bytes: nothing was recorded", path, sizeof *head);
	struct log_head checked = *head;
	checked.check = 0;
	if (head->check != log_check(&checked, sizeof checked) || head->size != sizeof *head)
		return err_set(err, ERR_FAILED, 0, "the first %zu bytes of %s are damaged", sizeof *head, path);
	return 0;
}

int log_file_open(struct log_file *file, int fd, const char *path, struct err *err)
{
	*file = (struct log_file){ .fd = fd };
	if (check_head(file, path, err) < 0)
		return -1;
	file->payload = malloc(LOG_BLOCK_MOST);
	if (!file->payload)
		return err_set(err, ERR_FAILED, ENOMEM, "read %s", path);
	log_rewind(file);
	return 0;
}

void log_file_close(struct log_file *file)
{
	free(file->payload);
	file->payload = NULL;
	if (file->fd >= 0)
		close(file->fd);
	file->fd = -1;
}

void log_rewind(struct log_file *file)
{
	file->at = (struct log_place){ .offset = file->head.size };
	file->size = 0;
	file->damage[0] = '\0';
}

__attribute__((format(printf, 2, 3)))
static bool damaged(struct log_file *file, const char *fmt, ...)
{
	char why[128];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(why, sizeof why, fmt, ap);
	va_end(ap);
	snprintf(file->damage, sizeof file->damage, "block %llu at byte %llu is %s; what is before it is used",
		(unsigned long long)file->at.block, (unsigned long long)file->at.offset, why);
	return false;
}

/* false: the file ends here, or cannot be used from here on. */
static bool read_block(struct log_file *file)
{
	struct log_block block;
	ssize_t n = read_at(file->fd, &block, sizeof block, file->at.offset);
	if (n < 0)
		return damaged(file, "unreadable (%s)", strerror(errno));
	if (!n)
		return false;
	if (n < (ssize_t)sizeof block)
		return damaged(file, "truncated (%zd of the %zu bytes that begin it)", n, sizeof block);
	if (block.magic != LOG_BLOCK_MAGIC)
		return damaged(file, "damaged (no block begins there)");
	if (block.number != file->at.block)
		return damaged(file, "damaged (it says that it is block %llu)", (unsigned long long)block.number);
	if (block.size > LOG_BLOCK_MOST || block.size % 8)
		return damaged(file, "damaged (it cannot have %u bytes)", block.size);
	n = read_at(file->fd, file->payload, block.size, file->at.offset + sizeof block);
	if (n < 0)
		return damaged(file, "unreadable (%s)", strerror(errno));
	if (n < (ssize_t)block.size)
		return damaged(file, "truncated (%zd of %u bytes)", n, block.size);
	if (log_check(file->payload, block.size) != block.check)
		return damaged(file, "damaged (its check does not fit)");
	file->size = block.size;
	file->time = block.time;
	return true;
}

const struct log_frame *log_next(struct log_file *file, const struct log_place *until)
{
	for (;;) {
		if (file->at.byte < file->size) {
			if (until && file->at.block == until->block && file->at.byte >= until->byte)
				return NULL;
			const struct log_frame *frame = (const void *)(file->payload + file->at.byte);
			const char *fault = log_fault(frame, file->size - file->at.byte);
			if (fault) {
				damaged(file, "damaged (%s)", fault);
				return NULL;
			}
			file->at.byte += frame->size;
			return frame;
		}
		if (file->size)
			file->at = (struct log_place){ file->at.block + 1, file->at.offset + sizeof(struct log_block) + file->size, 0 };
		file->size = 0;
		if (until && file->at.block >= until->block && !until->byte)
			return NULL;
		if (!read_block(file))
			return NULL;
		if (!file->size)
			file->at = (struct log_place){ file->at.block + 1, file->at.offset + sizeof(struct log_block), 0 };
	}
}
