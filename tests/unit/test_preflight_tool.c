/* SPDX-License-Identifier: MIT */
/* Each line of the pre-flight in both directions: SDK, tool, services, output, late. */
#include "made_view.h"

static char path[160];

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

static const char *in(const char *name)
{
	snprintf(path, sizeof path, "%s/%s", folder, name);
	return path;
}

static void move(const char *from, const char *to)
{
	TEST_ASSERT_EQUAL_MESSAGE(0, rename(from, to), to);
}

/* ---- sdk ---- */

static void test_the_sdk_is_looked_for_as_the_register_does(void)
{
	look();
	expect_line("sdk", VERDICT_OK, "librocprofiler-sdk.so can be loaded", "");
	by_name = NULL;         /* not by the loader, but beside the register */
	look();
	expect_line("sdk", VERDICT_OK, sdk_path, "");
	unlink(sdk_path);
	expect_refused("sdk", "librocprofiler-sdk.so cannot be loaded there", "install what it needs");
	expect_can(false, false);
}

static void test_an_old_register_finds_no_soname(void)
{
	by_name = NULL;
	move(sdk_path, in("lib/librocprofiler-sdk.so.1"));
	expect_refused("sdk", "librocprofiler-sdk.so cannot be loaded there", "");
	strcpy(view.register_version, "0.7.0");
	look();
	expect_line("sdk", VERDICT_OK, "librocprofiler-sdk.so.1 can be loaded", "");
	expect_can(true, true);
}

static void test_an_sdk_that_is_named_must_be_loadable(void)
{
	set("ROCPROFILER_REGISTER_LIBRARY", in("none.so"));
	expect_refused("sdk", "ROCPROFILER_REGISTER_LIBRARY: ", "install");
	set("ROCPROFILER_REGISTER_LIBRARY", sdk_path);
	look();
	expect_line("sdk", VERDICT_OK, sdk_path, "");
	TEST_ASSERT_EQUAL(0, env_set(&request.env, "ROCPROFILER_REGISTER_LIBRARY", in("gone.so"), &err));
	expect_refused("sdk", "gone.so", "install");
}

static void test_an_sdk_for_late_is_named_by_its_option(void)
{
	make_library(other_path, LATE_TOOL);
	request.late = true;
	request.tool = other_path;
	request.sdk = in("none.so");
	expect_refused("sdk", "--sdk: ", "install");
	request.sdk = sdk_path;
	look();
	expect_line("sdk", VERDICT_OK, sdk_path, "");
	TEST_ASSERT_EQUAL_STRING(sdk_path, preflight.sdk);
}

static void test_an_sdk_without_attach_support_is_for_late_only(void)
{
	make_library(sdk_path, EXPORTS("rocprofiler_set_api_table"));
	expect_refused("sdk", "has no attach support", "or attach with --late");
	expect_can(false, true);
	view.sdk = &sdk;        /* the same, loaded */
	image_exports_too(&sdk, EXPORTS("rocprofiler_set_api_table"));
	expect_refused("sdk", "has no attach support", "ROCm 7.1");
	view.sdk_can_attach = true;
	look();
	expect_line("sdk", VERDICT_OK, "librocprofiler-sdk.so, loaded", "");
}

static void test_a_file_that_is_no_sdk_is_refused(void)
{
	make_library(sdk_path, EXPORTS("something"));
	expect_refused("sdk", "is no ROCprofiler-SDK", "install");
	expect_can(false, false);
}

/* ---- tool ---- */

static void test_the_tool_is_that_of_the_loaded_libraries(void)
{
	look();
	expect_line("tool", VERDICT_OK, "librocprofiler-sdk-tool.so can be loaded", "");
	TEST_ASSERT_EQUAL_STRING(tool_path, preflight.tool);
	move(tool_path, in("lib/rocprofiler-sdk/librocprofiler-sdk-tool.so.1"));
	look();
	TEST_ASSERT_EQUAL_STRING(path, preflight.tool);
	move(path, strcat(strcpy(tool_path, folder), "/lib/rocprofiler-sdk/librocprofiler-sdk-tool.so.1.3.10"));
	make_library(in("lib/rocprofiler-sdk/librocprofiler-sdk-tool.so.1.3.9"), ATTACHABLE_TOOL);
	look();
	TEST_ASSERT_EQUAL_STRING(tool_path, preflight.tool);
	expect_can(true, true);
}

static void test_without_a_tool_there_is_a_fallback_or_a_refusal(void)
{
	unlink(tool_path);
	expect_refused("tool", "no tool library", "-t");
	expect_can(false, true);
	make_library(other_path, ATTACHABLE_TOOL);
	request.fallback_tool = other_path;
	look();
	expect_line("tool", VERDICT_NOTE, other_path, "");
	TEST_ASSERT_EQUAL_STRING(other_path, preflight.tool);
	expect_can(true, true);
	not_loadable = "libother";
	expect_refused("tool", "libother.so cannot be loaded there", "install what it needs");
}

static void test_the_fallback_keeps_its_string_for_the_same_file(void)
{
	TEST_ASSERT_EQUAL(0, symlink(tool_path, other_path));
	request.fallback_tool = other_path;
	look();
	TEST_ASSERT_EQUAL_STRING(other_path, preflight.tool);
	unlink(other_path);
	make_library(other_path, ATTACHABLE_TOOL);
	look();
	TEST_ASSERT_EQUAL_STRING(tool_path, preflight.tool);
}

static void test_a_tool_that_cannot_be_loaded_is_refused(void)
{
	not_loadable = "sdk-tool";
	expect_refused("tool", "cannot be loaded there", "install what it needs");
	expect_can(false, true);
	request.tool = "libgone.so";
	by_name = NULL;
	not_loadable = NULL;
	expect_refused("tool", "libgone.so cannot be loaded there", "install");
}

static void test_a_tool_must_be_one(void)
{
	request.tool = other_path;
	make_library(other_path, EXPORTS("rocprofiler_configure_attach"));
	expect_refused("tool", "is no tool: it does not export rocprofiler_configure", "");
	make_library(other_path, EXPORTS("rocprofiler_configure"));
	expect_refused("tool", "does not export rocprofiler_configure_attach", "can be attached");
	make_library(other_path, ATTACHABLE_TOOL);
	look();
	expect_line("tool", VERDICT_OK, other_path, "");
	expect_can(true, true);
}

static void test_every_entry_of_a_list_is_looked_at(void)
{
	char list[256];
	make_library(other_path, ATTACHABLE_TOOL);
	snprintf(list, sizeof list, "%s:%s", tool_path, other_path);
	request.tool = list;
	look();
	expect_can(true, true);
	/* the SDK drops what stands behind the last ':' */
	strcat(list, ":");
	TEST_ASSERT_EQUAL_STRING(list, preflight.tool);
	look();
	TEST_ASSERT_EQUAL_STRING(list, preflight.tool);
	make_library(other_path, EXPORTS("rocprofiler_configure"));
	expect_refused("tool", "libother.so cannot be attached", "");
	unlink(other_path);
	expect_refused("tool", "libother.so cannot be loaded there", "");
}

static void test_a_tool_for_late_offers_what_starts_and_stops_it(void)
{
	static const char *const lacks[][4] = {
		{ "rocprofiler_configure", TOOL_START, TOOL_STOP }, { "rocprofiler_configure", TOOL_STATE, TOOL_STOP },
		{ "rocprofiler_configure", TOOL_STATE, TOOL_START } };
	static const char *const name[] = { TOOL_STATE, TOOL_START, TOOL_STOP };
	request.late = true;
	expect_refused("tool", "cannot be started late", "roclatch's own tool");        /* AMD's */
	request.tool = other_path;
	for (size_t i = 0; i < 3; i++) {
		make_library(other_path, lacks[i]);
		expect_refused("tool", name[i], "roclatch's own tool");
	}
	make_library(other_path, LATE_TOOL);
	look();
	expect_line("tool", VERDICT_OK, other_path, "");
	expect_can(true, true);
	request.tool = NULL;
	request.fallback_tool = other_path;
	look();
	TEST_ASSERT_EQUAL_STRING(other_path, preflight.tool);
	expect_can(true, true);
}

static void test_late_takes_one_tool_at_a_time(void)
{
	char list[256];
	make_library(other_path, LATE_TOOL);
	snprintf(list, sizeof list, "%s:%s:", other_path, other_path);
	request.late = true;
	request.tool = list;
	expect_refused("tool", "one tool at a time", "give one");
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
	RUN_TEST(test_the_sdk_is_looked_for_as_the_register_does);
	RUN_TEST(test_an_old_register_finds_no_soname);
	RUN_TEST(test_an_sdk_that_is_named_must_be_loadable);
	RUN_TEST(test_an_sdk_for_late_is_named_by_its_option);
	RUN_TEST(test_an_sdk_without_attach_support_is_for_late_only);
	RUN_TEST(test_a_file_that_is_no_sdk_is_refused);
	RUN_TEST(test_the_tool_is_that_of_the_loaded_libraries);
	RUN_TEST(test_without_a_tool_there_is_a_fallback_or_a_refusal);
	RUN_TEST(test_the_fallback_keeps_its_string_for_the_same_file);
	RUN_TEST(test_a_tool_that_cannot_be_loaded_is_refused);
	RUN_TEST(test_a_tool_must_be_one);
	RUN_TEST(test_every_entry_of_a_list_is_looked_at);
	RUN_TEST(test_a_tool_for_late_offers_what_starts_and_stops_it);
	RUN_TEST(test_late_takes_one_tool_at_a_time);
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
