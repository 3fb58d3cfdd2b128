/* SPDX-License-Identifier: MIT */
/* Looking at a process again and again. */
#include "sampled.h"

static void test_blocked_threads_are_copied_once_and_counted_each_tick(void)
{
	start_spin_and_sleep();
	begin_sampling();
	TEST_ASSERT_EQUAL_STRING("", sampler_way(sampler));
	sample(20);
	TEST_ASSERT_EQUAL_UINT64(20, profile->ticks);
	uint64_t periods = 20 + profile->dropped;
	TEST_ASSERT_EQUAL_UINT64(3 * periods, profile->samples);
	TEST_ASSERT_EQUAL_UINT64(2, profile->by_outside);
	TEST_ASSERT_EQUAL_UINT64(0, profile->by_stop + profile->by_perf);
	TEST_ASSERT_EQUAL_UINT64(periods, samples_of(shared->tid[1], TASK_SLEEPING, true));
	TEST_ASSERT_EQUAL_UINT64(periods, samples_of(shared->tid[0], TASK_RUNNING, false));
	TEST_ASSERT_EQUAL(3, profile->stretches_n);
	TEST_ASSERT_EQUAL_STRING("test_sampler", profile->name);
	TEST_ASSERT_TRUE(profile->threads[thread_of(shared->tid[0])].run_ns > 0);
	TEST_ASSERT_EQUAL_STRING("", profile->why_no_stacks);
	TEST_ASSERT_TRUE(sampler_tasks(sampler)->n == 3);
}

static void expect_spin_on_top(void)
{
	bool found = false;
	for (size_t i = 0; i < profile->buckets_n; i++) {
		const struct bucket *b = &profile->buckets[i];
		if (b->thread != thread_of(shared->tid[0]) || b->stack == NO_STACK)
			continue;
		const struct place *place = &profile->places[profile->nodes[b->stack].place];
		found = found || place->pc - at((void *)(uintptr_t)spin) < 256;
	}
	TEST_ASSERT_TRUE_MESSAGE(found, "the loop that spins was not seen");
}

static void sleep_in_handler(int number)
{
	pause();
	shared->count = (uint64_t)number;       /* or pause would be jumped to */
}

static __attribute__((noinline, noclone)) void be_interrupted(void)
{
	stack_t stack = { .ss_size = 65536 };
	stack.ss_sp = mmap(NULL, stack.ss_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct sigaction action = { .sa_handler = sleep_in_handler, .sa_flags = SA_ONSTACK };
	sigaltstack(&stack, NULL);
	sigaction(SIGUSR1, &action, NULL);
	raise(SIGUSR1);
	_exit(1);
}

static bool is_on_stack(uint32_t node, void (*function)(void))
{
	for (; node != NO_STACK; node = profile->nodes[node].parent)
		if (profile->places[profile->nodes[node].place].pc - at((void *)(uintptr_t)function) < 512)
			return true;
	return false;
}

/* The handler is on a stack of its own: what it has interrupted is read from the process. */
static void test_what_a_handler_has_interrupted_is_seen(void)
{
	pid_t pid = child_run(be_interrupted);
	wait_blocked(pid, pid, -1);
	open_target(pid);
	begin_sampling();
	sample(3);
	TEST_ASSERT_EQUAL_UINT64(1, profile->by_outside);
	TEST_ASSERT_EQUAL(1, profile->buckets_n);
	TEST_ASSERT_TRUE(is_on_stack(profile->buckets[0].stack, be_interrupted));
}

static void test_running_threads_are_copied_by_stops(void)
{
	char text[64];
	options.stacks = STACKS_ALL;
	options.no_perf = true;
	start_spin_and_sleep();
	begin_sampling();
	TEST_ASSERT_EQUAL_STRING("stops", sampler_way(sampler));
	for (int i = 0; i < 50 && profile->by_stop < 5; i++)
		sample(10);
	TEST_ASSERT_TRUE(profile->by_stop >= 5);
	TEST_ASSERT_TRUE(profile->stop_longest_ns > 0);
	expect_spin_on_top();
	snprintf(text, sizeof text, "%u of %u stops", (unsigned)profile->by_stop, (unsigned)profile->ticks);
	TEST_MESSAGE(text);
}

static void test_running_threads_are_seen_by_perf_where_it_is_allowed(void)
{
	options.stacks = STACKS_ALL;
	start_spin_and_sleep();
	begin_sampling();
	bool perf = strcmp(sampler_way(sampler), "perf") == 0;
	TEST_MESSAGE(perf ? "by perf" : "by stops");
	uint64_t *by = perf ? &profile->by_perf : &profile->by_stop;
	for (int i = 0; i < 50 && *by < 5; i++)
		sample(10);
	TEST_ASSERT_TRUE(*by >= 5);
	TEST_ASSERT_EQUAL_UINT64(0, perf ? profile->by_stop : profile->by_perf);
	expect_spin_on_top();
}

static void spin_six(void)
{
	for (int i = 0; i < 6; i++)
		begin_thread(spin, (void *)&shared->tid[i]);
}

static void test_stops_are_few_and_go_round(void)
{
	options.stacks = STACKS_ALL;
	options.no_perf = true;
	options.stops_max = 2;
	options.rate = 50;
	pid_t child = child_start(spin_six);
	for (int i = 0; i < 6; i++)
		WAIT_FOR(shared->tid[i]);
	open_target(child);
	begin_sampling();
	int seen = 0;
	for (int round = 0; round < 100 && seen < 6; round++) {
		sample(3);
		seen = 0;
		for (int i = 0; i < 6; i++)
			seen += samples_of(shared->tid[i], TASK_RUNNING, true) > 0;
	}
	TEST_ASSERT_EQUAL_MESSAGE(6, seen, "one was never visited");
	TEST_ASSERT_TRUE(profile->by_stop <= 2 * profile->ticks);
	uint64_t with = 0, without = 0;
	for (int i = 0; i < 6; i++) {
		with += samples_of(shared->tid[i], TASK_RUNNING, true);
		without += samples_of(shared->tid[i], TASK_RUNNING, false);
	}
	TEST_ASSERT_TRUE_MESSAGE(with > profile->by_stop, "a stack stands for the looks next to it, too");
	TEST_ASSERT_TRUE_MESSAGE(without <= profile->stacks_missed, "what has no stack is told");
}

int main(int argc, char **argv)
{
	if (argc > 1 && strcmp(argv[1], "sleep") == 0)
		for (;;)
			pause();
	UNITY_BEGIN();
	RUN_TEST(test_blocked_threads_are_copied_once_and_counted_each_tick);
	RUN_TEST(test_what_a_handler_has_interrupted_is_seen);
	RUN_TEST(test_running_threads_are_copied_by_stops);
	RUN_TEST(test_running_threads_are_seen_by_perf_where_it_is_allowed);
	RUN_TEST(test_stops_are_few_and_go_round);
	return UNITY_END();
}
