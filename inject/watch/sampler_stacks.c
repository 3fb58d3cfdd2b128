/* SPDX-License-Identifier: MIT */
/* The stacks of one tick.  A blocked thread that has not run has the one of the last tick. */
#include <stdio.h>

#include "arch/restart.h"
#include "inject/thread.h"
#include "inject/watch/sampler_inside.h"

#define RENEW_NS 1000000000u
#define RENEW_SHARE 50                  /* of our time at most that part goes into reading mappings */
#define STOP_WAIT_NS 5000000u
#define STOP_SPARE 8                    /* of a tick's time that part is left */
#define STACK_NEAR (1u << 20)
#define REFUSALS_MAX 16

struct whose {
	const struct sampler *sampler;
	const struct followed *followed;
};

/* Threads that were begun since the mappings were read have stacks that are not in them. */
static raddr stack_end(void *ctx, raddr sp)
{
	const struct whose *whose = ctx;
	const struct mapping *m = maps_at(&whose->sampler->images->maps, sp);
	raddr found = whose->followed->stack_end;
	if (m)
		return m->end;
	return sp < found && found - sp <= STACK_NEAR ? found : 0;
}

/* Code that was not there when the mappings were read (dlopen). */
static bool is_unknown_code(const struct sampler *sampler, const struct frames *frames)
{
	if (frames->end != END_NO_CODE && frames->end != END_NO_TABLE)
		return false;
	const struct mapping *m = maps_at(&sampler->images->maps, frames->end_pc);
	return !m || !m->x;
}

/* Read the mappings anew, not often: a process may have tens of thousands. */
static bool renew(struct sampler *sampler)
{
	uint64_t from = now_ns();
	if (from < sampler->renew_from_ns)
		return false;
	struct images fresh;
	bool done = images_open(&fresh, sampler->images->target, NULL) == 0;
	if (done) {
		images_close(sampler->images);
		*sampler->images = fresh;
		sampler->renewed++;
		done = unwinder_renew(sampler->unwinder, NULL) == 0;
	}
	uint64_t to = now_ns(), pause = (to - from) * RENEW_SHARE;
	sampler->renew_from_ns = to + (pause > RENEW_NS ? pause : RENEW_NS);
	return done;
}

static void unwind_copy(struct sampler *sampler, struct memory *live, struct frames *frames)
{
	*frames = (struct frames){ .v = sampler->frames, .room = UNWIND_DEPTH_MAX };
	unwind(sampler->unwinder, &sampler->copy, live, frames);
	if (is_unknown_code(sampler, frames) && renew(sampler)) {
		*frames = (struct frames){ .v = sampler->frames, .room = UNWIND_DEPTH_MAX };
		unwind(sampler->unwinder, &sampler->copy, live, frames);
	}
}

static uint32_t keep(struct sampler *sampler, const struct frames *frames, uint64_t *by_way)
{
	uint32_t stack = profile_stack(&sampler->profile, frames);
	if (stack == NO_STACK)
		return NO_STACK;
	sampler->profile.stacks_taken++;
	(*by_way)++;
	return stack;
}

static uint32_t missed(struct sampler *sampler, const struct task *task)
{
	sampler->profile.stacks_missed += sampler_weight(sampler, task);
	return NO_STACK;
}

static void settle(struct sampler *sampler, struct followed *followed, uint32_t stack)
{
	struct profile *profile = &sampler->profile;
	struct bucket without = { .thread = followed->thread, .stack = NO_STACK, .state = TASK_RUNNING, .call = -1,
				  .samples = followed->owed };
	struct bucket with = without;
	with.stack = stack;
	if (followed->owed && stack != NO_STACK)
		profile->stacks_missed -= sampler->options.no_profile ? followed->owed : profile_move(profile, &without, &with);
	followed->owed = 0;
}

/* A stack of the thread as it ran: looks that wait for one get it. */
static void ran_here(struct sampler *sampler, struct followed *followed, uint32_t stack, uint64_t when)
{
	settle(sampler, followed, stack);
	followed->running = stack;
	followed->running_ns = when;
}

/* It was blocked since the tick before: what was seen before that says nothing of what comes. */
static void ran_out(struct sampler *sampler, struct followed *followed)
{
	settle(sampler, followed, followed->running);
	followed->running = NO_STACK;
}

/* A look at a running thread gets the nearest stack of the same stretch of running: the last one, or the next one, which
 * comes within `apart` of the thread's own time.  Where the last one is older than that, the thread was taken off its CPU
 * soon after it. */
static void look_gets_nearest(struct sampler *sampler, const struct task *task, uint64_t apart)
{
	struct followed *followed = task->user;
	uint64_t age = sampler->tasks.tick_ns > followed->running_ns ? sampler->tasks.tick_ns - followed->running_ns : 0;
	bool last = age <= apart / 2 || age > apart + apart / 8;
	followed->stack = followed->running;
	followed->open = followed->running == NO_STACK || !last;
	if (!followed->open)
		return;
	followed->owed += sampler_weight(sampler, task);
	missed(sampler, task);
}

/* What lies beyond the copy is read from the process, and counts only if the thread has not run until
 * then. */
static uint32_t from_outside(struct sampler *sampler, struct task *task)
{
	struct stack_copy *copy = &sampler->copy;
	struct followed *followed = task->user;
	struct whose whose = { sampler, followed };
	struct frames frames;
	if (copy_blocked(copy, sampler->memory, task->tid, &task->call, stack_end, &whose, NULL) < 0 ||
	    !task_stood_still(&sampler->tasks, task))
		return missed(sampler, task);
	followed->stack_end = copy->whole ? copy->low + copy->size : 0;
	struct memory *live = copy->whole ? NULL : sampler->memory;
	unwind_copy(sampler, live, &frames);
	if (!live && frames.end == END_CUT) {   /* a handler on a stack of its own has interrupted another one */
		live = sampler->memory;
		unwind_copy(sampler, live, &frames);
	}
	if (live && !task_stood_still(&sampler->tasks, task))
		unwind_copy(sampler, NULL, &frames);
	return keep(sampler, &frames, &sampler->profile.by_outside);
}

/* A thread that is about to end cannot be traced either: only a row of refusals is one. */
static void refused(struct sampler *sampler, const struct err *err)
{
	struct profile *profile = &sampler->profile;
	if (++sampler->refusals == REFUSALS_MAX && !profile->why_no_stacks[0])
		snprintf(profile->why_no_stacks, sizeof profile->why_no_stacks, "of running threads: %.200s", err->text);
}

static uint32_t from_stop(struct sampler *sampler, const struct task *task, uint64_t wait)
{
	struct profile *profile = &sampler->profile;
	struct whose whose = { sampler, task->user };
	struct frames frames;
	struct err err = { 0 };
	sampler->copy.running_only = true;
	int rc = copy_stop(&sampler->copy, sampler->memory, sampler->pid, task->tid, wait, stack_end, &whose, &err);
	if (rc < 0 && err.code == ERR_NOT_POSSIBLE)
		refused(sampler, &err);
	else
		sampler->refusals = 0;
	if (rc != 1)
		return NO_STACK;
	if (sampler->copy.stopped_ns > profile->stop_longest_ns)
		profile->stop_longest_ns = sampler->copy.stopped_ns;
	unwind_copy(sampler, NULL, &frames);
	return keep(sampler, &frames, &profile->by_stop);
}

static uint32_t keep_perf(struct sampler *sampler)
{
	struct frames frames;
	unwind_copy(sampler, NULL, &frames);
	return keep(sampler, &frames, &sampler->profile.by_perf);
}

/* What was put into the ring since the tick before: the first is what that tick's look may wait for. */
static uint32_t from_perf(struct sampler *sampler, const struct task *task)
{
	struct followed *followed = task->user;
	if (followed->owed && perf_oldest(&sampler->perf, &followed->ring, &sampler->copy))
		settle(sampler, followed, keep_perf(sampler));
	if (!perf_newest(&sampler->perf, &followed->ring, &sampler->copy) || task->state != TASK_RUNNING)
		return NO_STACK;
	return keep_perf(sampler);
}

/* One that is to be stopped: running, not where it was when it was blocked, and out of perf's reach. */
static bool wants_stop(const struct sampler *sampler, const struct task *task)
{
	const struct followed *followed = task->user;
	if (sampler->options.stacks != STACKS_ALL || task->state != TASK_RUNNING || task->woken)
		return false;
	if (followed->never_stop || sampler->refusals >= REFUSALS_MAX)
		return false;
	return !(sampler->by_perf && perf_follows(&followed->ring));
}

static void stop_one(struct sampler *sampler, struct task *task, uint64_t wait)
{
	struct followed *followed = task->user;
	uint32_t stack = wait ? from_stop(sampler, task, wait) : NO_STACK;
	if (stack != NO_STACK)
		ran_here(sampler, followed, stack, sampler->tasks.tick_ns);
	look_gets_nearest(sampler, task, sampler->period_ns);
}

struct round {
	uint64_t until;
	unsigned left;
};

/* Those that have a stack of this stretch of running already, which stands for others, too; or those that have none. */
static void stop_those(struct sampler *sampler, struct round *round, bool with_stack)
{
	struct tasks *tasks = &sampler->tasks;
	size_t *turn = &sampler->turn[with_stack], first = tasks->n ? *turn % tasks->n : 0;
	for (size_t i = 0; i < tasks->n; i++) {
		struct task *task = &tasks->v[(first + i) % tasks->n];
		struct followed *followed = task->user;
		if (!followed || followed->stop_tried || !wants_stop(sampler, task) ||
		    (followed->running != NO_STACK) != with_stack)
			continue;
		uint64_t now = round->left ? now_ns() : round->until, wait = now < round->until ? round->until - now : 0;
		followed->stop_tried = true;
		stop_one(sampler, task, wait < STOP_WAIT_NS ? wait : STOP_WAIT_NS);
		if (!wait)
			continue;
		*turn = first + i + 1;
		round->left--;
	}
}

/* Not all can be stopped in one tick; the next one goes on where this one ends.  One that waits for a CPU
 * stops when it gets one, if that is soon: such waiting ends before the next tick. */
static void stop_some(struct sampler *sampler)
{
	struct round round = {
		.until = sampler->next_ns - sampler->period_ns / STOP_SPARE,
		.left = sampler->options.stops_max ? sampler->options.stops_max : SAMPLER_STOPS,
	};
	stop_those(sampler, &round, false);
	stop_those(sampler, &round, true);
}

/* One that works with calls which a stop cuts short might be about to make the next one; on a CPU where
 * such a call cannot be made again it is left alone. */
static bool answers_to_stops(const struct task *task)
{
	return !ARCH_KEEPS_ARGUMENTS && task->call_known && restart_always_eintr(task->call.nr);
}

/* What perf put into the ring since the tick before may be of a stretch that has just ended. */
static void stack_of(struct sampler *sampler, struct task *task)
{
	struct followed *followed = task->user;
	bool perf = perf_follows(&followed->ring);
	if (!task->changed)
		return;
	followed->never_stop = followed->never_stop || answers_to_stops(task);
	uint32_t stack = perf ? from_perf(sampler, task) : NO_STACK;
	if (stack != NO_STACK)
		ran_here(sampler, followed, stack, followed->ring.newest_ns);
	if (!task->runs_on && (stack == NO_STACK || task->state != TASK_RUNNING))
		ran_out(sampler, followed);
	followed->open = followed->stop_tried = false;
	followed->stack = NO_STACK;
	if (task->call_known)
		followed->stack = from_outside(sampler, task);
	else if (perf && task->state == TASK_RUNNING)
		look_gets_nearest(sampler, task, sampler->perf.period_ns);
}

void sampler_stacks(struct sampler *sampler)
{
	if (!sampler->unwinder || sampler->options.stacks == STACKS_NONE)
		return;
	for (size_t i = 0; i < sampler->tasks.n; i++)
		if (sampler->tasks.v[i].user && sampler->tasks.v[i].state != TASK_GONE)
			stack_of(sampler, &sampler->tasks.v[i]);
	if (sampler->options.stacks == STACKS_ALL)
		stop_some(sampler);
}
