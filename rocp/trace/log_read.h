/* SPDX-License-Identifier: MIT */
/* A log as blocks and records, each checked before it is handed out.  Knows no meaning. */
#ifndef ROCLATCH_ROCP_TRACE_LOG_READ_H
#define ROCLATCH_ROCP_TRACE_LOG_READ_H

#include <stdbool.h>

#include "elf/err.h"
#include "rocp/log.h"

/* A place between two records. */
struct log_place { uint64_t block, offset; size_t byte; };

struct log_file {
	int fd;
	struct log_head head;
	struct log_place at;            /* of the next record: block's number, block's offset in the file, byte of payload */
	unsigned char *payload;         /* of the block that is read now */
	size_t size;                    /* of the payload; 0: none is read */
	uint64_t time;                  /* when it was written */
	char damage[256];               /* why reading ended; "": the file ended between two blocks */
};

/* The head; -1: it is not such a log, or one of a newer version. */
int log_file_open(struct log_file *file, int fd, const char *path, struct err *err);
void log_file_close(struct log_file *file);
void log_rewind(struct log_file *file);

/* The next record, good until the next call; NULL: there is none, .damage says whether that is as it should be.
 * With `until` also NULL when that place is reached. */
const struct log_frame *log_next(struct log_file *file, const struct log_place *until);

/* The number of texts behind the fixed part of a record, and where that ends; 0: the type has no texts. */
unsigned log_texts(unsigned type, size_t *fixed);
/* What is wrong with a record of which `left` bytes are there; NULL: nothing. */
const char *log_fault(const struct log_frame *frame, size_t left);

#endif
