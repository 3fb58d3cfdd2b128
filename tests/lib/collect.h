/* SPDX-License-Identifier: MIT */
/* What a sampler tells, collected for tests to look at. */
#ifndef ROCLATCH_TESTS_LIB_COLLECT_H
#define ROCLATCH_TESTS_LIB_COLLECT_H

#include <pthread.h>

#include "host.h"

#define COLLECTED_MAX 65536

struct collected {
	pthread_mutex_t lock;
	unsigned batches, ended;
	size_t n;               /* samples, as far as there is room */
	struct roclatch_sample *sample;
	struct roclatch_error why;
	size_t least, most;     /* samples in a batch */
};

struct collected *collect(void);
void collected_free(struct collected *collected);
/* The callbacks; ctx is the above. */
void collect_batch(void *ctx, const struct roclatch_sample *samples, size_t n);
void collect_end(void *ctx, const struct roclatch_error *why);
/* Wait until there are so many batches, or it has ended; what came by then. */
unsigned collected_batches(struct collected *collected, unsigned wanted);
bool collected_end(struct collected *collected);
/* The last sample of the thread of this name; NULL: there is none. */
const struct roclatch_sample *collected_of(const struct collected *collected, const char *name);

/* A sampler that tells it, of default options but these; the test fails if there is none. */
struct roclatch_sampler *sampler_of(pid_t pid, double rate, size_t ring, struct collected *collected);
void sampler_gone(struct roclatch_sampler *sampler);

#endif
