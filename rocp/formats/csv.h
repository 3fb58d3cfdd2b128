/* SPDX-License-Identifier: MIT */
/*
 * Tables as rocprofv3's CSV output has them: a heading, texts in double quotes,
 * numbers bare.  Upstream does not escape; here a quote in a text is doubled,
 * as RFC 4180 says, and bytes that are no UTF-8 become U+FFFD.
 */
#ifndef ROCLATCH_ROCP_FORMATS_CSV_H
#define ROCLATCH_ROCP_FORMATS_CSV_H

#include "rocp/formats/counter_sums.h"
#include "rocp/formats/file.h"
#include "rocp/formats/formats.h"

/* Cells are written in order; csv_end ends the row. */
struct row { struct file *file; bool begun; };
void csv_text(struct row *row, const char *text);
void csv_number(struct row *row, uint64_t value);
void csv_signed(struct row *row, int64_t value);
void csv_format(struct row *row, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void csv_end(struct row *row);
/* A row of names; they have commas between them. */
void csv_heading(struct file *file, const char *names);

struct csv {
	const struct conversion *conversion;
	struct file file[DOMAINS];
	bool made[DOMAINS];
	uint64_t seen, all;     /* events, for the progress */
	struct counter_sums sums;       /* of the dispatch at hand */
};

/* The part of the file's name behind base and "_", without "_trace.csv" or "_stats.csv". */
const char *csv_stem(enum domain domain);
const char *csv_columns(enum domain domain);
void csv_row(const struct csv *csv, struct file *file, const struct event *event);
void csv_counter_row(const struct csv *csv, struct file *file, const struct event *event, const struct counter_sum *sum);

/* The rows of one dispatch. */
int csv_count(struct csv *csv, struct file *file, const struct event *event, struct err *err);

int csv_agents(const struct conversion *conversion, struct err *err);
int csv_stats(const struct conversion *conversion, struct err *err);
/* Finish a file and tell of it. */
int csv_finish(const struct conversion *conversion, struct file *file, struct err *err);

#endif
