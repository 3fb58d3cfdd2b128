/* SPDX-License-Identifier: MIT */
/* Stacks and registers that lie: the answer is short, says why, and comes. */
#include "stack_case.h"

void setUp(void) { }
void tearDown(void) { }

static volatile int zero;

static NOINLINE int again(int n)
{
	NOTE_CALLER();
	volatile int kept = n;
	if (n == 0)
		pause();
	return n ? again(n - 1) + kept : kept + zero;
}

static void run_again(void) { again(3); }

/* Registers of the child with sp in the middle of `copy`, which holds `words` again and again. */
static void lie(const uint64_t *words, size_t n)
{
	stack_start(run_again);
	copy_all_registers(COPY_MAX);
	copy.size = 64 << 10;
	copy.whole = false;
	for (size_t i = 0; i < copy.size / 8; i++)
		memcpy(copy.bytes + 8 * i, &words[i % n], 8);
}

static void expect_short(size_t most)
{
	expect(frames.n >= 1 && frames.n <= most);
	TEST_ASSERT_NOT_EQUAL(END_OUTERMOST, frames.end);
	char why[256] = "";
	unwind_why(unwinder, &frames, why, sizeof why);
	TEST_ASSERT_NOT_EQUAL(0, why[0]);
}

static void a_stack_full_of_one_return_address_ends(void)
{
	stack_start(run_again);
	uint64_t word = truth->ra[truth->n - 1];
	stack_end();
	for (int outside = 0; outside < 2; outside++) {
		lie(&word, 1);
		if (outside)
			copy.regs.known = UINT64_C(1) << UNWIND_SP | UINT64_C(1) << UNWIND_PC;
		unwind(unwinder, &copy, NULL, &frames);
		expect(frames.n <= UNWIND_DEPTH_MAX);
		TEST_ASSERT_NOT_EQUAL(END_OUTERMOST, frames.end);
		stack_end();
	}
}

static void a_stack_full_of_itself_ends(void)
{
	uint64_t word = 0;
	lie(&word, 1);
	for (size_t i = 0; i < copy.size / 8; i++) {
		raddr own = copy.low + 8 * i;
		memcpy(copy.bytes + 8 * i, &own, 8);
	}
	unwind(unwinder, &copy, NULL, &frames);
	expect_short(3);
	stack_end();
}

static void a_stack_of_nothing_is_outermost_or_short(void)
{
	uint64_t word = 0;
	lie(&word, 1);
	unwind(unwinder, &copy, NULL, &frames);
	expect(frames.n <= 2);
	stack_end();
}

/* pc and sp anywhere; what the other registers are does not matter then. */
static void look_from(raddr pc, raddr sp, enum unwind_end end)
{
	uint64_t word = UINT64_MAX;
	lie(&word, 1);
	frame_set(&copy.regs, UNWIND_PC, pc);
	frame_set(&copy.regs, UNWIND_SP, sp);
	unwind(unwinder, &copy, &target.memory, &frames);
	expect(frames.n == 1 && frame[0].pc == pc && frames.end_pc == pc);
	expect(frames.end == end);
	stack_end();
}

static void registers_that_point_nowhere(void)
{
	stack_start(run_again);
	take(false);
	raddr pc = copy.regs.v[UNWIND_PC], sp = copy.regs.v[UNWIND_SP];
	stack_end();
	look_from(0, sp, END_NO_CODE);
	look_from(UINT64_MAX, sp, END_NO_CODE);
	look_from(sp, sp, END_NO_CODE);
	look_from(pc, 0, END_LOST);
	look_from(pc, 8, END_LOST);
	look_from(pc, UINT64_MAX - 7, END_LOST);
	look_from(pc, UINT64_C(0xffff800000000000), END_LOST);
}

static void nothing_copied_is_cut(void)
{
	stack_start(run_again);
	copy_all_registers(COPY_MAX);
	copy.size = 0;
	copy.whole = false;
	unwind(unwinder, &copy, NULL, &frames);
	expect(frames.n == 1 && frames.end == END_CUT);
	copy.regs.known = 0;
	unwind(unwinder, &copy, NULL, &frames);
	TEST_ASSERT_EQUAL(0, frames.n);
	TEST_ASSERT_EQUAL(END_LOST, frames.end);
	stack_end();
}

static void no_more_frames_than_there_is_room(void)
{
	stack_start(run_again);
	take(false);
	size_t all = frames.n;
	expect(all > 4 && frames.end == END_OUTERMOST);
	for (frames.room = 0; frames.room < 4; frames.room++) {
		unwind(unwinder, &copy, &target.memory, &frames);
		TEST_ASSERT_EQUAL(frames.room, frames.n);
		TEST_ASSERT_EQUAL(END_DEPTH, frames.end);
	}
	frames.room = all;
	unwind(unwinder, &copy, &target.memory, &frames);
	TEST_ASSERT_EQUAL(END_OUTERMOST, frames.end);
	stack_end();
}

static void a_process_that_is_gone_gives_what_is_known(void)
{
	stack_start(run_again);
	copy_all_registers(COPY_MAX);
	kill(target.pid, SIGKILL);
	waitpid(target.pid, NULL, 0);
	unwind(unwinder, &copy, &target.memory, &frames);
	TEST_ASSERT_EQUAL(1, frames.n);
	TEST_ASSERT_NOT_EQUAL(END_OUTERMOST, frames.end);
	stack_end();
}

static void any_words_are_survived(void)
{
	uint32_t seed = 7;
	uint64_t word = 0;
	lie(&word, 1);
	const struct mapping *code = maps_at(&images.maps, copy.regs.v[UNWIND_PC]);
	TEST_ASSERT_NOT_NULL(code);
	for (int round = 0; round < 60; round++) {
		for (size_t i = 0; i < copy.size / 8; i++) {
			seed = seed * 1664525 + 1013904223;
			uint64_t value = seed & 1 ? code->start + (seed >> 1) % (code->end - code->start) : copy.low + (seed >> 8) % copy.size;
			memcpy(copy.bytes + 8 * i, &value, 8);
		}
		seed = seed * 1664525 + 1013904223;
		frame_set(&copy.regs, UNWIND_PC, code->start + (seed >> 1) % (code->end - code->start));
		copy.regs.known = round % 2 ? UINT64_C(1) << UNWIND_SP | UINT64_C(1) << UNWIND_PC : (UINT64_C(1) << UNWIND_REGS) - 1;
		unwind(unwinder, &copy, NULL, &frames);
		TEST_ASSERT_TRUE(frames.n >= 1 && frames.n <= UNWIND_DEPTH_MAX);
	}
	stack_end();
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(a_stack_full_of_one_return_address_ends);
	RUN_TEST(a_stack_full_of_itself_ends);
	RUN_TEST(a_stack_of_nothing_is_outermost_or_short);
	RUN_TEST(registers_that_point_nowhere);
	RUN_TEST(nothing_copied_is_cut);
	RUN_TEST(no_more_frames_than_there_is_room);
	RUN_TEST(a_process_that_is_gone_gives_what_is_known);
	RUN_TEST(any_words_are_survived);
	return UNITY_END();
}
