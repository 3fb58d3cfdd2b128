/* SPDX-License-Identifier: MIT */
/*
 * What the user gets to see: one verdict for each run.  Plain: what a script
 * wants on stdout, explanations and errors on stderr.  JSON: one object on
 * stdout, also when the run failed.
 */
#ifndef ROCLATCH_BIN_OUTPUT_H
#define ROCLATCH_BIN_OUTPUT_H

#include "bin/json.h"
#include "inject/call.h"

struct output {
	bool begun, json, verbose, dry_run;
	bool told;              /* in plain mode the error stands on stdout already */
	struct json writer;
	FILE *plan;             /* the lines of a dry run, kept for the JSON object */
	char *plan_text;
	size_t plan_size;
	struct say say;         /* to be given to target_open */
};

/* command may be NULL: it was not understood. */
void output_begin(struct output *out, const char *command, bool json, bool verbose, bool dry_run);
/* Print the verdict.  Returns the exit status: err->code, or 0. */
int output_end(struct output *out, const struct err *err);

/* Facts: members of the JSON object; lines on stderr with --verbose. */
void output_text(struct output *out, const char *name, const char *text);
void output_number(struct output *out, const char *name, uint64_t value);
void output_hex(struct output *out, const char *name, uint64_t value);
void output_bool(struct output *out, const char *name, bool value);

/* What the run was for: goes to stdout in plain mode. */
void output_result_signed(struct output *out, const char *name, int64_t value);
void output_result_hex(struct output *out, const char *name, uint64_t value);

/* One sentence of explanation: stderr, plain mode only. */
void output_note(struct output *out, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* How a call went: threads, times, crash, what was left and kept. */
void output_call(struct output *out, const struct call *call);
/* The same without the last two, as members of an object that is open. */
void json_report(struct json *json, const struct call_report *report);
/* A note for each line of text, behind what it is. */
void output_lines(struct output *out, const char *what, const char *text);

/* Text that came from elsewhere, without control characters that a terminal
 * would obey: those are shown as \xNN. */
void output_safe(FILE *to, const char *text);

#endif
