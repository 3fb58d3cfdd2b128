/* SPDX-License-Identifier: MIT */
/*
 * The names in /proc/PID/maps are the target's: they may name a file of ours that
 * is another one in its own mounts, or be no names of anything.  Needs root.
 */
#include <ftw.h>
#include <sched.h>
#include <stdio.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <time.h>

#include "child.h"
#include "inject/images.h"
#include "made_library.h"
#include "rocp/view.h"

static char work[] = "/tmp/roclatch-lies-XXXXXX";
static const char *mapped, *decoy;
static pid_t child;

void setUp(void)
{
	strcpy(work + strlen(work) - 6, "XXXXXX");
	TEST_ASSERT_NOT_NULL(mkdtemp(work));
	TEST_ASSERT_TRUE(chmod(work, 0755) == 0 && chdir(work) == 0 && mkdir("there", 0755) == 0);
	child = 0;
}

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *where)
{
	(void)st;
	(void)kind;
	(void)where;
	return remove(path);
}

void tearDown(void)
{
	if (child)
		child_end(child);
	if (chdir("/") == 0)
		nftw(work, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

/* Not read for a day, so that a file system with relatime notes when it is read now. */
static void make_old(const char *path, unsigned char id)
{
	const struct timespec times[2] = { { .tv_sec = time(NULL) - 200000 }, { .tv_sec = time(NULL) - 100000 } };
	TEST_ASSERT_TRUE(made_file(path, SPREAD, id));
	TEST_ASSERT_EQUAL_INT(0, utimensat(AT_FDCWD, path, times, 0));
}

static void was_not_read(const char *path)
{
	struct stat st;
	TEST_ASSERT_EQUAL_INT(0, stat(path, &st));
	TEST_ASSERT_TRUE_MESSAGE(st.st_atim.tv_sec < time(NULL) - 150000, path);
}

/* The inode of the file behind the image whose path has that in it; -1: none could be had. */
static int look_for(pid_t pid, struct err *err)
{
	struct target target;
	struct images images;
	struct stat st;
	int fd = -1;
	if (target_open(&target, pid, NULL, err) < 0 || images_open(&images, &target, err) < 0)
		return -2;
	for (size_t i = 0; i < images.n && fd < 0; i++)
		if (strstr(images.v[i].path, "/there/"))
			fd = image_file(&images, &images.v[i], err);
	int inode = fd >= 0 && fstat(fd, &st) == 0 ? (int)st.st_ino : -1;
	images_close(&images);
	target_close(&target);
	return inode;
}

/* A file of our name, with the same build id even, which only the child sees and which is gone. */
static void map_in_own_mounts(void)
{
	if (unshare(CLONE_NEWNS) < 0 || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
	    mount("none", "there", "tmpfs", 0, "mode=755") < 0 || !made_file("there/lib.so", SPREAD, 1))
		_exit(1);
	made_map_path("there/lib.so", SPREAD);
	unlink("there/lib.so");
	become_somebody();
}

static void nobody(void)
{
}

static void test_a_file_of_ours_that_maps_names_is_not_read(void)
{
	struct stat st;
	make_old("there/lib.so", 1);
	TEST_ASSERT_EQUAL_INT(0, stat("there/lib.so", &st));
	child = child_start(map_in_own_mounts);
	struct seen seen = seen_as(become_somebody, look_for, child);
	TEST_ASSERT_EQUAL_INT(-1, seen.result);
	was_not_read("there/lib.so");
	/* root opens what is mapped, by the mapping */
	seen = seen_as(nobody, look_for, child);
	TEST_ASSERT_TRUE_MESSAGE(seen.result > 0 && seen.result != (int)st.st_ino, seen.err.text);
	was_not_read("there/lib.so");
}

static void map_it(void)
{
	become_somebody();
	made_map_path(mapped, SPREAD);
}

/* Is it found by root, and is a file that its name seems to mean never taken for it? */
static void names(const char *name, const char *other)
{
	struct stat st;
	mapped = name;
	decoy = other;
	TEST_ASSERT_TRUE(made_file(mapped, SPREAD, 7));
	if (decoy)
		TEST_ASSERT_TRUE(made_file(decoy, SPREAD, 8));
	TEST_ASSERT_EQUAL_INT(0, stat(mapped, &st));
	child = child_start(map_it);
	struct seen seen = seen_as(nobody, look_for, child);
	TEST_ASSERT_EQUAL_INT_MESSAGE((int)st.st_ino, seen.result, seen.err.text);
	seen = seen_as(become_somebody, look_for, child);
	TEST_ASSERT_EQUAL_INT_MESSAGE(decoy ? -1 : (int)st.st_ino, seen.result, seen.err.text);
	child_end(child);
	child = 0;
	unlink(mapped);
	if (decoy)
		unlink(decoy);
}

static void test_odd_names_mean_no_other_file(void)
{
	names("there/plain.so", NULL);
	names("there/two\nlines.so", NULL);
	names("there/\033[2J.so", NULL);
	names("there/gone.so (deleted)", "there/gone.so");
	names("there/back\\012slash.so", "there/back\nslash.so");
}

/* Text, and an image without a symbol, under names of ROCm. */
static void map_fakes(void)
{
	become_somebody();
	made_map_path("there/librocprofiler-register.so.0", SPREAD);
	made_map_path("there/librocprofiler-sdk.so.1", SPREAD);
}

static int look_at_rocm(pid_t pid, struct err *err)
{
	struct target target;
	struct images images;
	struct rocm_view view;
	if (target_open(&target, pid, NULL, err) < 0 || images_open(&images, &target, err) < 0 || rocm_view_open(&view, &images, err) < 0)
		return -2;
	int can = view.register_can_attach || view.register_can_late || view.sdk_can_attach || view.attached || view.registered;
	return can | (view.reg != NULL) << 1 | (view.sdk != NULL) << 2;
}

static void test_a_library_that_only_has_the_name_is_none(void)
{
	FILE *text = fopen("there/librocprofiler-register.so.0", "w");
	for (size_t i = 0; text && i < 3 * page_size(); i++)
		fputc("\x7f" "ELFake, "[i % 9], text);
	TEST_ASSERT_EQUAL_INT(0, fclose(text));
	TEST_ASSERT_TRUE(made_file("there/librocprofiler-sdk.so.1", SPREAD, 3));
	child = child_start(map_fakes);
	struct seen seen = seen_as(nobody, look_at_rocm, child);
	/* the text is no image, the image can do nothing */
	TEST_ASSERT_EQUAL_INT_MESSAGE(4, seen.result, seen.err.text);
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_a_file_of_ours_that_maps_names_is_not_read);
	RUN_TEST(test_odd_names_mean_no_other_file);
	RUN_TEST(test_a_library_that_only_has_the_name_is_none);
	return UNITY_END();
}
