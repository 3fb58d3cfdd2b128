/* SPDX-License-Identifier: MIT */
/* Whether a database can be read, and whether all of it was. */
#include <stdio.h>

#include "rocp/trace/rocpd_source.h"

int rocpd_check_version(struct trace *trace, struct rocpd_group *group, struct err *err)
{
	sqlite3_stmt *statement;
	uint64_t rows = 0;
	if (!has_table(group, TABLE_METADATA))
		return 0;
	if (rocpd_ask(trace, group, &statement, "SELECT value FROM @metadata@ WHERE tag = 'schema_version' LIMIT 1", err) < 0)
		return -1;
	int rc = rocpd_next(trace, statement, &rows, err);
	const char *version = rc > 0 ? (const char *)sqlite3_column_text(statement, 0) : NULL;
	if (version && (version[0] != '3' || (version[1] && version[1] != '.'))) {
		err_set(err, ERR_FAILED, 0, "%s has version %.40s of rocpd's schema, and only version 3 can be read here", trace->path, version);
		rc = err_remedy(err, "see whether a newer roclatch reads it, or convert it with the rocpd of the ROCm that wrote it");
	}
	sqlite3_finalize(statement);
	return rc < 0 ? -1 : 0;
}

int rocpd_note_left(struct trace *trace, struct err *err)
{
	struct rocpd_source *rocpd = rocpd_of(trace);
	trace->missing += rocpd->unattached;
	if (rocpd->unattached && names_note(trace, texts_print(&rocpd->names.texts, err,
		"%llu rows were left out: the tracks, dispatches or events they belong to are not in the database",
		(unsigned long long)rocpd->unattached), err) < 0)
		return -1;
	return rocpd->computed ? names_note(trace, "tables with computed columns were left out: rocpd has none", err) : 0;
}

int rocpd_count_left(struct trace *trace, struct rocpd_group *group, enum rocpd_table table, uint64_t seen, struct err *err)
{
	struct rocpd_source *rocpd = rocpd_of(trace);
	sqlite3_stmt *statement;
	uint64_t rows = 0;
	char sql[96];
	snprintf(sql, sizeof sql, "SELECT count(*) FROM @%s@", rocpd_table_name(table));
	if (rocpd_ask(trace, group, &statement, sql, err) < 0)
		return -1;
	int rc = rocpd_next(trace, statement, &rows, err);
	uint64_t all = rc > 0 ? rocpd_column(statement, 0) : 0;
	sqlite3_finalize(statement);
	if (all > seen && all <= rocpd->rows_most)
		rocpd->unattached += all - seen;
	return rc < 0 ? -1 : 0;
}
