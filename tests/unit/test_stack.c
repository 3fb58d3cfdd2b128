/* SPDX-License-Identifier: MIT */
/* Room for a frame is only where surely a stack is.  The child is a fork, so
 * its mappings are made here before it is born. */
#include <sys/mman.h>

#include "inject/stack.h"
#include "live_target.h"

#define PAGES 16
#define SIZE 4000

static size_t page;
static char *made;      /* 16 pages with nothing mapped on either side */

void setUp(void)
{
	page = (size_t)sysconf(_SC_PAGESIZE);
	made = mmap(NULL, (PAGES + 4) * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	TEST_ASSERT_TRUE(made != MAP_FAILED);
	munmap(made, 2 * page);
	made += 2 * page;
	munmap(made + PAGES * page, 2 * page);
}

void tearDown(void)
{
	munmap(made, PAGES * page);
}

/* Map our pages anew from page `from` on. */
static void map(unsigned from, int protection, int flags, int fd)
{
	char *got = mmap(made + from * page, (PAGES - from) * page, protection, MAP_FIXED | flags, fd, 0);
	TEST_ASSERT_TRUE(got == made + from * page);
}

static int room(raddr top, size_t size, raddr *found)
{
	int rc;
	open_target(child_start(NULL));
	rc = stack_room(&images, top, size, found, &err);
	close_target();
	return rc;
}

static void expect_room(raddr top, size_t size)
{
	raddr found = 0;
	TEST_ASSERT_EQUAL_MESSAGE(0, room(top, size, &found), err.text);
	TEST_ASSERT_TRUE(found + size <= top);
	TEST_ASSERT_TRUE(found + size + 64 > top);
}

static void expect_none(const char *what, raddr top, size_t size, const char *why)
{
	raddr found = 0;
	TEST_ASSERT_EQUAL_MESSAGE(-1, room(top, size, &found), what);
	TEST_ASSERT_EQUAL_MESSAGE(ERR_NOT_POSSIBLE, err.code, what);
	EXPECT_HAS(why, err.text);
}

static void test_there_is_room_on_the_main_stack(void)
{
	char here[64] = "";
	expect_room(at(here) - 128, SIZE);
}

static void test_there_is_room_above_a_guard_page(void)
{
	map(1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
	expect_room(at(made + (PAGES - 1) * page), SIZE);
	expect_room(at(made + (PAGES - 1) * page + 8), SIZE);
}

static void test_a_page_of_the_stack_is_always_kept(void)
{
	map(1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
	expect_room(at(made + 2 * page + SIZE), SIZE);
	expect_none("too little", at(made + 2 * page + SIZE - 16), SIZE, "no room");
	expect_none("more than there is", at(made + 8 * page), 20 * page, "no room");
}

static void test_memory_that_may_be_a_heap_is_no_stack(void)
{
	const char *shared = "others may use";
	raddr top = at(made + (PAGES - 1) * page);
	map(0, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
	expect_none("no guard below it", top, SIZE, shared);
	munmap(made, page);
	expect_none("nothing below it", top, SIZE, shared);
	map(0, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
	map(2, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
	munmap(made + page, page);
	expect_none("a gap below it, then a guard", top, SIZE, shared);
	map(0, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1);
	map(1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
	expect_none("read-only memory below it", top, SIZE, shared);
}

static void test_shared_executable_and_file_memory_is_no_stack(void)
{
	const char *shared = "others may use";
	raddr top = at(made + (PAGES - 1) * page);
	int file = memfd_create("file", 0);
	TEST_ASSERT_EQUAL(0, ftruncate(file, (off_t)(PAGES * page)));
	map(1, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1);
	expect_none("shared", top, SIZE, shared);
	map(1, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1);
	expect_none("executable", top, SIZE, shared);
	map(1, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1);
	expect_none("read-only", top, SIZE, shared);
	map(1, PROT_READ | PROT_WRITE, MAP_PRIVATE, file);
	expect_none("a file", top, SIZE, shared);
	close(file);
}

static void test_an_address_where_nothing_is_has_no_room(void)
{
	expect_none("nothing there", at(made) - page, SIZE, "others may use");
	expect_none("the null page", 128, SIZE, "others may use");
}

static void test_a_stack_that_is_newer_than_what_we_know_is_found(void)
{
	raddr found = 0, top = at(made + (PAGES - 1) * page);
	map(1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
	open_target(child_start(NULL));
	size_t known = images.maps.n;
	images.maps.n = 0;
	int rc = stack_room(&images, top, SIZE, &found, &err);
	images.maps.n = known;
	close_target();
	TEST_ASSERT_EQUAL_MESSAGE(0, rc, err.text);
	TEST_ASSERT_EQUAL_HEX64(top - SIZE, found);
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_there_is_room_on_the_main_stack);
	RUN_TEST(test_there_is_room_above_a_guard_page);
	RUN_TEST(test_a_page_of_the_stack_is_always_kept);
	RUN_TEST(test_memory_that_may_be_a_heap_is_no_stack);
	RUN_TEST(test_shared_executable_and_file_memory_is_no_stack);
	RUN_TEST(test_an_address_where_nothing_is_has_no_room);
	RUN_TEST(test_a_stack_that_is_newer_than_what_we_know_is_found);
	return UNITY_END();
}
