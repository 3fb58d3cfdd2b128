/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "bin/lib/answer.h"
#include "inject/aside.h"
#include "rocp/attachable.h"
#include "rocp/advice.h"

_Static_assert((int)ROCLATCH_VERDICT_OK == VERDICT_OK && (int)ROCLATCH_VERDICT_NOTE == VERDICT_NOTE &&
	       (int)ROCLATCH_VERDICT_NO == VERDICT_NO && (int)ROCLATCH_VERDICT_UNKNOWN == VERDICT_UNKNOWN, "verdicts");

struct look {
	pid_t pid;
	const struct roclatch_attach_options *options;
	struct request request;
	struct preflight preflight;
	struct err err;
};

static int look_inside(struct look *job, struct target *target)
{
	struct images images;
	struct rocm_view view;
	if (images_open(&images, target, &job->err) < 0)
		return -1;
	int rc = rocm_view_open(&view, &images, &job->err);
	if (rc == 0) {
		rc = attachable_look(&job->preflight, &view, &job->request, &job->err);
		rocm_view_close(&view);
	}
	images_close(&images);
	return rc;
}

static void look(void *ctx)
{
	struct look *job = ctx;
	struct target target;
	if (answer_request(&job->request, job->pid, job->options, &job->err) < 0)
		return;
	if (target_open(&target, job->pid, NULL, &job->err) == 0) {
		look_inside(job, &target);
		target_close(&target);
	} else if (job->err.code == ERR_NOT_POSSIBLE) {
		surroundings_advise(job->pid, &job->err);
		preflight_unopened(&job->preflight, job->pid, &job->err);
		job->err = (struct err){ 0 };
	}
}

static void summarise(struct look *job, struct roclatch_check_result *result)
{
	const struct preflight *preflight = &job->preflight;
	struct err why = { 0 };
	*result = (struct roclatch_check_result){
		.can_attach = preflight->can_attach, .can_late = preflight->can_late,
		.as_asked = preflight_error(preflight, &job->request, &why) == 0,
		.reattach = preflight->reattach, .orphaned = preflight->orphaned,
	};
	attachable_sentence(preflight, job->request.late, &why, result->summary, sizeof result->summary);
	snprintf(result->remedy, sizeof result->remedy, "%s", why.remedy);
	snprintf(result->tool, sizeof result->tool, "%s", preflight->shown);
	answer_plain(result->summary);
	answer_plain(result->remedy);
	answer_plain(result->tool);
}

static void show_each(struct preflight *preflight, roclatch_check_callback *callback, void *ctx)
{
	for (size_t i = 0; callback && i < preflight->n; i++) {
		struct check *check = &preflight->v[i];
		const struct roclatch_check_line public = {
			.size = sizeof public, .name = check->name, .verdict = (int)check->verdict,
			.text = answer_plain(check->text), .remedy = answer_plain(check->remedy),
		};
		if (callback(ctx, &public))
			break;
	}
}

int roclatch_check(pid_t pid, const struct roclatch_attach_options *options, roclatch_check_callback *callback, void *ctx,
		   struct roclatch_check_result *result, struct roclatch_error *err)
{
	struct roclatch_check_result answer;
	struct look *job = calloc(1, sizeof *job);
	if (!job) {
		struct err none = { 0 };
		err_set(&none, ERR_FAILED, ENOMEM, "look at process %d", (int)pid);
		return answer_error(err, &none);
	}
	job->pid = pid;
	job->options = options;
	if (answer_room(result, &job->err) == 0)
		aside_run(look, job);
	int rc = answer_error(err, &job->err);
	if (rc == 0) {
		summarise(job, &answer);
		show_each(&job->preflight, callback, ctx);
		answer_result(result, &answer, sizeof answer);
	}
	request_free(&job->request);
	free(job);
	return rc;
}
