/* SPDX-License-Identifier: MIT */
/* Each line of the pre-flight in both directions: the SDK and the tool. */
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
	reg_linked = in("librocprofiler-register.so.0");        /* by a link in another folder, where it looks then */
	expect_refused("sdk", "librocprofiler-sdk.so cannot be loaded there", "install what it needs");
	reg_linked = NULL;
	expect_refused("sdk", "librocprofiler-sdk.so cannot be loaded there", "install what it needs");
	reg_linked = reg_path;
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
	view.registered &= ~(unsigned)API_ROCATTACH;
	view.attach_library = NULL;
	look();
	expect_line("sdk", VERDICT_NO, "has no attach support", "ROCm 7.1");
	expect_can(false, true);
	view.sdk = &sdk;        /* the same, loaded */
	image_exports_too(&sdk, EXPORTS("rocprofiler_set_api_table"));
	expect_refused("sdk", "has no attach support", "ROCm 7.1");
	view.sdk_can_attach = true;
	look();
	expect_line("sdk", VERDICT_OK, "librocprofiler-sdk.so, loaded", "");
}

/* The register would pass it on with the others, and answer with the error of the SDK. */
static void test_an_sdk_without_attach_support_refuses_the_attach_librarys_table(void)
{
	make_library(sdk_path, EXPORTS("rocprofiler_set_api_table"));
	request.late = true;
	expect_refused("sdk", "would refuse the \"rocattach\" table", "without ROCP_TOOL_ATTACH, or name an SDK");
	expect_can(false, false);
	view.registered_known = false;
	expect_refused("sdk", "would refuse the \"rocattach\" table", "without ROCP_TOOL_ATTACH, or name an SDK");
	view.attach_library = NULL;
	look();
	expect_line("sdk", VERDICT_NOTE, "has no attach support", "");
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

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_the_sdk_is_looked_for_as_the_register_does);
	RUN_TEST(test_an_old_register_finds_no_soname);
	RUN_TEST(test_an_sdk_that_is_named_must_be_loadable);
	RUN_TEST(test_an_sdk_for_late_is_named_by_its_option);
	RUN_TEST(test_an_sdk_without_attach_support_is_for_late_only);
	RUN_TEST(test_an_sdk_without_attach_support_refuses_the_attach_librarys_table);
	RUN_TEST(test_a_file_that_is_no_sdk_is_refused);
	RUN_TEST(test_the_tool_is_that_of_the_loaded_libraries);
	RUN_TEST(test_without_a_tool_there_is_a_fallback_or_a_refusal);
	RUN_TEST(test_the_fallback_keeps_its_string_for_the_same_file);
	RUN_TEST(test_a_tool_that_cannot_be_loaded_is_refused);
	RUN_TEST(test_a_tool_must_be_one);
	RUN_TEST(test_every_entry_of_a_list_is_looked_at);
	RUN_TEST(test_a_tool_for_late_offers_what_starts_and_stops_it);
	RUN_TEST(test_late_takes_one_tool_at_a_time);
	return UNITY_END();
}
