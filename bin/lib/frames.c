/* SPDX-License-Identifier: MIT */
/* What a sampler can be asked for: frames, names, counts. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bin/lib/sampling.h"
#include "inject/aside.h"
#include "rocp/arena.h"

_Static_assert((int)ROCLATCH_FRAME_TOP == FRAME_TOP && (int)ROCLATCH_FRAME_TABLE == FRAME_CFI &&
	       (int)ROCLATCH_FRAME_POINTER == FRAME_POINTER && (int)ROCLATCH_FRAME_SEARCH == FRAME_SEARCH &&
	       (int)ROCLATCH_FRAME_SIGNAL == FRAME_SIGNAL, "frames");

struct asking {
	struct roclatch_sampler *it;
	uint32_t stack;
	void *arena;
	struct roclatch_frame *frame;
	size_t n;
	struct err err;
};

static const char *keep(struct asking *job, const char *text)
{
	char *copy = arena_text(&job->arena, text ? text : "", text ? strlen(text) : 0, &job->err);
	return copy ? answer_plain(copy) : "";
}

static void name(struct asking *job, const struct place *place, struct roclatch_frame *frame)
{
	struct frame_name found;
	naming_at(job->it->naming, place->pc, place->exact, &found);
	frame->function = keep(job, found.function);
	frame->offset = found.offset;
	frame->module = keep(job, found.module);
	frame->path = keep(job, found.path);
	frame->build_id = keep(job, found.build_id);
	frame->file_address = found.vaddr;
}

static size_t depth(const struct profile *profile, uint32_t stack)
{
	size_t n = 0;
	for (; stack != NO_STACK; stack = profile->nodes[stack].parent)
		n++;
	return n;
}

static void collect(struct asking *job)
{
	const struct profile *profile = sampler_profile(job->it->sampler);
	if (job->stack >= profile->nodes_n) {
		err_set(&job->err, ERR_USAGE, 0, "there is no stack %u", (unsigned)job->stack);
		return;
	}
	job->frame = arena_take(&job->arena, depth(profile, job->stack) * sizeof *job->frame, &job->err);
	for (uint32_t at = job->stack; job->frame && at != NO_STACK; at = profile->nodes[at].parent) {
		const struct stack_node *node = &profile->nodes[at];
		const struct place *place = &profile->places[node->place];
		struct roclatch_frame *frame = &job->frame[job->n++];
		*frame = (struct roclatch_frame){ .size = sizeof *frame, .address = place->pc, .how = (int)node->how,
						  .function = "", .module = "", .path = "", .build_id = "" };
		if (place->end) {
			frame->how = ROCLATCH_FRAME_END;
			frame->function = unwind_end_text((enum unwind_end)(place->end - 1));
		} else {
			name(job, place, frame);
		}
	}
}

static void ask(void *ctx)
{
	struct asking *job = ctx;
	pthread_mutex_lock(&job->it->core);
	collect(job);
	pthread_mutex_unlock(&job->it->core);
}

int roclatch_sampler_frames(struct roclatch_sampler *it, uint32_t stack, roclatch_frame_callback *callback, void *ctx,
			    struct roclatch_error *err)
{
	struct asking *job = calloc(1, sizeof *job);
	if (!job) {
		struct err none = { 0 };
		err_set(&none, ERR_FAILED, ENOMEM, "name the frames of a stack");
		return answer_error(err, &none);
	}
	job->it = it;
	job->stack = stack;
	if (sampling_is_own(it))
		ask(job);
	else
		aside_run(ask, job);
	int rc = answer_error(err, &job->err);
	for (size_t i = 0; i < job->n && rc == 0; i++)
		rc = callback(ctx, &job->frame[i]);
	arena_free(&job->arena);
	free(job);
	return rc;
}

int roclatch_sampler_count(struct roclatch_sampler *it, struct roclatch_counts *counts, struct roclatch_error *err)
{
	struct err wrong = { 0 };
	if (answer_room(counts, &wrong) < 0)
		return answer_error(err, &wrong);
	pthread_mutex_lock(&it->core);
	const struct profile *profile = sampler_profile(it->sampler);
	struct roclatch_counts now = {
		.ticks = profile->ticks, .late = profile->late, .dropped = profile->dropped, .samples = it->samples,
		.stacks_taken = profile->stacks_taken, .stacks_missed = profile->stacks_missed,
		.by_outside = profile->by_outside, .by_stop = profile->by_stop, .by_perf = profile->by_perf,
		.longest_stop_ns = profile->stop_longest_ns,
	};
	snprintf(now.why_no_stacks, sizeof now.why_no_stacks, "%s", profile->why_no_stacks);
	pthread_mutex_unlock(&it->core);
	answer_plain(now.why_no_stacks);
	answer_result(counts, &now, sizeof now);
	return answer_error(err, &wrong);
}

const char *roclatch_system_call_name(long number, char *text, size_t size)
{
	const char *found = task_syscall_name(number, text, size);
	if (found != text && size)
		snprintf(text, size, "%s", found);
	return text;
}

const char *roclatch_state_name(int state)
{
	return state >= ROCLATCH_RUNNING && state <= ROCLATCH_STOPPED ? task_state_text((enum task_state)state) : "unknown";
}
