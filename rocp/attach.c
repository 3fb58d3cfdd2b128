/* SPDX-License-Identifier: MIT */
#include "rocp/attach.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "inject/thread.h"
#include "rocp/late.h"
#include "rocp/own_tool.h"
#include "rocp/remote.h"
#include "rocp/session.h"
#include "rocp/status.h"
#include "rocp/advice.h"

#define SYNC_VARIABLE "ROCPROF_ATTACH_OUTPUT_GENERATION_SYNC"
#define TAKE_BACK_MS 2000

int attachment_open(struct attachment *attachment, pid_t pid, const struct request *request,
		    const struct say *say, struct err *err)
{
	*attachment = (struct attachment){ .session = -1, .staged.folder = -1 };
	if (target_open(&attachment->target, pid, say, err) < 0) {
		surroundings_advise(pid, err);
		preflight_unopened(&attachment->preflight, pid, err);
		return -1;
	}
	if (images_open(&attachment->images, &attachment->target, err) < 0) {
		preflight_unopened(&attachment->preflight, pid, err);
		target_close(&attachment->target);
		return -1;
	}
	if (rocm_view_open(&attachment->view, &attachment->images, err) < 0) {
		images_close(&attachment->images);
		target_close(&attachment->target);
		return -1;
	}
	attachment->opened = true;
	return preflight_look(&attachment->preflight, &attachment->view, request, err);
}

/* Also one that is about to end, or has become another program. */
static bool is_gone(const struct target *target)
{
	return !target_alive(target) || memory_is_gone(&target->memory);
}

void attachment_close(struct attachment *attachment)
{
	if (attachment->opened) {
		staged_close(&attachment->staged, is_gone(&attachment->target));
		rocm_view_close(&attachment->view);
		images_close(&attachment->images);
		target_close(&attachment->target);
	}
	if (attachment->session >= 0)
		session_unlock(attachment->session);
	*attachment = (struct attachment){ .session = -1, .staged.folder = -1 };
}

int attachment_refresh(struct attachment *attachment, struct err *err)
{
	struct images images;
	if (images_open(&images, &attachment->target, err) < 0)
		return -1;
	rocm_view_close(&attachment->view);
	images_close(&attachment->images);
	attachment->images = images;
	return rocm_view_open(&attachment->view, &attachment->images, err);
}

void attachment_prepare(struct attachment *attachment, const struct request *request)
{
	attachment->call = (struct call){
		.on = CALL_ON_FRESH, .thread = request->thread, .prefer = attachment->view.listener,
		.timeout_ms = (unsigned)request->timeout_ms, .trust_seccomp = request->trust_seccomp,
	};
}

/* The thread of a roclatch that was killed goes on by itself.  The register's functions
 * must not run twice at a time. */
static int await_earlier(struct attachment *attachment, const struct request *request, struct err *err)
{
	uint64_t limit = now_ns() + request->timeout_ms * 1000000u;
	bool told = false;
	while (call_goes_on(&attachment->images) && target_alive(&attachment->target)) {
		if (call_stop_signal)
			return err_set(err, (enum err_code)(ERR_SIGNAL + call_stop_signal), 0,
				       "stopped by a signal while a call that an earlier roclatch made goes on");
		if (now_ns() >= limit) {
			err_set(err, ERR_TIMEOUT, 0, "a call that an earlier roclatch made in process %d still goes on",
				(int)attachment->target.pid);
			return err_remedy(err, "wait for its end, or allow more time with --timeout-msec");
		}
		if (!told)
			say(&attachment->target.say, "waiting for a call of an earlier roclatch to end");
		told = true;
		nanosleep(&(struct timespec){ 0, 5000000 }, NULL);
	}
	return told ? attachment_refresh(attachment, err) : 0;
}

/* The place of the register's function among the steps of both calls. */
enum { STEP_NAME, STEP_MARK, STEP_REGISTER, STEP_TOOLS, STEPS };

struct protocol {
	struct remote remote;
	bool attaching, undoing;
	unsigned status;
	bool answered;
};

/* The register has answered.  If it would not attach, the marker goes again. */
static int after_register(struct call *call, struct images *images, void *ctx, struct err *err)
{
	struct protocol *protocol = ctx;
	(void)images;
	(void)err;
	if (protocol->undoing)
		return 0;
	protocol->answered = call->step[STEP_REGISTER].returned;
	protocol->status = (unsigned)call->step[STEP_REGISTER].result;
	if (!protocol->attaching || !protocol->answered || protocol->status == REGISTER_SUCCESS)
		return 0;
	protocol->undoing = true;
	call->step[0] = remote_variable(&protocol->remote, ATTACHED_MARKER, NULL);
	call->steps = 1;
	return 1;
}

static int judge(struct attachment *attachment, const struct protocol *protocol, struct err *err)
{
	attachment->answered = protocol->answered;
	attachment->status = protocol->status;
	if (!protocol->answered || protocol->status == REGISTER_SUCCESS)
		return 0;
	err_set(err, ERR_CALLED_CODE, 0, "%s answered %u (%s): %s",
		protocol->attaching ? "rocprofiler_register_attach" : "rocprofiler_register_detach", protocol->status,
		register_status_name(protocol->status), register_status_text(protocol->status));
	const char *remedy = register_status_remedy(protocol->status);
	return remedy[0] ? err_remedy(err, "%s", remedy) : -1;
}

/* What the register set for the SDK names a file that may be gone when a child inherits it. */
static int attach_steps(struct attachment *attachment, struct protocol *protocol, const void *buffer, size_t size,
			struct err *err)
{
	struct call *call = &attachment->call;
	struct call_step *attach = &call->step[STEP_REGISTER];
	const char *tool = attachment->preflight.tool;
	if (remote_find(&protocol->remote, &attachment->images, err) < 0 ||
	    remote_function(&attachment->images, attachment->view.reg, "rocprofiler_register_attach", attach, err) < 0)
		return -1;
	call->step[STEP_NAME] = remote_name(&protocol->remote, attachment->target.status.name);
	call->step[STEP_MARK] = remote_variable(&protocol->remote, ATTACHED_MARKER, "1");
	attach->nargs = 2;
	attach->arg[0] = (struct call_arg){ .data = buffer, .size = size };
	attach->arg[1] = (struct call_arg){ .data = tool, .size = strlen(tool) + 1 };
	call->step[STEP_TOOLS] = remote_variable(&protocol->remote, TOOLS_VARIABLE,
						 env_get(&attachment->view.environment, TOOLS_VARIABLE));
	call->steps = STEPS;
	call->held = after_register;
	call->ctx = protocol;
	return 0;
}

static int verify_attached(struct attachment *attachment, struct err *err)
{
	if (attachment_refresh(attachment, err) < 0)
		return err_wrap(err, "attached, but not verified");
	if (!attachment->view.sdk && is_gone(&attachment->target))
		return err_set(err, ERR_TARGET_EXITED, 0, "process %d ended when it was attached", (int)attachment->target.pid);
	if (!attachment->view.sdk)
		return err_set(err, ERR_CALLED_CODE, 0, "the register answered success, but no librocprofiler-sdk is mapped");
	if (!attachment->view.attached)
		return err_set(err, ERR_CALLED_CODE, 0, "the register answered success, but the process does not show it");
	return 0;
}

/* The steps behind the one that failed did not run. */
void attachment_take_back(struct attachment *attachment, const struct request *request)
{
	const struct env *there = &attachment->view.environment;
	struct remote remote;
	struct call call = attachment->call;
	if (!target_alive(&attachment->target) || remote_find(&remote, &attachment->images, NULL) < 0)
		return;
	attachment_prepare(attachment, request);
	struct call *undo = &attachment->call;
	undo->timeout_ms = TAKE_BACK_MS;
	undo->step[undo->steps++] = remote_variable(&remote, TOOLS_VARIABLE, env_get(there, TOOLS_VARIABLE));
	if (request->late && request->sdk)
		undo->step[undo->steps++] = remote_variable(&remote, SDK_VARIABLE, env_get(there, SDK_VARIABLE));
	undo->step[undo->steps++] = remote_variable(&remote, ATTACHED_MARKER, NULL);
	call_run(&attachment->images, undo, NULL);
	attachment->call = call;
}

int attachment_env(const struct attachment *attachment, const struct request *request, struct env *env, struct err *err)
{
	const struct preflight *preflight = &attachment->preflight;
	if (request_env_for(request, attachment->target.pid, preflight->tool, env, err) < 0)
		return -1;
	if (preflight->own)
		return own_tool_environment(&attachment->target, &attachment->view, request, env, err);
	/* a page is made of what AMD's tool writes, or it is fetched: that must be there when the detach has returned */
	if ((request->html || attachment->is_fetched) && !env_get(env, SYNC_VARIABLE))
		return env_set(env, SYNC_VARIABLE, "1", err);
	return 0;
}

static int attach_by_register(struct attachment *attachment, const struct request *request, struct err *err)
{
	struct protocol protocol = { .attaching = true };
	struct env env = { 0 };
	void *buffer = NULL;
	size_t size = 0;
	attachment_prepare(attachment, request);
	int rc = attachment_env(attachment, request, &env, err);
	if (rc == 0)
		rc = env_encode(&env, &buffer, &size, err);
	if (rc == 0)
		rc = attach_steps(attachment, &protocol, buffer, size, err);
	if (rc == 0)
		rc = call_run(&attachment->images, &attachment->call, err);
	if (rc < 0 && err->code == ERR_CALLED_CODE && !protocol.answered)
		attachment_take_back(attachment, request);
	if (protocol.answered && (rc == 0 || protocol.status != REGISTER_SUCCESS)) {
		struct err answer = { 0 };
		if (judge(attachment, &protocol, &answer) < 0) {
			*err = answer;
			rc = -1;
		}
	}
	free(buffer);
	env_free(&env);
	return rc == 0 ? verify_attached(attachment, err) : -1;
}

static int begin(struct attachment *attachment, const struct request *request, struct err *err)
{
	struct err why = { 0 };
	staged_end(attachment, request, NULL);          /* what a killed roclatch has left */
	if (staged_begin(attachment, request, err) < 0)
		return -1;
	int rc = request->late ? late_begin(attachment, request, err) : attach_by_register(attachment, request, err);
	if (!attachment->preflight.staged)
		return rc;
	if (rc < 0 && attachment_refresh(attachment, NULL) == 0 && !attachment->view.attached)
		staged_end(attachment, request, NULL);
	else if (staged_loaded(attachment, request, &why) < 0)
		say(&attachment->target.say, "%s", why.text);
	return rc;
}

static void add_line(char *text, size_t size, const char *what, const char *which)
{
	size_t used = strlen(text);
	if (used < size)
		snprintf(text + used, size - used, "%s%s %s", used ? "\n" : "", what, which);
}

/* Libraries cannot be unloaded safely: the runtimes' tables point into them. */
static void list_what_stays(struct attachment *attachment)
{
	char *stays = attachment->stays;
	const size_t size = sizeof attachment->stays;
	struct rocm_view *view = &attachment->view;
	stays[0] = '\0';
	if (view->sdk)
		add_line(stays, size, "library", view->sdk->path);
	if (view->tool)
		add_line(stays, size, "library", view->tool->path);
	char names[128];
	rocm_api_names(view->registered & ~(unsigned)API_ROCATTACH, names, sizeof names);
	if (view->sdk && names[0])
		add_line(stays, size, "the SDK's wrappers in the tables of", names);
	if (view->was_attached)
		add_line(stays, size, "variable", "ROCPROFILER_REGISTER_TOOL_ATTACHED and those sent to the tool");
}

/* What a roclatch that is gone had begun.  A log of it stays where it is: what was to become of that, only a detach knows. */
static int end_earlier(struct attachment *attachment, const struct request *request, struct err *err)
{
	struct own_log log;
	say(&attachment->target.say, "a roclatch that is gone had it attached: detaching that first");
	if (own_log_open(&log, attachment, NULL) == 1 && log.folder >= 0 && !log.idle)
		snprintf(attachment->earlier_log, sizeof attachment->earlier_log, "%s", log.path);
	own_log_close(&log);
	if (attachment_end(attachment, request, err) < 0 && err->code != ERR_CALLED_CODE)
		return err_wrap(err, "detach what an earlier roclatch attached");
	return 0;
}

int attachment_begin(struct attachment *attachment, const struct request *request, struct err *err)
{
	if (preflight_error(&attachment->preflight, request, err) < 0)
		return -1;
	attachment->session = session_lock(&attachment->target, err);
	if (attachment->session < 0 || await_earlier(attachment, request, err) < 0)
		return -1;
	if (attachment->view.attached && end_earlier(attachment, request, err) < 0)
		return -1;
	int rc = begin(attachment, request, err);
	if (rc == 0) {
		attachment->attached = true;
		attachment->attached_ns = now_ns();
	} else if (attachment->call.report.borrowed && attachment_refresh(attachment, NULL) == 0) {
		list_what_stays(attachment);
	}
	return rc;
}

static int detach_by_register(struct attachment *attachment, const struct request *request, struct err *err)
{
	struct protocol protocol = { .attaching = false };
	struct call *call = &attachment->call;
	attachment_prepare(attachment, request);
	if (remote_find(&protocol.remote, &attachment->images, err) < 0 ||
	    remote_function(&attachment->images, attachment->view.reg, "rocprofiler_register_detach",
			    &call->step[0], err) < 0)
		return -1;
	/* the marker goes last: who is killed in between leaves a process that can be detached again */
	call->step[STEP_REGISTER] = call->step[0];
	call->step[STEP_NAME] = remote_name(&protocol.remote, attachment->target.status.name);
	call->step[STEP_MARK] = remote_variable(&protocol.remote, ATTACHED_MARKER, "1");
	call->step[STEP_TOOLS] = remote_variable(&protocol.remote, ATTACHED_MARKER, NULL);
	call->steps = STEPS;
	call->held = after_register;
	call->ctx = &protocol;
	if (call_run(&attachment->images, call, err) < 0)
		return -1;
	return judge(attachment, &protocol, err);
}

static int refuse_detach(const struct attachment *attachment, struct err *err)
{
	const struct rocm_view *view = &attachment->view;
	int pid = (int)attachment->target.pid;
	if (!view->attached) {
		err_set(err, ERR_NOT_POSSIBLE, 0, "nothing is attached to process %d", pid);
		return err_remedy(err, "roclatch check -p %d tells what is there", pid);
	}
	/* called without the table, the register crashes the process */
	if (!view->late && !(view->registered & API_ROCATTACH) && !view->listener)
		return err_set(err, ERR_NOT_POSSIBLE, 0, "process %d has no \"rocattach\" table to detach by", pid);
	return 0;
}

int attachment_can_end(const struct attachment *attachment, struct err *err)
{
	int lock = session_lock(&attachment->target, err);
	if (lock < 0)
		return -1;
	session_unlock(lock);
	return refuse_detach(attachment, err);
}

int attachment_end(struct attachment *attachment, const struct request *request, struct err *err)
{
	/* the lock first: what was seen before it, another may have ended meanwhile */
	if (attachment->session < 0 && (attachment->session = session_lock(&attachment->target, err)) < 0)
		return -1;
	if (await_earlier(attachment, request, err) < 0 || attachment_refresh(attachment, err) < 0)
		return -1;
	/* what was never attached may have left what was brought for it */
	if (!attachment->view.attached)
		staged_end(attachment, request, NULL);
	if (refuse_detach(attachment, err) < 0)
		return -1;
	int rc = attachment->view.late ? late_end(attachment, request, err) :
					 detach_by_register(attachment, request, err);
	struct err ignored = { 0 };
	if (attachment_refresh(attachment, &ignored) == 0) {
		list_what_stays(attachment);
		if (!attachment->view.attached && staged_end(attachment, request, &ignored) < 0 && rc == 0) {
			*err = ignored;
			rc = -1;
		}
		if (rc == 0 && attachment->view.attached)
			rc = err_set(err, ERR_RESIDUE, 0, "detached, but the process still says that it is attached");
	}
	attachment->attached = rc < 0 && attachment->view.attached;
	return rc;
}

int attachment_roll_back(struct attachment *attachment, const struct request *request, struct err *err)
{
	if (!attachment->opened || attachment->session < 0 || attachment_refresh(attachment, NULL) < 0 ||
	    !attachment->view.attached)
		return 0;
	return attachment_end(attachment, request, err);
}
