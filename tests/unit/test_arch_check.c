/* SPDX-License-Identifier: MIT */
/* What we let run in a target, and what we do not, by its machine code.  The
 * code is in tests/unit/CPU/code_samples.h. */
#include <stdio.h>

#include "code_samples.h"
#include "unity.h"

#define TRAMPOLINE_MAX 1024

static struct err err;
static uint8_t code[TRAMPOLINE_MAX];
static size_t size;

/* A fresh copy, at the end of which nothing can be read by mistake. */
static void copy_trampoline(void)
{
	size = (size_t)(trampoline_end - trampoline_start);
	TEST_ASSERT_TRUE(size > 100 && size <= sizeof code);
	memset(code, 0xff, sizeof code);
	memcpy(code, trampoline_start, size);
}

void setUp(void)
{
	memset(&err, 0, sizeof err);
	copy_trampoline();
}

void tearDown(void) {}

static void expect_refused(const char *what, size_t at)
{
	char text[128];
	snprintf(text, sizeof text, "%s at +0x%zx was accepted", what, at);
	memset(&err, 0, sizeof err);
	TEST_ASSERT_EQUAL_MESSAGE(-1, arch_trampoline_check(code, size, &err), text);
	TEST_ASSERT_EQUAL_MESSAGE(ERR_FAILED, err.code, text);
	TEST_ASSERT_TRUE_MESSAGE(strstr(err.text, "trampoline"), err.text);
}

/* Put new code over one instruction.  False: it has no room there. */
static bool replace(size_t at, const uint8_t *with, size_t length)
{
	size_t room = instruction_size(code + at, size - at);
	TEST_ASSERT_TRUE(room > 0);
	if (length > room)
		return false;
	memset(code + at, FILLER, room);
	memcpy(code + at, with, length);
	return true;
}

static void test_the_trampoline_is_accepted(void)
{
	TEST_ASSERT_EQUAL_MESSAGE(0, arch_trampoline_check(trampoline_start, size, &err), err.text);
}

static void test_its_parts_lie_inside_it_and_begin_with_an_instruction(void)
{
	const uint8_t *const parts[] = { trampoline_fresh, trampoline_borrowed, trampoline_marker,
					 trampoline_recover };
	for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
		size_t at = 0, part = (size_t)(parts[i] - trampoline_start);
		TEST_ASSERT_TRUE(parts[i] >= trampoline_start && parts[i] < trampoline_end);
		while (at < part)
			at += instruction_size(code + at, size - at);
		TEST_ASSERT_EQUAL(part, at);
	}
}

static void test_a_foreign_instruction_at_any_place_is_refused(void)
{
	unsigned tried = 0;
	SAMPLES(foreign, one) {
		for (size_t at = 0; at < size;) {
			size_t next = at + instruction_size(code + at, size - at);
			if (replace(at, one->code, one->size)) {
				expect_refused(one->what, at);
				copy_trampoline();
				tried++;
			}
			at = next;
		}
	}
	TEST_ASSERT_TRUE(tried > 300);
}

static void test_a_jump_outside_from_any_place_is_refused(void)
{
	const int64_t outside[] = { -1000000, -4, (int64_t)size, 4096, 1000000 };
	unsigned tried = 0;
	for (size_t at = 0; at < size;) {
		size_t next = at + instruction_size(code + at, size - at);
		for (unsigned i = 0; i < 5 * JUMP_FORMS; i++) {
			uint8_t jump[16];
			size_t length = make_jump(jump, i / 5, outside[i % 5] - (int64_t)at);
			if (length && replace(at, jump, length)) {
				expect_refused("a jump outside", at);
				copy_trampoline();
				tried++;
			}
		}
		at = next;
	}
	TEST_ASSERT_TRUE(tried > 100);
}

static void test_a_jump_inside_is_accepted(void)
{
	uint8_t jump[16];
	for (unsigned form = 0; form < JUMP_FORMS; form++)
		for (size_t at = 0, next; at < size; at = next) {
			next = at + instruction_size(code + at, size - at);
			size_t length = make_jump(jump, form, -(int64_t)at);
			/* a conditional one in the last place would run off the end */
			if (!length || next == size || !replace(at, jump, length))
				continue;
			TEST_ASSERT_EQUAL_MESSAGE(0, arch_trampoline_check(code, size, &err), err.text);
			copy_trampoline();
		}
}

static void test_a_trampoline_cut_in_an_instruction_is_refused(void)
{
	for (size_t at = 0; at < size; at += instruction_size(code + at, size - at)) {
		size_t whole = size, length = instruction_size(code + at, size - at);
		for (size = at + 1; size < at + length; size++)
			expect_refused("a cut", size);
		size = whole;
	}
}

static void test_a_trampoline_cut_between_instructions_is_refused(void)
{
	size_t whole = size;
	for (size_t at = 0; at < whole; at += instruction_size(code + at, whole - at)) {
		size = at;
		expect_refused("a cut", at);
	}
}

static void test_functions_that_begin_sanely_are_accepted(void)
{
	SAMPLES(sane_functions, one)
		TEST_ASSERT_EQUAL_MESSAGE(0, arch_function_check(one->code, one->size, false, &err), one->what);
}

static void test_zeros_traps_and_what_is_no_code_are_refused(void)
{
	SAMPLES(insane_functions, one) {
		memset(&err, 0, sizeof err);
		TEST_ASSERT_EQUAL_MESSAGE(-1, arch_function_check(one->code, one->size, false, &err), one->what);
		TEST_ASSERT_EQUAL_MESSAGE(ERR_NOT_POSSIBLE, err.code, one->what);
		TEST_ASSERT_TRUE_MESSAGE(err.text[0], one->what);
	}
}

static void test_where_branch_targets_are_marked_a_function_begins_with_one(void)
{
	SAMPLES(guarded_functions, one)
		TEST_ASSERT_EQUAL_MESSAGE(0, arch_function_check(one->code, one->size, true, &err), one->what);
	SAMPLES(unguarded_functions, one) {
		TEST_ASSERT_EQUAL_MESSAGE(0, arch_function_check(one->code, one->size, false, &err), one->what);
		TEST_ASSERT_EQUAL_MESSAGE(-1, arch_function_check(one->code, one->size, true, &err), one->what);
		TEST_ASSERT_EQUAL(ERR_NOT_POSSIBLE, err.code);
		TEST_ASSERT_TRUE_MESSAGE(strstr(err.text, "BTI"), err.text);
	}
}

static void test_system_call_and_restore_instructions_are_recognised(void)
{
	SAMPLES(syscalls, one)
		TEST_ASSERT_TRUE_MESSAGE(arch_gadget_is_syscall(one->code), one->what);
	SAMPLES(no_syscalls, one)
		TEST_ASSERT_FALSE_MESSAGE(arch_gadget_is_syscall(one->code), one->what);
	SAMPLES(restores, one)
		TEST_ASSERT_TRUE_MESSAGE(arch_gadget_is_restore(one->code), one->what);
	SAMPLES(no_restores, one)
		TEST_ASSERT_FALSE_MESSAGE(arch_gadget_is_restore(one->code), one->what);
}

static void test_a_scan_finds_the_first_of_each_and_keeps_what_it_has(void)
{
	enum { BASE = 0x10000, FIRST = 64, SECOND = 128, LAST = 256 };
	uint8_t text[LAST] = { 0 };
	struct gadgets found = { 0 };
	memcpy(text + FIRST, syscalls[0].code, syscalls[0].size);
	memcpy(text + SECOND, syscalls[0].code, syscalls[0].size);
	memcpy(text + LAST - restores[0].size, restores[0].code, restores[0].size);

	arch_gadgets_scan(&found, text, sizeof text - 1, BASE);
	TEST_ASSERT_EQUAL_HEX64(BASE + FIRST, found.syscall);
	TEST_ASSERT_EQUAL_HEX64(0, found.restore);
	arch_gadgets_scan(&found, text + SECOND, sizeof text - SECOND, BASE + SECOND);
	TEST_ASSERT_EQUAL_HEX64(BASE + FIRST, found.syscall);
	TEST_ASSERT_EQUAL_HEX64(BASE + LAST - restores[0].size, found.restore);
	arch_gadgets_scan(&found, text, 0, BASE);
}

/* The code alone in its text, which lies behind what cannot be read. */
static bool leads(const struct sample *one)
{
	const uint64_t base = 0x400000;
	uint8_t text[sizeof one->code];
	struct regs regs = leading_regs(base);
	memcpy(text, one->code, one->size);
	return arch_leads_to_exit(&regs, text, one->size, base);
}

static void test_the_ends_of_threads_in_glibc_and_musl_lead_to_exit(void)
{
	SAMPLES(leading, one)
		TEST_ASSERT_TRUE_MESSAGE(leads(one), one->what);
}

static void test_what_touches_memory_loops_or_calls_otherwise_does_not_lead_to_exit(void)
{
	SAMPLES(not_leading, one)
		TEST_ASSERT_FALSE_MESSAGE(leads(one), one->what);
}

static void test_a_thread_outside_the_text_does_not_lead_to_exit(void)
{
	struct regs before = leading_regs(0x3ffffc), behind = leading_regs(0x400000 + leading[0].size);
	TEST_ASSERT_FALSE(arch_leads_to_exit(&before, leading[0].code, leading[0].size, 0x400000));
	TEST_ASSERT_FALSE(arch_leads_to_exit(&behind, leading[0].code, leading[0].size, 0x400000));
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_the_trampoline_is_accepted);
	RUN_TEST(test_its_parts_lie_inside_it_and_begin_with_an_instruction);
	RUN_TEST(test_a_foreign_instruction_at_any_place_is_refused);
	RUN_TEST(test_a_jump_outside_from_any_place_is_refused);
	RUN_TEST(test_a_jump_inside_is_accepted);
	RUN_TEST(test_a_trampoline_cut_in_an_instruction_is_refused);
	RUN_TEST(test_a_trampoline_cut_between_instructions_is_refused);
	RUN_TEST(test_functions_that_begin_sanely_are_accepted);
	RUN_TEST(test_zeros_traps_and_what_is_no_code_are_refused);
	RUN_TEST(test_where_branch_targets_are_marked_a_function_begins_with_one);
	RUN_TEST(test_system_call_and_restore_instructions_are_recognised);
	RUN_TEST(test_a_scan_finds_the_first_of_each_and_keeps_what_it_has);
	RUN_TEST(test_the_ends_of_threads_in_glibc_and_musl_lead_to_exit);
	RUN_TEST(test_what_touches_memory_loops_or_calls_otherwise_does_not_lead_to_exit);
	RUN_TEST(test_a_thread_outside_the_text_does_not_lead_to_exit);
	return UNITY_END();
}
