/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "bin/lib/answer.h"
#include "inject/aside.h"
#include "rocp/processes.h"

_Static_assert((int)ROCLATCH_HIP == RUNTIME_HIP && (int)ROCLATCH_HSA == RUNTIME_HSA && (int)ROCLATCH_KFD == RUNTIME_KFD &&
	       (int)ROCLATCH_REGISTER == RUNTIME_REGISTER, "runtimes");

struct look {
	struct processes processes;
	struct err err;
};

static void look(void *ctx)
{
	struct look *job = ctx;
	processes_look(&job->processes, &job->err);
}

static int how(const struct attachable *attachable)
{
	static const int public[] = {
		[ATTACHABLE_NO] = ROCLATCH_ATTACH_NO, [ATTACHABLE_NOW] = ROCLATCH_ATTACH_NOW,
		[ATTACHABLE_LATE] = ROCLATCH_ATTACH_LATE };
	return attachable ? public[attachable->how] : ROCLATCH_ATTACH_UNKNOWN;
}

static int show(struct process *process, roclatch_process_callback *callback, void *ctx)
{
	struct attachable *attachable = process->attachable;
	struct roclatch_process public = {
		.size = sizeof public,
		.pid = process->stat.pid, .parent = process->stat.ppid, .inside = process->inside, .uid = process->uid,
		.threads = process->stat.threads, .depth = process->depth, .cpu_percent = process->cpu_percent,
		.name = answer_plain(process->stat.name), .user = process->user ? process->user : "",
		.container = process->container.kind ? process->container.kind : "",
		.container_id = answer_plain(process->container.id),
		.runtimes = process->runtimes.set, .readable = !process->unread,
		.register_version = answer_plain(process->runtimes.register_version),
		.attachable = how(attachable),
		.attach_brief = attachable ? answer_plain(attachable->brief) : "",
		.attach_summary = attachable ? answer_plain(attachable->summary) : "",
		.attach_remedy = attachable ? answer_plain(attachable->remedy) : "",
	};
	/* NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage): roclatch_list refuses one that is none */
	return callback(ctx, &public);
}

int roclatch_list(unsigned flags, roclatch_process_callback *callback, void *ctx, struct roclatch_error *err)
{
	struct err none = { 0 }, wrong = { 0 };
	if (!callback || flags & ~(unsigned)(ROCLATCH_LIST_ALL | ROCLATCH_LIST_ASK))
		err_set(&wrong, ERR_USAGE, 0, callback ? "unknown flags 0x%x" : "no callback was given", flags);
	struct look *job = wrong.code ? NULL : calloc(1, sizeof *job);
	if (!job && !wrong.code)
		err_set(&wrong, ERR_FAILED, ENOMEM, "list processes");
	if (!job)
		return answer_error(err, &wrong);
	job->processes = (struct processes){ .proc = "/proc", .kfd = KFD_SYSTEM, .passwd = USERS_FILE,
					     .all = flags & ROCLATCH_LIST_ALL, .ask = flags & ROCLATCH_LIST_ASK };
	aside_run(look, job);
	int rc = answer_error(err, job->err.code ? &job->err : &none);
	for (size_t i = 0; i < job->processes.rows && rc == 0; i++)
		rc = show(job->processes.row[i], callback, ctx);
	processes_free(&job->processes);
	free(job);
	return rc;
}
