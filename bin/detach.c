/* SPDX-License-Identifier: MIT */
/* roclatch detach: end what this or another roclatch has attached. */
#include <string.h>

#include "bin/command.h"
#include "bin/recording.h"
#include "bin/remedy.h"

#define DETACH_LIMIT_MS 120000  /* the tool may write its output then */

const char detach_text[] =
	"Stops the tool that is attached to the process, even if the roclatch that attached it is gone\n"
	"(killed, or called with --keep).  If that roclatch still runs, detaching is left to it.  What\n"
	"roclatch's own tool has recorded is converted as was asked for at the attach.  If the process\n"
	"has another root than roclatch (a container), its output is copied to this side; with --collect\n"
	"also when nothing is attached any more.\n"
	"\n"
	"examples:\n"
	"  roclatch detach 4711\n";

/* Ended already: what it wrote may still be fetched, or the rest of it. */
static bool is_only_fetched(const struct attachment *attachment, const struct settings *settings)
{
	const struct rocm_view *view = &attachment->view;
	return settings->collect && !view->attached && (view->was_attached || view->tool_path);
}

static int end(struct recording *recording, struct outcome *outcome, const struct request *request, bool only_fetched)
{
	struct attachment *attachment = &recording->attachment;
	own_log_open(&recording->log, attachment, NULL);
	if (collecting_begin(recording, outcome, request, &attachment->view.environment, false) < 0)
		return -1;
	if (!only_fetched)
		return record_end(recording, outcome, request);
	outcome->detached = true;
	collecting_end(recording, outcome, request);
	return outcome->err.code ? -1 : 0;
}

int command_detach(const struct settings *settings, char **operands, int n,
		   struct output *out, struct err *err)
{
	static struct recording recording;
	static struct outcome outcome;
	struct attachment *attachment = &recording.attachment;
	struct request request = { .timeout_ms = settings->timeout_msec ? settings->timeout_msec : DETACH_LIMIT_MS,
				   .thread = (pid_t)settings->thread,
				   .trust_seccomp = settings->trust_seccomp, .keep_log = settings->keep_log, .json = settings->json,
				   .collect = settings->collect };
	(void)operands;
	(void)n;
	recording.log = (struct own_log){ .folder = -1 };
	recording.written.root = recording.written.mounts = -1;
	outcome.pid = (pid_t)settings->pid;
	outcome.alone = true;
	int rc = attachment_open(attachment, outcome.pid, &request, &out->say, err);
	bool only_fetched = rc == 0 && is_only_fetched(attachment, settings);
	if (rc == 0 && settings->dry_run) {
		rc = only_fetched ? 0 : attachment_can_end(attachment, err);
		if (rc == 0)
			output_note(out, "dry run: nothing was done");
	} else if (rc == 0) {
		memcpy(outcome.name, attachment->target.status.name, sizeof outcome.name - 1);
		outcome.attached = attachment->view.attached || only_fetched;
		rc = end(&recording, &outcome, &request, only_fetched);
		if (rc == 0 && !only_fetched)
			report_end(&outcome, &request, out);
		else if (outcome.err.code != ERR_NOT_POSSIBLE)
			report_recorded(&outcome, out);
		remedy_by_cause("detach", &outcome.err);
		*err = outcome.err;
		report_json(&outcome, 1, out);
	}
	recording_close(&recording);
	return outcome.err.code ? -1 : rc;
}
