/* SPDX-License-Identifier: MIT */
/* The lines of the pre-flight about roclatch's own tool: when it is chosen, and what it cannot do. */
#include "made_view.h"

#define WHOLE_OWN EXPORTS("rocprofiler_configure", "rocprofiler_configure_attach", TOOL_STATE, TOOL_START, TOOL_STOP, TOOL_STATUS)

static char own[96];

void setUp(void)
{
	memset(&err, 0, sizeof err);
	make_files();
	open_target(child_start(have_threads));
	make_view();
	snprintf(own, sizeof own, "%s/libroclatch-tool.so", folder);
	make_library(own, WHOLE_OWN);
	request.own_tool_file = own;
}

void tearDown(void)
{
	free_view();
	env_free(&request.env);
	close_target();
	remove_files();
}

static void asked(const char *name, const char *value)
{
	TEST_ASSERT_EQUAL(0, env_set(&request.env, name, value, &err));
}

static void test_the_tool_of_the_installation_comes_before_it(void)
{
	look();
	TEST_ASSERT_EQUAL_STRING(tool_path, preflight.tool);
	TEST_ASSERT_FALSE(preflight.own);
	expect_line("own-tool", VERDICT_OK, "not used", "");
}

static void test_it_is_taken_when_the_installation_has_none(void)
{
	unlink(tool_path);
	look();
	TEST_ASSERT_EQUAL_STRING(own, preflight.tool);
	TEST_ASSERT_TRUE(preflight.own);
	expect_line("tool", VERDICT_NOTE, "roclatch's own", "");
	expect_line("own-tool", VERDICT_OK, "log", "");
	expect_can(true, true);
}

static void test_it_is_taken_when_it_is_asked_for(void)
{
	request.own_tool = true;
	look();
	TEST_ASSERT_EQUAL_STRING(own, preflight.tool);
	TEST_ASSERT_TRUE(preflight.own);
	unlink(own);
	expect_refused("tool", "ROCLATCH_TOOL", "");
}

static void test_it_is_taken_for_late_when_none_is_named(void)
{
	request.late = true;
	look();
	TEST_ASSERT_EQUAL_STRING(own, preflight.tool);
	expect_line("tool", VERDICT_OK, own, "");
	expect_can(true, true);
	request.tool = tool_path;
	expect_refused("tool", "cannot be started late", "-t");
}

static void test_by_its_path_it_is_known_too(void)
{
	request.tool = own;
	look();
	TEST_ASSERT_TRUE(preflight.own);
}

static void test_what_it_cannot_do_is_refused_when_it_was_named(void)
{
	request.own_tool = true;
	asked("ROCPROF_PC_SAMPLING_UNIT", "time");
	expect_refused("own-tool", "--pc-sampling-unit", "AMD's tool");
	/* another tool may do what it wants */
	request.own_tool = false;
	look();
	expect_can(true, true);
}

static void test_what_an_aggregate_brings_is_noted(void)
{
	char name[] = "ROCPROF_HIP_GRAPH_TRACE", *implied[] = { name };
	request.own_tool = true;
	asked("ROCPROF_HIP_GRAPH_TRACE", "1");
	request.implied = (struct words){ implied, 1 };
	look();
	expect_line("own-tool", VERDICT_NOTE, "--hip-graph-trace", "");
	expect_can(true, true);
	request.implied = (struct words){ 0 };
}

static void test_a_page_needs_a_log_or_a_database(void)
{
	request.html = true;
	expect_refused("own-tool", "-f html", "-f rocpd html");
	asked("ROCPROF_OUTPUT_FORMAT", "csv,rocpd");
	look();
	expect_line("own-tool", VERDICT_OK, "database", "");
	asked("ROCPROF_OUTPUT_FORMAT", "csv");
	request.own_tool = true;
	look();
	expect_can(true, true);
}

static void test_after_another_tool_it_cannot_come(void)
{
	set("ROCPROF_ATTACH_TOOL_LIBRARY", tool_path);
	set("ROCPROFILER_REGISTER_TOOL_ATTACHED", "1");
	view.tool_path = tool_path;
	view.was_attached = true;
	view.sdk = &sdk;
	view.tool = &tool;
	request.own_tool = true;
	expect_refused("same-tool", "was attached before", "same tool");
}

static void test_after_itself_it_comes_again_also_when_its_file_is_gone(void)
{
	image_is(&tool, own);
	image_exports_too(&tool, WHOLE_OWN);
	set("ROCPROF_ATTACH_TOOL_LIBRARY", own);
	set("ROCPROFILER_REGISTER_TOOL_ATTACHED", "1");
	view.tool_path = own;
	view.was_attached = true;
	view.sdk = &sdk;
	view.tool = &tool;
	request.own_tool = true;
	unlink(own);
	look();
	TEST_ASSERT_TRUE(preflight.own);
	TEST_ASSERT_EQUAL_STRING(own, preflight.tool);
	expect_line("same-tool", VERDICT_OK, "before", "");
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_the_tool_of_the_installation_comes_before_it);
	RUN_TEST(test_it_is_taken_when_the_installation_has_none);
	RUN_TEST(test_it_is_taken_when_it_is_asked_for);
	RUN_TEST(test_it_is_taken_for_late_when_none_is_named);
	RUN_TEST(test_by_its_path_it_is_known_too);
	RUN_TEST(test_what_it_cannot_do_is_refused_when_it_was_named);
	RUN_TEST(test_what_an_aggregate_brings_is_noted);
	RUN_TEST(test_a_page_needs_a_log_or_a_database);
	RUN_TEST(test_after_another_tool_it_cannot_come);
	RUN_TEST(test_after_itself_it_comes_again_also_when_its_file_is_gone);
	return UNITY_END();
}
