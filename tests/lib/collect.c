// SPDX-License-Identifier: MIT
#include "collect.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define LIMIT_MS 60000

struct collected *collect(void)
{
	struct collected *collected = calloc(1, sizeof(*collected));

	collected->sample = calloc(COLLECTED_MAX, sizeof(*collected->sample));
	pthread_mutex_init(&collected->lock, NULL);
	return collected;
}

void collected_free(struct collected *collected)
{
	pthread_mutex_destroy(&collected->lock);
	free(collected->sample);
	free(collected);
}

void collect_batch(void *ctx, const struct roclatch_sample *samples, size_t n)
{
	struct collected *collected = ctx;

	pthread_mutex_lock(&collected->lock);
	collected->least = !collected->batches || n < collected->least ? n : collected->least;
	collected->most = n > collected->most ? n : collected->most;
	collected->batches++;
	for (size_t i = 0; i < n && collected->n < COLLECTED_MAX; i++)
		collected->sample[collected->n++] = samples[i];
	pthread_mutex_unlock(&collected->lock);
}

void collect_end(void *ctx, const struct roclatch_error *why)
{
	struct collected *collected = ctx;

	pthread_mutex_lock(&collected->lock);
	collected->ended++;
	collected->why = *why;
	pthread_mutex_unlock(&collected->lock);
}

static void counts(struct collected *collected, unsigned *batches, unsigned *ended)
{
	pthread_mutex_lock(&collected->lock);
	*batches = collected->batches;
	*ended = collected->ended;
	pthread_mutex_unlock(&collected->lock);
}

unsigned collected_batches(struct collected *collected, unsigned wanted)
{
	unsigned batches = 0, ended = 0;

	for (int i = 0; i < LIMIT_MS && batches < wanted && !ended; i++) {
		nanosleep(&(struct timespec){ 0, 1000000 }, NULL);
		counts(collected, &batches, &ended);
	}
	return batches;
}

bool collected_end(struct collected *collected)
{
	unsigned batches, ended = 0;

	for (int i = 0; i < LIMIT_MS && !ended; i++) {
		nanosleep(&(struct timespec){ 0, 1000000 }, NULL);
		counts(collected, &batches, &ended);
	}
	return ended;
}

const struct roclatch_sample *collected_of(const struct collected *collected, const char *name)
{
	for (size_t i = collected->n; i-- > 0;)
		if (!strcmp(collected->sample[i].name, name))
			return &collected->sample[i];
	return NULL;
}

struct roclatch_sampler *sampler_of(pid_t pid, double rate, size_t ring, struct collected *collected)
{
	const struct roclatch_sampler_options options = {
		.size = sizeof(options), .rate = rate, .ring = ring, .batch = collect_batch, .ended = collect_end, .ctx = collected };
	struct roclatch_error error;
	struct roclatch_sampler *sampler = roclatch_sampler_open(pid, &options, &error);

	works(sampler ? 0 : -1);
	return sampler;
}

void sampler_gone(struct roclatch_sampler *sampler)
{
	struct roclatch_error error;

	works(roclatch_sampler_close(sampler, &error));
}
