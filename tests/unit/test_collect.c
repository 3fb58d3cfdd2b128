/* SPDX-License-Identifier: MIT */
/* What a tool wrote arrives on our side: whole, once, under names that do not collide. */
#include "collect_case.h"

#define BIG ((off_t)3 << 20)

static void make_big(const char *path)
{
	static char data[1 << 16];
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
	TEST_ASSERT_TRUE(fd >= 0);
	for (off_t at = 0; at < BIG; at += (off_t)sizeof data) {
		for (size_t i = 0; i < sizeof data; i++)
			data[i] = (char)(1 + ((size_t)at / 7 + i * 31) % 251);
		TEST_ASSERT_EQUAL_INT(sizeof data, pwrite(fd, data, sizeof data, at));
	}
	TEST_ASSERT_EQUAL_INT(0, fchown(fd, SOMEBODY, SOMEBODY));
	close(fd);
}

static bool same_bytes(const char *one, const char *other)
{
	static char a[1 << 16], b[1 << 16];
	int x = open(one, O_RDONLY | O_CLOEXEC), y = open(other, O_RDONLY | O_CLOEXEC);
	bool same = x >= 0 && y >= 0;
	for (ssize_t n = 1; same && n > 0;) {
		n = read(x, a, sizeof a);
		same = read(y, b, sizeof b) == n && n >= 0 && !memcmp(a, b, (size_t)n);
	}
	close(x);
	close(y);
	return same;
}

static void test_files_with_the_name_are_fetched(void)
{
	struct stat from, to;
	hold();
	make_file("root/out/run_results.db", "a database", SOMEBODY);
	make_file("root/out/run_kernel_trace.csv", "a table", SOMEBODY);
	make_file("root/out/run.rlog", "a log", SOMEBODY);
	make_file("root/out/runner_results.db", "of another", SOMEBODY);
	make_file("root/out/run_results.json.partial", "not yet", SOMEBODY);
	TEST_ASSERT_EQUAL_INT_MESSAGE(0, collect(), err.text);
	ours_is("run_results.db", "a database");
	ours_is("run_kernel_trace.csv", "a table");
	ours_is("run.rlog", "a log");
	TEST_ASSERT_EQUAL_INT(3, ours_count());
	TEST_ASSERT_EQUAL_size_t(3, collection.files);
	TEST_ASSERT_EQUAL_UINT64(10 + 7 + 5, collection.bytes);
	EXPECT_HAS("/run_results.db", collection.names);
	TEST_ASSERT_EQUAL_INT(0, stat("root/out/run_results.db", &from));
	TEST_ASSERT_EQUAL_INT(0, stat(ours("run_results.db"), &to));
	TEST_ASSERT_EQUAL_INT64(from.st_mtim.tv_sec, to.st_mtim.tv_sec);
	TEST_ASSERT_EQUAL_INT(geteuid(), to.st_uid);
}

static void test_only_what_is_new_or_changed_is_fetched(void)
{
	make_file("root/out/run_old.csv", "old", SOMEBODY);
	make_file("root/out/run_both.csv", "old", SOMEBODY);
	hold();
	make_file("root/out/run_both.csv", "changed", SOMEBODY);
	make_file("root/out/run_new.csv", "new", SOMEBODY);
	TEST_ASSERT_EQUAL_INT_MESSAGE(0, collect(), err.text);
	ours_is("run_both.csv", "changed");
	ours_is("run_new.csv", "new");
	TEST_ASSERT_EQUAL_INT(2, ours_count());
}

/* A later run asks for all. */
static void test_what_was_fetched_is_not_fetched_again(void)
{
	hold_as(enter_root, "/out/run", 1, false);
	make_file("root/out/run_a.csv", "first", SOMEBODY);
	TEST_ASSERT_EQUAL_INT_MESSAGE(0, collect(), err.text);
	TEST_ASSERT_EQUAL_INT_MESSAGE(0, collect(), err.text);
	TEST_ASSERT_EQUAL_size_t(1, collection.files);
	TEST_ASSERT_EQUAL_size_t(1, collection.before);
	TEST_ASSERT_EQUAL_INT(1, ours_count());
	/* another one of that name does not take its place */
	make_file("root/out/run_a.csv", "the second", SOMEBODY);
	TEST_ASSERT_EQUAL_INT_MESSAGE(0, collect(), err.text);
	ours_is("run_a.csv", "first");
	ours_is("run_a_1.csv", "the second");
	TEST_ASSERT_EQUAL_INT(2, ours_count());
	EXPECT_HAS("run_a_1.csv", collection.names);
}

static void test_names_with_host_and_pid_stay(void)
{
	char host[256] = "", path[PATH_MAX], output[PATH_MAX];
	gethostname(host, sizeof host - 1);
	snprintf(path, sizeof path, "root/out/%s", host);
	mkdir(path, 0755);
	hold_as(enter_root, "/out/x", 2, true);
	snprintf(output, sizeof output, "/out/./%s/%d", host, (int)target.pid);
	memcpy(written.output, output, sizeof output);
	snprintf(path, sizeof path, "root/out/%s/%d_results.db", host, (int)target.pid);
	make_file(path, "x", SOMEBODY);
	TEST_ASSERT_EQUAL_INT_MESSAGE(0, collect(), err.text);
	snprintf(path, sizeof path, "%s/%d_results.db", host, (int)target.pid);
	TEST_ASSERT_EQUAL_STRING(path, collection.names);
	TEST_ASSERT_EQUAL_INT(0, faccessat(collection.into, path, F_OK, 0));
}

static int count_entries(const char *folder)
{
	DIR *list = opendir(folder);
	int n = 0;
	for (struct dirent *entry; list && (entry = readdir(list));)
		n += entry->d_name[0] != '.';
	closedir(list);
	return n;
}

/* The target sees our folder, wherever that is mounted for it. */
static void expect_same(const char *output, unsigned names, const char *wanted)
{
	int before = collection.into;
	hold_as(enter_root, output, names, true);
	make_file("root/out/sub/run_results.db", "a database", SOMEBODY);
	make_file("root/out/run_results.db", "another", SOMEBODY);
	collection.into = collect_into("root/out", &err);
	int rc = collect(), entries = count_entries("root/out");
	close(collection.into);
	collection.into = before;
	TEST_ASSERT_EQUAL_INT_MESSAGE(0, rc, err.text);
	TEST_ASSERT_EQUAL_INT(2, entries);
	TEST_ASSERT_EQUAL_size_t(1, collection.files);
	TEST_ASSERT_EQUAL_size_t(1, collection.same);
	TEST_ASSERT_EQUAL_size_t(0, collection.before);
	TEST_ASSERT_EQUAL_STRING(wanted, collection.names);
}

static void test_what_lies_in_our_folder_itself_is_not_copied(void)
{
	TEST_ASSERT_EQUAL_INT(0, mkdir("root/out/sub", 0755));
	expect_same("/out/run", 1, "run_results.db");
	child_end(target.pid);
	written_close(&written);
	expect_same("/out/sub/run", 2, "sub/run_results.db");
}

/* ---- parts ------------------------------------------------------------------------------------ */

static int asked, stop_at;

static bool stop_soon(void *ctx, const char *file, uint64_t done, uint64_t size)
{
	(void)ctx;
	(void)file;
	TEST_ASSERT_EQUAL_UINT64(BIG, size);
	TEST_ASSERT_TRUE(done <= size);
	return ++asked >= stop_at;
}

static void stop_after(int pieces)
{
	asked = 0;
	stop_at = pieces;
	collection.progress = stop_soon;
}

static void test_a_part_is_continued(void)
{
	hold_as(enter_root, "/out/run", 1, false);
	make_big("root/out/run_results.db");
	stop_after(3);
	TEST_ASSERT_EQUAL_INT(-1, collect());
	TEST_ASSERT_TRUE(collection.stopped);
	TEST_ASSERT_EQUAL_INT(ERR_RESIDUE, err.code);
	TEST_ASSERT_EQUAL_INT(1, ours_count());
	TEST_ASSERT_EQUAL_INT(-1, access(ours("run_results.db"), F_OK));
	stop_after(1000);
	TEST_ASSERT_EQUAL_INT_MESSAGE(0, collect(), err.text);
	/* what was there was not read again */
	TEST_ASSERT_EQUAL_UINT64(3 * (256 << 10), collection.resumed);
	TEST_ASSERT_EQUAL_INT(BIG / (256 << 10) - 3, asked);
	TEST_ASSERT_TRUE(same_bytes("root/out/run_results.db", ours("run_results.db")));
	TEST_ASSERT_EQUAL_INT(1, ours_count());
}

static void test_the_part_of_another_file_is_not_continued(void)
{
	hold_as(enter_root, "/out/run", 1, false);
	make_big("root/out/run_results.db");
	stop_after(3);
	TEST_ASSERT_EQUAL_INT(-1, collect());
	const struct timespec later[2] = { { .tv_sec = 1 }, { .tv_sec = time(NULL) + 10 } };
	TEST_ASSERT_EQUAL_INT(0, utimensat(AT_FDCWD, "root/out/run_results.db", later, 0));
	collection.progress = NULL;
	TEST_ASSERT_EQUAL_INT_MESSAGE(0, collect(), err.text);
	TEST_ASSERT_EQUAL_UINT64(0, collection.resumed);
	TEST_ASSERT_TRUE(same_bytes("root/out/run_results.db", ours("run_results.db")));
}

static bool cut(void *ctx, const char *file, uint64_t done, uint64_t size)
{
	(void)ctx;
	(void)file;
	(void)size;
	if (done == 256 << 10)
		TEST_ASSERT_EQUAL_INT(0, truncate("root/out/run_results.db", 300000));
	return false;
}

static void test_a_file_that_is_cut_off_meanwhile_is_told(void)
{
	hold();
	make_big("root/out/run_results.db");
	make_file("root/out/run_z.csv", "another", SOMEBODY);
	collection.progress = cut;
	TEST_ASSERT_EQUAL_INT(-1, collect());
	TEST_ASSERT_EQUAL_INT(ERR_RESIDUE, err.code);
	EXPECT_HAS("was cut off", err.text);
	/* the others are fetched, and no half of this one stays */
	ours_is("run_z.csv", "another");
	TEST_ASSERT_EQUAL_INT(1, ours_count());
}

static bool append(void *ctx, const char *file, uint64_t done, uint64_t size)
{
	(void)ctx;
	(void)file;
	(void)done;
	TEST_ASSERT_EQUAL_UINT64(BIG, size);
	FILE *to = fopen("root/out/run_results.db", "a");
	fputs("more", to);
	fclose(to);
	return false;
}

/* As one that grows for ever would never end. */
static void test_a_file_that_grows_is_fetched_as_it_was_and_told(void)
{
	struct stat st;
	hold();
	make_big("root/out/run_results.db");
	collection.progress = append;
	TEST_ASSERT_EQUAL_INT_MESSAGE(0, collect(), err.text);
	TEST_ASSERT_EQUAL_INT(0, stat(ours("run_results.db"), &st));
	TEST_ASSERT_EQUAL_INT64(BIG, st.st_size);
	EXPECT_HAS("was written to", collection.notes);
}

/* ---- room, and the end of the target ------------------------------------------------------------ */

static void test_our_file_system_is_not_filled(void)
{
	hold();
	make_big("root/out/run_results.db");
	mkdir("small", 0755);
	TEST_ASSERT_EQUAL_INT(0, mount("none", "small", "tmpfs", 0, "size=2m"));
	int before = collection.into, small = collect_into("small", &err);
	collection.into = small;
	int rc = collect();
	DIR *list = opendir("small");
	int entries = 0;
	for (struct dirent *entry; list && (entry = readdir(list));)
		entries += entry->d_type == DT_REG;
	closedir(list);
	close(small);
	collection.into = before;
	TEST_ASSERT_EQUAL_INT(0, umount2("small", MNT_DETACH));
	TEST_ASSERT_EQUAL_INT(-1, rc);
	EXPECT_HAS("no room", err.text);
	TEST_ASSERT_EQUAL_INT(0, entries);
}

static void test_what_was_written_is_there_when_the_target_is_gone(void)
{
	hold_as(enter_own_mounts, "/out/run", 1, true);
	/* seen by nobody else */
	int root = root_of(&target, &err);
	int fd = openat(root, "out/run_results.db", O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
	TEST_ASSERT_TRUE(fd >= 0 && write(fd, "at the end", 10) == 10 && fchown(fd, SOMEBODY, SOMEBODY) == 0);
	close(fd);
	close(root);
	TEST_ASSERT_EQUAL_INT(-1, access("root/out/run_results.db", F_OK));
	pid_t pid = target.pid;
	child_end(pid);
	target.pid = 0;
	int rc = collect();
	target.pid = pid;
	const char *path = ours("run_results.db");
	target.pid = 0;
	TEST_ASSERT_EQUAL_INT_MESSAGE(0, rc, err.text);
	TEST_ASSERT_EQUAL_INT(0, access(path, F_OK));
}

static void test_it_is_needed_where_the_target_sees_something_else(void)
{
	struct target self = { .pid = getpid(), .live_tid = getpid() };
	TEST_ASSERT_FALSE(collect_is_needed(&self, "/tmp/run"));
	hold_as(enter_own_mounts, "/out/run", 1, true);
	TEST_ASSERT_TRUE(collect_is_needed(&target, "/out/run"));
}

static void cover_out(void)
{
	if (unshare(CLONE_NEWNS) < 0 || mount("none", "root/out", "tmpfs", 0, "mode=777") < 0)
		_exit(1);
}

/* Its root is ours, but not all that is mounted there. */
static void test_it_is_needed_only_below_what_the_target_has_mounted(void)
{
	char covered[PATH_MAX], open_to_all[PATH_MAX];
	target.pid = target.live_tid = child_start(cover_out);
	snprintf(covered, sizeof covered, "%s/root/out/run", work);
	snprintf(open_to_all, sizeof open_to_all, "%s/outside/run", work);
	TEST_ASSERT_TRUE(collect_is_needed(&target, covered));
	TEST_ASSERT_FALSE(collect_is_needed(&target, open_to_all));
}

int main(void)
{
	keep_mounts_to_ourselves();
	UNITY_BEGIN();
	RUN_TEST(test_files_with_the_name_are_fetched);
	RUN_TEST(test_only_what_is_new_or_changed_is_fetched);
	RUN_TEST(test_what_was_fetched_is_not_fetched_again);
	RUN_TEST(test_names_with_host_and_pid_stay);
	RUN_TEST(test_what_lies_in_our_folder_itself_is_not_copied);
	RUN_TEST(test_a_part_is_continued);
	RUN_TEST(test_the_part_of_another_file_is_not_continued);
	RUN_TEST(test_a_file_that_is_cut_off_meanwhile_is_told);
	RUN_TEST(test_a_file_that_grows_is_fetched_as_it_was_and_told);
	RUN_TEST(test_our_file_system_is_not_filled);
	RUN_TEST(test_what_was_written_is_there_when_the_target_is_gone);
	RUN_TEST(test_it_is_needed_where_the_target_sees_something_else);
	RUN_TEST(test_it_is_needed_only_below_what_the_target_has_mounted);
	return UNITY_END();
}
