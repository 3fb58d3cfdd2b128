/* SPDX-License-Identifier: MIT */
/* A library that is yet to be brought to a process: its own file is ours, what it needs is the process's. */
#include "loader_answers.h"

void setUp(void)
{
	make_system("bookworm");
}

void tearDown(void)
{
	if (from_program)
		stop();
	remove_system();
}

static int look_at(const char *library, const char *origin)
{
	char path[PATH_MAX + 300];
	snprintf(path, sizeof path, "%s", fixture(library));
	struct given given = { "/ours/tool.so", origin, open(path, O_RDONLY | O_CLOEXEC) };
	TEST_ASSERT_TRUE_MESSAGE(given.fd >= 0, path);
	err = (struct err){ .code = ERR_NONE };
	int answer = loadable_check_given(&images, NULL, &given, &err);
	close(given.fd);
	return answer;
}

static void is_refused(const char *library, const char *origin, const char *reason)
{
	TEST_ASSERT_EQUAL_MESSAGE(-1, look_at(library, origin), library);
	TEST_ASSERT_EQUAL(ERR_NOT_POSSIBLE, err.code);
	EXPECT_HAS(reason, err.text);
}

static void test_a_library_that_the_process_does_not_see_is_taken(void)
{
	begin();
	TEST_ASSERT_EQUAL_MESSAGE(0, look_at("loadable/libleaf.so", "/proc/self/fd"), err.text);
}

static void test_what_it_needs_must_be_there(void)
{
	begin();
	is_refused("loadable/libmiddle.so", "/proc/self/fd", "libleaf.so (needed by tool.so)");
	put("libleaf.so", "lib/libleaf.so");
	TEST_ASSERT_EQUAL_MESSAGE(0, look_at("loadable/libmiddle.so", "/proc/self/fd"), err.text);
}

static void test_its_origin_is_the_folder_that_it_will_have(void)
{
	put("libleaf.so", "brought/leaves/libleaf.so");
	begin();
	is_refused("loadable/libmiddle-runpath.so", "/proc/self/fd", "libleaf.so");
	TEST_ASSERT_EQUAL_MESSAGE(0, look_at("loadable/libmiddle-runpath.so", "/brought"), err.text);
}

static void test_versions_are_those_of_the_process(void)
{
	begin();
	is_refused("loadable/libnew.so", "/proc/self/fd", "GLIBC_2.");
}

static void test_what_it_is_counts(void)
{
	begin();
	is_refused("loadable/libleaf-execstack.so", "/proc/self/fd", "stack");
	is_refused("loadable/dlopens-bookworm", "/proc/self/fd", "it is a program");
	is_refused("root-bookworm/lib/libc.so.6", "/proc/self/fd", "second C library");
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_a_library_that_the_process_does_not_see_is_taken);
	RUN_TEST(test_what_it_needs_must_be_there);
	RUN_TEST(test_its_origin_is_the_folder_that_it_will_have);
	RUN_TEST(test_versions_are_those_of_the_process);
	RUN_TEST(test_what_it_is_counts);
	return UNITY_END();
}
