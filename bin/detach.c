/* SPDX-License-Identifier: MIT */
/* roclatch detach: end what this or another roclatch has attached. */
#include <string.h>

#include "bin/command.h"
#include "bin/recording.h"

#define DETACH_LIMIT_MS 120000  /* the tool may write its output then */

const char detach_text[] =
	"Stops the tool that is attached to the process, also if the roclatch that\n"
	"attached it is gone (killed, or called with --keep).  What a living roclatch\n"
	"has attached is left to that one.  What roclatch's own tool has recorded is\n"
	"converted as it was asked for at the attach.\n";

int command_detach(const struct settings *settings, char **operands, int n,
		   struct output *out, struct err *err)
{
	static struct recording recording;
	static struct outcome outcome;
	struct attachment *attachment = &recording.attachment;
	struct request request = { .timeout_ms = settings->timeout_msec ? settings->timeout_msec : DETACH_LIMIT_MS, .thread = (pid_t)settings->thread,
				   .trust_seccomp = settings->trust_seccomp, .keep_log = settings->keep_log };
	(void)operands;
	(void)n;
	recording.log = (struct own_log){ .folder = -1 };
	outcome.pid = (pid_t)settings->pid;
	outcome.alone = true;
	int rc = attachment_open(attachment, outcome.pid, &request, &out->say, err);
	if (rc == 0 && settings->dry_run) {
		output_note(out, "dry run: nothing was done");
	} else if (rc == 0) {
		memcpy(outcome.name, attachment->target.status.name, sizeof outcome.name - 1);
		outcome.attached = true;
		own_log_open(&recording.log, attachment, NULL);
		rc = record_end(&recording, &outcome, &request);
		if (rc == 0)
			report_end(&outcome, &request, out);
		else
			report_recorded(&outcome, out);
		*err = outcome.err;
		report_json(&outcome, 1, out);
	}
	recording_close(&recording);
	return outcome.err.code ? -1 : rc;
}
