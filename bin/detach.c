/* SPDX-License-Identifier: MIT */
/* roclatch detach: end what this or another roclatch has attached. */
#include <string.h>

#include "bin/command.h"
#include "bin/recording.h"

#define DETACH_LIMIT_MS 120000  /* the tool may write its output then */

const char detach_text[] =
	"Stops the tool that is attached to the process, also if the roclatch that\n"
	"attached it is gone (killed, or called with --keep).  What a living roclatch\n"
	"has attached is left to that one.\n";

int command_detach(const struct settings *settings, char **operands, int n,
		   struct output *out, struct err *err)
{
	static struct attachment attachment;
	static struct outcome outcome;
	struct request request = { .timeout_ms = settings->timeout_msec ? settings->timeout_msec : DETACH_LIMIT_MS, .thread = (pid_t)settings->thread,
				   .trust_seccomp = settings->trust_seccomp };
	(void)operands;
	(void)n;
	outcome.pid = (pid_t)settings->pid;
	outcome.alone = true;
	int rc = attachment_open(&attachment, outcome.pid, &request, &out->say, err);
	if (rc == 0 && settings->dry_run) {
		output_note(out, "dry run: nothing was done");
	} else if (rc == 0) {
		memcpy(outcome.name, attachment.target.status.name, sizeof outcome.name - 1);
		outcome.attached = true;
		rc = record_end(&attachment, &outcome, &request);
		if (rc == 0)
			report_end(&outcome, &request, out);
		*err = outcome.err;
		report_json(&outcome, 1, out);
	}
	attachment_close(&attachment);
	return rc;
}
