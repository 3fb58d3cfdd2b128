/* SPDX-License-Identifier: MIT */
/* The rows of many rocpd databases in one: new ids, names once, times moved.  For rocp/job alone. */
#ifndef ROCLATCH_ROCP_JOB_ROWS_H
#define ROCLATCH_ROCP_JOB_ROWS_H

#include "rocp/formats/rocpd_parts.h"
#include "rocp/job/report.h"
#include "rocp/trace/rocpd_source.h"

#define ROWS_COLUMNS 24

struct rows_column {
	const char *name;
	int refers;             /* to which table; -1: none */
	bool must, is_text, is_json, is_time;
};

struct rows {
	struct rocpd rocpd;
	struct rows_column column[ROCPD_SHAPES][ROWS_COLUMNS];
	int columns[ROCPD_SHAPES];
	sqlite3_stmt *insert[ROCPD_SHAPES], *find_string, *find_node;
	int64_t next[ROCPD_SHAPES];     /* ids that are free */
	bool failed;                    /* our own database cannot be written */
	/* of the database that is being read */
	struct idmap ids[ROCPD_SHAPES]; /* its ids to ours */
	int64_t event_least, event_most, event_base;
	int64_t node, process;          /* ours, for rows that name none */
	int64_t shift;
	char *job;                      /* what is added to its process: JSON */
	const struct job_rank *rank;
	uint64_t *left;                 /* rows that could not be taken */
};

int rows_begin(struct rows *rows, const char *base, const struct job_report *report, struct err *err);
/* Adds to *left how many rows could not be taken over. */
int rows_add(struct rows *rows, const struct job_rank *rank, const struct job_host *host, struct trace *trace, uint64_t *left,
	     struct err *err);
int rows_end(struct rows *rows, int rc, uint64_t *bytes, struct err *err);

#endif
