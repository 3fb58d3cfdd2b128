/* SPDX-License-Identifier: MIT */
/* A child that is sampled. */
#ifndef ROCLATCH_TESTS_UNIT_SAMPLED_H
#define ROCLATCH_TESTS_UNIT_SAMPLED_H

#include "inject/watch/sampler.h"

#include <errno.h>
#include <sys/mman.h>

#include "inject/thread.h"
#include "loop_code.h"
#include "watched_child.h"

static struct sampler *sampler;
static struct profile *profile;
static struct sampler_options options;

void setUp(void)
{
	shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	options = (struct sampler_options){ .rate = 200, .stacks = STACKS_BLOCKED };
	memset(&err, 0, sizeof err);
}

void tearDown(void)
{
	sampler_close(sampler);
	sampler = NULL;
	if (target.pid)
		close_target();
	memset(&target, 0, sizeof target);
	munmap(shared, sizeof *shared);
}

static inline void begin_sampling(void)
{
	sampler = sampler_open(target.pid, &images, &options, &err);
	TEST_ASSERT_NOT_NULL_MESSAGE(sampler, err.text);
	profile = sampler_profile(sampler);
}

static inline void wait_next(void)
{
	while (now_ns() < sampler_next_ns(sampler))
		nanosleep(&(struct timespec){ 0, 200000 }, NULL);
}

static inline void sample(int ticks)
{
	for (int i = 0; i < ticks; i++) {
		wait_next();
		TEST_ASSERT_EQUAL_MESSAGE(0, sampler_tick(sampler, &err), err.text);
	}
}

static inline uint32_t thread_of(pid_t tid)
{
	for (uint32_t i = 0; i < profile->threads_n; i++)
		if (profile->threads[i].tid == tid)
			return i;
	TEST_FAIL_MESSAGE("a thread is not in the profile");
	return 0;
}

/* Samples of a thread in a state with a stack, or without. */
static inline uint64_t samples_of(pid_t tid, enum task_state state, bool with_stack)
{
	uint64_t sum = 0;
	for (size_t i = 0; i < profile->buckets_n; i++) {
		const struct bucket *b = &profile->buckets[i];
		if (b->thread == thread_of(tid) && b->state == state && (b->stack != NO_STACK) == with_stack)
			sum += b->samples;
	}
	return sum;
}

static inline void spin_alone(void) { spin(NULL); }

static inline void spin_and_sleep(void)
{
	begin_thread(spin, (void *)&shared->tid[0]);
	begin_thread(sleep_long, (void *)&shared->tid[1]);
}

static inline void start_spin_and_sleep(void)
{
	pid_t child = child_start(spin_and_sleep);
	WAIT_FOR(shared->tid[0] && shared->tid[1] && shared->count);
	wait_blocked(child, shared->tid[1], -1);
	wait_blocked(child, child, -1);
	open_target(child);
}

#endif
