/* SPDX-License-Identifier: MIT */
#include "elf/file.h"
#include "unity.h"

#define REGISTER "/opt/rocm/lib/librocprofiler-register.so.0.6.0"

void setUp(void) { }
void tearDown(void) { }

static void matches(const char *asked, const char *path, const char *soname)
{
	TEST_ASSERT_TRUE_MESSAGE(elf_name_matches(asked, path, soname), asked);
}

static void differs(const char *asked, const char *path, const char *soname)
{
	TEST_ASSERT_FALSE_MESSAGE(elf_name_matches(asked, path, soname), asked);
}

static void a_library_answers_to_path_basename_and_soname(void)
{
	matches(REGISTER, REGISTER, NULL);
	matches("librocprofiler-register.so.0.6.0", REGISTER, NULL);
	matches("librocprofiler-register.so.0", REGISTER, "librocprofiler-register.so.0");
	matches("libc.so.6", "/lib/libc-2.31.so", "libc.so.6");
	matches("libc-2.31.so", "/lib/libc-2.31.so", "libc.so.6");
	matches("a.out", "/tmp/a.out", "");
	matches("[vdso]", "[vdso]", NULL);
}

static void a_library_answers_without_the_version_behind_so(void)
{
	matches("librocprofiler-register.so", REGISTER, NULL);
	matches("librocprofiler-register.so.0", REGISTER, NULL);
	matches("/opt/rocm/lib/librocprofiler-register.so", REGISTER, NULL);
	matches("libc.so", "/lib/libc-2.31.so", "libc.so.6");
	matches("libcrypto.so", "/lib/libcrypto.so.1.0.2k", NULL);
	matches("libx.so", "/lib.so.d/libx.so.1", NULL);
}

static void another_library_does_not_answer(void)
{
	differs("libx.so", "/lib/libx-y.so", NULL);
	differs("libx", "/lib/libx.so", NULL);
	differs("x.so", "/lib/libx.so", NULL);
	differs("libc.so.6", "/lib/libc.so.60", NULL);
	differs("libc.so.60", "/lib/libc.so.6", NULL);
	differs("libc.so.6.1", "/lib/libc.so.6", "libc.so.6");
	differs("libx.so", "/lib/libx.so.debug", NULL);
	differs("libx.so", "/lib/libx.so.1.bak", NULL);
	differs("libx.so", "/lib/libx.so.", NULL);
	differs("libx.so.", "/lib/libx.so.1", NULL);
	differs("/other/libx.so", "/lib/libx.so", NULL);
	differs("lib/libx.so", "/lib/libx.so", NULL);
	differs("/lib.so.1/tool", "/lib.so.1/tool.2", NULL);
	differs("python3", "/usr/bin/python3.11", NULL);
}

static void nothing_answers_to_no_name(void)
{
	differs("", REGISTER, "librocprofiler-register.so.0");
	differs("", "", "");
	differs(NULL, REGISTER, NULL);
	differs("x", NULL, NULL);
	differs("lib", "/lib/", NULL);
}

static void machines_have_names(void)
{
	char name[32];
	TEST_ASSERT_EQUAL_STRING("x86_64", elf_machine_name(EM_X86_64, name, sizeof name));
	TEST_ASSERT_EQUAL_STRING("aarch64", elf_machine_name(EM_AARCH64, name, sizeof name));
	TEST_ASSERT_EQUAL_STRING("i386", elf_machine_name(EM_386, name, sizeof name));
	TEST_ASSERT_EQUAL_STRING("riscv", elf_machine_name(243, name, sizeof name));
	TEST_ASSERT_EQUAL_STRING("machine 0x1234", elf_machine_name(0x1234, name, sizeof name));
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(a_library_answers_to_path_basename_and_soname);
	RUN_TEST(a_library_answers_without_the_version_behind_so);
	RUN_TEST(another_library_does_not_answer);
	RUN_TEST(nothing_answers_to_no_name);
	RUN_TEST(machines_have_names);
	return UNITY_END();
}
