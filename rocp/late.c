/* SPDX-License-Identifier: MIT */
#include "rocp/late.h"

#include <stdio.h>
#include <string.h>

#include "rocp/own_tool.h"
#include "rocp/remote.h"
#include "rocp/status.h"

#define LISTS_MAX 256

/* All that is called on one thread, a few steps a round. */
struct steps {
	struct call_step v[LISTS_MAX];
	size_t n, done;
	size_t together;        /* from here on all in one round, which the thread finishes without us, too */
	size_t watched;         /* the step whose answer counts */
	uint64_t answer;
	bool answered;
};

static void fill(struct call *call, const struct steps *steps)
{
	call->steps = 0;
	for (size_t i = steps->done; i < steps->n && call->steps < CALL_STEPS_MAX; i++) {
		if (call->steps && i == steps->together && steps->n - i > CALL_STEPS_MAX - call->steps)
			return;
		call->step[call->steps++] = steps->v[i];
	}
}

static int next_round(struct call *call, struct images *images, void *ctx, struct err *err)
{
	struct steps *steps = ctx;
	(void)images;
	(void)err;
	for (unsigned i = 0; i < call->steps; i++)
		if (steps->done + i == steps->watched) {
			steps->answer = call->step[i].result;
			steps->answered = call->step[i].returned;
		}
	steps->done += call->steps;
	fill(call, steps);
	return call->steps > 0;
}

static int run(struct attachment *attachment, const struct request *request, struct steps *steps, struct err *err)
{
	attachment_prepare(attachment, request);
	fill(&attachment->call, steps);
	attachment->call.held = next_round;
	attachment->call.ctx = steps;
	return call_run(&attachment->images, &attachment->call, err);
}

static int add(struct steps *steps, struct call_step step, struct err *err)
{
	if (steps->n == LISTS_MAX)
		return err_set(err, ERR_USAGE, 0, "too many variables for the target");
	steps->v[steps->n++] = step;
	return 0;
}

static int add_variables(struct steps *steps, const struct remote *remote, const struct env *env, struct err *err)
{
	for (size_t i = 0; i < env->n; i++)
		if (add(steps, remote_variable(remote, env->v[i].name, env->v[i].value), err) < 0)
			return -1;
	return 0;
}

/* One function of the tool, which is mapped: its answer. */
static int ask_tool(struct attachment *attachment, const struct request *request, const char *function, int *answer,
		    const struct call_step *and_then, struct err *err)
{
	struct steps steps = { .n = 1 };
	if (!attachment->view.tool)
		return err_set(err, ERR_CALLED_CODE, 0, "the tool library is not mapped in process %d",
			       (int)attachment->target.pid);
	if (remote_function(&attachment->images, attachment->view.tool, function, &steps.v[0], err) < 0)
		return -1;
	if (and_then)
		steps.v[steps.n++] = *and_then;
	if (run(attachment, request, &steps, err) < 0)
		return -1;
	*answer = (int)steps.answer;
	attachment->status = (unsigned)steps.answer;
	attachment->answered = steps.answered;
	return 0;
}

/* Our own tool tells more than a number can.  Always -1. */
static int ask_reason(struct attachment *attachment, struct err *err)
{
	struct own_log log;
	if (own_log_open(&log, attachment, NULL) == 1 && log.last.why[0])
		own_log_records(&log, err);
	own_log_close(&log);
	return -1;
}

/* The tool is there from before, or has just been loaded: start it. */
static int start(struct attachment *attachment, const struct request *request, struct err *err)
{
	int state = 0, answer = 0;
	if (ask_tool(attachment, request, TOOL_STATE, &state, NULL, err) < 0)
		return -1;
	if (state == 2)
		return 0;       /* it began by itself */
	if (state != 1 && state != 3)
		return err_set(err, ERR_CALLED_CODE, 0, "the tool was loaded but %s (state %d)",
			       state ? "failed to initialise" : "never initialised by the SDK", state);
	if (ask_tool(attachment, request, TOOL_START, &answer, NULL, err) < 0)
		return -1;
	if (!answer)
		return 0;
	err_set(err, ERR_CALLED_CODE, 0, "the tool would not start: " TOOL_START " answered %d", answer);
	return ask_reason(attachment, err);
}

static int load_steps(struct attachment *attachment, const struct request *request, const struct remote *remote,
		      const struct env *env, struct steps *steps, struct err *err)
{
	const struct preflight *preflight = &attachment->preflight;
	const struct env *there = &attachment->view.environment;
	struct call_step invoke;
	if (remote_function(&attachment->images, attachment->view.reg,
			    "rocprofiler_register_invoke_nonpropagated_registrations", &invoke, err) < 0 ||
	    add(steps, remote_name(remote, attachment->target.status.name), err) < 0 ||
	    add_variables(steps, remote, env, err) < 0 ||
	    add(steps, remote_variable(remote, ATTACHED_MARKER, "late"), err) < 0)
		return -1;
	steps->together = steps->n;
	if (add(steps, remote_variable(remote, TOOLS_VARIABLE, preflight->tool), err) < 0)
		return -1;
	if (request->sdk && add(steps, remote_variable(remote, SDK_VARIABLE, preflight->sdk), err) < 0)
		return -1;
	steps->watched = steps->n;
	if (add(steps, invoke, err) < 0 ||
	    add(steps, remote_variable(remote, TOOLS_VARIABLE, env_get(there, TOOLS_VARIABLE)), err) < 0)
		return -1;
	return request->sdk ? add(steps, remote_variable(remote, SDK_VARIABLE, env_get(there, SDK_VARIABLE)), err) : 0;
}

/* The register answers 0 also when no tool was found: the tool itself is asked afterwards. */
static int load(struct attachment *attachment, const struct request *request, const struct env *env, struct err *err)
{
	struct remote remote;
	struct steps steps = { .n = 0 };
	if (remote_find(&remote, &attachment->images, err) < 0 ||
	    load_steps(attachment, request, &remote, env, &steps, err) < 0 ||
	    run(attachment, request, &steps, err) < 0)
		return -1;
	attachment->status = (unsigned)steps.answer;
	attachment->answered = steps.answered;
	if (steps.answer != REGISTER_SUCCESS) {
		err_set(err, ERR_CALLED_CODE, 0, "the register answered %u (%s): %s", attachment->status,
			register_status_name(attachment->status), register_status_text(attachment->status));
		return err_remedy(err, "%s", register_status_remedy(attachment->status));
	}
	if (attachment_refresh(attachment, err) < 0)
		return err_wrap(err, "loaded, but not verified");
	bool loaded = attachment->view.sdk && attachment->view.tool;
	if (!loaded && target_ends(&attachment->target))        /* the register is finalized before that */
		return err_set(err, ERR_TARGET_EXITED, 0, "process %d has ended", attachment->target.pid);
	if (!loaded)
		return err_set(err, ERR_CALLED_CODE, 0, "the register answered success, but %s was not loaded",
			       attachment->view.sdk ? "the tool" : "the SDK");
	return 0;
}

/* New values for a tool that is loaded. */
static int renew(struct attachment *attachment, const struct request *request, const struct env *env, struct err *err)
{
	struct remote remote;
	struct steps steps = { .n = 0 };
	if (remote_find(&remote, &attachment->images, err) < 0 || add_variables(&steps, &remote, env, err) < 0 ||
	    add(&steps, remote_variable(&remote, ATTACHED_MARKER, "late"), err) < 0 ||
	    run(attachment, request, &steps, err) < 0)
		return -1;
	return attachment_refresh(attachment, err);
}

int late_begin(struct attachment *attachment, const struct request *request, struct err *err)
{
	struct env env = { 0 };
	bool loaded = attachment->view.sdk && attachment->view.tool;
	int rc = attachment_env(attachment, request, &env, err);
	if (rc == 0)
		rc = loaded ? renew(attachment, request, &env, err) : load(attachment, request, &env, err);
	if (rc == 0)
		rc = start(attachment, request, err);
	if (rc < 0 && err->code == ERR_CALLED_CODE)
		attachment_take_back(attachment, request);
	env_free(&env);
	return rc;
}

int late_end(struct attachment *attachment, const struct request *request, struct err *err)
{
	struct remote remote;
	int answer = 0, state = 0;
	if (remote_find(&remote, &attachment->images, err) < 0)
		return -1;
	struct call_step unmark = remote_variable(&remote, ATTACHED_MARKER, NULL);
	if (ask_tool(attachment, request, TOOL_STOP, &answer, &unmark, err) < 0)
		return -1;
	/* A roclatch that was killed may have marked the process and not started the tool: there is nothing to stop. */
	if (answer && ask_tool(attachment, request, TOOL_STATE, &state, NULL, err) < 0)
		return -1;
	if (state == 1 || state == 3)
		attachment->status = 0;
	else if (answer)
		return err_set(err, ERR_CALLED_CODE, 0, "the tool would not stop: " TOOL_STOP " answered %d", answer);
	return 0;
}
