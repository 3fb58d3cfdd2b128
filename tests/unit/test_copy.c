/* SPDX-License-Identifier: MIT */
/* Copies of stacks, and that those who are copied do not notice. */
#include "copied.h"

static void test_a_blocked_stack_is_copied_from_outside(void)
{
	start_waiting();
	TEST_ASSERT_EQUAL_MESSAGE(1, outside(end_by_maps), err.text);
	TEST_ASSERT_EQUAL(COPY_OUTSIDE, copy.way);
	TEST_ASSERT_EQUAL(SYS_read, copy.call.nr);
	TEST_ASSERT_TRUE(frame_knows(&copy.regs, UNWIND_SP) && frame_knows(&copy.regs, UNWIND_PC));
	TEST_ASSERT_EQUAL_UINT64(copy.regs.v[UNWIND_SP] - ARCH_RED_ZONE, copy.low);
	TEST_ASSERT_EQUAL_UINT64(0, copy.stopped_ns);
	const char *mark = in_copy((void *)(uintptr_t)shared->from_ns);
	TEST_ASSERT_NOT_NULL(mark);
	TEST_ASSERT_EQUAL_STRING("this is on the stack", mark);
	TEST_ASSERT_TRUE(!copy.whole || copy.low + copy.size == end_by_maps(NULL, copy.low));
}

static void test_without_a_known_end_what_there_is_is_copied(void)
{
	start_waiting();
	copy_free(&copy);
	TEST_ASSERT_EQUAL(0, copy_init(&copy, COPY_LARGE));
	TEST_ASSERT_EQUAL_MESSAGE(1, outside(NULL), err.text);
	TEST_ASSERT_TRUE(copy.whole);
	TEST_ASSERT_EQUAL_UINT64(end_by_maps(NULL, copy.low), copy.low + copy.size);
	TEST_ASSERT_EQUAL_STRING("this is on the stack", in_copy((void *)(uintptr_t)shared->from_ns));
}

static void test_a_small_room_cuts_the_copy(void)
{
	start_waiting();
	copy.room = 256;
	TEST_ASSERT_EQUAL(1, outside(end_by_maps));
	TEST_ASSERT_FALSE(copy.whole);
	TEST_ASSERT_EQUAL(256, copy.size);
}

/* On a page of its own, as if a handler had interrupted it there. */
static void wait_beside_another_stack(void)
{
	char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	strcpy(page + 2048, "this is on the other stack");
	shared->to_ns = at(page + 2048);
	wait_for_bell();
}

static void test_another_stack_is_copied_with_it(void)
{
	pid_t pid = child_run(wait_beside_another_stack);
	wait_blocked(pid, pid, SYS_read);
	open_target(pid);
	for (int stopped = 0; stopped < 2; stopped++) {
		copy.second_sp = shared->to_ns;
		TEST_ASSERT_EQUAL_MESSAGE(1, stopped ? stop(PATIENCE) : outside(end_by_maps), err.text);
		TEST_ASSERT_EQUAL_UINT64(copy.second_sp - ARCH_RED_ZONE, copy.second_low);
		TEST_ASSERT_TRUE(copy.size + copy.second_size <= copy.room && copy.second_size > ARCH_RED_ZONE);
		TEST_ASSERT_EQUAL_STRING("this is on the other stack", (const char *)copy.bytes + copy.size + ARCH_RED_ZONE);
		TEST_ASSERT_EQUAL_STRING("this is on the stack", in_copy((void *)(uintptr_t)shared->from_ns));
	}
	wait_blocked(pid, pid, SYS_read);       /* again: it was let go, and must get a CPU for that */
	copy.room = copy.size + ARCH_RED_ZONE + 4;
	TEST_ASSERT_EQUAL(1, outside(end_by_maps));
	TEST_ASSERT_EQUAL(ARCH_RED_ZONE + 4, copy.second_size);
	copy.second_sp = 16;
	TEST_ASSERT_EQUAL(1, outside(end_by_maps));
	TEST_ASSERT_EQUAL(0, copy.second_size);
}

/* Called between the two looks at the thread: let it run and block again just as before. */
static raddr let_it_run(void *ctx, raddr sp)
{
	uint64_t before = shared->count;
	ring_bell();
	WAIT_FOR(shared->count == before + 1);
	wait_blocked(target.pid, target.pid, SYS_read);
	return end_by_maps(ctx, sp);
}

static void test_a_copy_is_refused_when_the_thread_ran_meanwhile(void)
{
	start_waiting();
	TEST_ASSERT_EQUAL(1, outside(end_by_maps));
	TEST_ASSERT_EQUAL(0, outside(let_it_run));
	TEST_ASSERT_EQUAL(1, outside(end_by_maps));
}

static void test_a_running_thread_is_not_copied_from_outside(void)
{
	start_spinning(spin_alone);
	for (int i = 0; i < 100; i++)
		TEST_ASSERT_EQUAL(0, outside(end_by_maps));
}

static void test_a_thread_that_has_ended_is_told(void)
{
	start_waiting();
	pid_t nobody = target.pid;
	kill(nobody, SIGKILL);
	waitpid(nobody, NULL, 0);
	TEST_ASSERT_EQUAL(-1, outside(end_by_maps));
	TEST_ASSERT_EQUAL(ERR_TARGET_EXITED, err.code);
	TEST_ASSERT_EQUAL(-1, stop(PATIENCE));
	TEST_ASSERT_EQUAL_MESSAGE(ERR_TARGET_EXITED, err.code, err.text);
}

/* ---- by stops ---- */

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_a_blocked_stack_is_copied_from_outside);
	RUN_TEST(test_without_a_known_end_what_there_is_is_copied);
	RUN_TEST(test_a_small_room_cuts_the_copy);
	RUN_TEST(test_another_stack_is_copied_with_it);
	RUN_TEST(test_a_copy_is_refused_when_the_thread_ran_meanwhile);
	RUN_TEST(test_a_running_thread_is_not_copied_from_outside);
	RUN_TEST(test_a_thread_that_has_ended_is_told);
	return UNITY_END();
}
