/* SPDX-License-Identifier: MIT */
/*
 * A rocpd database as a source of a recording.  Its tables carry a suffix, one
 * for each process that was recorded; views are never asked, as anybody may have
 * written them.
 */
#ifndef ROCLATCH_ROCP_TRACE_ROCPD_SOURCE_H
#define ROCLATCH_ROCP_TRACE_ROCPD_SOURCE_H

#include <sqlite3.h>

#include "rocp/trace/names.h"

enum rocpd_table {
	TABLE_STRING, TABLE_NODE, TABLE_PROCESS, TABLE_THREAD, TABLE_AGENT, TABLE_STREAM, TABLE_PMC, TABLE_CODE_OBJECT,
	TABLE_KERNEL, TABLE_TRACK, TABLE_EVENT, TABLE_REGION, TABLE_SAMPLE, TABLE_DISPATCH, TABLE_COPY, TABLE_ALLOCATE,
	TABLE_PMC_EVENT, TABLE_METADATA, TABLE_QUEUE, TABLE_ARG,
	TABLES
};

#define GROUPS_MOST 256
#define SUFFIX_MOST 64
/* A member of a JSON column; NULL where that is no JSON. */
#define MEMBER(column, path) "CASE WHEN json_valid(" column ", 9) THEN json_extract(" column ", '$." path "') END"

/* The tables of one process.  Ids are those of its rows. */
struct rocpd_group {
	char suffix[SUFFIX_MOST];       /* "" or "_..." */
	unsigned tables;                /* bits by enum rocpd_table */
	uint64_t base;                  /* what is added to ids, so that no two processes share one */
	struct index strings;           /* to places in .string */
	struct index agents;            /* to handles */
	struct index places;            /* of agents, until names are finished */
	struct index threads;           /* to tids */
};

struct rocpd_source {
	struct names names;
	int fd;
	sqlite3 *db;
	uint64_t rows_most;             /* no table can have more: the file is not that large */
	uint64_t text_left;             /* so many bytes of texts it can still have */
	bool computed;                  /* there are tables with computed columns */
	uint64_t unattached;            /* rows that belong to none that is there */
	struct rocpd_group *group;
	size_t groups;
	const char **string;
	size_t string_count;
	/* names are kept once, so that their addresses tell them apart */
	struct index kinds;             /* to places in the trace's kinds */
	struct index operations;        /* with the kind's place, to numbers */
	enum domain *domain;            /* by the kind's place */
	size_t domains;
	bool complete;                  /* all is counted and named */
	uint64_t last;                  /* the latest end of an event */
	struct counter_value *value;
	size_t values_room;
};

static inline struct rocpd_source *rocpd_of(const struct trace *trace)
{
	return trace->reading;
}

static inline bool has_table(const struct rocpd_group *group, enum rocpd_table table)
{
	return group->tables & 1u << table;
}

/* What a statement asks of one group's tables; @NAME@ in it stands for the table rocpd_NAME of that group. */
int rocpd_ask(struct trace *trace, const struct rocpd_group *group, sqlite3_stmt **statement, const char *sql, struct err *err);
/* 1: there is a row; 0: no more; -1 with err.  *rows counts them. */
int rocpd_next(struct trace *trace, sqlite3_stmt *statement, uint64_t *rows, struct err *err);
const char *rocpd_table_name(enum rocpd_table table);   /* without "rocpd_" and suffix */
int rocpd_unreadable(const struct trace *trace, struct err *err);

/* Texts are made of the file's bytes: -1 with err when they are more than it has. */
int rocpd_spend(struct trace *trace, size_t bytes, struct err *err);
/* A text of the row, kept; "" where it is NULL.  NULL with err: no memory. */
const char *rocpd_column_text(struct trace *trace, sqlite3_stmt *statement, int column, struct err *err);
uint64_t rocpd_column(sqlite3_stmt *statement, int column);

/* rocpd_file.c: the system of files in which the number of an open file is a database's name. */
const char *rocpd_files(void);
/* rocpd_open.c: before anything else is asked of SQLite, so that no database takes memory without end. */
void rocpd_limit_memory(void);

/* rocpd_whole.c: is it the schema that is known here?  How many rows of a table were not among those seen? */
int rocpd_check_version(struct trace *trace, struct rocpd_group *group, struct err *err);
int rocpd_count_left(struct trace *trace, struct rocpd_group *group, enum rocpd_table table, uint64_t seen, struct err *err);
int rocpd_count_all(struct trace *trace, struct rocpd_group *group, struct err *err);
int rocpd_note_left(struct trace *trace, struct err *err);

static inline bool rocpd_is_first(const struct trace *trace, const struct rocpd_group *group)
{
	return group == rocpd_of(trace)->group;
}

/* rocpd_read_names.c, rocpd_read_process.c */
typedef int take_row(struct trace *trace, struct rocpd_group *group, sqlite3_stmt *row, struct err *err);
/* Every row of the answer, if there is that table. */
int rocpd_read_table(struct trace *trace, struct rocpd_group *group, enum rocpd_table table, const char *sql, take_row *take, struct err *err);
/* Each column from this on into its text. */
int rocpd_take_texts(struct trace *trace, sqlite3_stmt *row, int column, const char **const *text, size_t texts, struct err *err);
int rocpd_read_process(struct trace *trace, struct rocpd_group *group, struct err *err);
int rocpd_read_names(struct trace *trace, struct rocpd_group *group, struct err *err);

/* rocpd_read_kinds.c: numbers for kinds and operations, as the database has only their names.  Both are kept texts.
 * Sets kind, operation, their names, and the domain of a call of that kind. */
int rocpd_known_kinds(struct trace *trace, struct err *err);
int rocpd_name_event(struct trace *trace, struct event *event, const char *kind_text, const char *operation, struct err *err);

/* rocpd_read_events.c */
int rocpd_each(struct trace *trace, unsigned domains, event_visit *visit, void *ctx, struct err *err);

#endif
