/* SPDX-License-Identifier: MIT */
/* A child in a chroot, and its files as seen from here.  Needs root. */
#include "inject/root.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "unity.h"

static char folder[] = "/tmp/roclatch-root-XXXXXX";
static struct target target;
static struct err err;
static char real[PATH_MAX];

void setUp(void)
{
	err = (struct err){ .code = ERR_NONE };
	real[0] = '\0';
}

void tearDown(void)
{
}

static void make_file(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");
	TEST_ASSERT_NOT_NULL(file);
	fputs(text, file);
	fclose(file);
}

static void make_tree(void)
{
	TEST_ASSERT_NOT_NULL(mkdtemp(folder));
	TEST_ASSERT_EQUAL_INT(0, chdir(folder));
	mkdir("lib", 0755);
	mkdir("lib/deep", 0755);
	make_file("lib/deep/x.so", "inside");
	TEST_ASSERT_EQUAL_INT(0, symlink("/lib/deep", "absolute"));
	TEST_ASSERT_EQUAL_INT(0, symlink("../absolute/./x.so", "lib/relative.so"));
	TEST_ASSERT_EQUAL_INT(0, symlink("../../../../lib/deep/x.so", "lib/upwards.so"));
	TEST_ASSERT_EQUAL_INT(0, symlink("loop", "loop"));
	TEST_ASSERT_EQUAL_INT(0, mkfifo("fifo", 0600));
}

static pid_t start_child(void)
{
	int ready[2];
	char byte;
	TEST_ASSERT_EQUAL_INT(0, pipe(ready));
	pid_t pid = fork();
	if (pid == 0) {
		if (chroot(folder) < 0 || chdir("/") < 0 || write(ready[1], "", 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	close(ready[1]);
	TEST_ASSERT_EQUAL_INT_MESSAGE(1, read(ready[0], &byte, 1), "chroot: this test needs root");
	close(ready[0]);
	return pid;
}

static void sees(const char *path)
{
	char text[16] = "";
	int fd = root_open(&target, path, real, sizeof real, &err);
	TEST_ASSERT_TRUE_MESSAGE(fd >= 0, err.text);
	TEST_ASSERT_EQUAL_INT(6, read(fd, text, sizeof text));
	close(fd);
	TEST_ASSERT_EQUAL_STRING("inside", text);
	TEST_ASSERT_EQUAL_STRING("/lib/deep/x.so", real);
}

static void refused(const char *path, int sys)
{
	TEST_ASSERT_EQUAL_INT(-1, root_open(&target, path, real, sizeof real, &err));
	TEST_ASSERT_EQUAL_INT(ERR_NOT_POSSIBLE, err.code);
	TEST_ASSERT_EQUAL_INT(sys, err.sys);
}

static void test_a_plain_path_is_seen(void)
{
	sees("/lib/deep/x.so");
	sees("//lib//./deep/x.so");
}

static void test_an_absolute_link_begins_at_the_targets_root(void)
{
	sees("/absolute/x.so");
	sees("/lib/relative.so");
}

static void test_nothing_leads_above_the_root(void)
{
	sees("/../../lib/deep/x.so");
	sees("/lib/upwards.so");
	refused("/etc/passwd", ENOENT);
	refused("/../etc/passwd", ENOENT);
}

static void test_a_loop_of_links_ends(void)
{
	refused("/loop/x", ELOOP);
}

static void test_only_regular_files_are_opened(void)
{
	refused("/fifo", 0);
	refused("/lib", 0);
	refused("/", 0);
}

static void test_long_names_are_refused(void)
{
	static char path[2 * PATH_MAX];
	memset(path, 'a', sizeof path - 1);
	path[0] = '/';
	refused(path, ENAMETOOLONG);
	path[NAME_MAX + 10] = '\0';
	refused(path, ENAMETOOLONG);
}

static void test_a_file_is_no_folder(void)
{
	refused("/lib/deep/x.so/y", ENOTDIR);
}

static void test_paths_from_maps_lose_the_root(void)
{
	char path[PATH_MAX];
	snprintf(path, sizeof path, "%s/lib/x.so", folder);
	TEST_ASSERT_EQUAL_STRING("/lib/x.so", root_strip(&target, path));
	snprintf(path, sizeof path, "%s-other/x.so", folder);
	TEST_ASSERT_EQUAL_STRING(path, root_strip(&target, path));
}

static void test_without_a_chroot_paths_stay(void)
{
	struct target self = { .pid = getpid(), .live_tid = getpid() };
	TEST_ASSERT_EQUAL_STRING("/lib/x.so", root_strip(&self, "/lib/x.so"));
}

static void clean_up(pid_t pid)
{
	static const char *const names[] = { "lib/deep/x.so", "lib/deep", "lib/relative.so",
		"lib/upwards.so", "lib", "absolute", "loop", "fifo" };
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		remove(names[i]);
	rmdir(folder);
}

static void test_the_tree_is_made(void)
{
	make_tree();
	target.pid = target.live_tid = start_child();
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_the_tree_is_made);
	RUN_TEST(test_a_plain_path_is_seen);
	RUN_TEST(test_an_absolute_link_begins_at_the_targets_root);
	RUN_TEST(test_nothing_leads_above_the_root);
	RUN_TEST(test_a_loop_of_links_ends);
	RUN_TEST(test_only_regular_files_are_opened);
	RUN_TEST(test_long_names_are_refused);
	RUN_TEST(test_a_file_is_no_folder);
	RUN_TEST(test_paths_from_maps_lose_the_root);
	RUN_TEST(test_without_a_chroot_paths_stay);
	if (target.pid > 0)
		clean_up(target.pid);
	return UNITY_END();
}
