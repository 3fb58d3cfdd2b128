/* SPDX-License-Identifier: MIT */
/* How often and how long, by name: what --stats and --summary tell. */
#ifndef ROCLATCH_ROCP_TRACE_STATS_H
#define ROCLATCH_ROCP_TRACE_STATS_H

#include "rocp/trace/trace.h"

struct stat_row {
	const char *name;       /* function, kernel, direction, marker's text, ... */
	uint64_t calls, total, least, most;
	double mean, m2;        /* Welford's */
};

struct stats {
	struct stat_row *row[DOMAINS];  /* most total time first */
	size_t rows[DOMAINS];
	uint64_t calls[DOMAINS], total[DOMAINS];
};

/* One reading of the trace.  The names by which events count are those of stats_name. */
int stats_read(struct stats *stats, struct trace *trace, struct err *err);
void stats_free(struct stats *stats);
const char *stats_name(const struct event *event);      /* marker's text; what a kernel was renamed to, or its formatted name; else the operation */
double stat_deviation(const struct stat_row *row);      /* of the sample, as upstream: n - 1; 0 for one */

#endif
