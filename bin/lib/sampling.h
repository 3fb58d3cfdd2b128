/* SPDX-License-Identifier: MIT */
/* What the parts of the public sampler share. */
#ifndef ROCLATCH_BIN_LIB_SAMPLING_H
#define ROCLATCH_BIN_LIB_SAMPLING_H

#include "bin/lib/answer.h"
#include "bin/lib/ring.h"
#include "inject/watch/sampler.h"

struct roclatch_sampler {
	/* whoever starts, stops and closes; never taken by the sampler's own thread */
	pthread_mutex_t control;
	pthread_t thread;
	bool has_thread;        /* to be joined */

	/* held while a callback runs, and to change them; its own thread needs not take it twice */
	pthread_mutex_t calling;
	roclatch_batch_callback *batch;
	roclatch_ended_callback *ended;
	void *ctx;

	/* what is told to the thread, and by it */
	pthread_mutex_t state;
	pthread_cond_t told;
	pthread_t self;         /* the thread, while it runs */
	bool running, stop, over, renewed;
	struct err why;         /* if it is over */

	/* the process and what is known of it; opened and closed with the sampler */
	pthread_mutex_t core;
	struct target target;
	bool readable;
	struct images images;
	struct naming *naming;
	const char **debug_dirs;
	struct sampler *sampler;
	uint64_t begin_ns, samples;
	struct roclatch_sample *now;    /* the samples of the last look: its own thread alone has them */
	size_t now_n, now_room;
	struct err now_err;

	struct ring ring;
};

/* --- sampling_open.c --- */
/* The process, by what the options say.  -1 with err; sampling_close in either case. */
int sampling_open(struct roclatch_sampler *it, pid_t pid, const struct roclatch_sampler_options *options, struct err *err);
void sampling_close(struct roclatch_sampler *it);

/* --- sampling_loop.c --- */
void *sampling_loop(void *it);
/* Is this the sampler's own thread, in a callback? */
bool sampling_is_own(struct roclatch_sampler *it);
/* For struct sampler_options: the samples of one look become public ones. */
void sampling_take(void *it, const struct sample *samples, size_t n);

#endif
