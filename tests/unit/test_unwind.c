/* SPDX-License-Identifier: MIT */
/* Stacks of children are what the children noted on their way, with all registers known and with sp and pc alone. */
#include <alloca.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "stack_case.h"
#include "untold_chain.h"

void setUp(void) { }
void tearDown(void) { }

static volatile int zero;
static int (*volatile last)(int n);     /* what each chain calls in the end */
static int (*volatile recurse)(int n);  /* by a pointer, so that nothing says what is called */

static NOINLINE int sleep_here(int n)
{
	NOTE_CALLER();
	pause();
	return n + zero;
}

#define CHAIN(name, ...) \
	static NOINLINE __VA_ARGS__ int name##_three(int n) { NOTE_CALLER(); return last(n + 1) + zero; } \
	static NOINLINE __VA_ARGS__ int name##_two(int n) { NOTE_CALLER(); volatile int x[5] = { n }; return name##_three(n) + x[zero]; } \
	static NOINLINE __VA_ARGS__ int name##_one(int n) { NOTE_CALLER(); return name##_two(n * 3) + zero; }

CHAIN(plain, __attribute__((optimize("O2", "omit-frame-pointer"))))
CHAIN(framed, __attribute__((optimize("O2", "no-omit-frame-pointer"))))
CHAIN(slow, __attribute__((optimize("O0"))))

static NOINLINE int sized(int n)
{
	NOTE_CALLER();
	volatile char *room = alloca((size_t)n * 40 + 16);
	room[0] = (char)n;
	return framed_one(n) + room[zero];
}

/* Where its frame is depends on what it was called with, and on what sp was. */
static NOINLINE int aligned(int n)
{
	NOTE_CALLER();
	_Alignas(128) volatile char place[128];
	volatile char *room = alloca((size_t)n * 24 + 8);
	place[0] = room[0] = (char)n;
	return plain_one(n) + place[zero] + room[zero];
}

static NOINLINE int deep(int n)
{
	NOTE_CALLER();
	volatile int kept = n;
	return n ? recurse(n - 1) + kept : last(n) + kept;
}

static void run_plain(void) { last = sleep_here; plain_one(1); }
static void run_framed(void) { last = sleep_here; framed_one(1); }
static void run_slow(void) { last = sleep_here; slow_one(1); }
static void run_sized(void) { last = sleep_here; sized(5); }
static void run_aligned(void) { last = sleep_here; aligned(3); }
static void run_deep(void) { last = sleep_here; recurse = deep; deep(600); }

static void check_chain(void (*body)(void), unsigned n)
{
	for (int outside = 0; outside < 2; outside++) {
		stack_start(body);
		take(outside);
		expect_chain(n);
		expect_end(END_OUTERMOST);
		TEST_ASSERT_EQUAL(FRAME_TOP, frame[0].how);
		TEST_ASSERT_TRUE(frame[0].exact);
		stack_end();
	}
}

static void without_frame_pointers(void) { check_chain(run_plain, 4); }
static void with_frame_pointers(void) { check_chain(run_framed, 4); }
static void not_optimized(void) { check_chain(run_slow, 4); }
static void with_a_frame_of_a_size_that_is_made_at_run_time(void) { check_chain(run_sized, 5); }
static void with_a_frame_that_is_aligned(void) { check_chain(run_aligned, 5); }
static void six_hundred_calls_deep(void) { check_chain(run_deep, 602); }

/* The chain's end calls one that goes on by another chain: all kinds in one stack. */
static int go_on(int n) { NOTE_CALLER(); last = sleep_here; return sized(n) + zero; }
static void run_all(void) { last = go_on; slow_one(2); }
static void all_kinds_in_one_stack(void) { check_chain(run_all, 9); }

/* Its last instruction is a call, so what that would return to is none of its own. */
static NOINLINE _Noreturn void sleep_for_good(int n)
{
	NOTE_CALLER();
	for (;;)
		zero = sleep_here(n) - n;
}

static NOINLINE void ends_in_a_call(int n)
{
	NOTE_CALLER();
	volatile char room[200];
	room[zero] = (char)n;
	sleep_for_good(room[zero]);
}

static void run_ended(void) { ends_in_a_call(1); }

static void through_a_call_at_the_end_of_a_function(void)
{
	size_t at = 0;
	check_chain(run_ended, 3);
	stack_start(run_ended);
	take(true);
	while (at < frames.n && frame[at].pc != truth->ra[1])
		at++;
	TEST_ASSERT_TRUE(at + 1 < frames.n);
	TEST_ASSERT_EQUAL(FRAME_CFI, frame[at + 1].how);
	stack_end();
}

int (*volatile untold_last)(int n);

void untold_note(uint64_t ra)
{
	truth->ra[truth->n++] = arch_unwind_strip(ra);
}

static void run_untold(void)
{
	untold_last = sleep_here;
	last = untold_one;
	framed_one(1);
}

static void by_frame_pointers_alone(void)
{
	check_chain(run_untold, 7);
	size_t by_pointer = 0;
	for (size_t i = 0; i < frames.n; i++)
		by_pointer += frame[i].how == FRAME_POINTER;
	TEST_ASSERT_TRUE(by_pointer > 0);
}

/* The C library has no tables: its sort calls back. */
static int compare(const void *a, const void *b)
{
	NOTE_CALLER();
	(void)a;
	(void)b;
	return sleep_here(3) + zero;
}

static NOINLINE void sort_something(int n)
{
	NOTE_CALLER();
	int v[] = { 3, 1, 2, n };
	qsort(v, 4, sizeof v[0], compare);
	zero = v[0] - v[0];
}

static void run_sort(void) { sort_something(9); }

static void through_code_without_tables(void)
{
	for (int outside = 0; outside < 2; outside++) {
		stack_start(run_sort);
		take(outside);
		expect_order();
		expect_end(END_OUTERMOST);
		stack_end();
	}
}

static int alternate_size;      /* 0: the handler is on the same stack */
static void (*used_handler)(int number);

static void handler(int number)
{
	NOTE_CALLER();
	(void)number;
	zero = slow_one(7) + zero;
}

static NOINLINE void interrupted(int n)
{
	NOTE_CALLER();
	if (alternate_size) {
		stack_t stack = { .ss_size = (size_t)alternate_size };
		stack.ss_sp = mmap(NULL, stack.ss_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		sigaltstack(&stack, NULL);
	}
	struct sigaction action = { .sa_handler = used_handler, .sa_flags = alternate_size ? SA_ONSTACK : 0 };
	sigaction(SIGUSR1, &action, NULL);
	last = untold_last = sleep_here;
	raise(SIGUSR1);
	zero = n - n;
}

static void run_signal(void) { interrupted(3); }

static void expect_signal(void)
{
	size_t signals = 0;
	expect_order();
	for (size_t i = 0; i < frames.n; i++) {
		signals += frame[i].how == FRAME_SIGNAL;
		/* so is the code before it, which ends the handler */
		bool exact = i == 0 || frame[i].how == FRAME_SIGNAL || (i + 1 < frames.n && frame[i + 1].how == FRAME_SIGNAL);
		expect(frame[i].exact == exact);
	}
	expect(signals == 1);
	expect_end(END_OUTERMOST);
}

static void check_handler(void (*which)(int number))
{
	used_handler = which;
	for (int alternate = 0; alternate < 2; alternate++) {
		for (int outside = 0; outside < 2; outside++) {
			alternate_size = alternate * 65536;
			stack_start(run_signal);
			take(outside);
			expect_signal();
			stack_end();
		}
	}
}

static void through_a_signal_handler(void) { check_handler(handler); }
static void through_a_signal_handler_without_tables(void) { check_handler(untold_handler); }

static void copy_second_stack(void)
{
	const struct mapping *m = maps_at(&images.maps, frames.end_sp);
	TEST_ASSERT_NOT_NULL(m);
	copy.second_low = frames.end_sp;
	copy.second_size = m->end - frames.end_sp;
	TEST_ASSERT_TRUE(copy.size + copy.second_size <= COPY_MAX);
	TEST_ASSERT_EQUAL(0, memory_read(&target.memory, copy.second_low, copy.bytes + copy.size, copy.second_size, &err));
}

static void another_stack_is_said_to_be_cut_until_it_is_copied(void)
{
	for (int outside = 0; outside < 2; outside++) {
		alternate_size = 65536;
		used_handler = handler;
		stack_start(run_signal);
		if (outside)
			copy_from_outside(COPY_MAX);
		else
			copy_all_registers(COPY_MAX);
		unwind(unwinder, &copy, NULL, &frames);
		expect_end(END_CUT);
		expect(frame[frames.n - 1].how == FRAME_SIGNAL);
		expect(frames.end_sp - copy.low > copy.size);
		copy_second_stack();
		unwind(unwinder, &copy, NULL, &frames);
		expect_signal();
		copy.second_size = 0;
		stack_end();
	}
}

static void what_was_not_copied_is_read_from_the_process(void)
{
	stack_start(run_deep);
	copy_all_registers(4096);
	TEST_ASSERT_FALSE(copy.whole);
	unwind(unwinder, &copy, NULL, &frames);
	expect_end(END_CUT);
	TEST_ASSERT_TRUE(frames.n > 10 && frames.n < 600);
	unwind(unwinder, &copy, &target.memory, &frames);
	expect_chain(602);
	expect_end(END_OUTERMOST);
	stack_end();
}

static void what_is_kept_gives_the_same_again(void)
{
	struct frame first[64];
	stack_start(run_all);
	take(true);
	size_t n = frames.n;
	TEST_ASSERT_TRUE(n < 64);
	memcpy(first, frame, n * sizeof first[0]);
	for (int i = 0; i < 3; i++) {
		if (i == 2)
			TEST_ASSERT_EQUAL(0, unwinder_renew(unwinder, &err));
		memset(frame, 0, sizeof frame);
		unwind(unwinder, &copy, &target.memory, &frames);
		TEST_ASSERT_EQUAL(n, frames.n);
		for (size_t k = 0; k < n; k++)
			TEST_ASSERT_TRUE(first[k].pc == frame[k].pc && first[k].how == frame[k].how && first[k].exact == frame[k].exact);
	}
	images_close(&images);
	TEST_ASSERT_EQUAL(0, images_open(&images, &target, &err));
	TEST_ASSERT_EQUAL(0, unwinder_renew(unwinder, &err));
	unwind(unwinder, &copy, &target.memory, &frames);
	TEST_ASSERT_EQUAL(n, frames.n);
	stack_end();
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(without_frame_pointers);
	RUN_TEST(with_frame_pointers);
	RUN_TEST(not_optimized);
	RUN_TEST(with_a_frame_of_a_size_that_is_made_at_run_time);
	RUN_TEST(with_a_frame_that_is_aligned);
	RUN_TEST(six_hundred_calls_deep);
	RUN_TEST(all_kinds_in_one_stack);
	RUN_TEST(through_a_call_at_the_end_of_a_function);
	RUN_TEST(by_frame_pointers_alone);
	RUN_TEST(through_code_without_tables);
	RUN_TEST(through_a_signal_handler);
	RUN_TEST(through_a_signal_handler_without_tables);
	RUN_TEST(another_stack_is_said_to_be_cut_until_it_is_copied);
	RUN_TEST(what_was_not_copied_is_read_from_the_process);
	RUN_TEST(what_is_kept_gives_the_same_again);
	return UNITY_END();
}
