/* SPDX-License-Identifier: MIT */
#include "rocp/tool/place.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "rocp/tool_abi.h"
#include "unity.h"

static char folder[64], wanted[256], path[1024];

void setUp(void)
{
	snprintf(folder, sizeof folder, "/tmp/roclatch-place-XXXXXX");
	TEST_ASSERT_NOT_NULL(mkdtemp(folder));
	unsetenv(TOOL_LOG_VARIABLE);
	unsetenv("ROCPROF_OUTPUT_PATH");
}

void tearDown(void)
{
	char command[128];
	snprintf(command, sizeof command, "rm -rf %s", folder);
	TEST_ASSERT_EQUAL(0, system(command));
}

/* Opens and closes; the path must be the folder and this name. */
static void makes(const char *name)
{
	char expected[256];
	int fd = place_open(path, sizeof path);
	TEST_ASSERT_GREATER_OR_EQUAL_MESSAGE(0, fd, strerror(-fd));
	close(fd);
	snprintf(expected, sizeof expected, "%s/%s", folder, name);
	TEST_ASSERT_EQUAL_STRING(expected, path);
	TEST_ASSERT_EQUAL(0, access(path, F_OK));
}

static void want(const char *name)
{
	snprintf(wanted, sizeof wanted, "%s/%s", folder, name);
	setenv(TOOL_LOG_VARIABLE, wanted, 1);
}

static void test_folders_are_made_and_nothing_is_overwritten(void)
{
	want("a/b/run.rlog");
	makes("a/b/run.rlog");
	makes("a/b/run_1.rlog");
	makes("a/b/run_2.rlog");
}

static void test_a_name_gets_the_ending(void)
{
	want("run");
	makes("run.rlog");
	makes("run_1.rlog");
}

static void test_without_a_name_it_is_called_by_the_process(void)
{
	char expected[64], output[128];
	snprintf(expected, sizeof expected, "out/roclatch-%d.rlog", (int)getpid());
	snprintf(output, sizeof output, "%s/out", folder);
	setenv("ROCPROF_OUTPUT_PATH", output, 1);
	makes(expected);
}

static void test_placeholders_of_outputs_are_no_folders(void)
{
	char expected[64], output[128];
	snprintf(expected, sizeof expected, "out//roclatch-%d.rlog", (int)getpid());
	snprintf(output, sizeof output, "%s/out/x%%hostname%%/y", folder);
	setenv("ROCPROF_OUTPUT_PATH", output, 1);
	makes(expected);
}

static void test_the_current_folder_is_the_last_resort(void)
{
	char here[1024], expected[64];
	TEST_ASSERT_NOT_NULL(getcwd(here, sizeof here));
	TEST_ASSERT_EQUAL(0, chdir(folder));
	snprintf(expected, sizeof expected, "roclatch-%d.rlog", (int)getpid());
	makes(expected);
	TEST_ASSERT_EQUAL(0, chdir(here));
}

static void test_the_descriptor_is_high_and_not_inherited(void)
{
	want("run.rlog");
	int fd = place_open(path, sizeof path), next = open("/dev/null", O_RDONLY);
	TEST_ASSERT_GREATER_OR_EQUAL(64, fd);
	TEST_ASSERT_LESS_THAN(64, next);
	TEST_ASSERT_TRUE(fcntl(fd, F_GETFD) & FD_CLOEXEC);
	TEST_ASSERT_TRUE(fcntl(fd, F_GETFL) & O_APPEND);
	close(fd);
	close(next);
}

static void test_few_descriptors_are_enough(void)
{
	struct rlimit before, few;
	getrlimit(RLIMIT_NOFILE, &before);
	few = before;
	few.rlim_cur = 32;
	TEST_ASSERT_EQUAL(0, setrlimit(RLIMIT_NOFILE, &few));
	want("run.rlog");
	int fd = place_open(path, sizeof path);
	setrlimit(RLIMIT_NOFILE, &before);
	TEST_ASSERT_GREATER_THAN(2, fd);
	close(fd);
}

static void test_a_link_is_not_followed(void)
{
	char there[128];
	want("run.rlog");
	snprintf(there, sizeof there, "%s/there", folder);
	TEST_ASSERT_EQUAL(0, symlink(there, wanted));
	makes("run_1.rlog");
	TEST_ASSERT_EQUAL(-1, access(there, F_OK));
}

static void test_what_cannot_be_made_is_told(void)
{
	char file[128];
	snprintf(file, sizeof file, "%s/file", folder);
	close(open(file, O_WRONLY | O_CREAT, 0666));
	want("file/run.rlog");
	TEST_ASSERT_EQUAL(-ENOTDIR, place_open(path, sizeof path));
	char name[400];
	memset(name, 'x', sizeof name - 1);
	name[sizeof name - 1] = '\0';
	memcpy(name, file, strlen(file));
	setenv(TOOL_LOG_VARIABLE, name, 1);
	TEST_ASSERT_EQUAL(-ENAMETOOLONG, place_open(path, 64));
	TEST_ASSERT_EQUAL(-ENAMETOOLONG, place_open(path, sizeof path));        /* says the kernel */
}

static void test_only_the_file_that_was_made_is_removed(void)
{
	want("run.rlog");
	makes("run.rlog");
	TEST_ASSERT_TRUE(place_remove(path));
	TEST_ASSERT_EQUAL(-1, access(path, F_OK));
	TEST_ASSERT_FALSE(place_remove(path));
	makes("run.rlog");
	/* another one in its place, while the first still has its inode */
	char aside[256];
	snprintf(aside, sizeof aside, "%s/aside", folder);
	TEST_ASSERT_EQUAL(0, rename(path, aside));
	close(open(path, O_WRONLY | O_CREAT | O_EXCL, 0666));
	TEST_ASSERT_FALSE(place_remove(path));
	TEST_ASSERT_EQUAL(0, access(path, F_OK));
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_folders_are_made_and_nothing_is_overwritten);
	RUN_TEST(test_a_name_gets_the_ending);
	RUN_TEST(test_without_a_name_it_is_called_by_the_process);
	RUN_TEST(test_placeholders_of_outputs_are_no_folders);
	RUN_TEST(test_the_current_folder_is_the_last_resort);
	RUN_TEST(test_the_descriptor_is_high_and_not_inherited);
	RUN_TEST(test_few_descriptors_are_enough);
	RUN_TEST(test_a_link_is_not_followed);
	RUN_TEST(test_what_cannot_be_made_is_told);
	RUN_TEST(test_only_the_file_that_was_made_is_removed);
	return UNITY_END();
}
