/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include "bin/recording.h"
#include "inject/thread.h"

/* A library that was loaded stays: who asks to stop before that is heard before that. */
static int stop_early(struct err *err)
{
	int signo = wait_signal() ? wait_signal() : call_stop_signal;
	return signo ? err_set(err, (enum err_code)(ERR_SIGNAL + signo), 0, "stopped by a signal before anything was done") : 0;
}

int record_begin(struct recording *recording, struct outcome *outcome, const struct request *request,
		 const struct say *say)
{
	struct attachment *attachment = &recording->attachment;
	struct err *err = &outcome->err;
	recording->log = (struct own_log){ .folder = -1 };
	recording->written.root = recording->written.mounts = -1;
	recording->output[0] = '\0';
	int rc = attachment_open(attachment, outcome->pid, request, say, err);
	outcome->preflight = attachment->preflight;
	if (attachment->opened) {
		const struct proc_status *status = &attachment->target.status;
		snprintf(outcome->name, sizeof outcome->name, "%.31s", status->name);
		outcome->inside = status->nspid_count ? status->nspid[status->nspid_count - 1] : outcome->pid;
	}
	if (rc == 0 && attachment->preflight.own)
		rc = recorded_check(request, err) < 0 ? -1 : owner_check(&attachment->target, err);
	if (rc == 0 && request->html && !attachment->preflight.own)
		recorded_expect(recording, request);
	if (rc == 0 && !request->dry_run && !request->keep)
		rc = collecting_begin(recording, outcome, request, &request->env, true);
	if (rc == 0)
		rc = stop_early(err);
	if (rc == 0)
		rc = request->dry_run ? preflight_error(&attachment->preflight, request, err) :
					attachment_begin(attachment, request, err);
	outcome->attach = attachment->call.report;
	outcome->attach_called = attachment->call.report.borrowed != 0;
	outcome->status = attachment->status;
	outcome->answered = attachment->answered;
	outcome->attached = attachment->attached;
	if (rc == 0 && outcome->attached && recorded_begin(recording, outcome) < 0) {
		struct err why = *err;
		record_end(recording, outcome, request);
		*err = why;
		outcome->attached = !outcome->detached;
		rc = -1;
	}
	/* a child that nobody asked for by name and that cannot be attached is no failure */
	outcome->skipped = rc < 0 && !outcome->required && err->code == ERR_NOT_POSSIBLE;
	if (rc < 0)
		return -1;
	*err = (struct err){ 0 };
	if (request->announce && outcome->attached)
		announce(outcome->pid, "a profiler was attached");
	return 0;
}

int record_end(struct recording *recording, struct outcome *outcome, const struct request *request)
{
	struct attachment *attachment = &recording->attachment;
	if (attachment->attached_ns)
		outcome->recorded_ns = now_ns() - attachment->attached_ns;
	attachment->call = (struct call){ 0 };
	int rc = attachment_end(attachment, request, &outcome->err);
	outcome->detach = attachment->call.report;
	outcome->detach_called = attachment->call.report.borrowed != 0;
	outcome->status = attachment->status;
	outcome->answered = attachment->answered;
	outcome->detached = rc == 0;
	memcpy(outcome->stays, attachment->stays, sizeof outcome->stays);
	if (rc == 0)
		outcome->err = (struct err){ 0 };
	if (rc == 0 && request->announce)
		announce(outcome->pid, "the profiler was detached");
	recorded_end(recording, outcome, request);
	collecting_end(recording, outcome, request);
	return rc;
}

void recording_close(struct recording *recording)
{
	own_log_close(&recording->log);
	written_close(&recording->written);
	attachment_close(&recording->attachment);
}

void record_gone(struct recording *recording, struct outcome *outcome, const struct request *request)
{
	outcome->recorded_ns = now_ns() - recording->attachment.attached_ns;
	err_set(&outcome->err, ERR_TARGET_EXITED, 0, "process %d ended while it was attached", (int)outcome->pid);
	err_remedy(&outcome->err, "what the tool wrote at its exit may be complete");
	recorded_end(recording, outcome, request);
	collecting_end(recording, outcome, request);
}
