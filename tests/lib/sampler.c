// SPDX-License-Identifier: MIT
/* Threads, looked at again and again. */
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "collect.h"

static void expect_doing(const struct collected *collected, const char *name, int state, const char *const *calls)
{
	const struct roclatch_sample *sample = collected_of(collected, name);
	char call[32];
	bool right = !calls;

	check(sample, "thread %s was not seen", name);
	if (!sample)
		return;
	check(sample->state == state, "%s is %s", name, roclatch_state_name(sample->state));
	roclatch_system_call_name(sample->system_call, call, sizeof(call));
	for (; calls && *calls; calls++)
		right |= !strcmp(*calls, call);
	check(right, "%s is in %s", name, call);
	check(calls || sample->system_call == -1, "%s runs and is in %s", name, call);
}

static void states(void)
{
	static const char *const naps[] = { "nanosleep", "clock_nanosleep", NULL }, *const reads[] = { "read", NULL };
	static const char *const waits[] = { "futex", NULL }, *const polls[] = { "epoll_wait", "epoll_pwait", NULL };
	struct app app = watched_start();
	struct collected *collected = collect();
	struct roclatch_sampler *sampler = sampler_of(app.pid, 100, 0, collected);
	struct roclatch_error error;

	works(roclatch_sampler_start(sampler, &error));
	check(collected_batches(collected, 20) >= 20, "only %u batches came", collected->batches);
	works(roclatch_sampler_stop(sampler, &error));
	equal(WATCHED_THREADS, collected->least);
	equal(WATCHED_THREADS, collected->most);
	equal(0, collected->ended);
	expect_doing(collected, "sleeper", ROCLATCH_SLEEPING, naps);
	expect_doing(collected, "reader", ROCLATCH_SLEEPING, reads);
	expect_doing(collected, "waiter", ROCLATCH_SLEEPING, waits);
	expect_doing(collected, "poller", ROCLATCH_SLEEPING, polls);
	expect_doing(collected, "spinner", ROCLATCH_RUNNING, NULL);
	for (size_t i = 0; i < collected->n; i++)
		for (const char *c = collected->sample[i].name; *c; c++)
			check((unsigned char)*c >= ' ', "a name has a control character");
	app_is_well(&app);
	sampler_gone(sampler);
	collected_free(collected);
	app_end(&app);
}

static uint64_t clock_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void times(void)
{
	struct app app = watched_start();
	struct collected *collected = collect();
	struct roclatch_sampler *sampler = sampler_of(app.pid, 200, 0, collected);
	struct roclatch_counts counts = { .size = sizeof(counts) };
	struct roclatch_error error;
	uint64_t before = clock_ns();

	works(roclatch_sampler_start(sampler, &error));
	collected_batches(collected, 5);
	works(roclatch_sampler_stop(sampler, &error));
	check(collected->n && collected->sample[0].time_ns >= before, "the first sample is older than the start");
	check(collected->n && collected->sample[collected->n - 1].time_ns <= clock_ns(), "the last sample is in the future");
	for (size_t i = 1; i < collected->n; i++)
		check(collected->sample[i].time_ns >= collected->sample[i - 1].time_ns, "time goes back");
	works(roclatch_sampler_count(sampler, &counts, &error));
	equal(collected->batches, counts.ticks);
	equal(collected->n, counts.samples);
	check(counts.by_outside && counts.stacks_taken == counts.by_outside, "%lu stacks, %lu from outside",
	      (unsigned long)counts.stacks_taken, (unsigned long)counts.by_outside);
	equal(0, counts.by_stop + counts.by_perf);
	check(!counts.why_no_stacks[0], "it says: %s", counts.why_no_stacks);
	sampler_gone(sampler);
	collected_free(collected);
	app_end(&app);
}

/* At the lowest rate there would be no second look for a long time. */
static void rate(void)
{
	struct app app = watched_start();
	struct collected *collected = collect();
	struct roclatch_sampler *sampler = sampler_of(app.pid, 0.1, 0, collected);
	struct roclatch_error error;

	works(roclatch_sampler_start(sampler, &error));
	equal(1, collected_batches(collected, 1));
	fails(ROCLATCH_USAGE, roclatch_sampler_set_rate(sampler, 0, &error));
	fails(ROCLATCH_USAGE, roclatch_sampler_set_rate(sampler, 1e9, &error));
	works(roclatch_sampler_set_rate(sampler, 100, &error));
	check(collected_batches(collected, 10) >= 10, "only %u batches came", collected->batches);
	sampler_gone(sampler);
	collected_free(collected);
	app_end(&app);
}

static void stopped(void)
{
	struct app app = watched_start();
	struct collected *collected = collect();
	struct roclatch_sampler *sampler = sampler_of(app.pid, 500, 0, collected);
	struct roclatch_error error;
	unsigned before;

	works(roclatch_sampler_stop(sampler, &error));
	equal(0, collected->batches);
	for (int i = 0; i < 5; i++) {
		before = collected->batches;
		works(roclatch_sampler_start(sampler, &error));
		fails(ROCLATCH_USAGE, roclatch_sampler_start(sampler, &error));
		check(collected_batches(collected, before + 3) >= before + 3, "it does not go on");
		works(roclatch_sampler_stop(sampler, &error));
		before = collected->batches;
		usleep(10000);
		equal(before, collected->batches);
	}
	works(roclatch_sampler_stop(sampler, &error));
	equal(0, collected->ended);
	sampler_gone(sampler);
	collected_free(collected);
	app_end(&app);
}

static void callbacks(void)
{
	struct app app = watched_start();
	struct collected *first = collect(), *second = collect();
	struct roclatch_sampler *sampler = sampler_of(app.pid, 500, 0, first);
	struct roclatch_error error;
	unsigned before;

	works(roclatch_sampler_start(sampler, &error));
	collected_batches(first, 2);
	works(roclatch_sampler_set_callback(sampler, collect_batch, NULL, second, &error));
	before = first->batches;
	check(collected_batches(second, 3) >= 3, "the second gets no batches");
	equal(before, first->batches);
	works(roclatch_sampler_set_callback(sampler, NULL, NULL, NULL, &error));
	before = second->batches;
	usleep(10000);
	equal(before, second->batches);
	sampler_gone(sampler);
	collected_free(first);
	collected_free(second);
	app_end(&app);
}

static void two(void)
{
	struct app one = watched_start(), other = watched_start();
	struct collected *collected[3] = { collect(), collect(), collect() };
	struct roclatch_sampler *sampler[3] = {
		sampler_of(one.pid, 200, 100, collected[0]), sampler_of(one.pid, 100, 0, collected[1]),
		sampler_of(other.pid, 200, 100, collected[2]) };
	struct roclatch_error error;

	for (int i = 0; i < 3; i++)
		works(roclatch_sampler_start(sampler[i], &error));
	for (int i = 0; i < 3; i++)
		check(collected_batches(collected[i], 10) >= 10, "sampler %d gives no batches", i);
	for (int i = 0; i < 3; i++) {
		const struct roclatch_sample *spinner;

		sampler_gone(sampler[i]);
		spinner = collected_of(collected[i], "spinner");
		check(spinner && spinner->state == ROCLATCH_RUNNING, "sampler %d does not see the spinner run", i);
		equal(WATCHED_THREADS, collected[i]->most);
		collected_free(collected[i]);
	}
	app_is_well(&one);
	app_is_well(&other);
	app_end(&one);
	app_end(&other);
}

static void ourselves(void)
{
	struct roclatch_error error;

	fails(ROCLATCH_NOT_POSSIBLE, roclatch_sampler_open(getpid(), NULL, &error) ? 0 : -1);
}

static void wrongly_opened(void)
{
	struct roclatch_sampler_options options = { .size = sizeof(options), .rate = -1 };
	struct roclatch_error error;
	pid_t pid = plain_start();

	fails(ROCLATCH_USAGE, roclatch_sampler_open(pid, &options, &error) ? 0 : -1);
	options.rate = 5000;
	fails(ROCLATCH_USAGE, roclatch_sampler_open(pid, &options, &error) ? 0 : -1);
	options.rate = 0;
	options.stacks = 17;
	fails(ROCLATCH_USAGE, roclatch_sampler_open(pid, &options, &error) ? 0 : -1);
	options.stacks = 0;
	options.ring = (size_t)-1;
	fails(ROCLATCH_USAGE, roclatch_sampler_open(pid, &options, &error) ? 0 : -1);
	options.size = 0;
	fails(ROCLATCH_USAGE, roclatch_sampler_open(pid, &options, &error) ? 0 : -1);
	fails(ROCLATCH_USAGE, roclatch_sampler_open(0, NULL, &error) ? 0 : -1);
	child_end(pid);
	fails(ROCLATCH_NOT_POSSIBLE, roclatch_sampler_open(pid, NULL, &error) ? 0 : -1);
	check(!roclatch_sampler_open(pid, NULL, NULL), "what has ended was opened");
}

void test_sampler(void)
{
	test("batches come, with all threads and what each does", states);
	test("samples have their time, and what was done is counted", times);
	test("the rate can be changed while it runs", rate);
	test("a sampler can be stopped and go on", stopped);
	test("callbacks can be changed, and those before hear no more", callbacks);
	test("several samplers work at once", two);
	test("a program is told that it cannot look at itself", ourselves);
	test("what cannot be looked at is refused", wrongly_opened);
}
