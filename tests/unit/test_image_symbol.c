/* SPDX-License-Identifier: MIT */
/* Symbols of a forked child, which is this very program. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "child.h"
#include "inject/images.h"
#include "inject/libc.h"

int marked_function(int x);
extern int marked_data;

int marked_data = 7;

__attribute__((noinline)) int marked_function(int x)
{
	return x * marked_data + 3;
}

static struct err err;
static struct target target;
static struct images images;
static struct image *exe;
static pid_t child;

void setUp(void)
{
	memset(&err, 0, sizeof err);
	child = child_start(NULL);
	TEST_ASSERT_EQUAL_MESSAGE(0, target_open(&target, child, NULL, &err), err.text);
	TEST_ASSERT_EQUAL_MESSAGE(0, images_open(&images, &target, &err), err.text);
	exe = images_find(&images, "exe", &err);
	TEST_ASSERT_NOT_NULL(exe);
}

void tearDown(void)
{
	images_close(&images);
	target_close(&target);
	child_end(child);
}

static void test_a_function_of_a_static_program(void)
{
	struct elf_symbol symbol;
	TEST_ASSERT_EQUAL_MESSAGE(0, images_symbol(&images, exe, "marked_function", &symbol, &err), err.text);
	TEST_ASSERT_EQUAL_HEX64((uintptr_t)marked_function, symbol.addr);
}

static void test_a_symbol_that_is_not_there(void)
{
	struct elf_symbol symbol;
	TEST_ASSERT_EQUAL(-1, images_symbol(&images, exe, "unmarked_function", &symbol, &err));
	TEST_ASSERT_EQUAL(ERR_NOT_POSSIBLE, err.code);
	EXPECT_HAS("defines no symbol unmarked_function", err.text);
	EXPECT_HAS("nm", err.remedy);
}

static void test_data_is_no_function(void)
{
	struct elf_symbol symbol;
	TEST_ASSERT_EQUAL(-1, images_symbol(&images, exe, "marked_data", &symbol, &err));
	TEST_ASSERT_EQUAL(ERR_NOT_POSSIBLE, err.code);
}

static void test_the_first_name_that_the_c_library_knows(void)
{
	static const char *const names[] = {"no_such_function", "nanosleep", "fork", NULL};
	static const char *const none[] = {"no_such_function", NULL};
	struct elf_symbol symbol;
	TEST_ASSERT_EQUAL(1, images_libc_symbol(&images, names, &symbol, &err));
	TEST_ASSERT_EQUAL_HEX64((uintptr_t)nanosleep, symbol.addr);
	TEST_ASSERT_EQUAL(0, images_libc_symbol(&images, none, &symbol, &err));
}

static void test_a_symbol_of_the_vdso(void)
{
	struct elf_symbol symbol;
	struct image *vdso = images_find(&images, "vdso", &err);
	TEST_ASSERT_NOT_NULL(vdso);
	bool found = images_symbol(&images, vdso, "__kernel_clock_gettime", &symbol, &err) == 0 ||
		     images_symbol(&images, vdso, "__vdso_clock_gettime", &symbol, &err) == 0;
	TEST_ASSERT_TRUE_MESSAGE(found, err.text);
	TEST_ASSERT_EQUAL_PTR(vdso, images_at(&images, symbol.addr));
	TEST_ASSERT_EQUAL(-1, images_symbol(&images, vdso, "none", &symbol, &err));
	EXPECT_HAS("has no file", err.text);
}

static void expect_description(const char *wanted, raddr addr)
{
	char text[200];
	images_describe(&images, addr, text, sizeof text);
	EXPECT_HAS(wanted, text);
}

static void test_addresses_are_described(void)
{
	expect_description("test_image_symbol!marked_function+0x4", (uintptr_t)marked_function + 4);
	expect_description("0x10 (not mapped)", 0x10);
	expect_description("([stack], rw", (uintptr_t)__builtin_frame_address(0));
}

static void expect_version(const char *wanted, enum libc_kind kind, const char *text, size_t size)
{
	char version[32] = "";
	TEST_ASSERT_EQUAL(wanted != NULL, libc_version_in(kind, text, size, version, sizeof version));
	TEST_ASSERT_EQUAL_STRING(wanted ? wanted : "", version);
}
#define EXPECT_VERSION(wanted, kind, text) expect_version(wanted, kind, text, sizeof(text))

static void test_versions_of_c_libraries(void)
{
	EXPECT_VERSION("2.36", LIBC_GLIBC, "x\0GNU C Library (Debian GLIBC 2.36-9+deb12u14) stable release version 2.36.\nCopy");
	EXPECT_VERSION("2.17", LIBC_GLIBC, "GNU C Library (GNU libc) stable release version 2.17, by Roland McGrath");
	EXPECT_VERSION("2.42.9000", LIBC_GLIBC, "GNU C Library (GNU libc) development release version 2.42.9000.\n");
	EXPECT_VERSION(NULL, LIBC_GLIBC, "GNU C Library without a number");
	EXPECT_VERSION(NULL, LIBC_GLIBC, "");
	expect_version(NULL, LIBC_GLIBC, "GNU C Library stable release version 2.3", 40);     /* read no further than here */
	EXPECT_VERSION("1.2.3", LIBC_MUSL, "a\0" "1.2\0" "1.2.3\0b");
	EXPECT_VERSION("1.2.5-git-4-gabcdef", LIBC_MUSL, "a\0" "1.2.5-git-4-gabcdef\0b");
	EXPECT_VERSION(NULL, LIBC_MUSL, "a\0" "127.0.0.1\0" "1.2.3x\0" "x1.2.3\0" "1..2.3\0");
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_a_function_of_a_static_program);
	RUN_TEST(test_a_symbol_that_is_not_there);
	RUN_TEST(test_data_is_no_function);
	RUN_TEST(test_the_first_name_that_the_c_library_knows);
	RUN_TEST(test_a_symbol_of_the_vdso);
	RUN_TEST(test_addresses_are_described);
	RUN_TEST(test_versions_of_c_libraries);
	return UNITY_END();
}
