/* SPDX-License-Identifier: MIT */
#include "bin/command.h"

#include <string.h>
#include <unistd.h>

#include "rocp/advice.h"

#define CALL_LIMIT_MS 30000

/* A thread of another process would only be waited for. */
static int check_thread(pid_t pid, pid_t tid, struct err *err)
{
	char path[64];
	snprintf(path, sizeof path, "/proc/%d/task/%d", (int)pid, (int)tid);
	if (!tid || access(path, F_OK) == 0)
		return 0;
	err_set(err, ERR_NOT_POSSIBLE, 0, "process %d has no thread %d", (int)pid, (int)tid);
	return err_remedy(err, "ls /proc/%d/task lists its threads", (int)pid);
}

int session_open(struct session *session, const struct settings *settings,
		 struct output *out, struct err *err)
{
	memset(session, 0, sizeof *session);
	session->call = (struct call){
		.on = settings->on == CALL_ON_BORROWED ? CALL_ON_BORROWED : CALL_ON_FRESH,
		.thread = (pid_t)settings->thread,
		.timeout_ms = settings->timeout_msec ? (unsigned)settings->timeout_msec : CALL_LIMIT_MS,
		.trust_seccomp = settings->trust_seccomp,
	};
	if (target_open(&session->target, (pid_t)settings->pid, &out->say, err) < 0)
		return surroundings_advise((pid_t)settings->pid, err);
	if (check_thread(session->target.pid, session->call.thread, err) == 0 &&
	    images_open(&session->images, &session->target, err) == 0)
		return 0;
	target_blame(&session->target, err);
	target_close(&session->target);
	return -1;
}

void session_close(struct session *session)
{
	images_close(&session->images);
	target_close(&session->target);
}

int session_end(struct session *session, int answer, struct err *err)
{
	if (answer < 0 && (err->code == ERR_FAILED || err->code == ERR_NOT_POSSIBLE))
		target_blame(&session->target, err);
	session_close(session);
	return answer;
}

int session_run(struct session *session, const struct settings *settings,
		struct output *out, struct err *err)
{
	struct call *call = &session->call;
	if (settings->dry_run) {
		if (call_plan(&session->images, call, err) < 0)
			return -1;
		if (call->report.borrowed)
			output_number(out, "would_borrow", (uint64_t)call->report.borrowed);
		else
			output_text(out, "would_borrow", out->json ? NULL :
				    "no thread is fit at this instant; a run would look again");
		output_note(out, "dry run: nothing was done");
		return 0;
	}
	int answer = call_run(&session->images, call, err);
	output_call(out, call);
	return answer < 0 ? surroundings_advise((pid_t)settings->pid, err) : answer;
}
