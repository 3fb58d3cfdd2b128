// SPDX-License-Identifier: MIT
/* One sampler in the hands of several threads. */
#include <pthread.h>
#include <stdlib.h>

#include "collect.h"

#define ROUNDS 60

struct hands {
	struct roclatch_sampler *sampler;
	unsigned wrong;
};

static int one_frame(void *ctx, const struct roclatch_frame *frame)
{
	*(size_t *)ctx += frame->size == sizeof(*frame);
	return 0;
}

static void *asks(void *with)
{
	struct hands *hands = with;
	struct roclatch_counts counts = { .size = sizeof(counts) };
	struct roclatch_sample sample[64];

	for (int i = 0; i < ROUNDS; i++) {
		ssize_t n = roclatch_sampler_last(hands->sampler, sample, 64, NULL);

		hands->wrong += n < 0 || roclatch_sampler_count(hands->sampler, &counts, NULL);
		for (ssize_t k = 1; k < n; k++)
			hands->wrong += sample[k].time_ns < sample[k - 1].time_ns;
	}
	return NULL;
}

static void *names(void *with)
{
	struct hands *hands = with;
	struct roclatch_sample sample[8];
	size_t frames = 0;

	for (int i = 0; i < ROUNDS; i++) {
		ssize_t n = roclatch_sampler_last(hands->sampler, sample, 8, NULL);

		for (ssize_t k = 0; k < n; k++)
			if (sample[k].stack != ROCLATCH_NO_STACK)
				hands->wrong += roclatch_sampler_frames(hands->sampler, sample[k].stack, one_frame, &frames, NULL) != 0;
	}
	return NULL;
}

static void *steers(void *with)
{
	struct hands *hands = with;

	for (int i = 0; i < ROUNDS; i++) {
		hands->wrong += roclatch_sampler_set_rate(hands->sampler, 50 + i * 10, NULL) != 0;
		if (i % 3 == 0)
			hands->wrong += roclatch_sampler_stop(hands->sampler, NULL) != 0;
		else
			roclatch_sampler_start(hands->sampler, NULL);   /* another may have done it */
	}
	return NULL;
}

static void many_hands(void)
{
	static void *(*const work[])(void *) = { asks, names, steers, steers, asks, names };
	struct app app = watched_start();
	struct collected *collected = collect();
	struct roclatch_sampler *sampler = sampler_of(app.pid, 200, 64, collected);
	pthread_t thread[sizeof(work) / sizeof(*work)];
	struct hands hands[sizeof(work) / sizeof(*work)];
	struct roclatch_error error;
	unsigned before;

	for (size_t i = 0; i < sizeof(work) / sizeof(*work); i++) {
		hands[i] = (struct hands){ .sampler = sampler };
		if (pthread_create(&thread[i], NULL, work[i], &hands[i]))
			abort();
	}
	for (size_t i = 0; i < sizeof(work) / sizeof(*work); i++) {
		pthread_join(thread[i], NULL);
		check(!hands[i].wrong, "thread %zu met %u failures", i, hands[i].wrong);
	}
	works(roclatch_sampler_stop(sampler, &error));
	before = collected->batches;
	works(roclatch_sampler_start(sampler, &error));
	check(collected_batches(collected, before + 2) >= before + 2, "it does not work any more");
	sampler_gone(sampler);
	equal(0, collected->ended);
	collected_free(collected);
	app_is_well(&app);
	app_end(&app);
}

void test_sampler_threads(void)
{
	test("several threads use one sampler at once", many_hands);
}
