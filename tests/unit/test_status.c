/* SPDX-License-Identifier: MIT */
#include "rocp/status.h"

#include <string.h>

#include "elf/err.h"
#include "unity.h"

void setUp(void)
{
}

void tearDown(void)
{
}

/* rocprofiler-register.h gives these numbers to these names. */
static void test_every_code_has_upstreams_number_and_name(void)
{
	static const char *const names[] = {
		"SUCCESS", "NO_TOOLS", "DEADLOCK", "BAD_API_TABLE_LENGTH", "UNSUPPORTED_API", "INVALID_API_ADDRESS",
		"ROCPROFILER_ERROR", "EXCESS_API_INSTANCES", "INVALID_ARGUMENT", "ATTACHMENT_NOT_AVAILABLE",
	};
	TEST_ASSERT_EQUAL(10, REGISTER_STATUS_COUNT);
	for (unsigned i = 0; i < REGISTER_STATUS_COUNT; i++) {
		const char *name = register_status_name(i);
		TEST_ASSERT_EQUAL_STRING_LEN_MESSAGE("ROCP_REG_", name, 9, name);
		TEST_ASSERT_EQUAL_STRING(names[i], name + 9);
	}
}

static void test_every_failure_says_what_and_what_to_do(void)
{
	for (unsigned i = 1; i < REGISTER_STATUS_COUNT; i++) {
		TEST_ASSERT_TRUE_MESSAGE(strlen(register_status_text(i)) > 20, register_status_name(i));
		TEST_ASSERT_TRUE_MESSAGE(strlen(register_status_remedy(i)) > 20, register_status_name(i));
		/* it must fit into an error */
		TEST_ASSERT_TRUE(strlen(register_status_remedy(i)) < sizeof ((struct err *)0)->remedy);
		for (unsigned j = 1; j < i; j++)
			TEST_ASSERT_NOT_EQUAL(0, strcmp(register_status_text(i), register_status_text(j)));
	}
	TEST_ASSERT_EQUAL_STRING("", register_status_remedy(REGISTER_SUCCESS));
}

static void test_the_deadly_neighbours_name_their_remedies(void)
{
	TEST_ASSERT_NOT_NULL(strstr(register_status_remedy(REGISTER_ATTACHMENT_NOT_AVAILABLE), "ROCP_TOOL_ATTACH=1"));
	TEST_ASSERT_NOT_NULL(strstr(register_status_remedy(REGISTER_ATTACHMENT_NOT_AVAILABLE), "--late"));
	TEST_ASSERT_NOT_NULL(strstr(register_status_remedy(REGISTER_INVALID_ARGUMENT), "same path"));
	TEST_ASSERT_NOT_NULL(strstr(register_status_text(REGISTER_ROCPROFILER_ERROR), "rocprofiler_configure_attach"));
}

static void test_a_code_that_is_not_known_is_said_to_be_so(void)
{
	TEST_ASSERT_EQUAL_STRING("no status that we know", register_status_name(17));
	TEST_ASSERT_EQUAL_STRING("no status that we know", register_status_name(~0u));
	TEST_ASSERT_NOT_NULL(strstr(register_status_text(10), "newer"));
	TEST_ASSERT_EQUAL_STRING("", register_status_remedy(10));
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_every_code_has_upstreams_number_and_name);
	RUN_TEST(test_every_failure_says_what_and_what_to_do);
	RUN_TEST(test_the_deadly_neighbours_name_their_remedies);
	RUN_TEST(test_a_code_that_is_not_known_is_said_to_be_so);
	return UNITY_END();
}
