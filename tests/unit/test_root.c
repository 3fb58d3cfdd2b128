/* SPDX-License-Identifier: MIT */
/* A child in a chroot, and its files as seen from here: with openat2, and on a kernel without.  Needs root. */
#include "inject/root.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "child.h"
#include "unity.h"

#define RACES 4000

static char outside[] = "/tmp/roclatch-root-XXXXXX", folder[64], secret[64];
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

/* Not read for a day, so that a file system with relatime notes when it is read now. */
static void make_secret(void)
{
	const struct timespec times[2] = { { .tv_sec = time(NULL) - 200000 }, { .tv_sec = time(NULL) - 100000 } };
	snprintf(secret, sizeof secret, "%s/secret", outside);
	make_file(secret, "outside");
	TEST_ASSERT_EQUAL_INT(0, utimensat(AT_FDCWD, secret, times, 0));
}

static void make_link(const char *says, const char *path)
{
	TEST_ASSERT_EQUAL_INT(0, symlink(says, path));
}

static void make_tree(void)
{
	TEST_ASSERT_NOT_NULL(mkdtemp(outside));
	make_secret();
	snprintf(folder, sizeof folder, "%s/root", outside);
	mkdir(folder, 0755);
	TEST_ASSERT_EQUAL_INT(0, chdir(folder));
	mkdir("lib", 0755);
	mkdir("lib/deep", 0755);
	make_file("lib/deep/x.so", "inside");
	make_link("/lib/deep", "absolute");
	make_link("../absolute/./x.so", "lib/relative.so");
	make_link("../../../../lib/deep/x.so", "lib/upwards.so");
	make_link("loop", "loop");
	make_link(secret, "out-absolute");
	make_link("../secret", "out-relative");
	make_link("lib/../../secret", "out-by-folder");
	make_link(outside, "out-folder");
	make_link("nowhere/x", "dangling");
	TEST_ASSERT_EQUAL_INT(0, mkfifo("fifo", 0600));
	mknod("zero", S_IFCHR | 0666, makedev(1, 5));
	mkdir("race", 0755);
	mkdir("race/folder", 0755);
	make_file("race/folder/secret", "inside");
	make_link(outside, "race/link");
	mkdir("moves", 0755);
	mkdir("moves/a", 0755);
	make_file("moves/secret", "inside");
}

static void enter_root(void)
{
	if (chroot(folder) < 0 || chdir("/") < 0)
		_exit(1);
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
	if (access("zero", F_OK) == 0)
		refused("/zero", 0);
}

static void test_links_do_not_lead_out(void)
{
	struct stat before, after;
	TEST_ASSERT_EQUAL_INT(0, stat(secret, &before));
	refused("/out-absolute", ENOENT);
	refused("/out-relative", ENOENT);
	refused("/out-by-folder", ENOENT);
	refused("/out-folder/secret", ENOENT);
	refused("/lib/../../secret", ENOENT);
	refused("/race/link/secret", ENOENT);
	TEST_ASSERT_EQUAL_INT(-1, root_look(&target, "/out-absolute"));
	TEST_ASSERT_EQUAL_INT(-1, root_folder(&target, "/out-folder", &err));
	TEST_ASSERT_EQUAL_INT(0, stat(secret, &after));
	TEST_ASSERT_EQUAL_INT(before.st_atim.tv_sec, after.st_atim.tv_sec);
	TEST_ASSERT_EQUAL_INT(before.st_atim.tv_nsec, after.st_atim.tv_nsec);
}

static void test_a_folder_is_listed(void)
{
	int fd = root_folder(&target, "/absolute", &err);
	DIR *list = fd >= 0 ? fdopendir(fd) : NULL;
	size_t n = 0;
	TEST_ASSERT_NOT_NULL_MESSAGE(list, err.text);
	for (struct dirent *entry; (entry = readdir(list));)
		n += !strcmp(entry->d_name, "x.so");
	closedir(list);
	TEST_ASSERT_EQUAL_INT(1, n);
	TEST_ASSERT_EQUAL_INT(-1, root_folder(&target, "/lib/deep/x.so", &err));
	TEST_ASSERT_EQUAL_INT(-1, root_folder(&target, "/fifo", &err));
}

static void nearest_is(const char *path, const char *there)
{
	int fd = root_nearest(&target, path, real, sizeof real, &err);
	TEST_ASSERT_TRUE_MESSAGE(fd >= 0, err.text);
	close(fd);
	TEST_ASSERT_EQUAL_STRING(there, real);
}

static void test_a_path_is_followed_as_far_as_it_exists(void)
{
	nearest_is("/absolute/x/y", "/lib/deep");
	nearest_is("/lib/deep/x.so/y", "/lib/deep/x.so");
	nearest_is("/none", "/");
	TEST_ASSERT_EQUAL_INT(-1, root_nearest(&target, "/dangling", real, sizeof real, &err));
	TEST_ASSERT_EQUAL_INT(-1, root_nearest(&target, "/loop/x", real, sizeof real, &err));
}

static void test_a_name_with_anything_in_it_is_one_name(void)
{
	static const char *const odd[] = { "lib/new\nline", "lib/esc\033[2J", "lib/x (deleted)", "lib/\\012" };
	for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
		char path[64];
		make_file(odd[i], "odd");
		snprintf(path, sizeof path, "/%s", odd[i]);
		int fd = root_open(&target, path, real, sizeof real, &err);
		remove(odd[i]);
		TEST_ASSERT_TRUE_MESSAGE(fd >= 0, err.text);
		close(fd);
		TEST_ASSERT_EQUAL_STRING(path, real);
	}
}

static void swap_for_ever(void)
{
	for (;;)
		syscall(SYS_renameat2, AT_FDCWD, "race/folder", AT_FDCWD, "race/link", 2 /* RENAME_EXCHANGE */);
}

/* What is below it goes up to somewhere else by then. */
static void move_for_ever(void)
{
	char away[128];
	snprintf(away, sizeof away, "%s/away", outside);
	for (;;) {
		rename("moves/a", away);
		rename(away, "moves/a");
	}
}

/* Open it again and again while somebody changes the tree, until it was there and was not. */
static void race(void (*changes)(void), const char *path)
{
	int had = 0, missed = 0, strange = 0;
	time_t end = time(NULL) + 60;
	pid_t pid = fork();
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		changes();
	}
	while ((had + missed < RACES || !had || !missed) && time(NULL) < end) {
		char text[16] = "";
		int fd = root_open(&target, path, NULL, 0, NULL);
		if (fd < 0) {
			missed++;
			continue;
		}
		ssize_t n = read(fd, text, sizeof text - 1);
		close(fd);
		had++;
		strange += n != 6 || strcmp(text, "inside");
	}
	child_end(pid);
	TEST_ASSERT_EQUAL_INT_MESSAGE(0, strange, "something outside the root was read");
	TEST_ASSERT_TRUE_MESSAGE(had && missed, "there was no race");
}

static void test_a_folder_that_becomes_a_link_does_not_lead_out(void)
{
	struct stat before, after;
	TEST_ASSERT_EQUAL_INT(0, stat(secret, &before));
	race(swap_for_ever, "/race/folder/secret");
	struct stat st;
	if (lstat("race/folder", &st) == 0 && S_ISLNK(st.st_mode))
		syscall(SYS_renameat2, AT_FDCWD, "race/folder", AT_FDCWD, "race/link", 2);
	TEST_ASSERT_EQUAL_INT(0, stat(secret, &after));
	TEST_ASSERT_EQUAL_INT(before.st_atim.tv_sec, after.st_atim.tv_sec);
}

static void test_a_folder_that_is_moved_away_does_not_lead_out(void)
{
	char away[128];
	race(move_for_ever, "/moves/a/../secret");
	snprintf(away, sizeof away, "%s/away", outside);
	rename(away, "moves/a");
}

static void test_nothing_stays_open(void)
{
	int before = dup(0);
	close(before);
	sees("/lib/upwards.so");
	refused("/loop/x", ELOOP);
	nearest_is("/absolute/x/y", "/lib/deep");
	int after = dup(0);
	close(after);
	TEST_ASSERT_EQUAL_INT(before, after);
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
	refused("/lib/deep/x.so/", ENOTDIR);
	refused("/lib/deep/x.so/..", ENOTDIR);
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

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *where)
{
	(void)st;
	(void)kind;
	(void)where;
	return remove(path);
}

static void clean_up(pid_t pid)
{
	child_end(pid);
	nftw(outside, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

static void test_the_tree_is_made(void)
{
	make_tree();
	target.pid = target.live_tid = child_start(enter_root);
}

/* All of it, by the way that the kernel gives. */
static void run_all(void)
{
	RUN_TEST(test_a_plain_path_is_seen);
	RUN_TEST(test_an_absolute_link_begins_at_the_targets_root);
	RUN_TEST(test_nothing_leads_above_the_root);
	RUN_TEST(test_links_do_not_lead_out);
	RUN_TEST(test_a_loop_of_links_ends);
	RUN_TEST(test_only_regular_files_are_opened);
	RUN_TEST(test_a_folder_is_listed);
	RUN_TEST(test_a_path_is_followed_as_far_as_it_exists);
	RUN_TEST(test_a_name_with_anything_in_it_is_one_name);
	RUN_TEST(test_long_names_are_refused);
	RUN_TEST(test_a_file_is_no_folder);
	RUN_TEST(test_a_folder_that_becomes_a_link_does_not_lead_out);
	RUN_TEST(test_a_folder_that_is_moved_away_does_not_lead_out);
	RUN_TEST(test_paths_from_maps_lose_the_root);
	RUN_TEST(test_without_a_chroot_paths_stay);
	RUN_TEST(test_nothing_stays_open);
}

static void test_openat2_is_gone(void)
{
	without_call(SYS_openat2);
	TEST_ASSERT_EQUAL_INT(-1, syscall(SYS_openat2, AT_FDCWD, "/", NULL, 0));
	TEST_ASSERT_EQUAL_INT(ENOSYS, errno);
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_the_tree_is_made);
	run_all();
	RUN_TEST(test_openat2_is_gone);
	run_all();
	if (target.pid > 0)
		clean_up(target.pid);
	return UNITY_END();
}
