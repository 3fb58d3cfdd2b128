/* SPDX-License-Identifier: MIT */
/* What an attachment tells: our own sentences, upstream's under its names, and JSON. */
#include <inttypes.h>
#include <signal.h>
#include <string.h>

#include "bin/recording.h"

#define LIBRARY "roclatch"      /* where upstream names the library that attaches */

static bool as_upstream(const struct request *request, const struct output *out)
{
	return request->style != STYLE_ROCLATCH && !out->json;
}

static void problem(const struct outcome *outcome, struct output *out)
{
	const struct err *err = &outcome->err;
	if (outcome->alone || (outcome->skipped && outcome->launcher && !out->verbose))
		return;         /* told by the run, or with its like in the summary */
	output_note(out, "process %d%s%s: %s%s", (int)outcome->pid, outcome->name[0] ? " " : "", outcome->name,
		    outcome->skipped ? "skipped: " : "", err->text);
	if (err->remedy[0])
		output_note(out, "  remedy: %s", err->remedy);
}

const char *left_out(const struct outcome *outcome)
{
	const struct preflight *preflight = &outcome->preflight;
	for (size_t i = 0; outcome->attached_at_ns && preflight->own && i < preflight->n; i++)
		if (!strcmp(preflight->v[i].name, "own-tool") && preflight->v[i].verdict == VERDICT_NOTE)
			return preflight->v[i].text;
	return NULL;
}

/* --dry-run: what would be attached, how the tool would come to the process, and what one should know. */
static void plan(const struct outcome *outcome, const struct request *request, struct output *out)
{
	const struct preflight *preflight = &outcome->preflight;
	say(&out->say, "process %d (%s) would be attached%s with %s", (int)outcome->pid, outcome->name, request->late ? ", late," : "",
	    preflight->shown);
	for (size_t i = 0; i < preflight->n; i++)
		if (preflight->v[i].verdict == VERDICT_NOTE || !strcmp(preflight->v[i].name, "tool"))
			say(&out->say, "  %s: %s", preflight->v[i].name, preflight->v[i].text);
	output_note(out, "dry run: nothing was done");
}

void report_begin(const struct outcome *outcome, const struct request *request, struct output *out)
{
	const struct preflight *preflight = &outcome->preflight;
	if (as_upstream(request, out)) {
		printf("Attaching to PID %d using library " LIBRARY "\n", (int)outcome->pid);
		if (outcome->attached)
			printf("Attaching to PID %d using library " LIBRARY " :: success\n", (int)outcome->pid);
		fflush(stdout);
	}
	if (outcome->err.code)
		problem(outcome, out);
	if (outcome->earlier_log[0])
		output_note(out, "  note: ended the recording that an earlier roclatch left behind; its log is kept: roclatch convert %s",
			    outcome->earlier_log);
	if (request->dry_run && !outcome->err.code && !as_upstream(request, out))
		plan(outcome, request, out);
	if (!outcome->attached) {       /* what was loaded before it failed stays, and is told as at any end */
		output_lines(out, "stays in the target", outcome->stays);
		output_lines(out, "left behind", outcome->attach.left);
		output_lines(out, "left behind", outcome->detach.left);
		return;
	}
	char inside[40] = "";
	if (outcome->inside && outcome->inside != outcome->pid)
		snprintf(inside, sizeof inside, ", %d in its container,", (int)outcome->inside);
	if (!as_upstream(request, out))
		output_note(out, "attached to process %d (%s)%s%s with %s", (int)outcome->pid, outcome->name, inside,
			    request->late ? ", late," : "", preflight->shown);
	for (size_t i = 0; i < preflight->n; i++)
		if (preflight->v[i].verdict == VERDICT_NOTE && out->verbose)
			output_note(out, "  note: %s", preflight->v[i].text);
	/* what was asked for and is not recorded must be seen, also without --verbose */
	if (left_out(outcome) && !out->verbose)
		output_note(out, "  note: %s", left_out(outcome));
	output_lines(out, "left behind", outcome->attach.left);
}

void report_waiting(const struct request *request, size_t attached, struct output *out)
{
	if (as_upstream(request, out)) {
		if (request->has_duration)
			printf("Attaching for %" PRIu64 " msec...\n\n", request->duration_ms);
		else
			fputs("Press Enter to detach...", stdout);
		fflush(stdout);
	} else if (request->has_duration) {
		output_note(out, "recording for %" PRIu64 " ms; Enter or Ctrl-C ends it earlier", request->duration_ms);
	} else {
		output_note(out, "recording%s; Enter or Ctrl-C detaches", attached > 1 ? " all of them" : "");
	}
}

void report_ending(const struct request *request, enum wait_end end, struct output *out)
{
	if (!as_upstream(request, out)) {
		if (end != WAIT_GONE)
			output_note(out, "detaching (%s)", wait_end_name(end));
		return;
	}
	if (end == WAIT_SIGNAL)
		printf("\nCaught signal %s\n", wait_signal() == SIGINT ? "SIGINT" : wait_signal() == SIGTERM ? "SIGTERM" : "SIGHUP");
	if (end != WAIT_GONE)
		puts("Detaching. Please wait, this can take up to 1-2 minutes");
	fflush(stdout);
}

void report_end(const struct outcome *outcome, const struct request *request, struct output *out)
{
	char after[32] = "";
	if (!outcome->attached)
		return;         /* told already */
	if (outcome->recorded_ns)
		snprintf(after, sizeof after, " after %.1f s", (double)outcome->recorded_ns / 1e9);
	if (as_upstream(request, out) && outcome->detached)
		printf("Detaching from PID %d using library " LIBRARY " :: success\n", (int)outcome->pid);
	if (as_upstream(request, out) && !outcome->detached && outcome->answered && outcome->err.code == ERR_CALLED_CODE)
		printf("Calling detach in " LIBRARY " returned non-zero status %u\n", outcome->status);
	if (outcome->err.code)
		problem(outcome, out);
	else if (!as_upstream(request, out) && outcome->detached)
		output_note(out, "detached from process %d (%s)%s", (int)outcome->pid, outcome->name, after);
	report_recorded(outcome, out);
	output_lines(out, "stays in the target", outcome->stays);
	output_lines(out, "left behind", outcome->detach.left);
	if (outcome->detached && !outcome->detach.left[0] && !as_upstream(request, out))
		output_note(out, "  verified: not traced, nothing else of ours is left");
}

void json_checks(struct json *json, const struct preflight *preflight)
{
	json_array(json, "checks");
	for (size_t i = 0; i < preflight->n; i++) {
		json_object(json, NULL);
		json_text(json, "name", preflight->v[i].name);
		json_text(json, "verdict", verdict_name(preflight->v[i].verdict));
		json_text(json, "text", preflight->v[i].text);
		json_text(json, "remedy", preflight->v[i].remedy[0] ? preflight->v[i].remedy : NULL);
		json_end(json);
	}
	json_end(json);
}

static void call_json(struct json *json, const char *key, bool called, const struct call_report *report)
{
	if (!called) {
		json_null(json, key);
		return;
	}
	json_object(json, key);
	json_report(json, report);
	json_lines(json, "left", report->left);
	json_lines(json, "kept", report->kept);
	json_end(json);
}

static void one_json(struct json *json, const struct outcome *outcome)
{
	json_object(json, NULL);
	json_signed(json, "pid", outcome->pid);
	if (outcome->inside)
		json_signed(json, "pid_inside", outcome->inside);
	else
		json_null(json, "pid_inside");
	json_text(json, "name", outcome->name);
	json_bool(json, "attached", outcome->attached);
	json_bool(json, "detached", outcome->detached);
	json_bool(json, "kept", outcome->kept);
	json_bool(json, "skipped", outcome->skipped);
	json_text(json, "tool", outcome->preflight.shown);
	json_unsigned(json, "recorded_ns", outcome->recorded_ns);
	json_bool(json, "followed", outcome->followed);
	json_signed(json, "began_at_ns", outcome->began_at_ns);
	json_signed(json, "attached_at_ns", outcome->attached_at_ns);
	json_signed(json, "detached_at_ns", outcome->detached_at_ns);
	if (outcome->answered)
		json_unsigned(json, "answer", outcome->status);
	else
		json_null(json, "answer");
	call_json(json, "attach", outcome->attach_called, &outcome->attach);
	call_json(json, "detach", outcome->detach_called, &outcome->detach);
	json_lines(json, "stays", outcome->stays);
	json_text(json, "earlier_log", outcome->earlier_log[0] ? outcome->earlier_log : NULL);
	json_recorded(json, outcome);
	json_checks(json, &outcome->preflight);
	json_text(json, "error", outcome->err.code ? outcome->err.text : NULL);
	json_text(json, "remedy", outcome->err.code && outcome->err.remedy[0] ? outcome->err.remedy : NULL);
	json_unsigned(json, "status", outcome->err.code);
	json_end(json);
}

void report_json(const struct outcome *outcomes, size_t n, struct output *out)
{
	if (!out->json)
		return;
	json_array(&out->writer, "targets");
	for (size_t i = 0; i < n; i++)
		one_json(&out->writer, &outcomes[i]);
	json_end(&out->writer);
}
