/* SPDX-License-Identifier: MIT */
/* What the unwinder knows of the CPU: calls, jumps, prologues, and the registers that the kernel saves. */
#include <signal.h>
#include <string.h>
#include <ucontext.h>

#include "arch/unwind.h"
#include "unity.h"

#define CODE(...) { __VA_ARGS__ }, sizeof((const uint8_t[]){ __VA_ARGS__ })

struct call_sample { const char *name; uint8_t code[32]; size_t size; bool is_call; uint64_t target, slot; };
struct jump_sample { const char *name; uint8_t code[24]; size_t size; uint64_t target, slot; };
struct follow_sample { const char *name; uint8_t code[32]; size_t size; bool told; int64_t depth, ra_at, fp_at; };

#include "unwind_samples.h"

#define N(array) (sizeof array / sizeof array[0])

void setUp(void) { }
void tearDown(void) { }

static void calls_before_a_return_address_are_known(void)
{
	for (size_t i = 0; i < N(calls); i++) {
		uint64_t target = 1;
		bool is_call = arch_unwind_is_call(calls[i].code, calls[i].size, AFTER, &target);
		TEST_ASSERT_EQUAL_MESSAGE(calls[i].is_call, is_call, calls[i].name);
		TEST_ASSERT_EQUAL_HEX64_MESSAGE(calls[i].target, target, calls[i].name);
		TEST_ASSERT_EQUAL_HEX64_MESSAGE(calls[i].slot, arch_unwind_call_slot(calls[i].code, calls[i].size, AFTER), calls[i].name);
	}
}

static void stubs_that_jump_on_are_known(void)
{
	for (size_t i = 0; i < N(jumps); i++) {
		uint64_t target = 1, slot = 1;
		bool is_jump = arch_unwind_is_jump(jumps[i].code, jumps[i].size, AT, &target, &slot);
		TEST_ASSERT_EQUAL_MESSAGE(jumps[i].target || jumps[i].slot, is_jump, jumps[i].name);
		TEST_ASSERT_EQUAL_HEX64_MESSAGE(jumps[i].target, target, jumps[i].name);
		TEST_ASSERT_EQUAL_HEX64_MESSAGE(jumps[i].slot, slot, jumps[i].name);
	}
}

static void prologues_are_followed(void)
{
	for (size_t i = 0; i < N(follows); i++) {
		struct unwind_entered entered;
		bool told = arch_unwind_follow(follows[i].code, follows[i].size, &entered);
		TEST_ASSERT_EQUAL_MESSAGE(follows[i].told, told, follows[i].name);
		if (!told)
			continue;
		TEST_ASSERT_EQUAL_INT64_MESSAGE(follows[i].depth, entered.depth, follows[i].name);
		TEST_ASSERT_EQUAL_INT64_MESSAGE(follows[i].ra_at, entered.ra_at, follows[i].name);
		TEST_ASSERT_EQUAL_INT64_MESSAGE(follows[i].fp_at, entered.fp_at, follows[i].name);
	}
}

static void any_bytes_can_be_followed(void)
{
	uint8_t code[256];
	uint32_t seed = 1;
	for (int round = 0; round < 20000; round++) {
		struct unwind_entered entered;
		for (size_t i = 0; i < sizeof code; i++)
			code[i] = (uint8_t)((seed = seed * 1664525 + 1013904223) >> 24);
		if (arch_unwind_follow(code, (size_t)round % sizeof code, &entered)) {
			TEST_ASSERT_TRUE(entered.depth >= 0);
			TEST_ASSERT_TRUE(entered.ra_at <= entered.depth && entered.fp_at <= entered.depth);
		}
	}
}

static void the_ends_of_handlers_and_threads_are_known(void)
{
	static const uint8_t nothing[16] = { 0 };
	for (size_t i = 0; i < N(sigreturn_code); i++)
		TEST_ASSERT_TRUE(arch_unwind_is_sigreturn(sigreturn_code[i]));
	TEST_ASSERT_FALSE(arch_unwind_is_sigreturn(nothing));
	TEST_ASSERT_FALSE(arch_unwind_is_sigreturn(exit_code));
	TEST_ASSERT_TRUE(arch_unwind_is_exit(exit_code));
	TEST_ASSERT_FALSE(arch_unwind_is_exit(nothing));
	TEST_ASSERT_FALSE(arch_unwind_is_exit(sigreturn_code[0]));
}

static void perf_gives_registers_in_the_kernels_order(void)
{
	uint64_t values[UNWIND_REGS];
	struct frame_regs frame;
	TEST_ASSERT_EQUAL(UNWIND_REGS, N(perf_order));
	TEST_ASSERT_EQUAL(UNWIND_REGS, __builtin_popcountll(UNWIND_PERF_MASK));
	for (unsigned i = 0; i < UNWIND_REGS; i++)
		values[i] = 1000 + i;
	arch_unwind_perf(values, &frame);
	for (unsigned i = 0; i < UNWIND_REGS; i++) {
		TEST_ASSERT_TRUE(frame_knows(&frame, perf_order[i]));
		TEST_ASSERT_EQUAL(1000 + i, frame.v[perf_order[i]]);
	}
	TEST_ASSERT_FALSE(frame_knows(&frame, UNWIND_REGS));
}

/* In a real handler: the context that the kernel gave it says what the offsets must say. */
static volatile uint64_t seen_pc, seen_sp;
static uintptr_t frame_at;

static void handler(int number, siginfo_t *info, void *context)
{
	const uint8_t *ucontext = context;
	(void)number;
	(void)info;
	/* Of what lies at sp when the handler has returned, the ucontext is at 0 or behind the siginfo. */
	frame_at = (uintptr_t)ucontext - (UNWIND_RA == UNWIND_PC ? 0 : 128);
	memcpy((void *)&seen_pc, (const uint8_t *)frame_at + arch_unwind_sigcontext(UNWIND_PC), 8);
	memcpy((void *)&seen_sp, (const uint8_t *)frame_at + arch_unwind_sigcontext(UNWIND_SP), 8);
}

static void the_kernels_frame_has_registers_where_we_think(void)
{
	struct sigaction action = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO };
	int here;
	sigaction(SIGUSR1, &action, NULL);
	raise(SIGUSR1);
	/* sp is below this frame's variables, and above the handler's frame */
	TEST_ASSERT_TRUE(seen_sp > frame_at && seen_sp < (uintptr_t)&here + 4096);
	TEST_ASSERT_TRUE(seen_pc != 0);
	TEST_ASSERT_EQUAL(-1, arch_unwind_sigcontext(UNWIND_REGS));
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(calls_before_a_return_address_are_known);
	RUN_TEST(stubs_that_jump_on_are_known);
	RUN_TEST(prologues_are_followed);
	RUN_TEST(any_bytes_can_be_followed);
	RUN_TEST(the_ends_of_handlers_and_threads_are_known);
	RUN_TEST(perf_gives_registers_in_the_kernels_order);
	RUN_TEST(the_kernels_frame_has_registers_where_we_think);
	return UNITY_END();
}
