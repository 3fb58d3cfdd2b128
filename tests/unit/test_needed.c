/* SPDX-License-Identifier: MIT */
/* What libraries need, read from real ones and from ones that were spoilt. */
#include "elf/needed.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "elf/file.h"
#include "unity.h"

static struct elf_file file;
static struct elf_needs needs;
static struct err err;
static int fd = -1;

void setUp(void)
{
	err = (struct err){ .code = ERR_NONE };
}

void tearDown(void)
{
	elf_needs_free(&needs);
	if (fd >= 0)
		close(fd);
	fd = -1;
}

/* A copy of a library of the fixtures, which may be spoilt. */
static void take(const char *name)
{
	static char bytes[1 << 20];
	char path[PATH_MAX + 64];
	ssize_t length = readlink("/proc/self/exe", path, PATH_MAX);
	TEST_ASSERT_TRUE(length > 0);
	path[length] = '\0';
	for (int i = 0; i < 3; i++)
		*strrchr(path, '/') = '\0';
	snprintf(path + strlen(path), 64, "/fixtures/loadable/%s", name);
	int from = open(path, O_RDONLY | O_CLOEXEC);
	if (from < 0)
		TEST_IGNORE_MESSAGE("the fixtures are not built");
	length = read(from, bytes, sizeof bytes);
	close(from);
	fd = memfd_create("library", MFD_CLOEXEC);
	TEST_ASSERT_EQUAL(length, write(fd, bytes, (size_t)length));
	TEST_ASSERT_EQUAL_MESSAGE(0, elf_file_open(&file, fd, &err), err.text);
}

static uint64_t offset_of(uint64_t vaddr)
{
	for (size_t i = 0; i < file.segments; i++)
		if (vaddr >= file.segment[i].vaddr && vaddr - file.segment[i].vaddr < file.segment[i].size)
			return vaddr - file.segment[i].vaddr + file.segment[i].offset;
	TEST_FAIL_MESSAGE("not in the file");
	return 0;
}

/* Where the value of a dynamic entry stands in the file. */
static off_t entry_at(int64_t tag, uint64_t *value)
{
	off_t at = (off_t)offset_of(file.image.dynamic);
	Elf64_Dyn entry;
	do {
		TEST_ASSERT_EQUAL(sizeof entry, pread(fd, &entry, sizeof entry, at));
		TEST_ASSERT_TRUE_MESSAGE(entry.d_tag != DT_NULL, "no such entry");
		at += (off_t)sizeof entry;
	} while (entry.d_tag != tag);
	*value = entry.d_un.d_val;
	return at - (off_t)sizeof entry + (off_t)offsetof(Elf64_Dyn, d_un);
}

static void spoil(off_t at, const void *bytes, size_t size)
{
	TEST_ASSERT_EQUAL(size, pwrite(fd, bytes, size, at));
}

static void reads(void)
{
	TEST_ASSERT_EQUAL_MESSAGE(0, elf_needs_read(&file.image, &needs, &err), err.text);
}

static void fails(const char *why)
{
	TEST_ASSERT_EQUAL(-1, elf_needs_read(&file.image, &needs, &err));
	TEST_ASSERT_EQUAL(ERR_FAILED, err.code);
	TEST_ASSERT_NOT_NULL_MESSAGE(strstr(err.text, why), err.text);
	TEST_ASSERT_NULL(needs.library);
}

static const struct elf_version_need *version(const char *name)
{
	for (size_t i = 0; i < needs.versions; i++)
		if (!strcmp(needs.version[i].version, name))
			return &needs.version[i];
	return NULL;
}

static void test_needed_libraries_are_told_in_order(void)
{
	take("libmiddle.so");
	reads();
	TEST_ASSERT_EQUAL(2, needs.libraries);
	TEST_ASSERT_EQUAL_STRING("libleaf.so", needs.library[0]);
	TEST_ASSERT_EQUAL_STRING("libc.so.6", needs.library[1]);
	TEST_ASSERT_NULL(needs.rpath);
	TEST_ASSERT_NULL(needs.runpath);
}

static void test_rpath_and_runpath_are_told_apart(void)
{
	take("libmiddle-rpath.so");
	reads();
	TEST_ASSERT_EQUAL_STRING("$ORIGIN/leaves", needs.rpath);
	TEST_ASSERT_NULL(needs.runpath);
	tearDown();
	take("libmiddle-runpath.so");
	reads();
	TEST_ASSERT_EQUAL_STRING("$ORIGIN/leaves", needs.runpath);
	TEST_ASSERT_NULL(needs.rpath);
}

static void test_needed_versions_name_their_library(void)
{
	take("libuses.so");
	reads();
	const struct elf_version_need *need = version("V_2");
	TEST_ASSERT_NOT_NULL(need);
	if (!need)
		return;
	TEST_ASSERT_EQUAL_STRING("libversioned.so", need->file);
	TEST_ASSERT_FALSE(need->weak);
	TEST_ASSERT_NULL(version("V_1"));
	TEST_ASSERT_EQUAL(0, needs.definitions);
}

static void test_defined_versions_are_told(void)
{
	take("libversioned-2.so");
	reads();
	TEST_ASSERT_EQUAL(3, needs.definitions);
	TEST_ASSERT_EQUAL_STRING("libversioned.so", needs.defined[0]);  /* the base */
	TEST_ASSERT_EQUAL_STRING("V_1", needs.defined[1]);
	TEST_ASSERT_EQUAL_STRING("V_2", needs.defined[2]);
}

static void test_a_name_outside_of_the_table_is_malformed(void)
{
	uint64_t value;
	take("libmiddle.so");
	spoil(entry_at(DT_NEEDED, &value), &(uint64_t){ 1 << 20 }, 8);
	fails("outside the string table");
}

static void test_version_tables_that_lead_outside_are_malformed(void)
{
	uint64_t value;
	take("libuses.so");
	spoil(entry_at(DT_VERNEED, &value), &(uint64_t){ 0x7fffffff0000 }, 8);
	fails("needed versions cannot be read");
	tearDown();
	take("libuses.so");
	entry_at(DT_VERNEED, &value);
	spoil((off_t)offset_of(value) + (off_t)offsetof(Elf64_Verneed, vn_aux), &(uint32_t){ UINT32_MAX }, 4);
	fails("needed versions cannot be read");
	tearDown();
	take("libuses.so");
	entry_at(DT_VERNEED, &value);
	spoil((off_t)offset_of(value), &(uint16_t){ 7 }, 2);
	fails("needed versions cannot be read");
}

/* A table of many entries whose next one is each time the same. */
static void test_a_table_that_never_ends_is_given_up(void)
{
	uint64_t value;
	take("libuses.so");
	entry_at(DT_VERNEED, &value);
	Elf64_Verneed verneed;
	TEST_ASSERT_EQUAL(sizeof verneed, pread(fd, &verneed, sizeof verneed, (off_t)offset_of(value)));
	verneed.vn_cnt = UINT16_MAX;
	spoil((off_t)offset_of(value), &verneed, sizeof verneed);
	Elf64_Vernaux aux;
	off_t at = (off_t)offset_of(value + verneed.vn_aux);
	TEST_ASSERT_EQUAL(sizeof aux, pread(fd, &aux, sizeof aux, at));
	/* in a string table of zeros it would run on; here it leaves the file soon */
	aux.vna_next = 1;
	spoil(at, &aux, sizeof aux);
	TEST_ASSERT_EQUAL(-1, elf_needs_read(&file.image, &needs, &err));
	TEST_ASSERT_EQUAL(ERR_FAILED, err.code);
}

static void test_a_file_that_shrinks_is_an_error(void)
{
	take("libuses.so");
	TEST_ASSERT_EQUAL(0, ftruncate(fd, 64));
	fails("cannot be read");
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_needed_libraries_are_told_in_order);
	RUN_TEST(test_rpath_and_runpath_are_told_apart);
	RUN_TEST(test_needed_versions_name_their_library);
	RUN_TEST(test_defined_versions_are_told);
	RUN_TEST(test_a_name_outside_of_the_table_is_malformed);
	RUN_TEST(test_version_tables_that_lead_outside_are_malformed);
	RUN_TEST(test_a_table_that_never_ends_is_given_up);
	RUN_TEST(test_a_file_that_shrinks_is_an_error);
	return UNITY_END();
}
