/* SPDX-License-Identifier: MIT */
/* roclatch attach, and roclatch under upstream's names. */
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

#include "bin/attach.h"
#include "bin/awaiting.h"
#include "bin/command.h"
#include "bin/help.h"
#include "bin/recording.h"
#include "rocp/select.h"

extern char **environ;

static void warn(const struct request *request, struct output *out)
{
	for (size_t i = 0; i < request->warnings.n; i++) {
		if (request->style == STYLE_ROCLATCH)
			output_note(out, "warning: %s", request->warnings.v[i]);
		else
			output_note(out, "[rocprofv3] Warning: %s", request->warnings.v[i]);
	}
	if (!out->json)
		return;
	json_array(&out->writer, "warnings");
	for (size_t i = 0; i < request->warnings.n; i++)
		json_text(&out->writer, NULL, request->warnings.v[i]);
	json_end(&out->writer);
}

/* One target over: only its own process can be; or nothing more comes. */
static bool is_over(void *ctx, size_t i)
{
	struct recording *recording = ctx;
	(void)i;
	return !target_alive(&recording->attachment.target) || recorded_stopped(recording);
}

static void so_far(void *ctx, char *text, size_t size)
{
	uint64_t records, bytes;
	if (recorded_so_far(ctx, &records, &bytes))
		snprintf(text, size, "%s records, %s", count_text(records), bytes_text(bytes));
}

static enum wait_end record_one(struct outcome *outcome, const struct request *request, struct output *out, bool *waited)
{
	static struct recording recording;
	enum wait_end end = WAIT_GONE;
	int rc = record_begin(&recording, outcome, request, &out->say);
	report_begin(outcome, request, out);
	if (rc == 0 && !request->dry_run && !request->keep) {
		report_waiting(request, 1, out);
		end = wait_for_end(&(struct waiting){ .has_duration = request->has_duration, .duration_ms = request->duration_ms,
						      .fd = &recording.attachment.target.pidfd, .n = 1, .over = is_over, .ctx = &recording,
						      .show = !out->json, .doing = "recording", .so_far = so_far });
		const char *stopped = end == WAIT_GONE ? recorded_stopped(&recording) : NULL;
		if (stopped) {
			end = WAIT_STOPPED;
			output_note(out, "the recording stopped early: %s", stopped);
		}
		*waited = true;
		report_ending(request, end, out);
		if (end == WAIT_GONE)
			record_gone(&recording, outcome, request);
		else
			record_end(&recording, outcome, request);
	}
	recording_close(&recording);
	return end;
}

/* A shell or a launcher without ROCm whose descendants were attached is no failure. */
static void excuse_launchers(struct outcome *outcomes, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct preflight *preflight = &outcomes[i].preflight;
		bool launcher = false;
		for (size_t c = 0; c < preflight->n; c++)
			launcher |= !strcmp(preflight->v[c].name, "register") && preflight->v[c].verdict == VERDICT_NO;
		for (size_t k = 0; k < n && launcher && outcomes[i].err.code == ERR_NOT_POSSIBLE; k++)
			outcomes[i].skipped |= outcomes[k].root == outcomes[i].pid && outcomes[k].attached;
	}
}

/* One verdict: the first failure that counts. */
static int verdict(const struct outcome *outcomes, size_t n, struct err *err)
{
	size_t good = 0, bad = 0, skipped = 0, first = n;
	for (size_t i = 0; i < n; i++) {
		const struct outcome *outcome = &outcomes[i];
		skipped += outcome->skipped;
		if (!outcome->err.code)
			good++;
		else if (!outcome->skipped && !bad++)
			first = i;
	}
	if (first < n && n == 1) {
		*err = outcomes[first].err;
		return -1;
	}
	if (bad) {
		err_set(err, outcomes[first].err.code, 0, "%zu of %zu processes failed%s; the first: process %d: %.300s", bad, n,
			skipped ? ", others were skipped" : "", (int)outcomes[first].pid, outcomes[first].err.text);
		return err_remedy(err, "%s", outcomes[first].err.remedy);
	}
	if (!good)
		return err_set(err, ERR_NOT_POSSIBLE, 0, "none of %zu processes could be attached", n);
	return 0;
}

static int record(struct request *request, const struct selection *selection, struct output *out, struct err *err)
{
	size_t n = selection->n;
	bool waited = false;
	struct outcome *outcomes = calloc(n, sizeof *outcomes);
	if (!outcomes)
		return err_set(err, ERR_FAILED, 0, "out of memory");
	for (size_t i = 0; i < n; i++) {
		outcomes[i].pid = selection->v[i].pid;
		outcomes[i].root = selection->v[i].root;
		outcomes[i].required = selection->v[i].required;
		outcomes[i].alone = n == 1;
	}
	wait_catch_signals();
	enum wait_end end = n == 1 ? record_one(outcomes, request, out, &waited) :
				     record_many(outcomes, n, request, out, &waited);
	for (size_t i = 0; i < n; i++) {
		outcomes[i].kept = request->keep && outcomes[i].attached;
		if (n > 1 || outcomes[i].attached)
			report_end(&outcomes[i], request, out);
		if (outcomes[i].kept)
			output_note(out, "  it records%s%s until roclatch detach -p %d", outcomes[i].log[0] ? " into " : "",
				    outcomes[i].log, (int)outcomes[i].pid);
	}
	if (waited)
		output_text(out, "ended_by", wait_end_name(end));
	excuse_launchers(outcomes, n);
	report_json(outcomes, n, out);
	int rc = verdict(outcomes, n, err);
	free(outcomes);
	return rc;
}

static int attach(struct request *request, struct output *out, struct err *err)
{
	struct selection selection;
	warn(request, out);
	if (request_counters_here(request, err) < 0 ||
	    (request->wait ? await_processes(&selection, request, out, err) :
			     select_processes(&selection, request, SELECT_PROC, err)) < 0)
		return -1;
	int rc = record(request, &selection, out, err);
	selection_free(&selection);
	return rc;
}

static int without_target(const struct request *request, struct err *err)
{
	if (request->help) {
		request_help(request->style, stdout);
		return 0;
	}
	if (request->version)
		return help_version();
	err_set(err, ERR_USAGE, 0, "counters are listed by AMD's rocprofv3-avail, on the machine with the GPU");
	return err_remedy(err, "run rocprofv3-avail list there");
}

int attach_main(enum request_style style, int argc, char **argv, struct output *out, struct err *err)
{
	static struct request request;
	int rc = request_read(&request, style, argc, argv, environ, getauxval(AT_SECURE) != 0, err);
	if (rc == 0 && (request.help || request.version || request.list_avail)) {
		rc = without_target(&request, err);
	} else if (rc == 0) {
		output_begin(out, "attach", request.json, request.verbose, request.dry_run);
		rc = attach(&request, out, err);
	}
	request_free(&request);
	return rc;
}
