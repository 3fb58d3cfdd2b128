// SPDX-License-Identifier: MIT
/* The last samples. */
#include <stdlib.h>
#include <string.h>

#include "collect.h"

static void expect_last(struct roclatch_sampler *sampler, const struct collected *collected, size_t asked, size_t expected)
{
	struct roclatch_sample *got = calloc(asked + 1, sizeof(*got));
	struct roclatch_error error;

	got[asked].tid = 4711;
	equal((long)expected, roclatch_sampler_last(sampler, got, asked, &error));
	equal(0, error.status);
	check(!memcmp(got, collected->sample + collected->n - expected, expected * sizeof(*got)),
	      "the last %zu are not those that came last", expected);
	equal(4711, got[asked].tid);
	free(got);
}

static void last(void)
{
	static const size_t sizes[] = { 1, 3, WATCHED_THREADS, 10, 40 };
	struct app app = watched_start();

	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		struct collected *collected = collect();
		struct roclatch_sampler *sampler = sampler_of(app.pid, 500, sizes[i], collected);
		struct roclatch_error error;
		struct roclatch_sample none;

		equal(0, roclatch_sampler_last(sampler, &none, 1, &error));
		works(roclatch_sampler_start(sampler, &error));
		collected_batches(collected, 13);
		works(roclatch_sampler_stop(sampler, &error));
		expect_last(sampler, collected, sizes[i], sizes[i]);
		expect_last(sampler, collected, sizes[i] + 100, sizes[i]);
		expect_last(sampler, collected, 1, 1);
		expect_last(sampler, collected, 0, 0);
		sampler_gone(sampler);
		collected_free(collected);
	}
	app_end(&app);
}

static void no_ring(void)
{
	struct app app = watched_start();
	struct collected *collected = collect();
	struct roclatch_sampler *sampler = sampler_of(app.pid, 10, 0, collected);
	struct roclatch_sample sample;
	struct roclatch_error error;

	fails(ROCLATCH_USAGE, roclatch_sampler_last(sampler, &sample, 1, &error));
	sampler_gone(sampler);
	collected_free(collected);
	app_end(&app);
}

void test_ring(void)
{
	test("the ring has the last samples, and no others", last);
	test("without a ring there are no last samples", no_ring);
}
