/* SPDX-License-Identifier: MIT */
/* What roclatch's own tool has recorded, for people and as JSON. */
#include <string.h>

#include "bin/recording.h"
#include "rocp/tool_abi.h"

static void report_files(const struct converted *converted, struct output *out)
{
	for (size_t i = 0; i < converted->files && i < MADE_MAX; i++)
		output_note(out, "  wrote %s (%s)", converted->file[i].path, bytes_text(converted->file[i].bytes));
	if (converted->files > MADE_MAX)
		output_note(out, "  and %zu more", converted->files - MADE_MAX);
	if (converted->too_small)
		output_note(out, "  wrote nothing, as less was recorded than --minimum-output-data asks for");
}

/* The log says itself what is not in it; once is enough. */
static void report_notes(const struct outcome *outcome, struct output *out)
{
	char notes[sizeof outcome->converted.notes];
	snprintf(notes, sizeof notes, "%s", outcome->converted.notes);
	char *said = left_out(outcome) ? strstr(notes, TOOL_LEAVES_OUT) : NULL;
	if (said)
		memmove(said, said + strcspn(said, "\n"), strlen(said + strcspn(said, "\n")) + 1);
	output_lines(out, "note", notes);
}

static void report_own(const struct outcome *outcome, struct output *out)
{
	if (!outcome->own && outcome->was_converted) {
		report_files(&outcome->converted, out);
		output_lines(out, "note", outcome->converted.notes);
	}
	if (!outcome->own)
		return;
	output_note(out, "  recorded %s records, %s", count_text(outcome->records), bytes_text(outcome->bytes));
	if (outcome->lost)
		output_note(out, "  %s records were lost", count_text(outcome->lost));
	if (outcome->was_converted && outcome->converted.missing)
		output_note(out, "  %s", missing_text(&outcome->converted));
	if (outcome->was_converted) {
		report_files(&outcome->converted, out);
		report_notes(outcome, out);
	}
	if (outcome->log_stays)
		output_note(out, "  the log is %s", outcome->log);
}

void report_recorded(const struct outcome *outcome, struct output *out)
{
	report_own(outcome, out);
	report_collected(outcome, out);
}

void json_recorded(struct json *json, const struct outcome *outcome)
{
	json_collected(json, outcome);
	if (!outcome->own && !outcome->was_converted) {
		json_null(json, "recording");
		return;
	}
	json_object(json, "recording");
	json_bool(json, "own_tool", outcome->own);
	json_unsigned(json, "taken", outcome->records);
	json_unsigned(json, "bytes", outcome->bytes);
	json_text(json, "log", outcome->log[0] ? outcome->log : NULL);
	json_bool(json, "log_stays", outcome->log_stays);
	json_bool(json, "converted", outcome->was_converted);
	if (outcome->was_converted)
		json_converted(json, &outcome->converted);
	else
		json_unsigned(json, "lost", outcome->lost);
	json_end(json);
}
