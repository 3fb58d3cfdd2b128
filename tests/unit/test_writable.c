/* SPDX-License-Identifier: MIT */
/* May a process write there?  Worked out from outside, and tried by the process itself. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "live_target.h"
#include "rocp/loadable.h"

static char folder[] = "/tmp/roclatch-writable-XXXXXX";
static int question[2], answer[2];

/* ---- a process that tries what it is asked ---- */

/* mkdir -p, then a file; 0 or an errno.  What was made is taken away again. */
static int try_to_write(const char *path)
{
	char part[PATH_MAX], file[PATH_MAX + 16];
	size_t made[64], n = 0;
	int error = 0;
	snprintf(part, sizeof part, "%s", path);
	for (size_t i = 1; i <= strlen(path) && !error && n < 64; i++) {
		if (path[i] != '/' && path[i] != '\0')
			continue;
		part[i] = '\0';
		if (mkdir(part, 0755) == 0)
			made[n++] = i;
		else if (errno != EEXIST && access(part, F_OK) < 0)
			error = errno;
		part[i] = path[i];
	}
	snprintf(file, sizeof file, "%s/output", path);
	int fd = error ? -1 : open(file, O_WRONLY | O_CREAT | O_EXCL, 0644);
	if (fd < 0)
		error = error ? error : errno;
	else if (write(fd, file, 1) != 1)
		error = errno;
	if (fd >= 0) {
		close(fd);
		unlink(file);
	}
	while (n) {
		part[made[--n]] = '\0';
		rmdir(part);
	}
	return error;
}

static void (*prepare)(void);

static void serve(void)
{
	char path[PATH_MAX];
	if (prepare)
		prepare();
	int error = -1;
	if (write(answer[1], &error, sizeof error) != sizeof error)
		_exit(1);
	for (ssize_t n; (n = read(question[0], path, sizeof path - 1)) > 0;) {
		path[n] = '\0';
		error = try_to_write(path);
		if (write(answer[1], &error, sizeof error) != sizeof error)
			_exit(1);
	}
	_exit(0);
}

static int hear(void)
{
	int error = 0;
	struct pollfd waiting = { .fd = answer[0], .events = POLLIN };
	TEST_ASSERT_EQUAL_MESSAGE(1, poll(&waiting, 1, 10000), "the process does not answer");
	TEST_ASSERT_EQUAL(sizeof error, read(answer[0], &error, sizeof error));
	return error;
}

static void begin(void (*become)(void))
{
	prepare = become;
	pid_t pid = child_run(serve);
	TEST_ASSERT_EQUAL(-1, hear());
	open_target(pid);
}

/* 0 or the errno that the process gets. */
static int tried(const char *path)
{
	TEST_ASSERT_EQUAL(strlen(path), write(question[1], path, strlen(path)));
	return hear();
}

static void allowed(const char *path)
{
	err = (struct err){ .code = ERR_NONE };
	TEST_ASSERT_EQUAL_MESSAGE(0, writable_check(&target, path, &err), err.text);
	TEST_ASSERT_EQUAL_MESSAGE(0, tried(path), path);
}

static void refused(const char *path, int sys, const char *why)
{
	err = (struct err){ .code = ERR_NONE };
	TEST_ASSERT_EQUAL_MESSAGE(-1, writable_check(&target, path, &err), path);
	TEST_ASSERT_EQUAL_MESSAGE(ERR_NOT_POSSIBLE, err.code, err.text);
	TEST_ASSERT_EQUAL_MESSAGE(sys, err.sys, err.text);
	EXPECT_HAS(why, err.text);
	TEST_ASSERT_TRUE_MESSAGE(err.remedy[0], err.text);
	TEST_ASSERT_TRUE_MESSAGE(tried(path) != 0, path);
}

/* ---- the folders ---- */

static void make(const char *name, mode_t mode, uid_t uid, gid_t gid)
{
	TEST_ASSERT_TRUE(mkdir(name, 0755) == 0 || errno == EEXIST);
	TEST_ASSERT_EQUAL(0, chown(name, uid, gid));
	TEST_ASSERT_EQUAL(0, chmod(name, mode));
}

void setUp(void)
{
	TEST_ASSERT_EQUAL(0, pipe2(question, O_CLOEXEC));
	TEST_ASSERT_EQUAL(0, pipe2(answer, O_CLOEXEC));
}

void tearDown(void)
{
	if (target.pid)
		close_target();
	memset(&target, 0, sizeof target);
	for (int i = 0; i < 2; i++) {
		close(question[i]);
		close(answer[i]);
	}
}

static void test_the_folders_are_made(void)
{
	umask(022);
	TEST_ASSERT_NOT_NULL(mkdtemp(folder));
	TEST_ASSERT_EQUAL(0, chmod(folder, 0755));
	TEST_ASSERT_EQUAL(0, chdir(folder));
	if (unshare(CLONE_NEWNS) < 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
		TEST_IGNORE_MESSAGE("this test needs root");
	make("open", 0777, 0, 0);
	make("roots", 0755, 0, 0);
	make("own", 0700, SOMEBODY, 0);
	make("own/shut", 0500, SOMEBODY, 0);
	make("groups", 0770, 0, 4242);
	make("not-for-group", 0707, 0, 4242);
	make("closed", 0700, 0, 0);
	make("closed/open", 0777, 0, 0);
	make("read-only", 0777, 0, 0);
	make("full", 0777, 0, 0);
	make("own/sub", 0755, SOMEBODY, 0);
	make("bound", 0777, 0, 0);
	TEST_ASSERT_EQUAL(0, symlink("open", "link"));
	TEST_ASSERT_EQUAL(0, symlink("nowhere/else", "dangling"));
	TEST_ASSERT_EQUAL(0, symlink("loop", "loop"));
	close(open("file", O_WRONLY | O_CREAT, 0666));
	TEST_ASSERT_EQUAL(0, chmod("file", 0666));
	TEST_ASSERT_EQUAL(0, mount("none", "read-only", "tmpfs", MS_RDONLY, "mode=777"));
	TEST_ASSERT_EQUAL(0, mount("none", "full", "tmpfs", 0, "mode=777,size=4k"));
	TEST_ASSERT_EQUAL(0, mount("open", "bound", NULL, MS_BIND, NULL));
	TEST_ASSERT_EQUAL(0, mount("none", "bound", NULL, MS_REMOUNT | MS_BIND | MS_RDONLY, NULL));
	int fd = open("full/all", O_WRONLY | O_CREAT, 0666);
	static char page[1 << 16];
	while (write(fd, page, sizeof page) > 0)
		;
	close(fd);
}

static const char *at_(const char *name)
{
	static char path[PATH_MAX];
	snprintf(path, sizeof path, "%s/%s", folder, name);
	return path;
}

static void somebody(void)
{
	gid_t groups[] = { 777, 4242 };
	if (setgroups(2, groups) < 0 || setgid(SOMEBODY) < 0 || setuid(SOMEBODY) < 0)
		_exit(99);
}

static void test_root_may_write_where_it_likes(void)
{
	begin(NULL);
	allowed(at_("open"));
	allowed(at_("own/shut"));
	allowed(at_("closed/open/new/newer"));
	allowed(at_("roots/new"));
}

static void test_ids_and_modes_decide_for_others(void)
{
	begin(somebody);
	allowed(at_("open"));
	allowed(at_("own"));
	allowed(at_("own/new/newer"));
	allowed(at_("groups"));
	allowed(at_("link/new"));
	refused(at_("roots"), EACCES, "may not make files in");
	EXPECT_HAS("chown", err.remedy);
	EXPECT_HAS("mode 755", err.text);
	refused(at_("roots/new/newer"), EACCES, "roots");
	refused(at_("own/shut"), EACCES, "shut");
	refused(at_("not-for-group"), EACCES, "not-for-group");
	refused(at_("closed/open"), EACCES, "may not enter");
	refused(at_("closed/missing"), EACCES, "closed");
}

static void somebody_with_a_capability(void)
{
	prctl(PR_SET_KEEPCAPS, 1);
	somebody();
	struct { uint32_t version; int pid; } header = { 0x20080522, 0 };
	struct { uint32_t effective, permitted, inheritable; } data[2] = { { 1 << 1, 1 << 1, 0 }, { 0, 0, 0 } };
	if (syscall(SYS_capset, &header, data) < 0)
		_exit(98);
}

static void test_a_capability_overrides_the_mode(void)
{
	begin(somebody_with_a_capability);
	allowed(at_("roots/new"));
	allowed(at_("closed/open"));
}

static void put_line(const char *path, const char *line)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0 || write(fd, line, strlen(line)) != (ssize_t)strlen(line))
		_exit(97);
	close(fd);
}

/* root in a user namespace of its own, which knows one id */
static void in_a_user_namespace(void)
{
	become_somebody();
	if (unshare(CLONE_NEWUSER) < 0)
		_exit(97);
	put_line("/proc/self/setgroups", "deny");
	put_line("/proc/self/uid_map", "0 12345 1");
	put_line("/proc/self/gid_map", "0 12345 1");
}

static void test_capabilities_of_a_namespace_count_for_ids_that_it_knows(void)
{
	begin(in_a_user_namespace);
	make("mapped", 0500, SOMEBODY, SOMEBODY);
	allowed(at_("open"));
	allowed(at_("mapped"));
	refused(at_("roots"), EACCES, "roots");
	refused(at_("own/shut"), EACCES, "shut");       /* its group is not known there */
}

static void test_read_only_and_full_file_systems_are_seen(void)
{
	begin(somebody);
	refused(at_("read-only"), EROFS, "read-only");
	refused(at_("read-only/new"), EROFS, "Read-only");
	refused(at_("bound/new"), EROFS, "Read-only");
	refused(at_("full"), ENOSPC, "No space left");
	EXPECT_HAS("df ", err.remedy);
}

static void test_what_is_no_folder_is_refused(void)
{
	begin(somebody);
	refused(at_("file"), ENOTDIR, "file");
	refused(at_("file/below"), ENOTDIR, "file");
	refused(at_("dangling"), ENOENT, "dangling");
	refused(at_("loop"), ELOOP, "loop");
}

static void in_own(void)
{
	if (chdir("own") < 0)
		_exit(93);
	somebody();
}

static void test_relative_folders_begin_at_the_current_one(void)
{
	begin(in_own);
	allowed("sub");
	allowed("new/newer");
	allowed(".");
	refused("../roots", EACCES, "roots");
	refused("shut/x", EACCES, "shut");
}

static void in_a_removed_folder(void)
{
	if (mkdir("gone", 0777) < 0 || chdir("gone") < 0 || rmdir("../gone") < 0)
		_exit(92);
}

static void test_a_current_folder_that_was_removed_is_told(void)
{
	begin(in_a_removed_folder);
	refused("out", 0, "has been removed");
}

static void plain(const char *path, bool expected)
{
	err = (struct err){ .code = ERR_NONE };
	TEST_ASSERT_EQUAL_MESSAGE(expected ? 0 : -1, writable_check(&target, path, &err), path);
}

static void test_placeholders_end_what_can_be_checked(void)
{
	begin(in_own);
	plain("%hostname%/%pid%", true);
	plain(at_("roots/%pid%"), false);
	plain(at_("roots/x-{pid}/y"), false);
	plain(at_("own/run-%pid%"), true);
	plain(at_("open/%env{HOME}%/roots"), true);
	plain("../roots/a%pid%", false);
}

static void in_a_chroot(void)
{
	if (chroot(folder) < 0 || chdir("/own") < 0)
		_exit(91);
	somebody();
}

static void test_a_chroot_is_seen_from_inside(void)
{
	begin(in_a_chroot);
	allowed("/open");
	allowed("/link/x");
	allowed("sub");
	allowed("new");
	refused("/roots", EACCES, "/roots");
	refused("../../roots", EACCES, "/roots");
}

static void test_nothing_was_made(void)
{
	TEST_ASSERT_EQUAL(-1, access("own/new", F_OK));
	TEST_ASSERT_EQUAL(-1, access("open/new", F_OK));
	TEST_ASSERT_EQUAL(-1, access("own/run-%pid%", F_OK));
}

static void clean_up(void)
{
	static const char *const mounts[] = { "read-only", "full", "bound" };
	static const char *const names[] = { "own/shut", "own/sub", "own", "open", "roots", "groups", "not-for-group",
		"closed/open", "closed", "read-only", "full", "bound", "mapped", "link", "dangling", "loop", "file" };
	for (size_t i = 0; i < 3; i++)
		umount2(mounts[i], MNT_DETACH);
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		remove(names[i]);
	rmdir(folder);
}

int main(void)
{
	signal(SIGPIPE, SIG_IGN);
	UNITY_BEGIN();
	RUN_TEST(test_the_folders_are_made);
	RUN_TEST(test_root_may_write_where_it_likes);
	RUN_TEST(test_ids_and_modes_decide_for_others);
	RUN_TEST(test_a_capability_overrides_the_mode);
	RUN_TEST(test_capabilities_of_a_namespace_count_for_ids_that_it_knows);
	RUN_TEST(test_read_only_and_full_file_systems_are_seen);
	RUN_TEST(test_what_is_no_folder_is_refused);
	RUN_TEST(test_relative_folders_begin_at_the_current_one);
	RUN_TEST(test_a_current_folder_that_was_removed_is_told);
	RUN_TEST(test_placeholders_end_what_can_be_checked);
	RUN_TEST(test_a_chroot_is_seen_from_inside);
	RUN_TEST(test_nothing_was_made);
	clean_up();
	return UNITY_END();
}
