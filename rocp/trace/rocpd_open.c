/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "rocp/trace/rocpd_source.h"

#define HOUR 3600000000000u
#define HEAP_MOST (1ll << 30)
#define TEXT_MOST (16 << 20)
#define TEXT_MORE (1u << 20)            /* than the file has bytes */

static const char *const table_name[TABLES] = {
	[TABLE_STRING] = "string", [TABLE_NODE] = "info_node", [TABLE_PROCESS] = "info_process", [TABLE_THREAD] = "info_thread",
	[TABLE_AGENT] = "info_agent", [TABLE_STREAM] = "info_stream", [TABLE_PMC] = "info_pmc",
	[TABLE_CODE_OBJECT] = "info_code_object", [TABLE_KERNEL] = "info_kernel_symbol", [TABLE_TRACK] = "track",
	[TABLE_EVENT] = "event", [TABLE_REGION] = "region", [TABLE_SAMPLE] = "sample", [TABLE_DISPATCH] = "kernel_dispatch",
	[TABLE_COPY] = "memory_copy", [TABLE_ALLOCATE] = "memory_allocate", [TABLE_PMC_EVENT] = "pmc_event",
	[TABLE_METADATA] = "metadata", [TABLE_QUEUE] = "info_queue", [TABLE_ARG] = "arg",
};

const char *rocpd_table_name(enum rocpd_table table)
{
	return table_name[table];
}

int rocpd_unreadable(const struct trace *trace, struct err *err)
{
	sqlite3 *db = rocpd_of(trace)->db;
	err_set(err, ERR_FAILED, 0, "%s cannot be read as a rocpd database: %s", trace->path, db ? sqlite3_errmsg(db) : "out of memory");
	return err_remedy(err, "take it from where it was written once more, if it was copied; or convert the log, if that was kept (--keep-log)");
}

int rocpd_ask(struct trace *trace, const struct rocpd_group *group, sqlite3_stmt **statement, const char *sql, struct err *err)
{
	sqlite3_str *text = sqlite3_str_new(NULL);
	for (const char *at = sql; *at;) {
		size_t plain = strcspn(at, "@");
		sqlite3_str_append(text, at, (int)plain);
		at += plain;
		if (*at) {
			size_t name = strcspn(at + 1, "@");
			sqlite3_str_appendf(text, "\"rocpd_%.*s%s\"", (int)name, at + 1, group->suffix);
			at += name + 2;
		}
	}
	char *whole = sqlite3_str_finish(text);
	int rc = whole ? sqlite3_prepare_v2(rocpd_of(trace)->db, whole, -1, statement, NULL) : SQLITE_NOMEM;
	sqlite3_free(whole);
	return rc == SQLITE_OK ? 0 : rocpd_unreadable(trace, err);
}

int rocpd_next(struct trace *trace, sqlite3_stmt *statement, uint64_t *rows, struct err *err)
{
	int rc = sqlite3_step(statement);
	if (rc == SQLITE_DONE)
		return 0;
	if (rc != SQLITE_ROW)
		return rocpd_unreadable(trace, err);
	if (++*rows > rocpd_of(trace)->rows_most)
		return err_set(err, ERR_FAILED, 0, "%s is damaged: a table has more rows than the file has room for", trace->path);
	return 1;
}

/* Computed columns, or rows that share their pages, can give any amount of them. */
int rocpd_spend(struct trace *trace, size_t bytes, struct err *err)
{
	struct rocpd_source *rocpd = rocpd_of(trace);
	if (bytes > rocpd->text_left)
		return err_set(err, ERR_FAILED, 0, "%s is damaged: a table has more text than the file has room for", trace->path);
	rocpd->text_left -= bytes;
	return 0;
}

const char *rocpd_column_text(struct trace *trace, sqlite3_stmt *statement, int column, struct err *err)
{
	struct texts *texts = &names_of(trace)->texts;
	const char *text = (const char *)sqlite3_column_text(statement, column);
	size_t before = texts->n, length = text ? strlen(text) : 0;
	const char *kept = texts_keep(texts, text ? text : "", length, err);
	/* what is there already costs nothing */
	return kept && texts->n != before && rocpd_spend(trace, length, err) < 0 ? NULL : kept;
}

uint64_t rocpd_column(sqlite3_stmt *statement, int column)
{
	return (uint64_t)sqlite3_column_int64(statement, column);
}

/* Without memory statistics there is no limit; if the library is in use already, it stays as it is. */
void rocpd_limit_memory(void)
{
	if (sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 1) == SQLITE_OK)
		sqlite3_hard_heap_limit64(HEAP_MOST);
}

static int open_database(struct trace *trace, struct err *err)
{
	struct rocpd_source *rocpd = rocpd_of(trace);
	unsigned char head[20] = { 0 };
	char name[32];
	if (pread(rocpd->fd, head, sizeof head, 0) == sizeof head && head[19] > 1) {
		err_set(err, ERR_FAILED, 0, "%s is a database with a write-ahead log, which cannot be read here", trace->path);
		return err_remedy(err, "sqlite3 FILE 'PRAGMA journal_mode=DELETE' makes one file of it");
	}
	rocpd_limit_memory();
	snprintf(name, sizeof name, "%d", rocpd->fd);
	if (sqlite3_open_v2(name, &rocpd->db, SQLITE_OPEN_READONLY, rocpd_files()) != SQLITE_OK)
		return rocpd_unreadable(trace, err);
	sqlite3_limit(rocpd->db, SQLITE_LIMIT_LENGTH, TEXT_MOST);
	sqlite3_limit(rocpd->db, SQLITE_LIMIT_ATTACHED, 0);
	sqlite3_db_config(rocpd->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	sqlite3_db_config(rocpd->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	sqlite3_db_config(rocpd->db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
	sqlite3_db_config(rocpd->db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
	if (sqlite3_exec(rocpd->db, "PRAGMA cell_size_check=ON; PRAGMA query_only=ON", NULL, NULL, NULL) != SQLITE_OK)
		return rocpd_unreadable(trace, err);
	return 0;
}

static struct rocpd_group *group_of(struct rocpd_source *rocpd, const char *suffix, struct err *err)
{
	for (size_t i = 0; i < rocpd->groups; i++)
		if (!strcmp(rocpd->group[i].suffix, suffix))
			return &rocpd->group[i];
	if (rocpd->groups == GROUPS_MOST) {
		err_set(err, ERR_FAILED, 0, "there are recordings of more than %d processes in one database", GROUPS_MOST);
		return NULL;
	}
	struct rocpd_group *group = array_add(&rocpd->group, &rocpd->groups, sizeof *group, err);
	if (group) {
		snprintf(group->suffix, sizeof group->suffix, "%s", suffix);
		group->base = (uint64_t)(rocpd->groups - 1) << 48;
	}
	return group;
}

static bool is_suffix(const char *text)
{
	return strlen(text) < SUFFIX_MOST && (!*text || (*text == '_' && text[strspn(text, "_0123456789abcdefABCDEF")] == '\0'));
}

static int add_table(struct rocpd_source *rocpd, const char *name, struct err *err)
{
	for (size_t i = 0; i < TABLES; i++) {
		size_t length = strlen(table_name[i]);
		if (strncmp(name, table_name[i], length) || !is_suffix(name + length))
			continue;
		struct rocpd_group *group = group_of(rocpd, name + length, err);
		if (!group)
			return -1;
		group->tables |= 1u << i;
	}
	return 0;
}

/* Without these two tables nothing can be told of a process: its events are missing. */
static int leave_out_groups(struct trace *trace, struct err *err)
{
	struct rocpd_source *rocpd = rocpd_of(trace);
	size_t n = 0;
	for (size_t i = 0; i < rocpd->groups; i++) {
		struct rocpd_group *group = &rocpd->group[i];
		if (has_table(group, TABLE_STRING) && has_table(group, TABLE_PROCESS))
			rocpd->group[n++] = *group;
		else if (rocpd_count_all(trace, group, err) < 0)
			return -1;
	}
	rocpd->groups = n;
	return 0;
}

/* Tables proper: what is made of views or by extensions could do anything, and computed columns are no bytes of the file. */
static int find_tables(struct trace *trace, struct err *err)
{
	struct rocpd_source *rocpd = rocpd_of(trace);
	sqlite3_stmt *statement;
	uint64_t rows = 0;
	if (rocpd_ask(trace, NULL, &statement, "SELECT substr(name, 7), (SELECT count(*) FROM pragma_table_xinfo(m.name) "
		"WHERE hidden IN (2, 3)) FROM sqlite_master m WHERE type = 'table' AND name GLOB 'rocpd_*' "
		"AND rootpage > 0 AND sql NOT LIKE 'CREATE VIRTUAL%'", err) < 0)
		return -1;
	int rc;
	while ((rc = rocpd_next(trace, statement, &rows, err)) > 0) {
		const char *name = (const char *)sqlite3_column_text(statement, 0);
		bool computed = rocpd_column(statement, 1);
		rocpd->computed |= computed;
		if (name && !computed && add_table(rocpd, name, err) < 0) {
			rc = -1;
			break;
		}
	}
	sqlite3_finalize(statement);
	if (rc < 0 || leave_out_groups(trace, err) < 0)
		return -1;
	if (rocpd->groups)
		return 0;
	return err_set(err, ERR_FAILED, 0, "%s is a database, but has no tables of rocpd", trace->path);
}

static int count(void *ctx, const struct event *event, struct err *err)
{
	struct trace *trace = ctx;
	struct rocpd_source *rocpd = rocpd_of(trace);
	trace->events[event->domain]++;
	if (event->end > rocpd->last)
		rocpd->last = event->end;
	(void)err;
	return 0;
}

static int read_all(struct trace *trace, struct err *err)
{
	struct rocpd_source *rocpd = rocpd_of(trace);
	for (size_t i = 0; i < rocpd->groups; i++)
		if (rocpd_check_version(trace, &rocpd->group[i], err) < 0)
			return -1;
	for (size_t i = 0; i < rocpd->groups; i++)
		if (rocpd_read_process(trace, &rocpd->group[i], err) < 0 || rocpd_read_names(trace, &rocpd->group[i], err) < 0)
			return -1;
	if (rocpd->groups > 1 && names_note(trace, texts_print(&rocpd->names.texts, err,
		"the database holds recordings of %zu processes: all are shown as one", rocpd->groups), err) < 0)
		return -1;
	if (rocpd_known_kinds(trace, err) < 0 || names_finish(trace, err) < 0 || rocpd_each(trace, DOMAINS_ALL, count, trace, err) < 0)
		return -1;
	rocpd->complete = true;
	if (rocpd_note_left(trace, err) < 0)
		return -1;
	/* Where the end is known, an event that ends long after it is no reason to doubt it. */
	bool known = trace->says_how_it_ended && rocpd->groups == 1;
	if (rocpd->last > trace->end && !(known && rocpd->last - trace->end > HOUR))
		trace->end = rocpd->last;
	return 0;
}

static void close_rocpd(struct trace *trace)
{
	struct rocpd_source *rocpd = rocpd_of(trace);
	for (size_t i = 0; i < rocpd->groups; i++) {
		index_free(&rocpd->group[i].strings);
		index_free(&rocpd->group[i].agents);
		index_free(&rocpd->group[i].places);
		index_free(&rocpd->group[i].threads);
	}
	free(rocpd->group);
	free(rocpd->string);
	free(rocpd->domain);
	free(rocpd->value);
	index_free(&rocpd->kinds);
	index_free(&rocpd->operations);
	if (rocpd->db)
		sqlite3_close(rocpd->db);
	if (rocpd->fd >= 0)
		close(rocpd->fd);
}

int rocpd_open(struct trace *trace, int fd, struct err *err)
{
	static const struct trace_source source = { rocpd_each, close_rocpd };
	struct rocpd_source *rocpd = calloc(1, sizeof *rocpd);
	struct stat st;
	if (!rocpd) {
		close(fd);
		return err_set(err, ERR_FAILED, ENOMEM, "read %s", trace->path);
	}
	uint64_t size = fstat(fd, &st) == 0 ? (uint64_t)st.st_size : 0;
	*rocpd = (struct rocpd_source){ .fd = fd, .rows_most = size / 3 + 16, .text_left = size + TEXT_MORE };
	trace->reading = rocpd;
	trace->source = &source;
	trace->is_rocpd = trace->closed = true;
	trace->why = trace->hostname = trace->machine_id = trace->system = trace->release = trace->version = trace->hardware =
		trace->domain = trace->folder = trace->output = trace->tool_version = "";
	return open_database(trace, err) < 0 || find_tables(trace, err) < 0 ? -1 : read_all(trace, err);
}
