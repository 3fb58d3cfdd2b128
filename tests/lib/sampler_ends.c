// SPDX-License-Identifier: MIT
/* How sampling ends: the process does, a callback wants it so, or it is closed. */
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "collect.h"

static void process_exits(void)
{
	struct app app = watched_start();
	struct collected *collected = collect();
	struct roclatch_sampler *sampler = sampler_of(app.pid, 200, 10, collected);
	struct roclatch_sample last[10];
	struct roclatch_error error;

	works(roclatch_sampler_start(sampler, &error));
	collected_batches(collected, 3);
	atomic_store(&app.record->stop, 1);
	check(collected_end(collected), "the end was not told");
	equal(ROCLATCH_TARGET_EXITED, collected->why.status);
	check(collected->why.text[0], "no reason is told");
	fails(ROCLATCH_TARGET_EXITED, roclatch_sampler_start(sampler, &error));
	works(roclatch_sampler_stop(sampler, &error));
	equal(10, roclatch_sampler_last(sampler, last, 10, &error));
	sampler_gone(sampler);
	equal(1, collected->ended);
	collected_free(collected);
	app_end(&app);
}

static void process_is_killed_before(void)
{
	struct app app = watched_start();
	struct collected *collected = collect();
	struct roclatch_sampler *sampler = sampler_of(app.pid, 200, 0, collected);
	struct roclatch_error error;

	kill(app.pid, SIGKILL);
	waitpid(app.pid, NULL, 0);
	works(roclatch_sampler_start(sampler, &error));
	check(collected_end(collected), "the end was not told");
	equal(ROCLATCH_TARGET_EXITED, collected->why.status);
	sampler_gone(sampler);
	equal(1, collected->ended);
	equal(0, collected->batches);
	collected_free(collected);
	app_end(&app);
}

static void process_execs(void)
{
	struct app app = watched_start_to_exec();
	struct collected *collected = collect();
	struct roclatch_sampler *sampler = sampler_of(app.pid, 200, 0, collected);
	struct roclatch_error error;

	works(roclatch_sampler_start(sampler, &error));
	collected_batches(collected, 3);
	atomic_store(&app.record->wake, 1);
	check(collected_end(collected), "the end was not told");
	equal(ROCLATCH_TARGET_EXITED, collected->why.status);
	check(strstr(collected->why.text, "another program"), "it says: %s", collected->why.text);
	sampler_gone(sampler);
	equal(1, collected->ended);
	collected_free(collected);
	app_end(&app);
}

struct inside {
	struct roclatch_sampler *sampler;
	struct collected *collected;
	int close, close_status, start, start_status, stop, last, count, frames;
	unsigned until;
};

static int no_frame(void *ctx, const struct roclatch_frame *frame)
{
	(void)frame;
	++*(unsigned *)ctx;
	return 0;
}

/* Everything that a callback may do, and what it may not. */
static void within(void *ctx, const struct roclatch_sample *samples, size_t n)
{
	struct inside *inside = ctx;
	struct roclatch_counts counts = { .size = sizeof(counts) };
	struct roclatch_sample sample;
	struct roclatch_error error;
	unsigned frames = 0;

	inside->close = roclatch_sampler_close(inside->sampler, &error);
	inside->close_status = error.status;
	inside->start = roclatch_sampler_start(inside->sampler, &error);
	inside->start_status = error.status;
	inside->last = (int)roclatch_sampler_last(inside->sampler, &sample, 1, NULL);
	inside->count = roclatch_sampler_count(inside->sampler, &counts, NULL) == 0 ? (int)counts.ticks : -1;
	for (size_t i = 0; i < n; i++)
		if (samples[i].stack != ROCLATCH_NO_STACK)
			inside->frames = roclatch_sampler_frames(inside->sampler, samples[i].stack, no_frame, &frames, NULL);
	collect_batch(inside->collected, samples, n);
	if (inside->collected->batches == inside->until)
		inside->stop = roclatch_sampler_stop(inside->sampler, NULL);
}

static void by_its_callback(void)
{
	struct app app = watched_start();
	struct collected *collected = collect();
	struct inside inside = { .collected = collected, .stop = -1, .frames = -1, .until = 3 };
	const struct roclatch_sampler_options options = {
		.size = sizeof(options), .rate = 200, .ring = 4, .batch = within, .ctx = &inside };
	struct roclatch_error error;

	inside.sampler = roclatch_sampler_open(app.pid, &options, &error);
	works(inside.sampler ? 0 : -1);
	works(roclatch_sampler_start(inside.sampler, &error));
	equal(3, collected_batches(collected, 3));
	usleep(30000);
	works(roclatch_sampler_stop(inside.sampler, &error));
	equal(3, collected->batches);
	equal(-1, inside.close);
	equal(ROCLATCH_USAGE, inside.close_status);
	equal(-1, inside.start);
	equal(ROCLATCH_USAGE, inside.start_status);
	equal(0, inside.stop);
	equal(1, inside.last);
	equal(3, inside.count);
	equal(0, inside.frames);
	inside.until = 6;
	works(roclatch_sampler_start(inside.sampler, &error));
	equal(6, collected_batches(collected, 6));
	sampler_gone(inside.sampler);
	collected_free(collected);
	app_is_well(&app);
	app_end(&app);
}

/* As somebody who may see the process and not read it: 0, or which expectation was not met. */
static int look_from_afar(pid_t pid)
{
	struct collected *collected = collect();
	const struct roclatch_sampler_options options = {
		.size = sizeof(options), .rate = 100, .stacks = ROCLATCH_STACKS_ALL, .batch = collect_batch, .ctx = collected };
	struct roclatch_counts counts = { .size = sizeof(counts) };
	struct roclatch_sampler *sampler;
	const struct roclatch_sample *spinner;

	if (setgid(65534) || setuid(65534))
		return 1;
	sampler = roclatch_sampler_open(pid, &options, NULL);
	if (!sampler || roclatch_sampler_start(sampler, NULL))
		return 2;
	if (collected_batches(collected, 5) < 5 || roclatch_sampler_stop(sampler, NULL))
		return 3;
	if (roclatch_sampler_count(sampler, &counts, NULL) || counts.stacks_taken || !counts.why_no_stacks[0])
		return 4;
	spinner = collected_of(collected, "spinner");
	if (!spinner || spinner->state != ROCLATCH_RUNNING || collected->most != WATCHED_THREADS)
		return 5;
	for (size_t i = 0; i < collected->n; i++)
		if (collected->sample[i].stack != ROCLATCH_NO_STACK || collected->sample[i].system_call != -1)
			return 6;
	return roclatch_sampler_close(sampler, NULL) ? 7 : 0;
}

static void of_another_user(void)
{
	struct app app;
	int status = -1;
	pid_t pid;

	if (geteuid() != 0) {
		skip("only root can become another user");
		return;
	}
	app = watched_start();
	pid = fork();
	if (pid == 0)
		_exit(look_from_afar(app.pid));
	waitpid(pid, &status, 0);
	equal(0, status);
	app_is_well(&app);
	app_end(&app);
}

static void nothing_stays(void)
{
	struct app app = watched_start();
	struct state before = look(), after;
	struct roclatch_error error;

	for (int i = 0; i < 20; i++) {
		struct collected *collected = collect();
		struct roclatch_sampler *sampler = sampler_of(app.pid, 1000, 100, collected);

		if (i % 2) {
			works(roclatch_sampler_start(sampler, &error));
			collected_batches(collected, 2);
		}
		if (i % 4 == 1)
			works(roclatch_sampler_stop(sampler, &error));
		sampler_gone(sampler);
		collected_free(collected);
	}
	works(roclatch_sampler_close(NULL, &error));
	after = look();
	expect_same(&before, &after);
	app_is_well(&app);
	app_end(&app);
}

void test_sampler_ends(void)
{
	test("the exit of the process is told once", process_exits);
	test("a process that ended before the start is told of", process_is_killed_before);
	test("a process that becomes another program is told of once", process_execs);
	test("a callback may ask and stop, and neither close nor start", by_its_callback);
	test("a process of another user is looked at without stacks, and it is said why", of_another_user);
	test("a sampler that is closed leaves nothing in the program", nothing_stays);
}
