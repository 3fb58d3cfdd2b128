/* SPDX-License-Identifier: MIT */
/*
 * Rows of a rocpd database on their way into that of the job.  Every id becomes a new one, and what refers to it
 * follows; strings and hosts are there once; 0 is no time and is not moved.  Rows that refer to nothing get
 * something empty to refer to, as readers join by these ids.
 */
#include "rocp/job/rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STRING = 0, NODE = 1, PROCESS = 2, STREAM = 6, TRACK = 10, EVENT = 11, ARG = 12 };    /* places in rocpd_shapes */
#define EVENTS_MOST (1ll << 40)

static int not_written(struct rows *rows, struct err *err)
{
	rows->failed = true;
	return rocpd_not_written(&rows->rocpd, err);
}

static int no_memory(struct rows *rows, struct err *err)
{
	rows->failed = true;
	return err_set(err, ERR_FAILED, 0, "out of memory");
}

static int prepare(struct rows *rows, sqlite3_stmt **statement, char *sql, struct err *err)
{
	int rc = sql ? sqlite3_prepare_v3(rows->rocpd.db, sql, -1, SQLITE_PREPARE_PERSISTENT, statement, NULL) : SQLITE_NOMEM;
	sqlite3_free(sql);
	return rc == SQLITE_OK ? 0 : not_written(rows, err);
}

static int shape_of(const char *name)
{
	for (int i = 0; name && i < ROCPD_SHAPES; i++)
		if (!strcmp(rocpd_shapes[i].name, name))
			return i;
	return -1;
}

static void learn_columns(struct rows *rows, int table)
{
	static const char *const times[] = { "start", "end", "timestamp", "init", "fini" };
	for (const struct rocpd_column *column = rocpd_shapes[table].column; column->name; column++) {
		struct rows_column *to = &rows->column[table][rows->columns[table]++];
		*to = (struct rows_column){ .name = column->name, .refers = shape_of(column->refers), .must = strstr(column->type, "NOT NULL"),
					    .is_text = strstr(column->type, "TEXT"), .is_json = strstr(column->type, "JSONB") };
		for (size_t i = 0; i < sizeof times / sizeof *times; i++)
			to->is_time |= !strcmp(times[i], column->name);
	}
}

/* ?1 is the id, ?2 the first column, and behind the last one comes what is put into its extra data: a process gets what is
 * known of its rank, and an argument that is a stream has its id there. */
static int prepare_insert(struct rows *rows, int table, struct err *err)
{
	sqlite3_str *sql = sqlite3_str_new(NULL), *values = sqlite3_str_new(NULL);
	sqlite3_str_appendf(sql, "INSERT INTO \"rocpd_%s%s\" (id", rocpd_shapes[table].name, rows->rocpd.suffix);
	sqlite3_str_appendall(values, "?1");
	for (int i = 0; i < rows->columns[table]; i++) {
		const char *name = rows->column[table][i].name;
		sqlite3_str_appendf(sql, ", \"%s\"", name);
		if (table == PROCESS && !strcmp(name, "extdata"))
			sqlite3_str_appendf(values, ", json_set(CASE WHEN json_valid(?%d, 9) THEN ?%d ELSE '{}' END, '$.job', json(?%d))",
					    i + 2, i + 2, rows->columns[table] + 2);
		else if (table == ARG && !strcmp(name, "extdata"))
			sqlite3_str_appendf(values, ", iif(?%d IS NULL, ?%d, json_set(?%d, '$.stream_id', ?%d))", rows->columns[table] + 2, i + 2,
					    i + 2, rows->columns[table] + 2);
		else
			sqlite3_str_appendf(values, ", ?%d", i + 2);
	}
	char *list = sqlite3_str_finish(values);
	sqlite3_str_appendf(sql, ") VALUES (%s)", list ? list : "");
	sqlite3_free(list);
	return prepare(rows, &rows->insert[table], sqlite3_str_finish(sql), err);
}

int rows_begin(struct rows *rows, const char *base, const struct job_report *report, struct err *err)
{
	if (rocpd_begin(&rows->rocpd, base, err) < 0)
		return -1;
	const char *suffix = rows->rocpd.suffix, *host = report->ranks ? report->clock[report->rank[0].clock].host : "";
	for (int i = 0; i < ROCPD_SHAPES; i++) {
		learn_columns(rows, i);
		rows->next[i] = 1;
		if (prepare_insert(rows, i, err) < 0)
			return -1;
	}
	if (prepare(rows, &rows->find_string, sqlite3_mprintf("SELECT id FROM \"rocpd_string%s\" WHERE string = ?", suffix), err) < 0 ||
	    prepare(rows, &rows->find_node, sqlite3_mprintf("SELECT id, hostname FROM \"rocpd_info_node%s\" WHERE machine_id = ?", suffix), err) < 0)
		return -1;
	return rocpd_run(&rows->rocpd, err, "INSERT INTO \"rocpd_metadata%s\" (tag, value) VALUES ('job_statuses', '%llu'), "
			 "('job_time', 'CLOCK_BOOTTIME of %q')", suffix, (unsigned long long)report->ranks, host);
}

int rows_end(struct rows *rows, int rc, uint64_t *bytes, struct err *err)
{
	for (int i = 0; i < ROCPD_SHAPES; i++) {
		sqlite3_finalize(rows->insert[i]);
		idmap_free(&rows->ids[i]);
	}
	sqlite3_finalize(rows->find_string);
	sqlite3_finalize(rows->find_node);
	return rocpd_end(&rows->rocpd, rc, bytes, err);
}

/* 1: done; 0: the schema does not allow this row. */
static int step(struct rows *rows, sqlite3_stmt *statement, struct err *err)
{
	int rc = sqlite3_step(statement);
	int result = rc == SQLITE_DONE ? 1 : rc == SQLITE_CONSTRAINT ? 0 : not_written(rows, err);
	sqlite3_reset(statement);
	return result;
}

static int map(struct rows *rows, int table, int64_t theirs, int64_t ours, struct err *err)
{
	return idmap_set(&rows->ids[table], (uint64_t)theirs, (uint64_t)ours) < 0 ? no_memory(rows, err) : 0;
}

/* What a statement finds; 0: nothing. */
static int64_t find(sqlite3_stmt *statement, const char *text, const char *host, bool *other)
{
	int64_t id = 0;
	sqlite3_bind_text(statement, 1, text, -1, SQLITE_STATIC);
	if (sqlite3_step(statement) == SQLITE_ROW) {
		const char *there = host ? (const char *)sqlite3_column_text(statement, 1) : NULL;
		id = sqlite3_column_int64(statement, 0);
		if (host)
			*other = strcmp(there ? there : "", host) != 0;
	}
	sqlite3_reset(statement);
	return id;
}

static int add_string(struct rows *rows, const char *text, int64_t *ours, struct err *err)
{
	*ours = find(rows->find_string, text, NULL, NULL);
	if (*ours)
		return 0;
	*ours = rows->next[STRING]++;
	sqlite3_bind_int64(rows->insert[STRING], 1, *ours);
	sqlite3_bind_text(rows->insert[STRING], 2, text, -1, SQLITE_STATIC);
	return step(rows, rows->insert[STRING], err) < 0 ? -1 : 0;
}

/* Machines that were copied have one machine-id: there it is the host's name that tells them apart.  The row's other
 * columns are bound already. */
static int add_node(struct rows *rows, const char *machine, const char *host, int64_t *ours, struct err *err)
{
	bool other = false;
	char *own = sqlite3_mprintf("%s", machine);
	*ours = own ? find(rows->find_node, own, host, &other) : 0;
	if (other) {
		sqlite3_free(own);
		own = sqlite3_mprintf("%s@%s", machine, host);
		*ours = own ? find(rows->find_node, own, host, &other) : 0;
	}
	if (!own)
		return no_memory(rows, err);
	int rc = 1;
	if (!*ours) {
		*ours = rows->next[NODE]++;
		sqlite3_bind_int64(rows->insert[NODE], 1, *ours);
		sqlite3_bind_int64(rows->insert[NODE], 2, (int64_t)(text_hash(own, strlen(own)) & INT64_MAX));
		sqlite3_bind_text(rows->insert[NODE], 3, own, -1, SQLITE_STATIC);
		rc = step(rows, rows->insert[NODE], err);
	}
	sqlite3_free(own);
	return rc < 0 ? -1 : 0;
}

static int resolve(struct rows *rows, int table, int64_t theirs, bool must, int64_t *ours, struct err *err);

/* Something for rows to refer to that nobody told about. */
static int add_empty(struct rows *rows, int table, int64_t theirs, int64_t *ours, struct err *err)
{
	sqlite3_stmt *insert = rows->insert[table];
	sqlite3_clear_bindings(insert);
	if (table == STRING)
		return add_string(rows, "", ours, err) < 0 ? -1 : 1;
	if (table == NODE) {
		sqlite3_bind_text(insert, 5, rows->rank->host, -1, SQLITE_STATIC);
		return add_node(rows, rows->rank->host, rows->rank->host, ours, err) < 0 ? -1 : 1;
	}
	for (int i = 0; i < rows->columns[table]; i++) {
		const struct rows_column *column = &rows->column[table][i];
		int64_t id = table == PROCESS ? rows->rank->pid : theirs;
		if (column->is_json || (column->must && column->is_text))
			sqlite3_bind_text(insert, i + 2, column->is_json ? "{}" : "", -1, SQLITE_STATIC);
		else if (column->must && column->refers >= 0 && resolve(rows, column->refers, 0, true, &id, err) < 0)
			return -1;
		if (column->must && !column->is_json && !column->is_text)
			sqlite3_bind_int64(insert, i + 2, id);
	}
	if (table == PROCESS)
		sqlite3_bind_text(insert, rows->columns[table] + 2, rows->job, -1, SQLITE_STATIC);
	*ours = rows->next[table]++;
	sqlite3_bind_int64(insert, 1, *ours);
	int rc = step(rows, insert, err);
	return rc > 0 && map(rows, table, theirs, *ours, err) < 0 ? -1 : rc;
}

/* 1: *ours is its new id; 0: there is none; -1 with err. */
static int resolve(struct rows *rows, int table, int64_t theirs, bool must, int64_t *ours, struct err *err)
{
	uint64_t found;
	if (table == EVENT) {
		*ours = rows->event_base + (theirs - rows->event_least);
		return rows->event_most >= rows->event_least && theirs >= rows->event_least && theirs <= rows->event_most;
	}
	if (idmap_get(&rows->ids[table], (uint64_t)theirs, &found))
		*ours = (int64_t)found;
	else if ((table == NODE || table == PROCESS) && (table == NODE ? rows->node : rows->process))
		*ours = table == NODE ? rows->node : rows->process;
	else
		return must ? add_empty(rows, table, theirs, ours, err) : 0;
	return 1;
}

static bool is_whole(sqlite3_stmt *row, int at)
{
	return at >= 0 && sqlite3_column_type(row, at) == SQLITE_INTEGER;
}

/* 1: bound; 0: the row cannot be taken. */
static int bind_column(struct rows *rows, const struct rows_column *column, sqlite3_stmt *insert, int to, sqlite3_stmt *row, int from,
		       struct err *err)
{
	int64_t value = is_whole(row, from) ? sqlite3_column_int64(row, from) : 0, ours;
	bool null = from < 0 || sqlite3_column_type(row, from) == SQLITE_NULL;
	if (column->refers >= 0) {
		int rc = null && !column->must ? 0 : resolve(rows, column->refers, value, column->must, &ours, err);
		if (rc > 0)
			sqlite3_bind_int64(insert, to, ours);
		return rc || column->must ? rc : 1;
	}
	if (column->is_time && !null) {
		if (!is_whole(row, from) || __builtin_add_overflow(value, value ? rows->shift : 0, &value))
			return 0;
		sqlite3_bind_int64(insert, to, value);
	} else if (null && column->is_json) {
		sqlite3_bind_text(insert, to, "{}", 2, SQLITE_STATIC);
	} else if (!null) {
		sqlite3_bind_value(insert, to, sqlite3_column_value(row, from));
	}
	return 1;
}

static const char *text_of(sqlite3_stmt *row, int at)
{
	const char *text = at < 0 ? NULL : (const char *)sqlite3_column_text(row, at);
	return text ? text : "";
}

/* 1: the row is there; 0: it cannot be. */
static int insert_row(struct rows *rows, int table, sqlite3_stmt *row, const int *from, int64_t *ours, struct err *err)
{
	sqlite3_stmt *insert = rows->insert[table];
	sqlite3_clear_bindings(insert);
	for (int i = 0; i < rows->columns[table]; i++) {
		int rc = bind_column(rows, &rows->column[table][i], insert, i + 2, row, from[i], err);
		if (rc <= 0)
			return rc;
	}
	if (table == NODE)
		return add_node(rows, text_of(row, from[1]), text_of(row, from[3]), ours, err) < 0 ? -1 : 1;
	if (table == PROCESS)
		sqlite3_bind_text(insert, rows->columns[table] + 2, rows->job, -1, SQLITE_STATIC);
	int stream = sqlite3_column_count(row) - 1;
	int64_t id;
	if (table == ARG && is_whole(row, stream) && resolve(rows, STREAM, sqlite3_column_int64(row, stream), false, &id, err) > 0)
		sqlite3_bind_int64(insert, rows->columns[table] + 2, id);
	sqlite3_bind_int64(insert, 1, *ours);
	return step(rows, insert, err);
}

/* Events are many: their ids keep their distances, and no map is needed. */
static int add_row(struct rows *rows, int table, sqlite3_stmt *row, int id_at, const int *from, struct err *err)
{
	int64_t theirs = is_whole(row, id_at) ? sqlite3_column_int64(row, id_at) : 0, ours = 0;
	bool referred = table <= TRACK;
	int rc;
	if (table == STRING) {
		rc = add_string(rows, text_of(row, from[0]), &ours, err) < 0 ? -1 : 1;
	} else {
		if (table == EVENT)
			resolve(rows, EVENT, theirs, false, &ours, err);
		else if (table != NODE)
			ours = rows->next[table]++;
		rc = insert_row(rows, table, row, from, &ours, err);
	}
	*rows->left += rc == 0;
	if (rc > 0 && table == NODE && !rows->node)
		rows->node = ours;
	if (rc > 0 && table == PROCESS && !rows->process)
		rows->process = ours;
	return rc > 0 && referred ? map(rows, table, theirs, ours, err) : rc;
}

static int range_of_events(struct rows *rows, struct trace *trace, const struct rocpd_group *group, struct err *err)
{
	sqlite3_stmt *row;
	uint64_t seen = 0;
	if (rocpd_ask(trace, group, &row, "SELECT min(id), max(id) FROM @event@", err) < 0)
		return -1;
	int rc = rocpd_next(trace, row, &seen, err);
	bool some = rc > 0 && sqlite3_column_type(row, 0) == SQLITE_INTEGER;
	rows->event_least = some ? sqlite3_column_int64(row, 0) : 1;
	rows->event_most = some ? sqlite3_column_int64(row, 1) : 0;
	sqlite3_finalize(row);
	if (some && (uint64_t)rows->event_most - (uint64_t)rows->event_least > EVENTS_MOST)
		return err_set(err, ERR_FAILED, 0, "%s is damaged: the ids of its events lie too far apart", trace->path);
	rows->event_base = rows->next[EVENT];
	rows->next[EVENT] += some ? rows->event_most - rows->event_least + 1 : 0;
	return rc < 0 ? -1 : 0;
}

static void find_columns(const struct rows *rows, int table, sqlite3_stmt *row, int *id_at, int from[ROWS_COLUMNS])
{
	*id_at = -1;
	for (int i = 0; i < ROWS_COLUMNS; i++)
		from[i] = -1;
	for (int at = sqlite3_column_count(row) - 1; at >= 0; at--) {
		const char *name = sqlite3_column_name(row, at);
		if (name && !strcmp(name, "id"))
			*id_at = at;
		for (int i = 0; name && i < rows->columns[table]; i++)
			if (!strcmp(name, rows->column[table][i].name))
				from[i] = at;
	}
}

static int take_table(struct rows *rows, int table, struct trace *trace, const struct rocpd_group *group, struct err *err)
{
	char sql[160];
	sqlite3_stmt *row;
	uint64_t seen = 0;
	int known = 0, rc, id_at, from[ROWS_COLUMNS];
	while (known < TABLES && strcmp(rocpd_table_name((enum rocpd_table)known), rocpd_shapes[table].name))
		known++;
	if (known == TABLES || !has_table(group, (enum rocpd_table)known))
		return 0;
	snprintf(sql, sizeof sql, "SELECT *%s FROM @%s@", table == ARG ? ", " MEMBER("extdata", "stream_id") : "", rocpd_shapes[table].name);
	if ((table == EVENT && range_of_events(rows, trace, group, err) < 0) || rocpd_ask(trace, group, &row, sql, err) < 0)
		return -1;
	find_columns(rows, table, row, &id_at, from);
	while ((rc = rocpd_next(trace, row, &seen, err)) > 0 && (rc = add_row(rows, table, row, id_at, from, err)) >= 0)
		;
	sqlite3_finalize(row);
	return rc;
}

static char *job_json(const struct job_rank *rank, const struct job_host *host)
{
	sqlite3_str *json = sqlite3_str_new(NULL);
	sqlite3_str_appendall(json, "{\"host\":");
	rocpd_json_text(json, rank->host);
	sqlite3_str_appendf(json, ",\"rank\":%lld,\"pid\":%lld,\"moved_ns\":%lld,\"clock_error_ns\":%lld}", (long long)rank->rank,
			    (long long)rank->pid, (long long)host->shift, (long long)host->error);
	return sqlite3_str_finish(json);
}

int rows_add(struct rows *rows, const struct job_rank *rank, const struct job_host *host, struct trace *trace, uint64_t *left,
	     struct err *err)
{
	const struct rocpd_source *source = rocpd_of(trace);
	int rc = 0;
	rows->rank = rank;
	rows->left = left;
	rows->shift = host->shift;
	rows->job = job_json(rank, host);
	if (!rows->job)
		return no_memory(rows, err);
	for (size_t i = 0; rc == 0 && i < source->groups; i++) {
		rows->node = rows->process = 0;
		rows->event_least = 1;
		rows->event_most = 0;
		for (int table = 0; rc == 0 && table < ROCPD_SHAPES; table++) {
			rc = take_table(rows, table, trace, &source->group[i], err);
			rc = rc > 0 ? 0 : rc;
		}
		for (int table = 0; table < ROCPD_SHAPES; table++)
			idmap_free(&rows->ids[table]);
	}
	sqlite3_free(rows->job);
	return rc;
}
