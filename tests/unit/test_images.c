/* SPDX-License-Identifier: MIT */
#include "inject/images.h"

#include <stdio.h>
#include <sys/stat.h>

#include "child.h"
#include "made_library.h"

static struct err err;
static struct target target;
static struct images images;
static pid_t child;
static char folder[64], library[128], second[128];
static char **at;       /* shared with the child: where it mapped things */

void setUp(void)
{
	memset(&err, 0, sizeof err);
	memset(&images, 0, sizeof images);
	memset(at, 0, 4 * sizeof *at);
	target = (struct target){.pidfd = -1, .memory.fd = -1};
	child = 0;
	strcpy(folder, "/tmp/images-XXXXXX");
	TEST_ASSERT_NOT_NULL(mkdtemp(folder));
	chmod(folder, 0755);
	snprintf(library, sizeof library, "%s/libmade.so.1.2.3", folder);
	snprintf(second, sizeof second, "%s/libsecond.so", folder);
	TEST_ASSERT_TRUE(made_file(library, SPREAD, 1));
}

void tearDown(void)
{
	images_close(&images);
	target_close(&target);
	if (child)
		child_end(child);
	unlink(library);
	unlink(second);
	rmdir(folder);
}

static void look_at(void (*prepare)(void))
{
	child = child_start(prepare);
	TEST_ASSERT_EQUAL_MESSAGE(0, target_open(&target, child, NULL, &err), err.text);
	TEST_ASSERT_EQUAL_MESSAGE(0, images_open(&images, &target, &err), err.text);
}

static raddr page_at(int mapped, int page)
{
	return (uintptr_t)at[mapped] + (size_t)page * page_size();
}

static void expect_found(const char *name, int mapped)
{
	struct image *image = images_find(&images, name, &err);
	TEST_ASSERT_NOT_NULL_MESSAGE(image, err.text);
	TEST_ASSERT_EQUAL_HEX64(page_at(mapped, 0), image->start);
	TEST_ASSERT_EQUAL_HEX64(page_at(mapped, 0), image->elf.low);
}

static void expect_covers_its_pages(int mapped)
{
	for (int i = MADE_HEADER; i < MADE_PAGES; i++) {
		struct image *image = images_at(&images, page_at(mapped, i) + 8);
		TEST_ASSERT_NOT_NULL(image);
		TEST_ASSERT_EQUAL_HEX64(page_at(mapped, 0), image->start);
	}
	TEST_ASSERT_NULL(images_at(&images, page_at(mapped, MADE_PAGES)));
}

static void expect_none(const char *name)
{
	TEST_ASSERT_NULL(images_find(&images, name, &err));
	TEST_ASSERT_EQUAL(ERR_NOT_POSSIBLE, err.code);
}

static void load(void)
{
	at[0] = made_map_path(library, SPREAD);
}

static void test_a_library_answers_to_its_names(void)
{
	char address[32];
	look_at(load);
	expect_found(library, 0);
	expect_found("libmade.so.1.2.3", 0);
	expect_found("libmade.so.1", 0);
	expect_found("libmade.so", 0);
	snprintf(address, sizeof address, "0x%llx", (unsigned long long)page_at(0, 0));
	expect_found(address, 0);
	expect_covers_its_pages(0);
}

static void test_a_link_to_the_file_is_as_good_as_its_path(void)
{
	TEST_ASSERT_EQUAL(0, symlink(library, second));
	look_at(load);
	expect_found(second, 0);
}

static void test_what_is_not_there_is_refused_with_the_nearest_names(void)
{
	look_at(load);
	expect_none("libmada.so");
	EXPECT_HAS("has no library libmada.so loaded; nearest: libmade.so.1.2.3, ", err.text);
	EXPECT_HAS("maps", err.remedy);
	expect_none("ld.so");
	EXPECT_HAS("static", err.text);
}

/* What is mapped cannot be read, as parts of one on which the loader is at work. */
static void load_without_bytes(void)
{
	load();
	if (truncate(library, 0))
		_exit(1);
}

static void test_a_library_that_cannot_be_read_is_refused_for_now(void)
{
	look_at(load_without_bytes);
	expect_none("libmade.so");
	EXPECT_HAS("libmade.so.1.2.3 at 0x", err.text);
	EXPECT_HAS("run roclatch again", err.remedy);
}

static void test_the_program_the_vdso_and_a_static_libc(void)
{
	look_at(NULL);
	struct image *exe = images_find(&images, "exe", &err);
	TEST_ASSERT_NOT_NULL(exe);
	TEST_ASSERT_EQUAL_PTR(exe, images_at(&images, (uintptr_t)setUp));
	TEST_ASSERT_EQUAL_PTR(exe, images_find(&images, "libc", &err));
	struct image *vdso = images_find(&images, "vdso", &err);
	TEST_ASSERT_NOT_NULL(vdso);
	TEST_ASSERT_EQUAL_STRING("[vdso]", vdso->path);
	TEST_ASSERT_EQUAL_HEX64(target.auxv.vdso, vdso->start);
	images_libc(&images);
	TEST_ASSERT_EQUAL(LIBC_MUSL, target.libc);
}

static void map_data(int slot)
{
	int fd = open(library, O_RDONLY | O_CLOEXEC);
	at[slot] = mmap(NULL, 3 * page_size(), PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
}

static void load_as_data(void)
{
	map_data(0);
}

static void test_a_file_that_is_mapped_as_data_is_no_image(void)
{
	look_at(load_as_data);
	expect_none("libmade.so");
	TEST_ASSERT_NULL(images_at(&images, page_at(0, 0)));
}

static void load_between_data(void)
{
	map_data(1);
	load();
	map_data(2);
}

static void test_data_beside_the_loaded_library_does_not_confuse(void)
{
	look_at(load_between_data);
	expect_found("libmade.so", 0);
	expect_covers_its_pages(0);
	TEST_ASSERT_NULL(images_at(&images, page_at(1, 0)));
	TEST_ASSERT_NULL(images_at(&images, page_at(2, 0)));
}

static void load_twice(void)
{
	load();
	at[1] = made_map_path(library, SPREAD);
}

static void test_a_library_that_is_loaded_twice_is_ambiguous_and_its_address_decides(void)
{
	char address[2][32];
	look_at(load_twice);
	expect_none("libmade.so");
	EXPECT_HAS("ambiguous", err.text);
	EXPECT_HAS("start address", err.remedy);
	for (int i = 0; i < 2; i++) {
		snprintf(address[i], sizeof address[i], "0x%llx", (unsigned long long)page_at(i, 0));
		EXPECT_HAS(address[i], err.text);
	}
	expect_found(address[0], 0);
	expect_found(address[1], 1);
	expect_covers_its_pages(0);
	expect_covers_its_pages(1);
}

static void load_two_files(void)
{
	load();
	at[1] = made_map_path(second, SPREAD);
}

static void test_two_versions_are_ambiguous_and_the_whole_path_decides(void)
{
	snprintf(second, sizeof second, "%s/libmade.so", folder);
	TEST_ASSERT_TRUE(made_file(second, SPREAD, 2));
	look_at(load_two_files);
	expect_none("libmade.so");
	EXPECT_HAS(library, err.text);
	EXPECT_HAS("whole path", err.remedy);
	expect_found(library, 0);
	expect_found(second, 1);
	expect_found("libmade.so.1", 0);
}

static void load_tight(void)
{
	at[0] = made_map_path(library, TIGHT);
}

static void test_the_first_page_mapped_thrice_is_one_image(void)
{
	TEST_ASSERT_TRUE(made_file(library, TIGHT, 1));
	look_at(load_tight);
	expect_found("libmade.so", 0);
	expect_covers_its_pages(0);
}

static void load_with_copied_code(void)
{
	load();
	made_copy_page(at[0] + MADE_CODE * page_size(), PROT_READ | PROT_EXEC);
}

static void test_code_on_anonymous_pages_belongs_to_its_image(void)
{
	look_at(load_with_copied_code);
	expect_found("libmade.so", 0);
	expect_covers_its_pages(0);
}

static void load_with_copied_header(void)
{
	load_with_copied_code();
	made_copy_page(at[0], PROT_READ | PROT_EXEC);
}

static void test_header_and_code_on_anonymous_pages_are_found_by_what_follows(void)
{
	look_at(load_with_copied_header);
	expect_found("libmade.so", 0);
	expect_covers_its_pages(0);
}

static void load_memfd(void)
{
	int fd = memfd_create("made", MFD_CLOEXEC);
	if (!made_write(fd, SPREAD, 3))
		_exit(1);
	at[0] = made_map(fd, SPREAD);
	close(fd);
}

static void test_a_memfd_is_an_image_with_a_file(void)
{
	look_at(load_memfd);
	struct image *image = images_find(&images, "/memfd:made", &err);
	TEST_ASSERT_NOT_NULL_MESSAGE(image, err.text);
	TEST_ASSERT_TRUE(image->deleted);
	int fd = image_file(&images, image, &err);
	TEST_ASSERT_TRUE_MESSAGE(fd >= 0, err.text);
	close(fd);
}

static void expect_file_of_library(ino_t inode)
{
	struct stat file;
	struct image *image = images_find(&images, "libmade.so", &err);
	TEST_ASSERT_NOT_NULL(image);
	int fd = image_file(&images, image, &err);
	TEST_ASSERT_TRUE_MESSAGE(fd >= 0, err.text);
	TEST_ASSERT_EQUAL(0, fstat(fd, &file));
	TEST_ASSERT_EQUAL_UINT64(inode, file.st_ino);
	close(fd);
}

static void test_the_file_of_a_library_even_when_deleted_or_replaced(void)
{
	struct stat file;
	TEST_ASSERT_EQUAL(0, stat(library, &file));
	look_at(load);
	expect_file_of_library(file.st_ino);
	unlink(library);
	expect_file_of_library(file.st_ino);
	TEST_ASSERT_TRUE(made_file(library, SPREAD, 9));
	expect_file_of_library(file.st_ino);
}

static void load_as_somebody(void)
{
	become_somebody();
	load();
}

static int look_for_file(pid_t pid, struct err *e)
{
	struct target other;
	struct images seen;
	if (target_open(&other, pid, NULL, e) < 0 || images_open(&seen, &other, e) < 0)
		return -2;
	struct image *image = images_find(&seen, "libmade.so", e);
	return image ? image_file(&seen, image, e) : -3;
}

static void test_without_privilege_only_the_same_file_or_build_id_is_taken(void)
{
	child = child_start(load_as_somebody);
	struct seen seen = seen_as(become_somebody, look_for_file, child);
	TEST_ASSERT_TRUE_MESSAGE(seen.result >= 0, seen.err.text);

	TEST_ASSERT_EQUAL(0, link(library, second));    /* or its inode could come again */
	unlink(library);
	TEST_ASSERT_TRUE(made_file(library, SPREAD, 1));
	seen = seen_as(become_somebody, look_for_file, child);
	TEST_ASSERT_TRUE_MESSAGE(seen.result >= 0, seen.err.text);

	TEST_ASSERT_TRUE(made_file(library, SPREAD, 2));
	seen = seen_as(become_somebody, look_for_file, child);
	TEST_ASSERT_EQUAL(-1, seen.result);
	TEST_ASSERT_EQUAL(ERR_NOT_POSSIBLE, seen.err.code);
	EXPECT_HAS("is not the one that is mapped", seen.err.text);
	EXPECT_HAS("as root", seen.err.remedy);
}

static void change_root(void)
{
	if (chroot(folder) < 0 || chdir("/") < 0)
		_exit(1);
	at[0] = made_map_path("/libmade.so.1.2.3", SPREAD);
}

static void test_a_library_in_a_changed_root(void)
{
	struct stat file;
	TEST_ASSERT_EQUAL(0, stat(library, &file));
	look_at(change_root);
	expect_found(library, 0);
	expect_found("/libmade.so.1.2.3", 0);
	expect_file_of_library(file.st_ino);
}

int main(void)
{
	at = mmap(NULL, 4 * sizeof *at, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	UNITY_BEGIN();
	RUN_TEST(test_a_library_answers_to_its_names);
	RUN_TEST(test_a_link_to_the_file_is_as_good_as_its_path);
	RUN_TEST(test_what_is_not_there_is_refused_with_the_nearest_names);
	RUN_TEST(test_a_library_that_cannot_be_read_is_refused_for_now);
	RUN_TEST(test_the_program_the_vdso_and_a_static_libc);
	RUN_TEST(test_a_file_that_is_mapped_as_data_is_no_image);
	RUN_TEST(test_data_beside_the_loaded_library_does_not_confuse);
	RUN_TEST(test_a_library_that_is_loaded_twice_is_ambiguous_and_its_address_decides);
	RUN_TEST(test_two_versions_are_ambiguous_and_the_whole_path_decides);
	RUN_TEST(test_the_first_page_mapped_thrice_is_one_image);
	RUN_TEST(test_code_on_anonymous_pages_belongs_to_its_image);
	RUN_TEST(test_header_and_code_on_anonymous_pages_are_found_by_what_follows);
	RUN_TEST(test_a_memfd_is_an_image_with_a_file);
	RUN_TEST(test_the_file_of_a_library_even_when_deleted_or_replaced);
	RUN_TEST(test_without_privilege_only_the_same_file_or_build_id_is_taken);
	RUN_TEST(test_a_library_in_a_changed_root);
	return UNITY_END();
}
