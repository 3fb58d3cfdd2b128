/* SPDX-License-Identifier: MIT */
/* What a stopped thread was doing, and registers that do it again.  The
 * registers are made up in tests/unit/CPU/restart_cases.h. */
#include <string.h>

#include "restart_cases.h"
#include "unity.h"

#define CASES(one) \
	for (const struct restart_case *one = cases; one < cases + sizeof cases / sizeof cases[0]; one++)

void setUp(void) {}
void tearDown(void) {}

static const uint8_t *code_of(const struct restart_case *one)
{
	return (const uint8_t *)one->code + ARCH_CODE_BEFORE;
}

static void test_what_a_stopped_thread_was_doing_is_told(void)
{
	CASES(one) {
		long nr = -77;
		TEST_ASSERT_EQUAL_MESSAGE(one->how, arch_interrupted(&one->regs, code_of(one), &one->seen, &nr), one->what);
		if (one->how != ARCH_NOT_IN_CALL)
			TEST_ASSERT_EQUAL_MESSAGE(one->nr, nr, one->what);
	}
}

static void test_calls_whose_way_on_is_hidden_must_be_settled(void)
{
	CASES(one)
		TEST_ASSERT_EQUAL_MESSAGE(one->settle ? one->nr : 0, arch_must_settle(&one->regs, code_of(one)), one->what);
}

static struct regs reissued(const struct restart_case *one)
{
	struct regs regs = one->regs;
	arch_reissue(&regs, one->how, one->nr, arg0_of(one));
	return regs;
}

static void test_a_call_issued_anew_is_the_same_call(void)
{
	CASES(one) {
		struct regs regs = reissued(one);
		if (one->how == ARCH_NOT_IN_CALL)
			continue;
		TEST_ASSERT_EQUAL_HEX64_MESSAGE(instruction_of(one), arch_pc(&regs), one->what);
		TEST_ASSERT_EQUAL_MESSAGE(one->nr, number_in(&regs), one->what);
		TEST_ASSERT_EQUAL_HEX64_MESSAGE(arch_sp(&one->regs), arch_sp(&regs), one->what);
		TEST_ASSERT_EQUAL_HEX64_MESSAGE(arg0_of(one), arch_arg(&regs, 0), one->what);
		for (unsigned i = 1; i < 6; i++)
			TEST_ASSERT_EQUAL_HEX64_MESSAGE(arch_arg(&one->regs, i), arch_arg(&regs, i), one->what);
	}
}

static void test_one_that_is_in_no_call_stays_as_it_is(void)
{
	unsigned seen = 0;
	CASES(one) {
		struct regs regs = reissued(one);
		if (one->how != ARCH_NOT_IN_CALL)
			continue;
		TEST_ASSERT_EQUAL_MEMORY_MESSAGE(&one->regs, &regs, sizeof regs, one->what);
		seen++;
	}
	TEST_ASSERT_TRUE(seen >= 3);
}

static void test_a_call_that_answers_eintr_is_behind_its_instruction(void)
{
	CASES(one) {
		struct regs regs = reissued(one);
		if (one->how == ARCH_NOT_IN_CALL)
			continue;
		arch_answer_eintr(&regs);
		TEST_ASSERT_EQUAL_HEX64_MESSAGE(instruction_of(one) + ARCH_SYSCALL_SIZE, arch_pc(&regs), one->what);
		TEST_ASSERT_EQUAL_MESSAGE(-EINTR, (long)arch_result(&regs), one->what);
		for (unsigned i = 1; i < 6; i++)
			TEST_ASSERT_EQUAL_HEX64_MESSAGE(arch_arg(&one->regs, i), arch_arg(&regs, i), one->what);
	}
}

static void test_who_restarts_is_known(void)
{
	TEST_ASSERT_EQUAL(KERNEL_RESTARTS, arch_kernel_restarts(ARCH_RESTARTS));
	TEST_ASSERT_EQUAL(KERNEL_RESTARTS, arch_kernel_restarts(ARCH_RESTART_BLOCK));
	TEST_ASSERT_FALSE(arch_kernel_restarts(ARCH_EINTR));
	TEST_ASSERT_FALSE(arch_kernel_restarts(ARCH_NOT_IN_CALL));
}

/* signal(7), "Interruption of system calls and library functions by stop signals" */
static void test_only_calls_that_have_done_nothing_may_be_repeated(void)
{
	static const long may[] = { __NR_epoll_pwait, __NR_rt_sigtimedwait, __NR_semop, __NR_semtimedop,
				    __NR_io_getevents, __NR_recvfrom, __NR_recvmsg, __NR_sendto, __NR_accept,
				    __NR_read, __NR_write };
	static const long may_not[] = { __NR_connect, __NR_close, __NR_nanosleep, __NR_openat, __NR_futex,
					__NR_ppoll, __NR_wait4, __NR_restart_syscall, __NR_execve, -1, 100000 };
	for (size_t i = 0; i < sizeof may / sizeof may[0]; i++)
		TEST_ASSERT_TRUE_MESSAGE(restart_may_repeat(may[i]), "may");
	for (size_t i = 0; i < sizeof may_not / sizeof may_not[0]; i++)
		TEST_ASSERT_FALSE_MESSAGE(restart_may_repeat(may_not[i]), "may not");
}

static void test_calls_that_a_handler_ends_are_told_from_those_that_go_on(void)
{
	static const long never[] = { __NR_ppoll, __NR_pselect6, __NR_rt_sigsuspend, __NR_nanosleep,
				      __NR_clock_nanosleep, __NR_msgrcv, __NR_msgsnd };
	static const long by_flag[] = { __NR_read, __NR_futex, __NR_wait4, __NR_accept, __NR_flock };
	for (size_t i = 0; i < sizeof never / sizeof never[0]; i++)
		TEST_ASSERT_TRUE(restart_never_after_handler(never[i]));
	for (size_t i = 0; i < sizeof by_flag / sizeof by_flag[0]; i++)
		TEST_ASSERT_FALSE(restart_never_after_handler(by_flag[i]));
}

static void test_arguments_are_set_where_they_are_read(void)
{
	struct regs regs = cases[0].regs;
	for (unsigned i = 0; i < 6; i++)
		arch_arg_set(&regs, i, 1000 + i);
	for (unsigned i = 0; i < 6; i++)
		TEST_ASSERT_EQUAL_HEX64(1000 + i, arch_arg(&regs, i));
	TEST_ASSERT_EQUAL_HEX64(arch_pc(&cases[0].regs), arch_pc(&regs));
	TEST_ASSERT_EQUAL_HEX64(arch_sp(&cases[0].regs), arch_sp(&regs));
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_what_a_stopped_thread_was_doing_is_told);
	RUN_TEST(test_calls_whose_way_on_is_hidden_must_be_settled);
	RUN_TEST(test_a_call_issued_anew_is_the_same_call);
	RUN_TEST(test_one_that_is_in_no_call_stays_as_it_is);
	RUN_TEST(test_a_call_that_answers_eintr_is_behind_its_instruction);
	RUN_TEST(test_who_restarts_is_known);
	RUN_TEST(test_only_calls_that_have_done_nothing_may_be_repeated);
	RUN_TEST(test_calls_that_a_handler_ends_are_told_from_those_that_go_on);
	RUN_TEST(test_arguments_are_set_where_they_are_read);
	return UNITY_END();
}
