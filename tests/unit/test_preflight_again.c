/* SPDX-License-Identifier: MIT */
/* Each line of the pre-flight in both directions: a second attachment, output, late. */
#include "made_view.h"

void setUp(void)
{
	memset(&err, 0, sizeof err);
	make_files();
	open_target(child_start(have_threads));
	make_view();
}

void tearDown(void)
{
	free_view();
	close_target();
	remove_files();
}

/* ---- a second attachment ---- */

static void was_attached(const char *by)
{
	view.sdk = &sdk;
	view.sdk_can_attach = true;
	view.tool = &tool;
	view.was_attached = true;
	view.tool_path = by;
	image_exports_too(&tool, ATTACHABLE_TOOL);
}

static void test_the_string_of_the_first_attachment_is_kept(void)
{
	look();
	expect_line("same-tool", VERDICT_OK, "no tool was attached before", "");
	was_attached(tool_path);
	unlink(tool_path);      /* loaded for good: its file does not matter */
	look();
	expect_line("same-tool", VERDICT_OK, "the one that was attached before", "");
	expect_line("tool", VERDICT_OK, "librocprofiler-sdk-tool.so, loaded", "");
	TEST_ASSERT_EQUAL_STRING(tool_path, preflight.tool);
	request.tool = tool_path;
	look();
	expect_can(true, false);
	view.tool_path = "librocprofiler-sdk-tool.so";  /* as AMD's first attacher gives it */
	request.tool = NULL;
	look();
	TEST_ASSERT_EQUAL_STRING("librocprofiler-sdk-tool.so", preflight.tool);
}

static void test_another_tool_is_refused(void)
{
	was_attached(tool_path);
	make_library(other_path, ATTACHABLE_TOOL);
	request.tool = other_path;
	expect_refused("same-tool", "was attached before, and the process keeps it", "same tool again");
	expect_can(false, false);
	char longer[128];
	snprintf(longer, sizeof longer, "%sx", tool_path);
	request.tool = longer;
	expect_refused("same-tool", "was attached before", "");
}

static void test_another_name_of_the_same_file_becomes_the_first(void)
{
	was_attached(tool_path);
	TEST_ASSERT_EQUAL(0, symlink(tool_path, other_path));
	request.tool = other_path;
	look();
	expect_line("same-tool", VERDICT_OK, "by the path that it had then", "");
	TEST_ASSERT_EQUAL_STRING(tool_path, preflight.tool);
	expect_can(true, false);
}

static void test_a_list_is_the_same_with_and_without_its_end(void)
{
	char list[200], with_end[256];
	make_library(other_path, ATTACHABLE_TOOL);
	snprintf(list, sizeof list, "%s:%s", tool_path, other_path);
	snprintf(with_end, sizeof with_end, "%s:", list);
	was_attached(with_end);
	view.tool = NULL;
	request.tool = list;
	look();
	expect_line("same-tool", VERDICT_OK, "the one that was attached before", "");
	TEST_ASSERT_EQUAL_STRING(with_end, preflight.tool);
	was_attached(list);     /* by another attacher: the string is what counts */
	view.tool = NULL;
	request.tool = with_end;
	look();
	TEST_ASSERT_EQUAL_STRING(list, preflight.tool);
	expect_can(true, false);
}

static void test_a_path_that_is_not_known_is_a_note(void)
{
	was_attached("/opt/rocm/lib/rocprofiler-sdk/librocprofv3-attach.so");   /* in 7.1: the attacher */
	look();
	expect_line("same-tool", VERDICT_NOTE, "by a path that is not to be seen", "");
	TEST_ASSERT_TRUE(preflight.reattach);
	set("ROCP_TOOL_LIBRARIES", "libsome.so");       /* which the register has set */
	look();
	TEST_ASSERT_EQUAL_STRING("libsome.so", preflight.tool);
	expect_line("startup-tool", VERDICT_OK, "none", "");
}

static void test_a_tool_without_the_registers_mark_was_attached_too(void)
{
	was_attached(tool_path);
	view.was_attached = false;      /* registers of the 0.7 line take it back */
	look();
	TEST_ASSERT_TRUE(preflight.reattach);
	view.tool = NULL;
	look();
	TEST_ASSERT_FALSE(preflight.reattach);
}

static void test_changed_services_are_refused(void)
{
	other_services = true;
	look();
	expect_line("same-services", VERDICT_OK, "no tool was attached before", "");
	was_attached(tool_path);
	expect_refused("same-services", "ROCPROF_KERNEL_TRACE was 1 and would be 0", "ask for the same");
	other_services = false;
	look();
	expect_line("same-services", VERDICT_OK, "those of the attachment before", "");
	other_own_services = true;      /* those of another tool than this */
	look();
	expect_line("same-services", VERDICT_OK, "those of the attachment before", "");
	view.environment_known = false;
	expect_refused("same-services", "not to be seen", "new process");
}

/* ---- output and late ---- */

static void test_the_output_folder_must_be_writable(void)
{
	static const struct { const char *path, *folder; } rows[] = {
		{ "/data/out", "/data/out" }, { "/data/out/", "/data/out" }, { "/data/%hostname%/%pid%", "/data" },
		{ "/data/run-%pid%/x", "/data" }, { "%env{HOME}%/x", "." }, { "out", "out" }, { "{cwd}", "." },
		{ "$env{X}/y", "." }, { "/%pid%", "/" } };
	look();
	expect_line("output", VERDICT_OK, "the process can write to /tmp", "");
	not_writable = true;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		env_set(&request.env, "ROCPROF_OUTPUT_PATH", rows[i].path, &err);
		expect_refused("output", "user 7 may not write to", "-d");
		TEST_ASSERT_EQUAL_STRING(rows[i].folder, asked_folder);
	}
	expect_can(false, false);
}

static void test_without_an_output_folder_it_is_the_processes_own(void)
{
	env_unset(&request.env, "ROCPROF_OUTPUT_PATH");
	look();
	expect_line("output", VERDICT_OK, "its current folder", "");
	set("ROCPROF_OUTPUT_PATH", "/there");
	request.html = true;
	look();
	expect_line("output", VERDICT_OK, "/there; html is made by roclatch", "");
}

static void test_late_tells_what_it_can_record(void)
{
	view.registered |= API_ROCTX;
	look();
	expect_line("late", VERDICT_OK, "possible with roclatch's own tool: records calls of hsa, hip, roctx; kernels only on "
		    "queues that are made afterwards", "");
	view.registered = 0;
	view.registered_known = false;
	look();
	expect_line("late", VERDICT_OK, "calls of what has registered", "");
}

static void test_late_needs_a_register_and_a_runtime(void)
{
	make_library(other_path, LATE_TOOL);
	request.late = true;
	request.tool = other_path;
	look();
	expect_can(true, true);
	view.register_can_late = false;
	expect_refused("late", "does not export rocprofiler_register_invoke_nonpropagated_registrations", "ROCm");
	view.register_can_late = true;
	view.registered = 0;
	view.registered_known = false;
	view.hsa = view.hip = NULL;
	expect_refused("late", "no runtime has registered yet", "wait until");
	request.late = false;
	look();
	expect_line("late", VERDICT_NOTE, "no runtime has registered yet", "");
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_the_string_of_the_first_attachment_is_kept);
	RUN_TEST(test_another_tool_is_refused);
	RUN_TEST(test_another_name_of_the_same_file_becomes_the_first);
	RUN_TEST(test_a_list_is_the_same_with_and_without_its_end);
	RUN_TEST(test_a_path_that_is_not_known_is_a_note);
	RUN_TEST(test_a_tool_without_the_registers_mark_was_attached_too);
	RUN_TEST(test_changed_services_are_refused);
	RUN_TEST(test_the_output_folder_must_be_writable);
	RUN_TEST(test_without_an_output_folder_it_is_the_processes_own);
	RUN_TEST(test_late_tells_what_it_can_record);
	RUN_TEST(test_late_needs_a_register_and_a_runtime);
	return UNITY_END();
}
