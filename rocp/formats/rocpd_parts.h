/* SPDX-License-Identifier: MIT */
/* The parts of the rocpd writer: one database while it is written. */
#ifndef ROCLATCH_ROCP_FORMATS_ROCPD_PARTS_H
#define ROCLATCH_ROCP_FORMATS_ROCPD_PARTS_H

#include <sqlite3.h>

#include "rocp/formats/formats.h"
#include "rocp/formats/idmap.h"

#define ROCPD_NULL INT64_MIN    /* a column's value that is not there */

enum rocpd_row {
	ROW_EVENT, ROW_EVENT_TEXT, ROW_REGION, ROW_SAMPLE, ROW_DISPATCH, ROW_COPY, ROW_ALLOCATION, ROW_PMC,
	ROW_TRACK, ROW_STRING, ROW_KINDS
};

struct rocpd {
	const struct conversion *conversion;
	struct trace *trace;
	sqlite3 *db;
	char path[4096];
	bool made;                      /* the file is ours to remove */
	int fd;                         /* of the file, for its lock alone */
	char guid[40], suffix[48];      /* "0198...-..." and "_0198..._..." */
	int64_t node;
	sqlite3_stmt *row[ROW_KINDS];
	struct textmap strings;
	/* ids of the process -> ids of rows */
	struct idmap agents, threads, queues, streams, code_objects, kernels, counters, tracks;
	struct idmap nodes;             /* of agents that have a row */
	struct idmap dispatches;        /* dispatch / ROCPD_PAGE -> a page of event ids; for counters */
	int64_t next_agent;             /* for an agent that nobody told about */
	int64_t events, track_rows;     /* rows so far */
	uint64_t seen, all;             /* of the trace's events, for the progress */
};
#define ROCPD_PAGE 64

/* rocpd_tables.c, rocpd_views.c.  Every table has an id and a guid before these columns; none refers to a later one. */
struct rocpd_column { const char *name, *type, *refers; };
struct rocpd_shape { const char *name; const struct rocpd_column *column; };
#define ROCPD_SHAPES 19
extern const struct rocpd_shape rocpd_shapes[ROCPD_SHAPES];
int rocpd_make_tables(struct rocpd *rocpd, struct err *err);
int rocpd_make_views(struct rocpd *rocpd, struct err *err);

/* rocpd.c.  A name of its own by a time and random bits; a new database with its tables, until rocpd_end: it is there
 * whole, or with rc < 0 not at all.  %-texts are sqlite3_mprintf's (%Q quotes); -1 with err. */
void rocpd_name(struct rocpd *rocpd, uint64_t realtime, const uint64_t id[2]);
int rocpd_begin(struct rocpd *rocpd, const char *base, struct err *err);
int rocpd_end(struct rocpd *rocpd, int rc, uint64_t *bytes, struct err *err);
int rocpd_not_written(struct rocpd *rocpd, struct err *err);
int rocpd_run(struct rocpd *rocpd, struct err *err, const char *sql, ...);

/* rocpd_infos.c: what the recording says about itself, and rows for ids that it never told about. */
int rocpd_write_infos(struct rocpd *rocpd, struct err *err);
int rocpd_string(struct rocpd *rocpd, const char *text, int64_t *id, struct err *err);
int rocpd_agent(struct rocpd *rocpd, uint64_t handle, int64_t *id, struct err *err);
int rocpd_thread(struct rocpd *rocpd, uint64_t tid, struct err *err);
int rocpd_queue(struct rocpd *rocpd, uint64_t queue, struct err *err);
int rocpd_stream(struct rocpd *rocpd, uint64_t stream, struct err *err);
int rocpd_kernel(struct rocpd *rocpd, const struct kernel_symbol *kernel, struct err *err);
int rocpd_counter(struct rocpd *rocpd, uint64_t counter, uint64_t agent, struct err *err);

/* rocpd_events.c */
int rocpd_write_events(struct rocpd *rocpd, struct err *err);

/* rocpd_json.c: pieces of JSON that the extdata columns hold. */
void rocpd_json_text(sqlite3_str *out, const char *text);       /* quoted; NULL as "" */
char *rocpd_clean(const char *text);    /* valid UTF-8, to sqlite3_free; NULL: out of memory */
char *rocpd_agent_json(const struct agent *agent);
char *rocpd_kernel_json(const struct kernel_symbol *kernel);
char *rocpd_code_object_json(const struct code_object *object);
char *rocpd_settings_json(const struct trace *trace);
char *rocpd_recording_json(const struct trace *trace);

#endif
