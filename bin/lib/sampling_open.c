/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "bin/lib/sampling.h"
#include "rocp/advice.h"

#define RATE 10.0
#define RING_MAX ((size_t)1 << 30)

_Static_assert((int)ROCLATCH_STACKS_BLOCKED == STACKS_BLOCKED && (int)ROCLATCH_STACKS_ALL == STACKS_ALL &&
	       (int)ROCLATCH_STACKS_NONE == STACKS_NONE, "stacks");

static int copy_dirs(struct roclatch_sampler *it, const char *const *dirs, struct err *err)
{
	size_t n = 0;
	while (dirs && dirs[n])
		n++;
	it->debug_dirs = calloc(n + 1, sizeof *it->debug_dirs);
	for (size_t i = 0; it->debug_dirs && i < n; i++)
		if (!(it->debug_dirs[i] = strdup(dirs[i])))
			return err_set(err, ERR_FAILED, ENOMEM, "keep the names of folders");
	return it->debug_dirs ? 0 : err_set(err, ERR_FAILED, ENOMEM, "keep the names of folders");
}

/* One that may not be read is looked at all the same. */
static int open_target(struct roclatch_sampler *it, pid_t pid, struct err *err)
{
	const struct naming_options options = { .debug_dirs = it->debug_dirs };
	if (target_watch(&it->target, pid, NULL, &it->readable, err) < 0) {
		it->readable = false;
		return surroundings_advise(pid, err);
	}
	if (!it->readable)
		surroundings_advise(pid, err);
	if (!it->readable)
		return err->code == ERR_NOT_POSSIBLE ? 0 : -1;
	if (images_open(&it->images, &it->target, err) < 0) {
		it->readable = false;
		return -1;
	}
	it->naming = naming_open(&it->images, &options, err);
	return it->naming ? 0 : -1;
}

static int check(pid_t pid, const struct roclatch_sampler_options *options, struct err *err)
{
	if (pid <= 0)
		return err_set(err, ERR_USAGE, 0, "%d is not a process id", (int)pid);
	if (options->stacks < ROCLATCH_STACKS_BLOCKED || options->stacks > ROCLATCH_STACKS_NONE)
		return err_set(err, ERR_USAGE, 0, "unknown kind of stacks, %d", options->stacks);
	if (options->ring > RING_MAX)
		return err_set(err, ERR_USAGE, 0, "a ring of %zu samples is too large", options->ring);
	return 0;
}

int sampling_open(struct roclatch_sampler *it, pid_t pid, const struct roclatch_sampler_options *options, struct err *err)
{
	if (check(pid, options, err) < 0 || copy_dirs(it, options->debug_dirs, err) < 0 || open_target(it, pid, err) < 0)
		return -1;
	const struct sampler_options wanted = {
		.rate = options->rate != 0 ? options->rate : RATE, .stacks = (enum sample_stacks)options->stacks,
		.stops_max = options->stops, .no_perf = options->no_perf, .no_profile = true,
		.batch = sampling_take, .ctx = it,
	};
	it->sampler = sampler_open(pid, it->readable ? &it->images : NULL, &wanted, err);
	if (!it->sampler)
		return -1;
	it->begin_ns = sampler_next_ns(it->sampler);
	it->batch = options->batch;
	it->ended = options->ended;
	it->ctx = options->ctx;
	return 0;
}

void sampling_close(struct roclatch_sampler *it)
{
	sampler_close(it->sampler);
	naming_close(it->naming);
	if (it->readable)
		images_close(&it->images);
	if (it->target.pid)
		target_close(&it->target);
	for (size_t i = 0; it->debug_dirs && it->debug_dirs[i]; i++)
		free((char *)it->debug_dirs[i]);
	free(it->debug_dirs);
	free(it->now);
}
