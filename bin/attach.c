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
#include "bin/remedy.h"
#include "rocp/output_name.h"
#include "rocp/select.h"

#define LOOK_AGAIN_NS INT64_C(7000000000)       /* --at is farther away than that */
#define LOOK_BEFORE_NS INT64_C(2000000000)
#define FOLLOWED_MAX 1024

const char attach_text[] =
	"Attaches the profiling tool of ROCm, or roclatch's own, to a running process, records, and\n"
	"detaches it again: on Enter, on Ctrl-C, after a given time, or when the process ends.  The\n"
	"options are those of rocprofv3, and some more.\n"
	"\n"
	"With --own-tool, roclatch's own tool library records into a log; roclatch makes the files from\n"
	"it after the detach, outside the process.  Several processes (--name, --all, --cgroup,\n"
	"--slurm-job; together: every process that matches any of them) are attached at the same moment,\n"
	"or at the time given by --at.  With --follow, children that start later are attached too.\n"
	"--collect copies the tool's output into a folder on this side; without it, output of a process\n"
	"with another root (a container) is copied into the current folder.\n"
	"\n"
	"examples:\n"
	"  roclatch attach -p 4711 --own-tool -s -f html --attach-duration-msec 10s\n"
	"  roclatch attach --name '^train' --kernel-trace -f csv -d /tmp/out\n"
	"  roclatch attach --wait --name '^python3$' --wait-timeout 10m --own-tool -s\n"
	"\n"
	"environment:\n"
	"  ROCLATCH_TOOL                the absolute path of roclatch's own tool library\n"
	"  ROCPROF_ATTACH_TOOL_LIBRARY  the tool, where -t is not given\n";

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
	return record_is_over(recording) || recorded_stopped(recording);
}

static void so_far(void *ctx, char *text, size_t size)
{
	uint64_t records, bytes;
	if (recorded_so_far(ctx, &records, &bytes))
		snprintf(text, size, "%s records, %s", count_text(records), bytes_text(bytes));
}

/* Until --at.  What was seen long before that is looked at again.  A signal is seen by record_begin. */
static int await_time(struct recording *recording, struct outcome *outcome, const struct request *request, struct output *out)
{
	int rc = 0;
	report_at(request, out);
	if (request->at_ns - wall_ns() > LOOK_AGAIN_NS && wait_until(request->at_ns - LOOK_BEFORE_NS, !out->json)) {
		recording_close(recording);
		rc = record_look(recording, outcome, request, &out->say);
	}
	if (rc == 0)
		wait_until(request->at_ns, !out->json);
	return rc;
}

static enum wait_end record_one(struct outcomes *list, const struct request *request, struct output *out, bool *waited)
{
	static struct recording recording;
	struct outcome *outcome = list->v;
	enum wait_end end = WAIT_GONE;
	int rc = record_look(&recording, outcome, request, &out->say);
	if (rc == 0 && request->at_ns && !request->dry_run)
		rc = await_time(&recording, outcome, request, out);
	if (rc == 0 && !request->dry_run)
		rc = record_begin(&recording, outcome, request);
	report_begin(outcome, request, out);
	report_together(list, request, out);
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
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < n && outcomes[i].launcher && outcomes[i].err.code == ERR_NOT_POSSIBLE; k++)
			outcomes[i].skipped |= k != i && outcomes[k].root == outcomes[i].pid && outcomes[k].attached_at_ns;
}

/* One verdict: the first failure that counts. */
static int verdict(const struct outcome *outcomes, size_t n, struct err *err)
{
	size_t good = 0, bad = 0, skipped = 0, first = n;
	for (size_t i = 0; i < n; i++) {
		const struct outcome *outcome = &outcomes[i];
		skipped += outcome->skipped;
		if (!outcome->err.code || (outcome->skipped && outcome->attached_at_ns))
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
	if (good)
		return 0;
	err_set(err, ERR_NOT_POSSIBLE, 0, "none of %zu process%s could be attached; the first: process %d: %.300s", n, n == 1 ? "" : "es",
		(int)outcomes[0].pid, outcomes[0].err.text);
	return err_remedy(err, "%s", outcomes[0].err.remedy);
}

/* A name of files that is the same in several processes: each gets its id behind it. */
static bool needs_names(const struct request *request, size_t n, struct output *out)
{
	const char *name = env_get(&request->env, OUTPUT_NAME_VARIABLE), *folder = env_get(&request->env, "ROCPROF_OUTPUT_PATH");
	if ((n < 2 && !request->follow) || !name || !name[0] || !output_name_is_shared(folder, name))
		return false;
	output_note(out, "several processes: their files are called %s_PID", name);
	return true;
}

static void report_all(struct outcomes *list, const struct request *request, struct output *out)
{
	for (size_t i = 0; i < list->n; i++) {
		struct outcome *outcome = &list->v[i];
		outcome->kept = request->keep && outcome->attached;
		if (list->n > 1 || outcome->attached)
			report_end(outcome, request, out);
		if (outcome->kept)
			output_note(out, "  it records%s%s until roclatch detach -p %d", outcome->log[0] ? " into " : "", outcome->log,
				    (int)outcome->pid);
	}
}

static int record(struct request *request, const struct selection *selection, struct output *out, struct err *err)
{
	size_t n = selection->n;
	bool waited = false;
	struct outcomes list = { .n = n, .room = n + (request->follow ? FOLLOWED_MAX : 0) };
	list.name_each = needs_names(request, n, out);
	list.v = calloc(list.room, sizeof *list.v);
	if (!list.v)
		return err_set(err, ERR_FAILED, 0, "out of memory");
	for (size_t i = 0; i < n; i++)
		list.v[i] = (struct outcome){ .pid = selection->v[i].pid, .root = selection->v[i].root, .rank = -1, .ranks = -1,
					      .required = selection->v[i].required, .alone = n == 1 && !request->follow };
	wait_catch_signals();
	enum wait_end end = n == 1 && !request->follow ? record_one(&list, request, out, &waited) :
							 record_many(&list, request, out, &waited);
	for (size_t i = 0; i < list.n; i++)
		remedy_by_cause("attach", &list.v[i].err);
	report_all(&list, request, out);
	if (waited)
		output_text(out, "ended_by", wait_end_name(end));
	excuse_launchers(list.v, list.n);
	report_json(list.v, list.n, out);
	report_summary(&list, request, out);
	int rc = statuses_write(&list, request, verdict(list.v, list.n, err), err);
	free(list.v);
	return rc;
}

static int attach(struct request *request, struct output *out, struct err *err)
{
	struct selection selection;
	warn(request, out);
	if (request_counters_here(request, err) < 0 ||
	    (request->wait ? await_processes(&selection, request, out, err) :
			     select_processes(&selection, request, SELECT_PROC, err)) < 0)
		return statuses_write(&(struct outcomes){ 0 }, request, -1, err);
	int rc = record(request, &selection, out, err);
	selection_free(&selection);
	return rc;
}

static int without_target(const struct request *request, struct err *err)
{
	if (request->help)
		return help_attach(request->style);
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
