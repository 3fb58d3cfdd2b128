/* SPDX-License-Identifier: MIT */
/* Whom to wait for, and how long. */
#include "request_case.h"

void setUp(void) {}

void tearDown(void)
{
	request_free(&request);
}

static void test_a_process_is_named_by_file_or_variable(void)
{
	TEST_ASSERT_EQUAL_MESSAGE(0, read_line("--pid-file /run/app.pid"), err.text);
	TEST_ASSERT_EQUAL_STRING("/run/app.pid", request.pid_file);
	TEST_ASSERT_FALSE(request.wait);
	TEST_ASSERT_EQUAL_MESSAGE(0, read_line("--env RANK=0"), err.text);
	TEST_ASSERT_EQUAL_STRING("RANK=0", request.with_env);
	TEST_ASSERT_EQUAL_MESSAGE(0, read_line("--env RANK"), err.text);
	TEST_ASSERT_EQUAL_STRING("RANK", request.with_env);
	TEST_ASSERT_EQUAL_MESSAGE(0, read_line("--env=RANK=0=1"), err.text);
	TEST_ASSERT_EQUAL_STRING("RANK=0=1", request.with_env);
}

static void test_a_wait_may_have_an_end(void)
{
	TEST_ASSERT_EQUAL_MESSAGE(0, read_line("--name x --wait"), err.text);
	TEST_ASSERT_TRUE(request.wait);
	TEST_ASSERT_EQUAL(0, request.wait_ms);
	TEST_ASSERT_EQUAL_MESSAGE(0, read_line("--name x --wait --wait-timeout 2m"), err.text);
	TEST_ASSERT_EQUAL(120000, request.wait_ms);
}

static void expect_refused(const char *line, const char *text)
{
	TEST_ASSERT_EQUAL_MESSAGE(-1, read_line(line), line);
	TEST_ASSERT_EQUAL_MESSAGE(ERR_USAGE, err.code, line);
	TEST_ASSERT_NOT_NULL_MESSAGE(strstr(err.text, text), err.text);
}

static void test_what_makes_no_sense_is_refused(void)
{
	expect_refused("--pid-file _", "--pid-file");
	expect_refused("--env _", "names no variable");
	expect_refused("--env =1", "names no variable");
	expect_refused("--name x --wait --wait-timeout 0", "--wait-timeout");
	expect_refused("--name x --wait --wait-timeout soon", "'soon'");
	expect_refused("--name x --wait-timeout 1s", "needs --wait");
	expect_refused("--wait", "no process");
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_a_process_is_named_by_file_or_variable);
	RUN_TEST(test_a_wait_may_have_an_end);
	RUN_TEST(test_what_makes_no_sense_is_refused);
	return UNITY_END();
}
