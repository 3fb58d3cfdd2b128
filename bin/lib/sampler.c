/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "bin/lib/sampling.h"
#include "inject/aside.h"

static void make_locks(struct roclatch_sampler *it)
{
	pthread_condattr_t attributes;
	pthread_mutex_init(&it->control, NULL);
	pthread_mutex_init(&it->calling, NULL);
	pthread_mutex_init(&it->state, NULL);
	pthread_mutex_init(&it->core, NULL);
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&it->told, &attributes);
	pthread_condattr_destroy(&attributes);
}

static void discard(struct roclatch_sampler *it)
{
	sampling_close(it);
	ring_free(&it->ring);
	pthread_cond_destroy(&it->told);
	pthread_mutex_destroy(&it->core);
	pthread_mutex_destroy(&it->state);
	pthread_mutex_destroy(&it->calling);
	pthread_mutex_destroy(&it->control);
	free(it);
}

struct opening {
	struct roclatch_sampler *it;
	pid_t pid;
	struct roclatch_sampler_options options;
	struct err err;
};

static void open_it(void *ctx)
{
	struct opening *job = ctx;
	if (sampling_open(job->it, job->pid, &job->options, &job->err) == 0)
		job->err = (struct err){ 0 };
}

struct roclatch_sampler *roclatch_sampler_open(pid_t pid, const struct roclatch_sampler_options *options,
					       struct roclatch_error *err)
{
	struct roclatch_sampler *it = calloc(1, sizeof *it);
	struct opening *job = calloc(1, sizeof *job);
	struct err none = { 0 };
	if (!it || !job) {
		free(it);
		free(job);
		err_set(&none, ERR_FAILED, ENOMEM, "sample process %d", (int)pid);
		answer_error(err, &none);
		return NULL;
	}
	make_locks(it);
	job->it = it;
	job->pid = pid;
	if (answer_options(&job->options, sizeof job->options, options, &job->err) == 0)
		aside_run(open_it, job);
	if (ring_init(&it->ring, job->err.code ? 0 : job->options.ring) < 0)
		err_set(&job->err, ERR_FAILED, ENOMEM, "keep %zu samples", job->options.ring);
	int rc = answer_error(err, &job->err);
	free(job);
	if (rc == 0)
		return it;
	discard(it);
	return NULL;
}

/* Tell the thread that something is not as it was. */
static void tell(struct roclatch_sampler *it, bool stop)
{
	pthread_mutex_lock(&it->state);
	it->stop |= stop;
	it->renewed = true;
	pthread_cond_signal(&it->told);
	pthread_mutex_unlock(&it->state);
}

int roclatch_sampler_set_rate(struct roclatch_sampler *it, double rate, struct roclatch_error *err)
{
	struct err why = { 0 };
	pthread_mutex_lock(&it->core);
	sampler_set_rate(it->sampler, rate, &why);
	pthread_mutex_unlock(&it->core);
	tell(it, false);
	return answer_error(err, &why);
}

int roclatch_sampler_set_callback(struct roclatch_sampler *it, roclatch_batch_callback *batch, roclatch_ended_callback *ended,
				  void *ctx, struct roclatch_error *err)
{
	const struct err none = { 0 };
	bool own = sampling_is_own(it);
	if (!own)
		pthread_mutex_lock(&it->calling);
	it->batch = batch;
	it->ended = ended;
	it->ctx = ctx;
	if (!own)
		pthread_mutex_unlock(&it->calling);
	return answer_error(err, &none);
}

/* A thread that has ended, or is about to. */
static void join(struct roclatch_sampler *it)
{
	if (it->has_thread)
		pthread_join(it->thread, NULL);
	it->has_thread = false;
}

static bool is_running(struct roclatch_sampler *it)
{
	pthread_mutex_lock(&it->state);
	bool running = it->has_thread && !it->stop && !it->over;
	pthread_mutex_unlock(&it->state);
	return running;
}

static int start(struct roclatch_sampler *it, struct err *err)
{
	if (is_running(it))
		return err_set(err, ERR_USAGE, 0, "the sampler runs already");
	join(it);
	if (it->over) {
		*err = it->why;
		return -1;
	}
	/* what passed in the pause was not dropped */
	pthread_mutex_lock(&it->core);
	sampler_set_rate(it->sampler, sampler_profile(it->sampler)->rate, NULL);
	pthread_mutex_unlock(&it->core);
	pthread_mutex_lock(&it->state);
	it->stop = it->renewed = false;
	pthread_mutex_unlock(&it->state);
	int failure = aside_start(&it->thread, sampling_loop, it);
	if (failure)
		return err_set(err, ERR_FAILED, failure, "make a thread for the sampler");
	it->has_thread = true;
	return 0;
}

int roclatch_sampler_start(struct roclatch_sampler *it, struct roclatch_error *err)
{
	struct err why = { 0 };
	if (sampling_is_own(it)) {
		err_set(&why, ERR_USAGE, 0, "a sampler cannot be started by its own callback");
	} else {
		pthread_mutex_lock(&it->control);
		start(it, &why);
		pthread_mutex_unlock(&it->control);
	}
	return answer_error(err, &why);
}

int roclatch_sampler_stop(struct roclatch_sampler *it, struct roclatch_error *err)
{
	const struct err none = { 0 };
	if (sampling_is_own(it)) {
		tell(it, true);
	} else {
		pthread_mutex_lock(&it->control);
		tell(it, true);
		join(it);
		pthread_mutex_unlock(&it->control);
	}
	return answer_error(err, &none);
}

int roclatch_sampler_close(struct roclatch_sampler *it, struct roclatch_error *err)
{
	struct err why = { 0 };
	if (it && sampling_is_own(it)) {
		err_set(&why, ERR_USAGE, 0, "a sampler cannot be closed by its own callback");
	} else if (it) {
		roclatch_sampler_stop(it, NULL);
		discard(it);
	}
	return answer_error(err, &why);
}

ssize_t roclatch_sampler_last(struct roclatch_sampler *it, struct roclatch_sample *samples, size_t n, struct roclatch_error *err)
{
	struct err why = { 0 };
	if (!it->ring.room)
		err_set(&why, ERR_USAGE, 0, "the sampler was opened without a ring");
	return answer_error(err, &why) < 0 ? -1 : (ssize_t)ring_last(&it->ring, samples, n);
}
