/* SPDX-License-Identifier: MIT */
/* A log as a source of a recording: what its first reading leaves for those that follow. */
#ifndef ROCLATCH_ROCP_TRACE_LOG_SOURCE_H
#define ROCLATCH_ROCP_TRACE_LOG_SOURCE_H

#include "rocp/trace/log_read.h"
#include "rocp/trace/names.h"

/* More than any SDK has by far; what is beyond this and KINDS_MOST is told without names. */
#define OPERATIONS_MOST 4096
#define REASONS_MOST 32

/* Texts of markers by number.  There may be as many as there are events, so they lie close together. */
struct numbered { uint32_t number, place; };
struct marked { uint32_t correlation[2], text; };
struct markers {
	char *text;
	size_t used, room;
	struct numbered *numbered;
	size_t count;
	struct marked *marked;
	size_t marks;
	size_t named, found;            /* where the next is expected */
};

struct kind_slot {
	const char *name;
	const char **operation;
	size_t operations;
	enum domain domain;             /* of api records of this kind */
	uint64_t records;
};

/* Counters that come in several records are one event: those of one dispatch until another one's. */
struct gathered {
	bool any;
	uint64_t dispatch, correlation;
	size_t values;
};

struct log_source {
	struct names names;
	struct log_file file;
	struct log_place end;           /* what is behind it is not used */
	struct kind_slot kind[KINDS_MOST];
	uint64_t records, unknown, unnamed, other_api;
	uint64_t unknown_records;       /* of the unknown ones, those that no older type tells of */
	uint64_t told_records;          /* by LOG_END */
	uint64_t lost, last;            /* of LOG_LOST; the latest end of an event */
	uint64_t dropped_texts;
	struct { const char *why; uint64_t records; } reason[REASONS_MOST];
	struct markers markers;
	struct gathered gathered;
	struct counter_value *value;    /* of the gathered counters */
};

static inline struct log_source *log_of(const struct trace *trace)
{
	return trace->reading;
}

/* log_names.c: a record that is no event. */
int log_take_name(struct trace *trace, const struct log_frame *frame, struct err *err);
int log_take_end(struct trace *trace, const struct log_frame *frame, struct err *err);
int log_finish_names(struct trace *trace, struct err *err);

/* log_markers.c */
int markers_text(struct markers *markers, uint64_t number, const char *text, struct err *err);  /* 1: no room for it */
int markers_mark(struct markers *markers, uint64_t correlation, uint64_t text, struct err *err);
void markers_sort(struct markers *markers);
const char *markers_named(struct markers *markers, uint32_t number);     /* or NULL */
const char *markers_of(struct markers *markers, uint64_t correlation);   /* or NULL */
void markers_free(struct markers *markers);

/* log_events.c */
size_t counters_values(const struct log_counters *record);
bool counters_continue(struct gathered *gathered, const struct log_counters *record);
int log_each(struct trace *trace, unsigned domains, event_visit *visit, void *ctx, struct err *err);

#endif
