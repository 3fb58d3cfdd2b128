/* SPDX-License-Identifier: MIT */
/* Caches made by hand, the machine's own, and the loader's own folders. */
#include "elf/cache.h"

#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "rocp/search.h"
#include "unity.h"

struct entry { int32_t flags; uint32_t key, value, os; uint64_t hwcap; };
struct made {
	char magic[20];
	uint32_t entries, strings;
	uint8_t flags, padding[3];
	uint32_t extensions, unused[3];
	struct entry entry[6];
	char texts[200];
};

enum { X86_64 = 0x303, AARCH64 = 0xa03, I386 = 0x003, X32 = 0x803 };

static struct made made;
static struct ld_cache cache;
static struct err err;

static uint32_t text(const char *words)
{
	static size_t used;
	if (!made.texts[0])
		used = 0;
	uint32_t at = (uint32_t)(offsetof(struct made, texts) + used);
	memcpy(made.texts + used, words, strlen(words) + 1);
	used += strlen(words) + 1;
	return at;
}

static void add(int32_t flags, uint64_t hwcap, const char *name, const char *path)
{
	uint32_t key = text(name);
	made.entry[made.entries++] = (struct entry){ .flags = flags, .hwcap = hwcap, .key = key, .value = text(path) };
}

void setUp(void)
{
	memset(&made, 0, sizeof made);
	memset(&cache, 0, sizeof cache);
	memcpy(made.magic, "glibc-ld.so.cache1.1", 20);
	made.flags = 2;
	add(I386, 0, "libx.so.1", "/lib32/libx.so.1");
	add(X86_64, (uint64_t)1 << 62, "libx.so.1", "/usr/lib/glibc-hwcaps/x86-64-v3/libx.so.1");
	add(X86_64, 0, "libx.so.1", "/usr/lib/libx.so.1");
	add(AARCH64, 0, "libx.so.1", "/usr/lib/arm/libx.so.1");
	add(X86_64, 0, "liby.so.1", "/usr/lib/liby.so.1");
}

void tearDown(void)
{
}

static void opens(const void *bytes, size_t size)
{
	TEST_ASSERT_EQUAL_MESSAGE(0, ld_cache_open(&cache, bytes, size, &err), err.text);
}

static void refused(const void *bytes, size_t size, const char *why)
{
	TEST_ASSERT_EQUAL(-1, ld_cache_open(&cache, bytes, size, &err));
	TEST_ASSERT_NOT_NULL_MESSAGE(strstr(err.text, why), err.text);
	TEST_ASSERT_NULL(ld_cache_find(&cache, "libx.so.1", EM_X86_64));
}

static void test_the_plain_entry_of_the_cpu_is_found(void)
{
	opens(&made, sizeof made);
	TEST_ASSERT_EQUAL_STRING("/usr/lib/libx.so.1", ld_cache_find(&cache, "libx.so.1", EM_X86_64));
	TEST_ASSERT_EQUAL_STRING("/usr/lib/arm/libx.so.1", ld_cache_find(&cache, "libx.so.1", EM_AARCH64));
	TEST_ASSERT_NULL(ld_cache_find(&cache, "libx.so.1", EM_386));
	TEST_ASSERT_NULL(ld_cache_find(&cache, "liby.so.1", EM_AARCH64));
	TEST_ASSERT_NULL(ld_cache_find(&cache, "libx.so", EM_X86_64));
	TEST_ASSERT_NULL(ld_cache_find(&cache, "libx.so.10", EM_X86_64));
	TEST_ASSERT_NULL(ld_cache_find(&cache, "", EM_X86_64));
}

static void test_the_new_table_is_found_behind_the_old_one(void)
{
	struct { char magic[12]; uint32_t entries; struct { int32_t flags; uint32_t key, value; } old[3]; char pad[4]; struct made made; }
		both = { .magic = "ld.so-1.7.0", .entries = 3 };
	both.made = made;
	_Static_assert(offsetof(__typeof__(both), made) == 56, "aligned to 8");
	opens(&both, sizeof both);
	TEST_ASSERT_EQUAL_STRING("/usr/lib/liby.so.1", ld_cache_find(&cache, "liby.so.1", EM_X86_64));
	both.entries = UINT32_MAX;
	refused(&both, sizeof both, "too short");
	refused(&both, sizeof both.magic, "too short");
}

static void test_what_is_no_cache_is_refused(void)
{
	refused("", 0, "too short");
	refused(&made, 47, "too short");
	made.magic[19] = '2';
	refused(&made, sizeof made, "no loader's cache");
	made.magic[19] = '1';
	made.flags = 3;
	refused(&made, sizeof made, "byte order");
	made.flags = 0;         /* not told, before glibc 2.33 */
	opens(&made, sizeof made);
	made.entries = 1000;
	refused(&made, sizeof made, "cut short");
	made.entries = UINT32_MAX;
	refused(&made, sizeof made, "cut short");
}

static void test_offsets_that_lead_outside_are_passed_over(void)
{
	made.entry[2].key = UINT32_MAX;
	made.entry[4].value = sizeof made;
	opens(&made, sizeof made);
	TEST_ASSERT_NULL(ld_cache_find(&cache, "libx.so.1", EM_X86_64));
	TEST_ASSERT_NULL(ld_cache_find(&cache, "liby.so.1", EM_X86_64));
	/* a text that does not end */
	setUp();
	memset(made.texts + sizeof made.texts - 10, 'x', 10);
	made.entry[2].value = (uint32_t)sizeof made - 10;
	made.entry[4].key = (uint32_t)sizeof made - 9;
	opens(&made, sizeof made);
	TEST_ASSERT_NULL(ld_cache_find(&cache, "libx.so.1", EM_X86_64));
	TEST_ASSERT_NULL(ld_cache_find(&cache, "xxxxxxxxx", EM_X86_64));
	/* a path that is none */
	setUp();
	made.entry[2].value = made.entry[2].key;
	opens(&made, sizeof made);
	TEST_ASSERT_NULL(ld_cache_find(&cache, "libx.so.1", EM_X86_64));
}

static void test_this_machines_own_cache_names_its_c_library(void)
{
	static char bytes[4 << 20];
	int fd = open("/etc/ld.so.cache", O_RDONLY | O_CLOEXEC);
	TEST_ASSERT_TRUE(fd >= 0);
	ssize_t size = read(fd, bytes, sizeof bytes);
	close(fd);
	opens(bytes, (size_t)size);
	const char *path = ld_cache_find(&cache, "libc.so.6", sizeof(void *) == 8 && access("/lib64/ld-linux-x86-64.so.2", F_OK) == 0 ?
					 EM_X86_64 : EM_AARCH64);
	TEST_ASSERT_NOT_NULL(path);
	TEST_ASSERT_EQUAL_MESSAGE(0, access(path, R_OK), path);
}

static void expect_folders(const char *bytes, size_t size, const char *folders, const char *file)
{
	char list[256], path[64];
	TEST_ASSERT_EQUAL(folders[0] != '\0', search_system_in(bytes, size, list, sizeof list, path, sizeof path));
	TEST_ASSERT_EQUAL_STRING(folders, list);
	TEST_ASSERT_EQUAL_STRING(file, path);
}

static void test_a_loaders_text_tells_its_folders(void)
{
	static const char debian[] = "x\0/proc/self/fd/\0/lib/x86_64-linux-gnu/\0/usr/lib/x86_64-linux-gnu/\0/lib/\0/usr/lib/\0\0"
		"Do not use /etc/ld.so.cache\0/etc/ld.so.cache\0";
	static const char fedora[] = "\0/lib64/\0/usr/lib64/\0rest\0/etc/ld.so.cache\0";
	static const char store[] = "\0/gnu/store/abc-glibc-2.35/lib/\0\0/gnu/store/abc-glibc-2.35/etc/ld.so.cache\0";
	expect_folders(debian, sizeof debian, "/lib/x86_64-linux-gnu:/usr/lib/x86_64-linux-gnu:/lib:/usr/lib", "/etc/ld.so.cache");
	expect_folders(fedora, sizeof fedora, "/lib64:/usr/lib64", "/etc/ld.so.cache");
	expect_folders(store, sizeof store, "/gnu/store/abc-glibc-2.35/lib", "/gnu/store/abc-glibc-2.35/etc/ld.so.cache");
	expect_folders("", 0, "", "");
	expect_folders("////////", 8, "", "");
	expect_folders("\0/lib/", 6, "", "");
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_the_plain_entry_of_the_cpu_is_found);
	RUN_TEST(test_the_new_table_is_found_behind_the_old_one);
	RUN_TEST(test_what_is_no_cache_is_refused);
	RUN_TEST(test_offsets_that_lead_outside_are_passed_over);
	if (access("/etc/ld.so.cache", F_OK) == 0)
		RUN_TEST(test_this_machines_own_cache_names_its_c_library);
	RUN_TEST(test_a_loaders_text_tells_its_folders);
	return UNITY_END();
}
