/* SPDX-License-Identifier: MIT */
/* Can a process be attached?  The pre-flight as one answer, in a sentence and in a few words. */
#ifndef ROCLATCH_ROCP_ATTACHABLE_H
#define ROCLATCH_ROCP_ATTACHABLE_H

#include "rocp/preflight.h"

enum attachable_how { ATTACHABLE_NO, ATTACHABLE_NOW, ATTACHABLE_LATE };
const char *attachable_how_name(enum attachable_how how);       /* "no", "now", "late" */

struct attachable {
	enum attachable_how how;
	char brief[80];         /* "now", "late only: started without ROCP_TOOL_ATTACH=1", "no: is traced" */
	char summary[640];      /* the sentence of roclatch check */
	char remedy[256];       /* or "" */
	char why_not_late[256]; /* or "" */
	char register_version[32];      /* of the register that the runtimes use; "" if it is not known */
	bool ready;             /* the process itself can be attached, as asked for; a tool or a folder that was not named
				 * does not count */
	bool coming;            /* it cannot yet: ROCm is not loaded or not initialised */
};

/* Look as for roclatch check: services that the request does not name are those of the attachment
 * before.  0 whatever the verdicts, or -1 (the target is gone, no memory). */
int attachable_look(struct preflight *preflight, struct rocm_view *view, struct request *request, struct err *err);
/* One sentence: now, late only, or not, and why; `why` is the error of the first NO. */
void attachable_sentence(const struct preflight *preflight, bool late, const struct err *why, char *text, size_t size);
/* The same of a pre-flight in a few words. */
void attachable_brief(const struct preflight *preflight, char *text, size_t size);

/* Open the process, look, close it again.  -1 only if it is gone, or is another one than that which
 * was started then, or for want of memory; everything else is an answer. */
int attachable_ask(struct attachable *attachable, pid_t pid, uint64_t start_time, struct err *err);
/* The same, with late and trust_seccomp as in this request. */
int attachable_ask_for(struct attachable *attachable, pid_t pid, uint64_t start_time, const struct request *wanted,
		       struct err *err);

#endif
