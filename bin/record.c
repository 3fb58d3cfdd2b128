/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include "bin/recording.h"
#include "inject/thread.h"
#include "rocp/job/status.h"
#include "rocp/runtimes.h"

/* A library that was loaded stays: who asks to stop before that is heard before that. */
static int stop_early(struct err *err)
{
	int signo = wait_signal() ? wait_signal() : call_stop_signal;
	return signo ? err_set(err, (enum err_code)(ERR_SIGNAL + signo), 0, "stopped by a signal before anything was done") : 0;
}

/* What of it must be known when it is gone. */
static void identify(struct outcome *outcome, const struct target *target, const struct preflight *preflight,
		     const struct env *env)
{
	const struct proc_status *status = &target->status;
	struct job_status told = { .rank = -1, .ranks = -1 };
	snprintf(outcome->name, sizeof outcome->name, "%.31s", status->name);
	outcome->inside = target_self(target);
	job_rank_read(&told, "/proc", outcome->pid, env_get(env, "ROCPROF_MPI_RANK_VAR"), env_get(env, "ROCPROF_MPI_SIZE_VAR"));
	outcome->rank = told.rank;
	outcome->ranks = told.ranks;
	snprintf(outcome->job, sizeof outcome->job, "%s", told.job);
	for (size_t i = 0; i < preflight->n; i++)
		outcome->launcher |= preflight->v[i].verdict == VERDICT_NO &&
				     (!strcmp(preflight->v[i].name, "register") || !strcmp(preflight->v[i].name, "listener"));
}

/* One that cannot be looked at, as a shell that is stopped (Enroot leaves one with each image that it mounts). */
static bool has_no_rocm(pid_t pid)
{
	struct runtimes runtimes;
	return runtimes_mapped(&runtimes, "/proc", pid) == 0 && !runtimes.set;
}

/* The tool would keep for the life of the process that it has nothing to do. */
static int refuse_nothing(const struct request *request, struct err *err)
{
	if (request_records(&request->env))
		return 0;
	err_set(err, ERR_USAGE, 0, "nothing would be recorded: no trace and no counter is asked for");
	return err_remedy(err, "give -s (--sys-trace) for all, or what you want of it: --hip-trace --kernel-trace --memory-copy-trace");
}

/* A child that nobody asked for by name and that cannot be attached is no failure. */
static int settle(struct outcome *outcome, int rc)
{
	outcome->skipped = rc < 0 && !outcome->required && outcome->err.code == ERR_NOT_POSSIBLE;
	if (rc == 0)
		outcome->err = (struct err){ 0 };
	return rc;
}

int record_look(struct recording *recording, struct outcome *outcome, const struct request *request, const struct say *say)
{
	struct attachment *attachment = &recording->attachment;
	struct err *err = &outcome->err;
	recording->log = (struct own_log){ .folder = -1 };
	recording->written.root = recording->written.mounts = -1;
	recording->output[0] = '\0';
	recording->replaced = false;
	int rc = attachment_open(attachment, outcome->pid, request, say, err);
	recording->looked_ns = now_ns();
	outcome->preflight = attachment->preflight;
	outcome->rank = outcome->ranks = -1;
	if (attachment->opened)
		identify(outcome, &attachment->target, &attachment->preflight, &request->env);
	else
		outcome->launcher = has_no_rocm(outcome->pid);
	if (rc == 0 && attachment->preflight.own)
		rc = recorded_check(request, err) < 0 ? -1 : owner_check(&attachment->target, err);
	if (rc == 0 && request->html && !attachment->preflight.own)
		recorded_expect(recording, request);
	if (rc == 0)
		rc = stop_early(err);
	if (rc == 0)
		rc = preflight_error(&attachment->preflight, request, err);
	if (rc == 0 && attachment->preflight.own)
		rc = refuse_nothing(request, err);
	if (rc == 0 && !request->dry_run && !request->keep)
		rc = collecting_begin(recording, outcome, request, &request->env, true);
	return settle(outcome, rc);
}

int record_begin(struct recording *recording, struct outcome *outcome, const struct request *request)
{
	struct attachment *attachment = &recording->attachment;
	struct err *err = &outcome->err;
	int rc = stop_early(err);
	outcome->began_at_ns = wall_ns();
	if (rc == 0)
		rc = attachment_begin(attachment, request, err);
	outcome->attach = attachment->call.report;
	outcome->attach_called = attachment->call.report.borrowed != 0;
	outcome->status = attachment->status;
	outcome->answered = attachment->answered;
	outcome->attached = attachment->attached;
	memcpy(outcome->earlier_log, attachment->earlier_log, sizeof outcome->earlier_log);
	plain_text(outcome->earlier_log);
	if (rc < 0)
		memcpy(outcome->stays, attachment->stays, sizeof outcome->stays);
	if (attachment->attached)
		outcome->attached_at_ns = wall_ns() - (int64_t)(now_ns() - attachment->attached_ns);
	if (rc == 0 && outcome->attached && recorded_begin(recording, outcome) < 0) {
		struct err why = *err;
		record_end(recording, outcome, request);
		*err = why;
		outcome->attached = !outcome->detached;
		rc = -1;
	}
	if (settle(outcome, rc) < 0)
		return -1;
	if (request->announce && outcome->attached)
		announce(outcome->pid, "a profiler was attached");
	return 0;
}

bool record_is_over(struct recording *recording)
{
	const struct target *target = &recording->attachment.target;
	bool alive = target_alive(target);
	recording->replaced |= alive && memory_is_gone(&target->memory);
	return !alive || recording->replaced;
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
	outcome->detached_at_ns = rc == 0 ? wall_ns() : 0;
	memcpy(outcome->stays, attachment->stays, sizeof outcome->stays);
	if (rc == 0)
		outcome->err = (struct err){ 0 };
	/* "failed, the target is untouched" must be true */
	else if (outcome->err.code == ERR_FAILED && attachment->attached_ns)
		outcome->err.code = ERR_RESIDUE;
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
	outcome->replaced = recording->replaced;
	outcome->detached_at_ns = wall_ns();
	err_set(&outcome->err, ERR_TARGET_EXITED, 0, "process %d %s while it was attached", (int)outcome->pid,
		recording->replaced ? "became another program (exec)" : "ended");
	err_remedy(&outcome->err, "what the tool wrote at its exit may be complete");
	recorded_end(recording, outcome, request);
	collecting_end(recording, outcome, request);
}
