/* SPDX-License-Identifier: MIT */
/* How and where a tool can be brought to a process, worked out without touching it. */
#include "rocp/staged.h"

#include <sched.h>
#include <stdio.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "live_target.h"

static char folder[64];
static struct stage_place place;

void setUp(void)
{
	strcpy(folder, "/tmp/stage-XXXXXX");
	TEST_ASSERT_NOT_NULL(mkdtemp(folder));
	TEST_ASSERT_EQUAL(0, chmod(folder, 0755));
}

void tearDown(void)
{
	rmdir(folder);
}

static void begin(void (*prepare)(void))
{
	open_target(child_start(prepare));
}

/* A file would come to this folder of the two. */
static void comes_to(enum stage_how wanted, const char *where)
{
	memset(&err, 0, sizeof err);
	TEST_ASSERT_EQUAL_MESSAGE(0, stage_choose(&target, folder, wanted, &place, &err), err.text);
	TEST_ASSERT_EQUAL(STAGE_FILE, place.how);
	TEST_ASSERT_EQUAL_STRING(where, place.folder);
}

static void does_not_fit(const char *reason)
{
	memset(&err, 0, sizeof err);
	TEST_ASSERT_EQUAL(-1, stage_folder_fits(&target, folder, &err));
	TEST_ASSERT_EQUAL(ERR_NOT_POSSIBLE, err.code);
	EXPECT_HAS(reason, err.text);
}

static void private_mounts(void)
{
	if (unshare(CLONE_NEWNS) < 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
		_exit(1);
}

static void hide_proc(void)
{
	private_mounts();
	if (mount("none", "/proc", "tmpfs", 0, NULL) < 0)
		_exit(1);
}

/* A proc, but of a pid namespace that does not know the process. */
static void have_other_proc(void)
{
	private_mounts();
	pid_t pid = unshare(CLONE_NEWPID) == 0 ? fork() : -1;
	if (pid == 0)
		_exit(mount("proc", "/proc", "proc", 0, NULL) < 0);
	int status = 1;
	if (pid < 0 || waitpid(pid, &status, 0) != pid || status)
		_exit(1);
}

static void mount_noexec(void)
{
	private_mounts();
	if (mount("none", folder, "tmpfs", MS_NOEXEC, "mode=0755") < 0)
		_exit(1);
}

static void mount_read_only(void)
{
	private_mounts();
	if (mount("none", folder, "tmpfs", MS_RDONLY, "mode=0755") < 0)
		_exit(1);
}

static void few_files(void)
{
	struct rlimit limit = { 200, 400 };
	for (int fd = 100; fd < 400; fd++)
		close(fd);
	if (setrlimit(RLIMIT_NOFILE, &limit) < 0)
		_exit(1);
}

static void few_and_seven_open(void)
{
	few_files();
	for (int i = 0; i < 7; i++)
		if (dup(0) < 0)
			_exit(1);
}

static void test_memory_comes_first(void)
{
	begin(NULL);
	TEST_ASSERT_EQUAL(0, stage_choose(&target, folder, STAGE_AUTO, &place, &err));
	TEST_ASSERT_EQUAL(STAGE_MEMFD, place.how);
	comes_to(STAGE_FILE, folder);
	close_target();
}

static void without_use_of_proc(void (*prepare)(void))
{
	begin(prepare);
	comes_to(STAGE_AUTO, folder);
	TEST_ASSERT_EQUAL(-1, stage_choose(&target, folder, STAGE_MEMFD, &place, &err));
	EXPECT_HAS("/proc", err.text);
	EXPECT_HAS("--stage file", err.remedy);
	close_target();
}

static void test_without_proc_a_file_does(void)
{
	without_use_of_proc(hide_proc);
}

static void test_a_proc_that_does_not_know_the_process_is_none(void)
{
	without_use_of_proc(have_other_proc);
}

static void test_the_temporary_folder_comes_before_the_usual_ones(void)
{
	begin(NULL);
	TEST_ASSERT_EQUAL(0, stage_choose(&target, NULL, STAGE_FILE, &place, &err));
	TEST_ASSERT_EQUAL_STRING("/tmp", place.folder);
	TEST_ASSERT_EQUAL(0, stage_choose(&target, "not/absolute", STAGE_FILE, &place, &err));
	TEST_ASSERT_EQUAL_STRING("/tmp", place.folder);
	close_target();
}

static void test_what_others_can_change_is_not_used(void)
{
	begin(NULL);
	TEST_ASSERT_EQUAL(0, stage_folder_fits(&target, folder, &err));
	TEST_ASSERT_EQUAL(0, chmod(folder, 0777));
	does_not_fit("others could change");
	comes_to(STAGE_FILE, "/tmp");
	TEST_ASSERT_EQUAL(0, chmod(folder, 01777));
	TEST_ASSERT_EQUAL(0, stage_folder_fits(&target, folder, &err));
	TEST_ASSERT_EQUAL(0, chmod(folder, 0775));
	does_not_fit("others could change");
	TEST_ASSERT_EQUAL(0, chmod(folder, 0755));
	TEST_ASSERT_EQUAL(0, chown(folder, SOMEBODY, SOMEBODY));
	does_not_fit("others could change");
	close_target();
}

static void test_its_own_folder_is_used_by_somebody(void)
{
	begin(become_somebody);
	does_not_fit("may not make files");
	TEST_ASSERT_EQUAL(0, chown(folder, SOMEBODY, SOMEBODY));
	TEST_ASSERT_EQUAL_MESSAGE(0, stage_folder_fits(&target, folder, &err), err.text);
	close_target();
}

static void test_links_and_missing_folders_are_passed_over(void)
{
	char link[80];
	begin(NULL);
	snprintf(link, sizeof link, "%s/link", folder);
	TEST_ASSERT_EQUAL(0, symlink("/tmp", link));
	TEST_ASSERT_EQUAL(-1, stage_folder_fits(&target, link, &err));
	EXPECT_HAS("is a link", err.text);
	unlink(link);
	TEST_ASSERT_EQUAL(-1, stage_folder_fits(&target, link, &err));
	EXPECT_HAS("is not there", err.text);
	close_target();
}

static void test_noexec_and_read_only_are_seen(void)
{
	begin(mount_noexec);
	does_not_fit("noexec");
	close_target();
	begin(mount_read_only);
	does_not_fit("Read-only");
	close_target();
}

static void test_files_that_may_be_opened_are_counted(void)
{
	begin(few_files);
	size_t left = stage_files_left(&target);
	TEST_ASSERT_TRUE(left > 100 && left < 200);
	close_target();
	begin(few_and_seven_open);
	TEST_ASSERT_EQUAL(left - 7, stage_files_left(&target));
	struct rlimit limit = { 3, 400 };
	TEST_ASSERT_EQUAL(0, prlimit(target.pid, RLIMIT_NOFILE, &limit, NULL));
	TEST_ASSERT_EQUAL(0, stage_files_left(&target));
	limit.rlim_cur = 400;
	TEST_ASSERT_EQUAL(0, prlimit(target.pid, RLIMIT_NOFILE, &limit, NULL));
	TEST_ASSERT_EQUAL(left + 193, stage_files_left(&target));
	close_target();
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_memory_comes_first);
	RUN_TEST(test_without_proc_a_file_does);
	RUN_TEST(test_a_proc_that_does_not_know_the_process_is_none);
	RUN_TEST(test_the_temporary_folder_comes_before_the_usual_ones);
	RUN_TEST(test_what_others_can_change_is_not_used);
	RUN_TEST(test_its_own_folder_is_used_by_somebody);
	RUN_TEST(test_links_and_missing_folders_are_passed_over);
	RUN_TEST(test_noexec_and_read_only_are_seen);
	RUN_TEST(test_files_that_may_be_opened_are_counted);
	return UNITY_END();
}
