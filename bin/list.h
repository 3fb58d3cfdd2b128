/* SPDX-License-Identifier: MIT */
/* Parts of roclatch list: one look as rows, and as members of a JSON object. */
#ifndef ROCLATCH_BIN_LIST_H
#define ROCLATCH_BIN_LIST_H

#include "bin/json.h"
#include "rocp/processes.h"

struct list_shape {
	unsigned width;         /* of a line; 0: as long as it is */
	size_t lines;           /* at most, with the head; 0: all */
	const char *end;        /* of each line */
};

/* A head and a row for each process; nothing at all if there is none.  0, or -1 (out of memory). */
int list_rows(FILE *to, const struct processes *processes, const struct list_shape *shape);
void list_json(struct json *json, const struct processes *processes);

#endif
