/* SPDX-License-Identifier: MIT */
/*
 * A target that wants to make a privileged roclatch read, write or wait where it
 * must not.  What came of it is looked at by itself, not by what was told.
 */
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>

#include "collect_case.h"

#define HUGE_SIZE ((off_t)100 << 30)
#define RACES 400

/* Nothing of this output is taken, and that is told; an ordinary file beside it is. */
static void nothing_but(const char *ordinary)
{
	make_file("root/out/run_ordinary", ordinary, SOMEBODY);
	TEST_ASSERT_EQUAL_INT(-1, collect());
	TEST_ASSERT_EQUAL_INT(ERR_RESIDUE, err.code);
	TEST_ASSERT_TRUE(collection.refused > 0);
	ours_is("run_ordinary", ordinary);
	TEST_ASSERT_EQUAL_INT(1, ours_count());
	secret_is_untouched();
}

static void test_links_are_not_followed(void)
{
	char absolute[PATH_MAX];
	hold();
	snprintf(absolute, sizeof absolute, "%s/outside/run_secret", work);
	TEST_ASSERT_EQUAL_INT(0, symlink(absolute, "root/out/run_absolute"));
	TEST_ASSERT_EQUAL_INT(0, symlink("../../outside/run_secret", "root/out/run_relative"));
	TEST_ASSERT_EQUAL_INT(0, symlink("run_ordinary", "root/out/run_inside"));
	TEST_ASSERT_EQUAL_INT(0, symlink("/proc/self/environ", "root/out/run_proc"));
	nothing_but("ordinary");
	TEST_ASSERT_EQUAL_size_t(4, collection.refused);
}

static void test_fifos_devices_and_sockets_are_not_opened(void)
{
	hold();
	TEST_ASSERT_EQUAL_INT(0, mkfifo("root/out/run_fifo", 0666));
	TEST_ASSERT_EQUAL_INT(0, mknod("root/out/run_socket", S_IFSOCK | 0666, 0));
	bool device = mknod("root/out/run_zero", S_IFCHR | 0666, makedev(1, 5)) == 0;
	mkdir("root/out/run_folder", 0777);
	nothing_but("ordinary");
	TEST_ASSERT_EQUAL_size_t(device ? 4 : 3, collection.refused);
}

static void test_a_hard_link_to_anothers_file_is_refused(void)
{
	hold();
	TEST_ASSERT_EQUAL_INT(0, link("outside/run_secret", "root/out/run_hard"));
	nothing_but("ordinary");
	EXPECT_HAS("belongs to user 0", err.text);
}

/* Root could open it; the user whose process it is could not. */
static void test_a_file_that_the_user_may_not_read_is_refused(void)
{
	hold();
	make_file("root/out/run_closed", "closed", SOMEBODY);
	TEST_ASSERT_EQUAL_INT(0, chmod("root/out/run_closed", 0));
	nothing_but("ordinary");
}

static void test_a_folder_that_leads_out_is_not_entered(void)
{
	char absolute[PATH_MAX];
	hold();
	snprintf(absolute, sizeof absolute, "%s/outside", work);
	const char *const says[] = { absolute, "../outside", "/../outside", "/out/../../outside" };
	for (size_t i = 0; i < sizeof says / sizeof *says; i++) {
		unlink("root/link");
		TEST_ASSERT_EQUAL_INT(0, symlink(says[i], "root/link"));
		strcpy(written.output, "/link/run");
		TEST_ASSERT_EQUAL_INT(-1, collect());
		strcpy(written.output, "/../outside/run");
		TEST_ASSERT_EQUAL_INT(-1, collect());
	}
	TEST_ASSERT_EQUAL_INT(0, ours_count());
	secret_is_untouched();
}

/* A folder, a link that leads out, and back, as fast as it goes. */
static void swap_for_ever(void)
{
	for (;;)
		syscall(SYS_renameat2, AT_FDCWD, "root/swapped", AT_FDCWD, "root/other", 2 /* RENAME_EXCHANGE */);
}

static void race(void)
{
	int had = 0, missed = 0;
	time_t end = time(NULL) + 60;
	pid_t racer = fork();
	if (racer == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		swap_for_ever();
	}
	while ((had + missed < RACES || !had || !missed) && time(NULL) < end) {
		if (collect() == 0 && collection.files)
			had++;
		else
			missed++;
	}
	child_end(racer);
	TEST_ASSERT_TRUE_MESSAGE(had && missed, "there was no race");
	ours_is("run_secret", "inside");
	TEST_ASSERT_EQUAL_INT(1, ours_count());
	secret_is_untouched();
}

static void test_a_folder_that_becomes_a_link_meanwhile_does_not_lead_out(void)
{
	mkdir("root/swapped", 0755);
	TEST_ASSERT_EQUAL_INT(0, symlink("../../outside", "root/other"));
	hold_as(enter_root, "/swapped/run", 1, false);
	make_file("root/swapped/run_secret", "inside", SOMEBODY);
	race();
}

/* The name of a file becomes a link to one of ours, a fifo, a device. */
static void test_a_file_that_becomes_a_link_meanwhile_is_not_followed(void)
{
	hold_as(enter_root, "/run", 1, false);
	written.names = 1;
	strcpy(written.output, "/swapped");
	make_file("root/swapped", "inside", SOMEBODY);
	TEST_ASSERT_EQUAL_INT(0, symlink("../outside/run_secret", "root/other"));
	int had = 0;
	pid_t racer = fork();
	if (racer == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		swap_for_ever();
	}
	time_t end = time(NULL) + 60;
	for (int i = 0; (i < RACES || !had) && time(NULL) < end; i++)
		had += collect() == 0 && collection.files;
	child_end(racer);
	TEST_ASSERT_TRUE(had > 0);
	ours_is("swapped", "inside");
	TEST_ASSERT_EQUAL_INT(1, ours_count());
	secret_is_untouched();
}

static void test_names_move_no_cursor_and_leave_no_folder(void)
{
	hold();
	make_file("root/out/run_\033[2Jnew\nline", "odd", SOMEBODY);
	make_file("root/out/run_..", "dots", SOMEBODY);
	TEST_ASSERT_EQUAL_INT_MESSAGE(0, collect(), err.text);
	ours_is("run_\\x1b[2Jnew\\x0aline", "odd");
	ours_is("run_..", "dots");
	TEST_ASSERT_NULL(strchr(collection.names, '\033'));
	TEST_ASSERT_EQUAL_INT(2, ours_count());
	/* names of folders are the target's, too */
	mkdir("root/out/..x", 0755);
	written.names = 3;
	strcpy(written.output, "/out/..x/../..x/run");
	make_file("root/out/..x/run_a", "a", SOMEBODY);
	TEST_ASSERT_EQUAL_INT_MESSAGE(0, collect(), err.text);
	ours_is("\\x2e\\x2e/..x/run_a", "a");
	TEST_ASSERT_EQUAL_INT(3, ours_count());
}

/* ---- our own folder ----------------------------------------------------------------------------- */

static void make_ours(const char *name, bool with_folder)
{
	char folder[PATH_MAX];
	snprintf(folder, sizeof folder, "%s", ours(name));
	*strrchr(folder, '/') = '\0';
	if (with_folder)
		TEST_ASSERT_EQUAL_INT(0, mkdir(folder, 0755));
	else
		TEST_ASSERT_EQUAL_INT(0, symlink("../../outside", folder));
}

static void test_a_link_in_our_folder_is_not_written_through(void)
{
	hold();
	make_file("root/out/run_secret", "from the target", SOMEBODY);
	make_ours("run_secret", false);
	TEST_ASSERT_EQUAL_INT(-1, collect());
	secret_is_untouched();
	TEST_ASSERT_EQUAL_INT(-1, access("outside/run_secret_1", F_OK));
}

static void test_a_link_in_place_of_a_file_is_not_written_through(void)
{
	struct stat st;
	hold();
	make_file("root/out/run_secret", "from the target", SOMEBODY);
	make_ours("run_secret", true);
	TEST_ASSERT_EQUAL_INT(0, symlink("../../../outside/run_secret", ours("run_secret")));
	TEST_ASSERT_EQUAL_INT_MESSAGE(0, collect(), err.text);
	secret_is_untouched();
	TEST_ASSERT_TRUE(lstat(ours("run_secret"), &st) == 0 && S_ISLNK(st.st_mode));
	ours_is("run_secret_1", "from the target");
}

static void test_the_folder_of_somebody_else_is_not_used(void)
{
	hold();
	make_file("root/out/run_a", "a", SOMEBODY);
	make_ours("run_a", true);
	char folder[PATH_MAX];
	snprintf(folder, sizeof folder, "%s", ours("run_a"));
	*strrchr(folder, '/') = '\0';
	TEST_ASSERT_EQUAL_INT(0, chown(folder, SOMEBODY + 1, SOMEBODY + 1));
	TEST_ASSERT_EQUAL_INT(-1, collect());
	EXPECT_HAS("somebody else", err.text);
	TEST_ASSERT_EQUAL_INT(0, ours_count());
}

/* ---- size --------------------------------------------------------------------------------------- */

static void test_a_sparse_file_takes_no_room(void)
{
	struct stat st;
	char text[8] = "";
	hold();
	make_file("root/out/run_huge", "begin", SOMEBODY);
	int fd = open("root/out/run_huge", O_WRONLY | O_CLOEXEC);
	if (ftruncate(fd, HUGE_SIZE) < 0 || pwrite(fd, "middle", 6, HUGE_SIZE / 2) != 6) {
		close(fd);
		TEST_IGNORE_MESSAGE("no file of 100 GiB can be made here");
	}
	close(fd);
	TEST_ASSERT_EQUAL_INT_MESSAGE(0, collect(), err.text);
	TEST_ASSERT_EQUAL_INT(0, stat(ours("run_huge"), &st));
	TEST_ASSERT_EQUAL_INT64(HUGE_SIZE, st.st_size);
	TEST_ASSERT_TRUE_MESSAGE(st.st_blocks < 4096, "it takes room");
	fd = open(ours("run_huge"), O_RDONLY | O_CLOEXEC);
	TEST_ASSERT_TRUE(pread(fd, text, 5, 0) == 5 && !strcmp(text, "begin"));
	TEST_ASSERT_TRUE(pread(fd, text, 6, HUGE_SIZE / 2) == 6 && !strcmp(text, "middle"));
	close(fd);
}

static void test_nothing_stays_open(void)
{
	hold();
	TEST_ASSERT_EQUAL_INT(0, mkfifo("root/out/run_fifo", 0666));
	make_file("root/out/run_a", "a", SOMEBODY);
	int before = dup(0);
	close(before);
	collect();
	int after = dup(0);
	close(after);
	TEST_ASSERT_EQUAL_INT(before, after);
}

static void run_all(void)
{
	RUN_TEST(test_links_are_not_followed);
	RUN_TEST(test_fifos_devices_and_sockets_are_not_opened);
	RUN_TEST(test_a_hard_link_to_anothers_file_is_refused);
	RUN_TEST(test_a_file_that_the_user_may_not_read_is_refused);
	RUN_TEST(test_a_folder_that_leads_out_is_not_entered);
	RUN_TEST(test_a_folder_that_becomes_a_link_meanwhile_does_not_lead_out);
	RUN_TEST(test_a_file_that_becomes_a_link_meanwhile_is_not_followed);
	RUN_TEST(test_names_move_no_cursor_and_leave_no_folder);
	RUN_TEST(test_a_link_in_our_folder_is_not_written_through);
	RUN_TEST(test_a_link_in_place_of_a_file_is_not_written_through);
	RUN_TEST(test_the_folder_of_somebody_else_is_not_used);
	RUN_TEST(test_a_sparse_file_takes_no_room);
	RUN_TEST(test_nothing_stays_open);
}

/* What hangs is ended by the alarm; then the same on a kernel without openat2. */
int main(void)
{
	keep_mounts_to_ourselves();
	alarm(600);
	UNITY_BEGIN();
	run_all();
	without_call(SYS_openat2);
	run_all();
	return UNITY_END();
}
