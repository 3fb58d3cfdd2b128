/* SPDX-License-Identifier: MIT */
/* What goes into the profile. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "inject/watch/sampler_inside.h"

static int32_t call_of(const struct task *task)
{
	return task->call_known && task->call.nr >= 0 && task->call.nr <= INT32_MAX ? (int32_t)task->call.nr : -1;
}

static int add(struct sampler *sampler, struct followed *followed, uint64_t weight)
{
	const struct sample *last = &followed->last;
	if (sampler->options.no_profile)
		return 0;
	if (followed->was_woken)
		followed->woken_ns -= (int64_t)(weight * sampler->period_ns);
	return profile_add(&sampler->profile, last->thread, last->state, last->call, last->stack, last->time_ns, weight);
}

static int record(struct sampler *sampler, const struct task *task, uint64_t time_ns, struct sample *sample)
{
	struct followed *followed = task->user;
	struct profile *profile = &sampler->profile;
	struct watched_thread *thread = &profile->threads[followed->thread];
	*sample = (struct sample){
		.time_ns = time_ns, .thread = followed->thread, .stack = followed->stack,
		.state = task->state, .call = call_of(task), .changed = task->changed,
	};
	followed->last = *sample;
	if (followed->open)
		followed->last.stack = NO_STACK;
	if (task->state != TASK_RUNNING)
		followed->blocked = *sample;
	followed->was_woken = task->woken;
	if (task->changed && strcmp(thread->name, task->name) != 0)
		profile_thread(profile, task->tid, task->name);
	thread->run_ns = task->run_ns - followed->first_run_ns;
	return add(sampler, followed, sampler_weight(sampler, task));
}

int sampler_record(struct sampler *sampler, uint64_t time_ns, struct err *err)
{
	size_t n = 0;
	if (sampler->samples_room < sampler->tasks.n) {
		size_t room = sampler->tasks.n + sampler->tasks.n / 2;
		struct sample *larger = realloc(sampler->samples, room * sizeof *larger);
		if (!larger)
			return err_set(err, ERR_FAILED, ENOMEM, "keep a tick's samples");
		sampler->samples = larger;
		sampler->samples_room = room;
	}
	for (size_t i = 0; i < sampler->tasks.n; i++) {
		const struct task *task = &sampler->tasks.v[i];
		if (!task->user || task->state == TASK_GONE)
			continue;
		if (record(sampler, task, time_ns, &sampler->samples[n++]) < 0)
			return err_set(err, ERR_FAILED, ENOMEM, "keep a sample");
	}
	if (sampler->options.batch)
		sampler->options.batch(sampler->options.ctx, sampler->samples, n);
	return 0;
}


/* When a woken thread is on a CPU at last, the kernel tells how long it waited for that, and looks may have seen more or
 * less of it: those that came late saw the end of it, which all threads that were kept waiting share. */
static void correct_woken(struct sampler *sampler, const struct task *task)
{
	struct followed *followed = task->user;
	struct bucket blocked = { .thread = followed->thread, .stack = followed->blocked.stack,
				  .state = (uint8_t)followed->blocked.state, .call = followed->blocked.call };
	struct bucket woken = { .thread = followed->thread, .stack = followed->blocked.stack, .state = TASK_RUNNING, .call = -1 };
	followed->woken_ns += (int64_t)task->woken_ns;
	int64_t period = (int64_t)sampler->period_ns, more = followed->woken_ns / period;
	blocked.samples = woken.samples = (uint64_t)(more < 0 ? -more : more);
	if (more > 0)
		profile_move(&sampler->profile, &blocked, &woken);
	else if (more < 0)
		profile_move(&sampler->profile, &woken, &blocked);
	followed->woken_ns %= period;
}

int sampler_go_on(struct sampler *sampler, struct err *err)
{
	uint64_t weight = sampler->weight_before;
	for (size_t i = 0; i < sampler->tasks.n; i++) {
		const struct task *task = &sampler->tasks.v[i];
		struct followed *followed = task->user;
		if (!followed || followed->last.state == TASK_GONE)
			continue;
		if (weight && add(sampler, followed, weight) < 0)
			return err_set(err, ERR_FAILED, ENOMEM, "keep a sample");
		if (followed->owed) {
			followed->owed += weight;
			sampler->profile.stacks_missed += weight;
		}
		if (task->woken_ns && followed->blocked.state != TASK_GONE && !sampler->options.no_profile)
			correct_woken(sampler, task);
	}
	return 0;
}
