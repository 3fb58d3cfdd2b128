/* SPDX-License-Identifier: MIT */
/* What is sampled is kept once, summed up, and in order of time. */
#include "inject/watch/profile.h"

#include <string.h>

#include "unity.h"

static struct profile profile;
static struct err err;

void setUp(void)
{
	TEST_ASSERT_EQUAL(0, profile_init(&profile, &err));
}

void tearDown(void)
{
	profile_free(&profile);
}

/* A stack of these addresses, innermost first, 0 ends them. */
static uint32_t stack_of(const raddr *pcs, enum unwind_end end)
{
	struct frame frame[64];
	struct frames frames = { .v = frame, .room = 64, .end = end };
	for (; pcs[frames.n]; frames.n++)
		frame[frames.n] = (struct frame){ pcs[frames.n], frames.n == 0, frames.n ? FRAME_CFI : FRAME_TOP };
	return profile_stack(&profile, &frames);
}

static raddr pc_of(uint32_t node)
{
	return profile.places[profile.nodes[node].place].pc;
}

static void test_a_stack_is_kept_once(void)
{
	uint32_t a = stack_of((raddr[]){ 3, 2, 1, 0 }, END_OUTERMOST);
	TEST_ASSERT_NOT_EQUAL(NO_STACK, a);
	TEST_ASSERT_EQUAL(3, profile.nodes_n);
	TEST_ASSERT_EQUAL(a, stack_of((raddr[]){ 3, 2, 1, 0 }, END_OUTERMOST));
	uint32_t b = stack_of((raddr[]){ 4, 2, 1, 0 }, END_OUTERMOST);
	TEST_ASSERT_NOT_EQUAL(a, b);
	TEST_ASSERT_EQUAL(4, profile.nodes_n);
	TEST_ASSERT_EQUAL(profile.nodes[a].parent, profile.nodes[b].parent);
	TEST_ASSERT_EQUAL_UINT64(3, pc_of(a));
	TEST_ASSERT_EQUAL_UINT64(2, pc_of(profile.nodes[a].parent));
	uint32_t outermost = profile.nodes[profile.nodes[a].parent].parent;
	TEST_ASSERT_EQUAL_UINT64(1, pc_of(outermost));
	TEST_ASSERT_EQUAL(NO_STACK, profile.nodes[outermost].parent);
	TEST_ASSERT_EQUAL(FRAME_TOP, profile.nodes[a].how);
}

static void test_a_stack_that_ends_early_says_why(void)
{
	uint32_t node = stack_of((raddr[]){ 3, 2, 0 }, END_NO_TABLE);
	TEST_ASSERT_EQUAL(3, profile.nodes_n);
	TEST_ASSERT_NOT_EQUAL(node, stack_of((raddr[]){ 3, 2, 0 }, END_OUTERMOST));
	node = profile.nodes[profile.nodes[node].parent].parent;
	TEST_ASSERT_EQUAL(END_NO_TABLE + 1, profile.places[profile.nodes[node].place].end);
	TEST_ASSERT_EQUAL(NO_STACK, profile.nodes[node].parent);
	TEST_ASSERT_EQUAL(NO_STACK, stack_of((raddr[]){ 0 }, END_LOST));
}

static void test_many_stacks_are_told_apart(void)
{
	enum { MANY = 20000 };
	static uint32_t stack[MANY];
	for (raddr i = 0; i < MANY; i++)
		stack[i] = stack_of((raddr[]){ i + 1, i / 100 + 1, 1, 0 }, END_OUTERMOST);
	for (raddr i = 0; i < MANY; i++) {
		TEST_ASSERT_EQUAL(stack[i], stack_of((raddr[]){ i + 1, i / 100 + 1, 1, 0 }, END_OUTERMOST));
		TEST_ASSERT_EQUAL_UINT64(i + 1, pc_of(stack[i]));
	}
	TEST_ASSERT_EQUAL(1 + MANY / 100 + MANY, profile.nodes_n);
}

static void add(uint32_t thread, enum task_state state, int32_t call, uint32_t stack, uint64_t time)
{
	TEST_ASSERT_EQUAL(0, profile_add(&profile, thread, state, call, stack, time, 1));
}

static void test_samples_are_summed_up_and_stretches_merged(void)
{
	uint32_t a = profile_thread(&profile, 10, "a"), b = profile_thread(&profile, 20, "b");
	uint32_t stack = stack_of((raddr[]){ 1, 0 }, END_OUTERMOST);
	for (uint64_t t = 0; t < 10; t++) {
		add(a, TASK_SLEEPING, 7, stack, t * 100);
		add(b, t % 2 ? TASK_RUNNING : TASK_SLEEPING, t % 2 ? -1 : 7, NO_STACK, t * 100);
	}
	TEST_ASSERT_EQUAL(3, profile.buckets_n);
	TEST_ASSERT_EQUAL(10, profile.buckets[0].samples);
	TEST_ASSERT_EQUAL(20, profile.samples);
	TEST_ASSERT_EQUAL(11, profile.stretches_n);
	TEST_ASSERT_EQUAL(0, profile.stretches[0].from_ns);
	TEST_ASSERT_EQUAL(900, profile.stretches[0].to_ns);
	TEST_ASSERT_EQUAL(10, profile.stretches[0].samples);
	TEST_ASSERT_EQUAL(stack, profile.stretches[0].stack);
	TEST_ASSERT_EQUAL(5, profile.threads[b].in_state[TASK_RUNNING]);
	TEST_ASSERT_EQUAL(0, profile.threads[a].first_ns);
	TEST_ASSERT_EQUAL(900, profile.threads[a].last_ns);
}

static void test_samples_that_were_of_another_kind_are_moved(void)
{
	uint32_t a = profile_thread(&profile, 10, "a"), stack = stack_of((raddr[]){ 1, 0 }, END_OUTERMOST);
	struct bucket blocked = { .thread = a, .stack = stack, .state = TASK_SLEEPING, .call = 7, .samples = 2 };
	struct bucket running = { .thread = a, .stack = NO_STACK, .state = TASK_RUNNING, .call = -1, .samples = 9 };
	struct bucket found = { .thread = a, .stack = stack, .state = TASK_RUNNING, .call = -1 };
	for (uint64_t t = 0; t < 5; t++)
		add(a, TASK_SLEEPING, 7, stack, t * 100);
	TEST_ASSERT_EQUAL_UINT64(0, profile_move(&profile, &running, &found));
	TEST_ASSERT_EQUAL_UINT64(2, profile_move(&profile, &blocked, &found));
	TEST_ASSERT_EQUAL_UINT64(3, profile.buckets[0].samples);
	TEST_ASSERT_EQUAL(TASK_SLEEPING, profile.stretches[0].state);
	add(a, TASK_RUNNING, -1, NO_STACK, 500);
	TEST_ASSERT_EQUAL_UINT64(1, profile_move(&profile, &running, &found));
	TEST_ASSERT_EQUAL(stack, profile.stretches[1].stack);
	TEST_ASSERT_EQUAL_UINT64(3, profile.threads[a].in_state[TASK_SLEEPING]);
	TEST_ASSERT_EQUAL_UINT64(3, profile.threads[a].in_state[TASK_RUNNING]);
	TEST_ASSERT_EQUAL(3, profile.buckets_n);
	TEST_ASSERT_EQUAL_UINT64(3, profile.buckets[1].samples);
	TEST_ASSERT_EQUAL_UINT64(0, profile.buckets[2].samples);
	TEST_ASSERT_EQUAL_UINT64(6, profile.samples);
}

static void test_a_thread_is_found_again_and_takes_its_new_name(void)
{
	uint32_t a = profile_thread(&profile, 10, "a");
	for (pid_t tid = 100; tid < 5000; tid++)
		TEST_ASSERT_NOT_EQUAL(NO_STACK, profile_thread(&profile, tid, "t"));
	TEST_ASSERT_EQUAL(a, profile_thread(&profile, 10, "worker"));
	TEST_ASSERT_EQUAL_STRING("worker", profile.threads[a].name);
	TEST_ASSERT_EQUAL(4901, profile.threads_n);
	TEST_ASSERT_EQUAL(-1, profile_add(&profile, 5000, TASK_RUNNING, -1, NO_STACK, 0, 1));
}

static void test_stretches_end_where_there_is_no_room_and_sums_go_on(void)
{
	uint32_t a = profile_thread(&profile, 10, "a");
	for (uint64_t t = 0; t < PROFILE_STRETCHES_MAX + 10; t++)
		add(a, t % 2 ? TASK_RUNNING : TASK_SLEEPING, -1, NO_STACK, t);
	TEST_ASSERT_TRUE(profile.stretches_cut);
	TEST_ASSERT_EQUAL(PROFILE_STRETCHES_MAX, profile.stretches_n);
	TEST_ASSERT_EQUAL(2, profile.buckets_n);
	TEST_ASSERT_EQUAL_UINT64(PROFILE_STRETCHES_MAX + 10, profile.samples);
}

static size_t bytes_kept(void)
{
	return profile.nodes_room * sizeof *profile.nodes + profile.places_room * sizeof *profile.places +
	       profile.buckets_room * sizeof *profile.buckets + profile.stretches_room * sizeof *profile.stretches +
	       profile.threads_room * sizeof *profile.threads;
}

/* 64 threads that change at every look between 50 stacks each: more than most do. */
static void test_memory_stays_small(void)
{
	enum { THREADS = 64, TICKS = 1000 };
	uint32_t thread[THREADS];
	for (int i = 0; i < THREADS; i++)
		thread[i] = profile_thread(&profile, 100 + i, "t");
	for (uint64_t t = 0; t < TICKS; t++)
		for (uint64_t i = 0; i < THREADS; i++)
			add(thread[i], TASK_RUNNING, -1,
			    stack_of((raddr[]){ 1 + (t * 7 + i) % 50, 1000 + i % 4, 2000, 2001, 2002, 0 }, END_OUTERMOST), t);
	TEST_ASSERT_TRUE(bytes_kept() / (THREADS * TICKS / 100) < 8192);
	for (uint64_t t = 0; t < TICKS; t++)
		for (int i = 0; i < THREADS; i++)
			add(thread[i], TASK_SLEEPING, 1, 0, TICKS + t);
	TEST_ASSERT_TRUE(bytes_kept() / (2 * THREADS * TICKS / 100) < 4096);
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_a_stack_is_kept_once);
	RUN_TEST(test_a_stack_that_ends_early_says_why);
	RUN_TEST(test_many_stacks_are_told_apart);
	RUN_TEST(test_samples_are_summed_up_and_stretches_merged);
	RUN_TEST(test_samples_that_were_of_another_kind_are_moved);
	RUN_TEST(test_a_thread_is_found_again_and_takes_its_new_name);
	RUN_TEST(test_stretches_end_where_there_is_no_room_and_sums_go_on);
	RUN_TEST(test_memory_stays_small);
	return UNITY_END();
}
