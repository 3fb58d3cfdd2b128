/* SPDX-License-Identifier: MIT */
/* What roclatch's own tool can do of what is asked for. */
#include "request_case.h"

static char left_out[256];

void setUp(void)
{
}

void tearDown(void)
{
	request_free(&request);
}

static void can(const char *line, const char *without)
{
	TEST_ASSERT_EQUAL_MESSAGE(0, read_line(line), err.text);
	TEST_ASSERT_EQUAL_MESSAGE(0, request_own_tool(&request, left_out, sizeof left_out, &err), err.text);
	TEST_ASSERT_EQUAL_STRING_MESSAGE(without, left_out, line);
}

static void cannot_with(const char *line, const char *environment, const char *part)
{
	TEST_ASSERT_EQUAL_MESSAGE(0, read_with(line, environment), err.text);
	TEST_ASSERT_EQUAL_MESSAGE(-1, request_own_tool(&request, left_out, sizeof left_out, &err), line);
	says(line, part);
	TEST_ASSERT_NOT_EQUAL_MESSAGE(0, err.remedy[0], line);
}

static void cannot(const char *line, const char *part)
{
	cannot_with(line, NULL, part);
}

static void test_it_is_chosen_by_a_word_or_an_option(void)
{
	arrives("-p 42 -t roclatch", "");
	TEST_ASSERT_TRUE(request.own_tool && !request.tool && !request.keep_log);
	arrives("-p 42 --own-tool --keep-log", "");
	TEST_ASSERT_TRUE(request.own_tool && !request.tool && request.keep_log);
	arrives("-p 42 --own-tool -t roclatch", "");
	TEST_ASSERT_TRUE(request.own_tool);
	arrives("-p 42", "");
	TEST_ASSERT_FALSE(request.own_tool);
	refuses("-p 42 --own-tool -t /a/libtool.so", "exclude each other");
}

static void test_its_file_is_named_by_a_variable_that_is_not_sent(void)
{
	arrives_with("-p 42", "ROCLATCH_TOOL=/x/lib.so", "");
	TEST_ASSERT_EQUAL_STRING("/x/lib.so", request.own_tool_file);
	TEST_ASSERT_EQUAL(0, read_as(STYLE_ROCLATCH, "-p 42", "ROCLATCH_TOOL=/x/lib.so", true));
	TEST_ASSERT_NULL(request.own_tool_file);
}

static void test_the_caller_s_tool_variable_does_not_count_before_the_word(void)
{
	TEST_ASSERT_EQUAL(0, read_with("-p 42 -t roclatch", "ROCPROF_ATTACH_TOOL_LIBRARY=/a/libtool.so"));
	TEST_ASSERT_TRUE(request.own_tool && !request.tool);
}

static void test_what_it_can_do(void)
{
	can("-p 42 --kernel-trace --memory-copy-trace --marker-trace --hsa-trace --rccl-trace --pmc SQ_WAVES", "");
	can("-p 42 --kernel-trace --stats -S -M --kernel-rename -f csv json pftrace rocpd html", "");
	can("-p 42 --kernel-trace --perfetto-backend inprocess", "");
}

static void test_what_an_aggregate_brings_is_left_out_and_told(void)
{
	can("-p 42 --hip-trace", "--hip-graph-trace, --hip-event-trace");
	can("-p 42 --sys-trace", "--ompt-trace, --hip-graph-trace, --hip-event-trace, --kfd-page-migration-trace, "
	    "--kfd-page-mapping-trace, --kfd-queue-trace, --kfd-dropped-events-trace");
	can("-p 42 --hip-trace --hip-event-trace=no --hip-graph-trace=no", "");
	can("-p 42 --kernel-trace --perfetto-buffer-size 1024", "--perfetto-buffer-size");
}

static void test_what_was_named_is_refused(void)
{
	static const char *const lines[][2] = {
		{ "--sys-trace --kfd-queue-trace", "--kfd-queue-trace" },
		{ "--hip-trace --hip-graph-trace", "--hip-graph-trace" },
		{ "--ompt-trace task", "--ompt-trace" },
		{ "--pc-sampling-beta-enabled --pc-sampling-unit time --pc-sampling-method host_trap --pc-sampling-interval 1", "--pc-sampling" },
		{ "--spm-beta-enabled --spm SQ_WAVES", "--spm" },
		{ "-f otf2", "otf2" },
		{ "-f csv otf2", "otf2" },
		{ "--perfetto-backend system", "--perfetto-backend" },
		{ "--benchmark-mode disabled-sdk-contexts", "--benchmark-mode" },
		{ "--att-no-intercept", "--att-no-intercept" },
	};
	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
		char line[256];
		snprintf(line, sizeof line, "-p 42 %s", lines[i][0]);
		cannot(line, lines[i][1]);
	}
	cannot_with("-p 42 --sys-trace", "ROCPROF_OMPT_TRACE=1", "--ompt-trace");
	cannot_with("-p 42", "ROCPROF_PC_SAMPLING_UNIT=time", "--pc-sampling-unit");
}

static void test_regular_expressions_are_such_that_posix_can_say(void)
{
	static const char *const good[] = { "gemm.*", "^(a|b)+$", "k[0-9]{2,3}", "a\\.b", "[^]x]", "\\(x\\)", "[a-z]+\\w", "(?:a)b", "a*?", "\\d+",
					    "[\\w]", "a\\tb" };
	static const char *const bad[] = { "(?=a)b", "(?!a)b", "[\\W]", "\\x41", "\\u0041", "\\cA" };
	char line[256];
	for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
		snprintf(line, sizeof line, "-p 42 --kernel-include-regex %s", good[i]);
		can(line, "");
	}
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		snprintf(line, sizeof line, "-p 42 --kernel-exclude-regex %s", bad[i]);
		cannot(line, "--kernel-exclude-regex");
	}
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_it_is_chosen_by_a_word_or_an_option);
	RUN_TEST(test_its_file_is_named_by_a_variable_that_is_not_sent);
	RUN_TEST(test_the_caller_s_tool_variable_does_not_count_before_the_word);
	RUN_TEST(test_what_it_can_do);
	RUN_TEST(test_what_an_aggregate_brings_is_left_out_and_told);
	RUN_TEST(test_what_was_named_is_refused);
	RUN_TEST(test_regular_expressions_are_such_that_posix_can_say);
	return UNITY_END();
}
