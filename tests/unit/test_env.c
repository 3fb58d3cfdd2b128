/* SPDX-License-Identifier: MIT */
#include "rocp/env.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "unity.h"

static struct env env;
static struct err err;

void setUp(void)
{
	memset(&err, 0, sizeof err);
}

void tearDown(void)
{
	env_free(&env);
}

static void test_a_name_is_there_once_and_keeps_its_place(void)
{
	TEST_ASSERT_EQUAL(0, env_set(&env, "A", "1", &err));
	TEST_ASSERT_EQUAL(0, env_set(&env, "B", "2", &err));
	TEST_ASSERT_EQUAL(0, env_set(&env, "A", "3", &err));
	TEST_ASSERT_EQUAL(2, env.n);
	TEST_ASSERT_EQUAL_STRING("A", env.v[0].name);
	TEST_ASSERT_EQUAL_STRING("3", env.v[0].value);
	TEST_ASSERT_NULL(env_get(&env, "C"));
}

static void test_many_are_kept(void)
{
	char name[16], value[16];
	for (int i = 0; i < 500; i++) {
		snprintf(name, sizeof name, "N%d", i);
		snprintf(value, sizeof value, "%d", i * 7);
		TEST_ASSERT_EQUAL(0, env_set(&env, name, value, &err));
	}
	TEST_ASSERT_EQUAL(500, env.n);
	TEST_ASSERT_EQUAL_STRING("3493", env_get(&env, "N499"));
}

static void test_append_joins_behind(void)
{
	env_append(&env, "F", "csv", ",", &err);
	TEST_ASSERT_EQUAL_STRING("csv", env_get(&env, "F"));
	env_append(&env, "F", "json", ",", &err);
	TEST_ASSERT_EQUAL_STRING("csv,json", env_get(&env, "F"));
	env_set(&env, "E", "", &err);
	env_append(&env, "E", "x", ":", &err);
	TEST_ASSERT_EQUAL_STRING(":x", env_get(&env, "E"));
}

static void test_unset_takes_one_out(void)
{
	env_set(&env, "A", "1", &err);
	env_set(&env, "B", "2", &err);
	env_set(&env, "C", "3", &err);
	env_unset(&env, "B");
	env_unset(&env, "not there");
	TEST_ASSERT_EQUAL(2, env.n);
	TEST_ASSERT_NULL(env_get(&env, "B"));
	TEST_ASSERT_EQUAL_STRING("3", env_get(&env, "C"));
}

static void test_a_name_is_not_empty_and_has_no_equals(void)
{
	TEST_ASSERT_EQUAL(-1, env_set(&env, "", "1", &err));
	TEST_ASSERT_EQUAL(ERR_USAGE, err.code);
	TEST_ASSERT_EQUAL(-1, env_set(&env, "A=B", "1", &err));
	TEST_ASSERT_EQUAL(ERR_USAGE, err.code);
	TEST_ASSERT_EQUAL(-1, env_append(&env, "=", "1", ":", &err));
	TEST_ASSERT_EQUAL(0, env.n);
}

static void test_what_begins_with_rocp_is_forwarded(void)
{
	TEST_ASSERT_TRUE(env_is_forwarded("ROCPROF_KERNEL_TRACE"));
	TEST_ASSERT_TRUE(env_is_forwarded("ROCPROFILER_LOG_LEVEL"));
	TEST_ASSERT_TRUE(env_is_forwarded("ROCP_TOOL_ATTACH"));
	TEST_ASSERT_TRUE(env_is_forwarded("ROCPROFILER_REGISTER_LIBRARY_X"));
	TEST_ASSERT_FALSE(env_is_forwarded("ROCPROFILER_REGISTER_LIBRARY"));
	TEST_ASSERT_FALSE(env_is_forwarded("ROCP_TOOL_LIBRARIES"));
	TEST_ASSERT_FALSE(env_is_forwarded("ROCTX_LOG_LEVEL"));
	TEST_ASSERT_FALSE(env_is_forwarded("LD_PRELOAD"));
	TEST_ASSERT_FALSE(env_is_forwarded("rocprof"));
	TEST_ASSERT_FALSE(env_is_forwarded("MY_ROCPROF"));
}

static void test_inherited_are_those_forwarded_the_first_of_two(void)
{
	static char lines[][32] = { "HOME=/", "ROCPROF_A=1=2", "ROCPROF_A=3", "=odd", "ROCP_TOOL_LIBRARIES=x",
				    "ROCPROF_EMPTY=", "ROCPnothing" };
	char *caller[] = { lines[0], lines[1], lines[2], lines[3], lines[4], lines[5], lines[6], NULL };
	TEST_ASSERT_EQUAL(0, env_inherit(&env, caller, &err));
	TEST_ASSERT_EQUAL(2, env.n);
	TEST_ASSERT_EQUAL_STRING("1=2", env_get(&env, "ROCPROF_A"));
	TEST_ASSERT_EQUAL_STRING("", env_get(&env, "ROCPROF_EMPTY"));
	TEST_ASSERT_EQUAL(0, env_inherit(&env, NULL, &err));
	TEST_ASSERT_EQUAL(2, env.n);
}

static void test_the_buffer_has_a_count_and_pairs(void)
{
	static const char pairs[] = "A\0one\0ROCPROF_B\0\0";
	void *buffer;
	size_t size;
	uint32_t count;
	env_set(&env, "A", "one", &err);
	env_set(&env, "ROCPROF_B", "", &err);
	TEST_ASSERT_EQUAL(0, env_encode(&env, &buffer, &size, &err));
	memcpy(&count, buffer, sizeof count);
	TEST_ASSERT_EQUAL(2, count);
	TEST_ASSERT_EQUAL(sizeof count + sizeof pairs - 1, size);
	TEST_ASSERT_EQUAL_MEMORY(pairs, (char *)buffer + sizeof count, sizeof pairs - 1);
	free(buffer);
}

static void test_an_empty_environment_is_a_count_of_zero(void)
{
	void *buffer;
	size_t size;
	TEST_ASSERT_EQUAL(0, env_encode(&env, &buffer, &size, &err));
	TEST_ASSERT_EQUAL(4, size);
	TEST_ASSERT_EQUAL_MEMORY("\0\0\0\0", buffer, 4);
	free(buffer);
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_a_name_is_there_once_and_keeps_its_place);
	RUN_TEST(test_many_are_kept);
	RUN_TEST(test_append_joins_behind);
	RUN_TEST(test_unset_takes_one_out);
	RUN_TEST(test_a_name_is_not_empty_and_has_no_equals);
	RUN_TEST(test_what_begins_with_rocp_is_forwarded);
	RUN_TEST(test_inherited_are_those_forwarded_the_first_of_two);
	RUN_TEST(test_the_buffer_has_a_count_and_pairs);
	RUN_TEST(test_an_empty_environment_is_a_count_of_zero);
	return UNITY_END();
}
