/* SPDX-License-Identifier: MIT */
/* The sampler's own thread. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "bin/lib/sampling.h"

_Static_assert((int)ROCLATCH_RUNNING == TASK_RUNNING && (int)ROCLATCH_SLEEPING == TASK_SLEEPING &&
	       (int)ROCLATCH_WAITING == TASK_WAITING && (int)ROCLATCH_STOPPED == TASK_STOPPED, "states");
_Static_assert(sizeof(struct roclatch_sample) == 64 && ROCLATCH_NO_STACK == NO_STACK, "struct roclatch_sample is for ever");

bool sampling_is_own(struct roclatch_sampler *it)
{
	pthread_mutex_lock(&it->state);
	bool own = it->running && pthread_equal(it->self, pthread_self());
	pthread_mutex_unlock(&it->state);
	return own;
}

static bool make_room(struct roclatch_sampler *it, size_t n)
{
	if (n <= it->now_room)
		return true;
	struct roclatch_sample *larger = realloc(it->now, (n + n / 2) * sizeof *larger);
	if (!larger)
		return false;
	it->now = larger;
	it->now_room = n + n / 2;
	return true;
}

void sampling_take(void *ctx, const struct sample *samples, size_t n)
{
	struct roclatch_sampler *it = ctx;
	const struct watched_thread *threads = sampler_profile(it->sampler)->threads;
	if (!make_room(it, n)) {
		err_set(&it->now_err, ERR_FAILED, ENOMEM, "keep a look's samples");
		return;
	}
	for (size_t i = 0; i < n; i++) {
		const struct watched_thread *thread = &threads[samples[i].thread];
		struct roclatch_sample *sample = &it->now[i];
		*sample = (struct roclatch_sample){
			.time_ns = it->begin_ns + samples[i].time_ns, .tid = thread->tid, .state = (int32_t)samples[i].state,
			.system_call = samples[i].call, .stack = samples[i].stack, .changed = samples[i].changed,
		};
		snprintf(sample->name, sizeof sample->name, "%s", thread->name);
		answer_plain(sample->name);
	}
	it->now_n = n;
	it->samples += n;
}

static int look(struct roclatch_sampler *it, struct err *err)
{
	pthread_mutex_lock(&it->core);
	it->now_n = 0;
	int rc = sampler_tick(it->sampler, err);
	pthread_mutex_unlock(&it->core);
	if (rc == 0 && it->now_err.code) {
		*err = it->now_err;
		rc = -1;
	}
	return rc;
}

static uint64_t due_ns(struct roclatch_sampler *it)
{
	pthread_mutex_lock(&it->core);
	uint64_t due = sampler_next_ns(it->sampler);
	pthread_mutex_unlock(&it->core);
	return due;
}

/* Until the next look is due; false if there is to be none. */
static bool wait_for_next(struct roclatch_sampler *it)
{
	bool go_on, anew;
	do {
		uint64_t due = due_ns(it);
		struct timespec until = { (time_t)(due / 1000000000u), (long)(due % 1000000000u) };
		int timed = 0;
		pthread_mutex_lock(&it->state);
		while (!it->stop && !it->renewed && timed != ETIMEDOUT)
			timed = pthread_cond_timedwait(&it->told, &it->state, &until);
		anew = it->renewed;
		it->renewed = false;
		go_on = !it->stop;
		pthread_mutex_unlock(&it->state);
	} while (go_on && anew);
	return go_on;
}

static void show(struct roclatch_sampler *it)
{
	ring_add(&it->ring, it->now, it->now_n);
	pthread_mutex_lock(&it->calling);
	if (it->batch)
		it->batch(it->ctx, it->now, it->now_n);
	pthread_mutex_unlock(&it->calling);
}

static void end(struct roclatch_sampler *it, const struct err *why)
{
	struct roclatch_error public;
	answer_error(&public, why);
	pthread_mutex_lock(&it->state);
	it->over = true;
	it->why = *why;
	pthread_mutex_unlock(&it->state);
	pthread_mutex_lock(&it->calling);
	if (it->ended)
		it->ended(it->ctx, &public);
	pthread_mutex_unlock(&it->calling);
}

void *sampling_loop(void *ctx)
{
	struct roclatch_sampler *it = ctx;
	struct err err = { 0 };
	pthread_mutex_lock(&it->state);
	it->self = pthread_self();
	it->running = true;
	pthread_mutex_unlock(&it->state);
	sampler_short_turns();
	while (wait_for_next(it)) {
		if (look(it, &err) < 0) {
			end(it, &err);
			break;
		}
		show(it);
	}
	pthread_mutex_lock(&it->state);
	it->running = false;
	pthread_mutex_unlock(&it->state);
	return NULL;
}
