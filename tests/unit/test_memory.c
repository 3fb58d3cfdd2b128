/* SPDX-License-Identifier: MIT */
/* The child is a fork, so what is at an address here is at the same one there. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>

#include "child.h"
#include "inject/memory.h"

static struct err err;
static struct memory memory;
static pid_t child;
static char *pages;     /* read-write, read-only, none, not mapped */
static size_t page;
static char sample[10000];

void setUp(void)
{
	memset(&err, 0, sizeof err);
	page = (size_t)sysconf(_SC_PAGESIZE);
	pages = mmap(NULL, 4 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	memset(pages, 'x', 3 * page);
	mprotect(pages + page, page, PROT_READ);
	mprotect(pages + 2 * page, page, PROT_NONE);
	munmap(pages + 3 * page, page);
	for (size_t i = 0; i < sizeof sample; i++)
		sample[i] = (char)(i * 7);
	child = child_start(NULL);
	TEST_ASSERT_EQUAL(0, memory_open(&memory, child, &err));
}

void tearDown(void)
{
	memory_close(&memory);
	child_end(child);
	munmap(pages, 3 * page);
}

static raddr at(const void *ours)
{
	return (uintptr_t)ours;
}

static void test_bytes_are_read_across_pages(void)
{
	char got[sizeof sample];
	TEST_ASSERT_EQUAL(0, memory_read(&memory, at(sample), got, sizeof got, &err));
	TEST_ASSERT_EQUAL_MEMORY(sample, got, sizeof got);
}

/* As after an exec, when its id is that of another program. */
static void test_by_its_file_the_memory_is_read_that_was_opened(void)
{
	char got[4];
	memory.tid = getpid();
	memcpy(pages, "mine", 4);
	TEST_ASSERT_EQUAL(0, memory_read(&memory, at(pages), got, sizeof got, &err));
	TEST_ASSERT_EQUAL_MEMORY("mine", got, 4);
	memory.by_file = true;
	TEST_ASSERT_EQUAL(0, memory_read(&memory, at(pages), got, sizeof got, &err));
	TEST_ASSERT_EQUAL_MEMORY("xxxx", got, 4);
}

static void test_a_page_without_read_permission_is_read(void)
{
	char got[8];
	TEST_ASSERT_EQUAL(0, memory_read(&memory, at(pages + 2 * page - 4), got, sizeof got, &err));
	TEST_ASSERT_EQUAL_MEMORY("xxxxxxxx", got, 8);
	TEST_ASSERT_FALSE(memory.no_vm_readv);
}

static void test_unmapped_memory_is_an_error_with_its_address(void)
{
	char got[8] = "", wanted[32];
	snprintf(wanted, sizeof wanted, "0x%llx", (unsigned long long)at(pages + 3 * page - 4));
	TEST_ASSERT_EQUAL(-1, memory_read(&memory, at(pages + 3 * page - 4), got, sizeof got, &err));
	TEST_ASSERT_EQUAL(ERR_FAILED, err.code);
	EXPECT_HAS(wanted, err.text);
	TEST_ASSERT_EQUAL(-1, memory_write(&memory, at(pages + 3 * page), got, sizeof got, &err));
	TEST_ASSERT_EQUAL(ERR_FAILED, err.code);
}

static void test_what_is_written_is_read_back_also_where_it_is_read_only(void)
{
	char got[8];
	TEST_ASSERT_EQUAL(0, memory_write(&memory, at(pages + page - 3), "abcdef", 6, &err));
	TEST_ASSERT_EQUAL(0, memory_read(&memory, at(pages + page - 4), got, 8, &err));
	TEST_ASSERT_EQUAL_MEMORY("xabcdefx", got, 8);
	TEST_ASSERT_EQUAL_MEMORY("xxxxxxxx", pages + page - 4, 8);
}

static void test_a_text_ends_at_its_nul_and_at_the_buffer(void)
{
	char got[16];
	TEST_ASSERT_EQUAL(0, memory_write(&memory, at(pages + 2 * page - 6), "hello", 6, &err));
	TEST_ASSERT_EQUAL(0, memory_read_text(&memory, at(pages + 2 * page - 6), got, sizeof got, &err));
	TEST_ASSERT_EQUAL_STRING("hello", got);
	TEST_ASSERT_EQUAL(0, memory_read_text(&memory, at(pages), got, sizeof got, &err));
	TEST_ASSERT_EQUAL_STRING("xxxxxxxxxxxxxxx", got);
}

static void test_a_text_right_before_unmapped_memory(void)
{
	char got[64];
	TEST_ASSERT_EQUAL(0, memory_write(&memory, at(pages + 3 * page - 4), "end", 4, &err));
	TEST_ASSERT_EQUAL(0, memory_read_text(&memory, at(pages + 3 * page - 4), got, sizeof got, &err));
	TEST_ASSERT_EQUAL_STRING("end", got);
	TEST_ASSERT_EQUAL(0, memory_write(&memory, at(pages + 3 * page - 4), "endx", 4, &err));
	TEST_ASSERT_EQUAL(-1, memory_read_text(&memory, at(pages + 3 * page - 4), got, sizeof got, &err));
}

static void test_a_process_that_ended_is_told_from_bad_memory(void)
{
	char got[8] = "";
	child_end(child);
	TEST_ASSERT_EQUAL(-1, memory_read(&memory, at(sample), got, sizeof got, &err));
	TEST_ASSERT_EQUAL(ERR_TARGET_EXITED, err.code);
	TEST_ASSERT_EQUAL(-1, memory_write(&memory, at(sample), got, sizeof got, &err));
	TEST_ASSERT_EQUAL(ERR_TARGET_EXITED, err.code);
	struct memory none;
	TEST_ASSERT_EQUAL(-1, memory_open(&none, child, &err));
	TEST_ASSERT_EQUAL(ERR_TARGET_EXITED, err.code);
	child = child_start(NULL);
}

static void without_readv(void)
{
	without_call(SYS_process_vm_readv);
}

static int read_twice(pid_t pid, struct err *e)
{
	struct memory mine;
	char got[sizeof sample];
	if (memory_open(&mine, pid, e) < 0 || memory_read(&mine, at(sample), got, sizeof got, e) < 0)
		return -1;
	return mine.no_vm_readv && memcmp(got, sample, sizeof got) == 0 &&
	       memory_read(&mine, at(sample), got, 1, e) == 0 ? 0 : -2;
}

static void test_reading_works_without_process_vm_readv_and_remembers(void)
{
	struct seen seen = seen_as(without_readv, read_twice, child);
	TEST_ASSERT_EQUAL_MESSAGE(0, seen.result, seen.err.text);
}

static void hold_child(void)
{
	TEST_ASSERT_EQUAL(0, ptrace(PTRACE_SEIZE, child, NULL, NULL));
	TEST_ASSERT_EQUAL(0, ptrace(PTRACE_INTERRUPT, child, NULL, NULL));
	TEST_ASSERT_EQUAL(child, waitpid(child, NULL, __WALL));
}

static void test_where_the_file_cannot_be_written_words_are_poked_and_neighbours_kept(void)
{
	char path[64], got[32];
	close(memory.fd);
	snprintf(path, sizeof path, "/proc/%d/mem", (int)child);
	memory.fd = open(path, O_RDONLY | O_CLOEXEC);
	/* by a call that the process's own rights bind */
	TEST_ASSERT_EQUAL(-1, memory_write(&memory, at(pages + page), "a", 1, &err));
	TEST_ASSERT_EQUAL(0, memory_write(&memory, at(pages), "ab", 2, &err));
	TEST_ASSERT_EQUAL(0, memory_read(&memory, at(pages), got, 3, &err));
	TEST_ASSERT_EQUAL_MEMORY("abx", got, 3);
	hold_child();
	memory.held = child;
	TEST_ASSERT_EQUAL_MESSAGE(0, memory_write(&memory, at(pages + page - 5), "thirteen long", 13, &err), err.text);
	TEST_ASSERT_EQUAL(0, memory_read(&memory, at(pages + page - 8), got, 24, &err));
	TEST_ASSERT_EQUAL_MEMORY("xxxthirteen longxxxxxxxx", got, 24);
	TEST_ASSERT_EQUAL(0, memory_write(&memory, at(pages + 8), "12345678", 8, &err));
	TEST_ASSERT_EQUAL(0, memory_read(&memory, at(pages + 7), got, 10, &err));
	TEST_ASSERT_EQUAL_MEMORY("x12345678x", got, 10);
}

static void test_the_source_of_an_image_reads_all_or_nothing(void)
{
	struct elf_source source = memory_source(&memory);
	char got[8];
	TEST_ASSERT_EQUAL(0, source.read(source.ctx, at(sample), got, 8));
	TEST_ASSERT_EQUAL(-1, source.read(source.ctx, at(pages + 3 * page - 4), got, 8));
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_bytes_are_read_across_pages);
	RUN_TEST(test_by_its_file_the_memory_is_read_that_was_opened);
	RUN_TEST(test_a_page_without_read_permission_is_read);
	RUN_TEST(test_unmapped_memory_is_an_error_with_its_address);
	RUN_TEST(test_what_is_written_is_read_back_also_where_it_is_read_only);
	RUN_TEST(test_a_text_ends_at_its_nul_and_at_the_buffer);
	RUN_TEST(test_a_text_right_before_unmapped_memory);
	RUN_TEST(test_a_process_that_ended_is_told_from_bad_memory);
	RUN_TEST(test_reading_works_without_process_vm_readv_and_remembers);
	RUN_TEST(test_where_the_file_cannot_be_written_words_are_poked_and_neighbours_kept);
	RUN_TEST(test_the_source_of_an_image_reads_all_or_nothing);
	return UNITY_END();
}
