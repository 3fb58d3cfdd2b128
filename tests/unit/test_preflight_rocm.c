/* SPDX-License-Identifier: MIT */
/* Each line of the pre-flight in both directions: the register, the attach library, who was there before. */
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

/* ---- register ---- */

static void test_the_register_is_told_with_version_and_build_id(void)
{
	look();
	expect_line("register", VERDICT_OK, "librocprofiler-register 0.6.0, ", "");
	EXPECT_HAS("build id abcd", line("register")->text);
	reg.deleted = true;
	look();
	expect_line("register", VERDICT_NOTE, "deleted or replaced", "");
	expect_can(true, true);
}

static void test_without_the_register_nothing_can_be_attached(void)
{
	view.reg = NULL;
	view.regs = 0;
	view.attach_library = NULL;
	view.registered_known = false;
	view.registered = 0;
	expect_refused("register", "is not loaded: no ROCm runtime", "may be a child");
	expect_line("attach-library", VERDICT_UNKNOWN, "without the register", "");
	expect_line("rocattach", VERDICT_UNKNOWN, "without the register", "");
	expect_line("sdk", VERDICT_UNKNOWN, "without the register", "");
	expect_line("tool", VERDICT_UNKNOWN, "without the register", "");
	expect_can(false, false);
}

static void test_several_registers_need_one_with_tables(void)
{
	view.regs = 2;
	look();
	expect_line("register", VERDICT_NOTE, "2 copies", "");
	EXPECT_HAS(reg_path, line("register")->text);
	expect_can(true, true);
	view.registered_known = false;  /* the listener proves a table, but not where */
	view.registered = 0;
	expect_refused("register", "cannot be seen which", "one copy");
	expect_can(false, false);
}

static void test_an_old_register_can_only_be_attached_late(void)
{
	view.register_can_attach = false;
	expect_refused("register", "cannot attach: it is older than ROCm 7.1", "or attach with --late");
	expect_can(false, true);
	view.register_can_late = false;
	look();
	expect_can(false, false);
	EXPECT_HAS("invoke_nonpropagated", preflight.why_not_late);
}

/* ---- attach library and rocattach table ---- */

static void without_attach_library(void)
{
	view.attach_library = NULL;
	view.listener = 0;
	view.registered &= ~(unsigned)API_ROCATTACH;
}

static void test_a_process_that_was_not_started_for_it_hears_both_ways_out(void)
{
	struct err why = { 0 };
	without_attach_library();
	env_unset(&view.environment, "ROCP_TOOL_ATTACH");
	expect_refused("attach-library", "started without ROCP_TOOL_ATTACH=1", "start the process with ROCP_TOOL_ATTACH=1");
	expect_can(false, true);
	preflight_error(&preflight, &request, &why);
	EXPECT_HAS("ROCP_TOOL_ATTACH=1", why.text);
	EXPECT_HAS("start the process with ROCP_TOOL_ATTACH=1", why.remedy);
	EXPECT_HAS(", or attach with --late", why.remedy);

	view.register_can_late = false;         /* then it is no way out */
	look();
	preflight_error(&preflight, &request, &why);
	TEST_ASSERT_NULL(strstr(why.remedy, "--late"));
	expect_can(false, false);
}

static void test_a_false_variable_is_as_none(void)
{
	static const char *const no[] = { "0", "00", "off", "False", "NO", "n", "f" };
	without_attach_library();
	for (size_t i = 0; i < sizeof no / sizeof *no; i++) {
		set("ROCP_TOOL_ATTACH", no[i]);
		expect_refused("attach-library", "started without", "");
	}
	set("ROCP_TOOL_ATTACH", "yes");
	expect_refused("attach-library", "though ROCP_TOOL_ATTACH is set", "install rocprofiler-sdk");
}

static void test_why_the_attach_library_is_missing(void)
{
	without_attach_library();
	view.startup_tool = &other;
	expect_refused("attach-library", "a tool was there from the start (exports rocprofiler_configure: ", "without that tool");
	view.startup_tool = NULL;
	view.registered = API_HIP;
	expect_refused("attach-library", "HSA is not initialised: nothing can be attached before hsa_init", "wait until");
	view.hsa = NULL;
	expect_refused("attach-library", "HSA is not loaded: nothing can be attached before hsa_init", "wait until");
	set("ROCPROFILER_REGISTER_ENABLED", "0");
	expect_refused("attach-library", "turns the register off", "without ROCPROFILER_REGISTER_ENABLED");
	env_unset(&view.environment, "ROCPROFILER_REGISTER_ENABLED");
	view.environment_known = false;
	expect_refused("attach-library", "is not loaded", "ROCP_TOOL_ATTACH=1");
}

static void test_a_table_proves_the_library(void)
{
	view.attach_library = NULL;
	look();
	expect_line("attach-library", VERDICT_NOTE, "its table is registered", "");
	expect_can(true, true);
}

static void test_without_a_rocattach_table_nothing_passes(void)
{
	view.registered = API_HSA | API_HIP;    /* the attach library and the listener are there */
	expect_refused("rocattach", "not registered: the register would crash the process", "ROCP_TOOL_ATTACH=1");
	expect_can(false, true);
}

static void test_the_listener_is_proof_where_the_list_is_not_found(void)
{
	view.registered_known = false;
	view.registered = 0;
	look();
	expect_line("rocattach", VERDICT_OK, "as its listener thread runs", "");
	expect_can(true, true);
	view.listener = 0;
	expect_refused("rocattach", "cannot be established, and the register crashes the process if it is not", "wait until");
	expect_can(false, true);
}

static void test_late_does_not_need_what_attach_needs(void)
{
	without_attach_library();
	make_library(other_path, LATE_TOOL);
	request.late = true;
	request.tool = other_path;
	look();
	expect_line("attach-library", VERDICT_NOTE, "is not loaded", "");
	TEST_ASSERT_NULL(strstr(line("attach-library")->remedy, "--late"));     /* who has asked for it need not be told */
	expect_line("rocattach", VERDICT_NOTE, "", "");
	expect_line("listener", VERDICT_NOTE, "none", "");
	expect_can(false, true);
}

/* ---- runtime and listener ---- */

static void test_the_runtimes_are_told(void)
{
	look();
	expect_line("runtime", VERDICT_OK, "HSA is initialised (registered: hsa, hip); names of kernels loaded before are passed",
		    "");
	view.registered = API_HIP | API_ROCATTACH;
	look();
	expect_line("runtime", VERDICT_NOTE, "HSA is not initialised yet (registered: hip)", "");
	view.registered_known = false;
	look();
	expect_line("runtime", VERDICT_NOTE, "HSA and HIP are loaded; whether initialised is not to be seen", "");
	view.hsa = view.hip = NULL;
	look();
	expect_line("runtime", VERDICT_NOTE, "neither HSA nor HIP", "");
}

/* The library lies where that image of the child lies. */
static void attach_library_is(struct image *image)
{
	TEST_ASSERT_NOT_NULL_MESSAGE(image, err.text);
	TEST_ASSERT_EQUAL(0, image_open(&images, image, &err));
	attach_library.elf = image->elf;
}

static void test_an_sdk_without_a_listener_is_a_note(void)
{
	look();
	expect_line("listener", VERDICT_OK, "(rocp-bg-attach)", "");
	view.listener = 0;
	attach_library_is(images_find(&images, "vdso", &err));
	look();
	expect_line("listener", VERDICT_NOTE, "older than the listener thread", "");
	expect_can(true, true);
}

static void test_a_library_whose_listener_is_missing_means_a_child_by_fork(void)
{
	view.listener = 0;
	attach_library_is(images_exe(&images));         /* this program holds the name of the thread */
	expect_refused("listener", "child by fork", "attach its parent");
	expect_can(false, true);
}

static void test_the_same_library_in_the_parent_means_a_child_by_fork(void)
{
	view.listener = 0;
	attach_library_is(images_find(&images, "vdso", &err));
	attach_library.start = images_exe(&images)->start;
	attach_library.inode = images_exe(&images)->inode;
	expect_refused("listener", "child by fork", "attach its parent");
	attach_library.inode++;
	look();
	expect_can(true, true);
}

/* ---- a tool from the start ---- */

static void test_a_tool_from_the_start_stands_against_late(void)
{
	look();
	expect_line("startup-tool", VERDICT_OK, "none", "");
	view.startup_tool = &other;
	view.sdk = &sdk;
	view.sdk_can_attach = true;
	look();
	expect_line("startup-tool", VERDICT_NOTE, "another can be attached beside it", "without that tool");
	expect_can(true, false);
	request.late = true;
	request.tool = other_path;
	make_library(other_path, LATE_TOOL);
	expect_refused("startup-tool", "a tool was there from the start", "without that tool");
}

static void test_amds_tool_from_the_start_is_seen_too(void)
{
	view.tool = &tool;
	view.sdk = &sdk;
	view.sdk_can_attach = true;
	look();
	expect_line("startup-tool", VERDICT_NOTE, tool_path, "");
	expect_can(true, false);
}

static void test_variables_that_load_a_tool_are_told(void)
{
	static const char *const names[] = { "ROCP_TOOL_LIBRARIES", "ROCPROFILER_REGISTER_FORCE_LOAD" };
	for (size_t i = 0; i < 2; i++) {
		set(names[i], "1");
		look();
		expect_line("startup-tool", VERDICT_NOTE, names[i], "");
		EXPECT_HAS("no SDK was loaded", line("startup-tool")->text);
		expect_can(true, true);
		env_unset(&view.environment, names[i]);
	}
	set("ROCPROFILER_REGISTER_LIBRARY", sdk_path);
	view.sdk = &sdk;
	view.sdk_can_attach = true;
	look();
	expect_line("startup-tool", VERDICT_NOTE, "ROCPROFILER_REGISTER_LIBRARY: ", "");
	expect_can(true, false);
}

static void test_a_register_that_is_turned_off_cannot_be_attached(void)
{
	set("ROCPROFILER_REGISTER_ENABLED", "off");
	look();
	expect_line("startup-tool", VERDICT_OK, "none", "");    /* set later: it has registered */
	without_attach_library();
	view.registered = 0;
	view.registered_known = false;
	expect_refused("startup-tool", "ROCPROFILER_REGISTER_ENABLED=off turns the register off", "without");
	expect_can(false, false);
}

/* ---- attached ---- */

static void was_attached(void)
{
	view.sdk = &sdk;
	view.sdk_can_attach = true;
	view.tool = &tool;
	view.was_attached = true;
	view.tool_path = tool_path;
	image_exports_too(&tool, ATTACHABLE_TOOL);
}

static void test_what_a_living_roclatch_has_is_left_to_it(void)
{
	look();
	expect_line("attached", VERDICT_OK, "no tool is attached", "");
	was_attached();
	view.attached = view.owned = true;
	expect_refused("attached", "another roclatch has it attached", "wait for that one");
	expect_can(false, false);
	TEST_ASSERT_FALSE(preflight.orphaned);
	view.attached = view.was_attached = false;
	expect_refused("attached", "another roclatch is at work on it", "wait for that one");
}

static void test_what_a_dead_roclatch_left_is_detached_first(void)
{
	was_attached();
	view.attached = true;
	look();
	expect_line("attached", VERDICT_NOTE, "by a roclatch that is gone: it is detached first", "roclatch detach -p");
	EXPECT_HAS(tool_path, line("attached")->text);
	TEST_ASSERT_TRUE(preflight.orphaned && preflight.reattach);
	expect_can(true, false);
}

static void test_a_tool_that_was_attached_stays_and_is_not_for_late(void)
{
	was_attached();
	look();
	expect_line("attached", VERDICT_NOTE, "was attached before, and stays", "");
	TEST_ASSERT_TRUE(preflight.reattach && !preflight.orphaned);
	expect_can(true, false);
	request.late = true;
	expect_refused("attached", "was attached by the register", "without --late");
}

static void test_a_tool_that_was_attached_late_is_not_for_the_register(void)
{
	was_attached();
	view.was_attached = false;
	image_exports_too(&tool, LATE_TOOL);
	expect_refused("attached", "the SDK would abort the process", "--late again");
	expect_can(false, true);
	request.late = true;
	look();
	expect_line("attached", VERDICT_NOTE, "was attached late before, and stays", "");
	TEST_ASSERT_TRUE(preflight.reattach);
	expect_can(false, true);
	view.attached = view.late = true;
	look();
	expect_line("attached", VERDICT_NOTE, "is attached late and records", "roclatch detach");
	TEST_ASSERT_TRUE(preflight.orphaned);
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_the_register_is_told_with_version_and_build_id);
	RUN_TEST(test_without_the_register_nothing_can_be_attached);
	RUN_TEST(test_several_registers_need_one_with_tables);
	RUN_TEST(test_an_old_register_can_only_be_attached_late);
	RUN_TEST(test_a_process_that_was_not_started_for_it_hears_both_ways_out);
	RUN_TEST(test_a_false_variable_is_as_none);
	RUN_TEST(test_why_the_attach_library_is_missing);
	RUN_TEST(test_a_table_proves_the_library);
	RUN_TEST(test_without_a_rocattach_table_nothing_passes);
	RUN_TEST(test_the_listener_is_proof_where_the_list_is_not_found);
	RUN_TEST(test_late_does_not_need_what_attach_needs);
	RUN_TEST(test_the_runtimes_are_told);
	RUN_TEST(test_an_sdk_without_a_listener_is_a_note);
	RUN_TEST(test_a_library_whose_listener_is_missing_means_a_child_by_fork);
	RUN_TEST(test_the_same_library_in_the_parent_means_a_child_by_fork);
	RUN_TEST(test_a_tool_from_the_start_stands_against_late);
	RUN_TEST(test_amds_tool_from_the_start_is_seen_too);
	RUN_TEST(test_variables_that_load_a_tool_are_told);
	RUN_TEST(test_a_register_that_is_turned_off_cannot_be_attached);
	RUN_TEST(test_what_a_living_roclatch_has_is_left_to_it);
	RUN_TEST(test_what_a_dead_roclatch_left_is_detached_first);
	RUN_TEST(test_a_tool_that_was_attached_stays_and_is_not_for_late);
	RUN_TEST(test_a_tool_that_was_attached_late_is_not_for_the_register);
	return UNITY_END();
}
