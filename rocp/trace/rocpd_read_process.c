/* SPDX-License-Identifier: MIT */
/* What a rocpd database says of the process, and, if it is one of ours, of the recording. */
#include <stdio.h>
#include <string.h>

#include "rocp/trace/rocpd_source.h"

/* Our own databases have them one by one. */
static int take_argument(struct trace *trace, struct rocpd_group *group, sqlite3_stmt *row, struct err *err)
{
	if (!rocpd_is_first(trace, group))
		return 0;
	const char **argument = array_add(&trace->argument, &trace->arguments, sizeof *argument, err);
	return argument && (*argument = rocpd_column_text(trace, row, 0, err)) ? 0 : -1;
}

static int take_note(struct trace *trace, struct rocpd_group *group, sqlite3_stmt *row, struct err *err)
{
	const char *text = rocpd_column_text(trace, row, 0, err);
	(void)group;
	return text ? names_note(trace, text, err) : -1;
}

static int take_command(struct trace *trace, const char *command, struct err *err)
{
	while (*command) {
		size_t length = strcspn(command, " ");
		if (length) {
			const char **argument = array_add(&trace->argument, &trace->arguments, sizeof *argument, err);
			if (!argument || !(*argument = texts_keep(&names_of(trace)->texts, command, length, err)))
				return -1;
		}
		command += length + (command[length] == ' ');
	}
	return 0;
}

/* What others lack is lacking in the whole. */
static void take_other_process(struct trace *trace, sqlite3_stmt *row)
{
	trace->lost += rocpd_column(row, 8);
	trace->missing += rocpd_column(row, 15);
	if (sqlite3_column_type(row, 9) != SQLITE_NULL && !rocpd_column(row, 9)) {
		trace->says_how_it_ended = true;
		trace->closed = false;
	}
}

static int take_process(struct trace *trace, struct rocpd_group *group, sqlite3_stmt *row, struct err *err)
{
	if (!rocpd_is_first(trace, group) || trace->pid) {
		take_other_process(trace, row);
		return 0;
	}
	trace->pid = (uint32_t)rocpd_column(row, 0);
	trace->ppid = (uint32_t)rocpd_column(row, 1);
	trace->start = rocpd_column(row, 2);
	trace->end = rocpd_column(row, 3);
	trace->start_realtime = rocpd_column(row, 5);
	trace->sdk = (uint32_t)rocpd_column(row, 6);
	trace->session = (uint32_t)rocpd_column(row, 7);
	trace->lost = rocpd_column(row, 8);
	trace->missing = rocpd_column(row, 15);
	trace->says_how_it_ended = sqlite3_column_type(row, 9) != SQLITE_NULL;
	if (trace->says_how_it_ended)
		trace->closed = rocpd_column(row, 9);
	const char **const text[] = { &trace->folder, &trace->output, &trace->tool_version, &trace->why };
	const char *damage = (const char *)sqlite3_column_text(row, 14);
	snprintf(trace->damage, sizeof trace->damage, "%s", damage ? damage : "");
	const char *command = (const char *)sqlite3_column_text(row, 4);
	if (rocpd_take_texts(trace, row, 10, text, 4, err) < 0)
		return -1;
	return trace->arguments || !command ? 0 : take_command(trace, command, err);
}

static int take_setting(struct trace *trace, struct rocpd_group *group, sqlite3_stmt *row, struct err *err)
{
	const char *name = (const char *)sqlite3_column_text(row, 0), *value = (const char *)sqlite3_column_text(row, 1);
	if (!rocpd_is_first(trace, group) || !name || !value || trace->settings.n >= 4096 || !*name || strchr(name, '='))
		return 0;
	if (rocpd_spend(trace, strlen(name) + strlen(value), err) < 0)
		return -1;
	return env_set(&trace->settings, name, value, err);
}

#define RECORDING(name) MEMBER("extdata", name)
/* The elements of a list; of the first process, as others follow only where databases were laid together. */
#define LIST(name) "SELECT v.value FROM (SELECT extdata FROM @info_process@ LIMIT 1) p, " \
	"json_each(CASE WHEN json_valid(p.extdata, 9) THEN p.extdata ELSE '{}' END, '$." name "') v"

int rocpd_read_process(struct trace *trace, struct rocpd_group *group, struct err *err)
{
	static const struct { take_row *take; const char *sql; } query[] = {
		{ take_argument, LIST("arguments") },
		{ take_note, LIST("notes") },
		{ take_process, "SELECT pid, ppid, start, \"end\", command, " RECORDING("start_realtime") ", "
			RECORDING("sdk_version") ", " RECORDING("session") ", " RECORDING("lost") ", " RECORDING("closed") ", "
			RECORDING("folder") ", " RECORDING("output") ", " RECORDING("tool_version") ", " RECORDING("why") ", "
			RECORDING("damage") ", " RECORDING("missing") " FROM @info_process@" },
		{ take_setting, "SELECT s.key, s.value FROM @info_process@ p, json_each(CASE WHEN "
			"json_valid(p.environment, 9) THEN p.environment ELSE '{}' END) s WHERE s.key GLOB 'ROCP*'" },
	};
	for (size_t i = 0; i < sizeof query / sizeof query[0]; i++)
		if (rocpd_read_table(trace, group, TABLE_PROCESS, query[i].sql, query[i].take, err) < 0)
			return -1;
	return 0;
}
