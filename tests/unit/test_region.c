/* SPDX-License-Identifier: MIT */
/* The one mapping in the target: where its parts lie, what is written, and which
 * ones of earlier runs may be taken away.  The child is a fork, so that we make
 * its mappings here before it is born. */
#include <sched.h>
#include <sys/mman.h>

#include "inject/region.h"
#include "inject/thread.h"
#include "live_target.h"

#define ALL 64

static char *made;              /* a mapping for the child */
static struct region region;
static sigset_t listening;

void setUp(void)
{
	thread_listen(&listening);      /* as who looks for leftovers does: threads are stopped for it */
	made = mmap(NULL, REGION_SIZE, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	TEST_ASSERT_TRUE(made != MAP_FAILED);
	memset(&target, 0, sizeof target);
}

void tearDown(void)
{
	if (target.pid)
		close_target();
	munmap(made, REGION_SIZE);
	thread_unlisten(&listening);
}

static void open_child(void)
{
	open_target(child_start(NULL));
	region_place(&region, at(made), target.page);
}

/* As borrow_map does it, from within. */
static void protect(void)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	TEST_ASSERT_EQUAL(0, mprotect(made + page, REGION_SIZE - page, PROT_READ | PROT_WRITE));
}

static void test_parts_lie_in_order_and_apart_for_every_page_size(void)
{
	static const size_t pages[] = { 4096, 16384, 65536 };
	for (size_t i = 0; i < 3; i++) {
		const raddr base = 0x7f0000010000;
		struct region r;
		region_place(&r, base, pages[i]);
		TEST_ASSERT_EQUAL_HEX64(base, r.base);
		TEST_ASSERT_EQUAL(0, r.size % pages[i]);
		TEST_ASSERT_EQUAL_HEX64(base + r.size, r.end);
		/* the code page guards the stack, which is large */
		TEST_ASSERT_TRUE(r.stack - (base + r.page) >= 4u << 20);
		TEST_ASSERT_TRUE(r.small_stack - r.stack >= 64u << 10);
		TEST_ASSERT_TRUE(r.data >= r.small_stack);
		TEST_ASSERT_TRUE(r.mailbox >= r.data);
		TEST_ASSERT_TRUE(r.maker >= r.mailbox + sizeof(struct mailbox));
		TEST_ASSERT_TRUE(r.next_data >= r.maker + sizeof(struct mailbox));
		TEST_ASSERT_TRUE(r.next_data < r.end);
		TEST_ASSERT_EQUAL(0, r.stack % 16 + r.small_stack % 16 + r.mailbox % 64 + r.maker % 64 + r.next_data % 64);
		TEST_ASSERT_EQUAL(0, r.data % pages[i]);
	}
}

static void test_the_trampoline_fits_into_the_smallest_page(void)
{
	region_place(&region, 0x10000, 4096);
	TEST_ASSERT_EQUAL_HEX64(0x10000 + REGION_HEADER, region_code(&region, trampoline_start));
	TEST_ASSERT_TRUE(region_code(&region, trampoline_end) <= 0x11000);
	TEST_ASSERT_EQUAL(trampoline_marker - trampoline_fresh,
			  (long)(region_code(&region, trampoline_marker) - region_code(&region, trampoline_fresh)));
}

static void test_data_is_put_side_by_side_and_refused_when_full(void)
{
	raddr one = 0, two = 0, none = 7;
	char got[6];
	protect();
	open_child();
	TEST_ASSERT_EQUAL(0, region_put(&region, &target.memory, "first", 6, &one, &err));
	TEST_ASSERT_EQUAL(0, region_put(&region, &target.memory, "other", 6, &two, &err));
	TEST_ASSERT_TRUE(one >= region.maker + sizeof(struct mailbox) && two >= one + 6 && two < region.end);
	TEST_ASSERT_EQUAL(0, memory_read(&target.memory, one, got, 6, &err));
	TEST_ASSERT_EQUAL_STRING("first", got);

	static const size_t too_many[] = { REGION_DATA, REGION_SIZE, SIZE_MAX - 62, SIZE_MAX };
	for (size_t i = 0; i < 4; i++) {
		TEST_ASSERT_EQUAL(-1, region_reserve(&region, too_many[i], &none, &err));
		TEST_ASSERT_EQUAL(ERR_NOT_POSSIBLE, err.code);
		TEST_ASSERT_EQUAL_HEX64(7, none);
	}
	size_t rest = (size_t)(region.end - region.next_data);
	TEST_ASSERT_EQUAL(0, region_reserve(&region, rest, &none, &err));
	TEST_ASSERT_EQUAL_HEX64(region.end, none + rest);
	TEST_ASSERT_EQUAL(-1, region_reserve(&region, 1, &none, &err));
	TEST_ASSERT_EQUAL(0, region_reserve(&region, 0, &none, &err));
}

static void test_the_code_is_written_to_a_page_that_is_never_writable(void)
{
	uint8_t got[4096];
	size_t size = (size_t)(trampoline_end - trampoline_start);
	open_child();
	TEST_ASSERT_EQUAL_MESSAGE(0, region_write_code(&region, &target.memory, &err), err.text);
	TEST_ASSERT_EQUAL(0, memory_read(&target.memory, region_code(&region, trampoline_start), got, size, &err));
	TEST_ASSERT_EQUAL_MEMORY(trampoline_start, got, size);
	TEST_ASSERT_EQUAL_HEX8(0, made[REGION_HEADER]);
	region.base += REGION_SIZE + (64u << 20);
	TEST_ASSERT_EQUAL(-1, region_write_code(&region, &target.memory, &err));
	TEST_ASSERT_TRUE_MESSAGE(strstr(err.text, "trampoline"), err.text);
}

static bool is_left_over_at(const char *where)
{
	struct leftover found[ALL];
	struct maps maps;
	TEST_ASSERT_EQUAL_MESSAGE(0, target_maps(&target, &maps, &err), err.text);
	size_t n = region_leftovers(&images, &maps, NULL, 0, found, ALL);
	maps_free(&maps);
	for (size_t i = 0; i < n; i++)
		if (found[i].base == at(where)) {
			TEST_ASSERT_EQUAL_HEX64(REGION_SIZE, found[i].size);
			return true;
		}
	return false;
}

static bool is_left_over(void)
{
	return is_left_over_at(made);
}

static void put_mailbox(raddr where, struct mailbox mailbox)
{
	TEST_ASSERT_EQUAL(0, memory_write(&target.memory, where, &mailbox, sizeof mailbox, &err));
}

static void test_one_that_was_mapped_and_not_yet_written_is_left_over(void)
{
	open_child();
	TEST_ASSERT_TRUE(is_left_over());
}

/* The kernel joins mappings that are alike. */
static void test_neighbours_that_were_not_yet_written_are_all_left_over(void)
{
	char *pair = mmap(NULL, 2 * REGION_SIZE, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	open_child();
	bool first = is_left_over_at(pair), second = is_left_over_at(pair + REGION_SIZE);
	munmap(pair, 2 * REGION_SIZE);
	TEST_ASSERT_TRUE(first && second);
}

#define GONE 0x7ffffff0u

static void test_one_that_nobody_uses_is_left_over(void)
{
	protect();
	open_child();
	const uint32_t alive = (uint32_t)target.pid;
	TEST_ASSERT_EQUAL_MESSAGE(0, region_write_code(&region, &target.memory, &err), err.text);
	TEST_ASSERT_TRUE(is_left_over());
	put_mailbox(region.mailbox, (struct mailbox){ .tid = GONE });
	TEST_ASSERT_TRUE_MESSAGE(is_left_over(), "its borrowed thread is gone");
	put_mailbox(region.mailbox, (struct mailbox){ .tid = alive, .done = 1 });
	TEST_ASSERT_TRUE_MESSAGE(is_left_over(), "its borrowed thread is done");
	put_mailbox(region.maker, (struct mailbox){ .tid = alive, .done = 1 });
	put_mailbox(region.mailbox, (struct mailbox){ .tid = GONE, .go = 1 });
	TEST_ASSERT_TRUE_MESSAGE(is_left_over(), "its fresh thread is gone");
	put_mailbox(region.mailbox, (struct mailbox){ 0 });
	put_mailbox(region.maker, (struct mailbox){ .tid = alive, .done = 1, .count = 1,
						    .step = {{ .returned = 1, .result = 11 }} });
	TEST_ASSERT_TRUE_MESSAGE(is_left_over(), "no fresh thread could be made");
}

static void test_one_that_a_thread_may_still_use_is_not(void)
{
	protect();
	open_child();
	const uint32_t alive = (uint32_t)target.pid;
	TEST_ASSERT_EQUAL_MESSAGE(0, region_write_code(&region, &target.memory, &err), err.text);
	put_mailbox(region.mailbox, (struct mailbox){ .tid = alive });
	TEST_ASSERT_FALSE_MESSAGE(is_left_over(), "a borrowed thread is in the function");
	put_mailbox(region.maker, (struct mailbox){ .tid = alive, .done = 1 });
	put_mailbox(region.mailbox, (struct mailbox){ .tid = alive, .go = 1, .done = 1 });
	TEST_ASSERT_FALSE_MESSAGE(is_left_over(), "a fresh thread lives");
	put_mailbox(region.mailbox, (struct mailbox){ .go = 1 });
	put_mailbox(region.maker, (struct mailbox){ .tid = alive });
	TEST_ASSERT_FALSE_MESSAGE(is_left_over(), "a borrowed thread makes a fresh one");
	put_mailbox(region.maker, (struct mailbox){ .tid = alive, .done = 1, .count = 1, .step = {{ .returned = 1 }} });
	TEST_ASSERT_FALSE_MESSAGE(is_left_over(), "a fresh thread was made and has not said who it is");
}

/* pause() with the stack in the mapping */
static int pause_here(void *unused)
{
	while (!unused)
		pause();
	return 0;
}

static void live_there(void)
{
	if (clone(pause_here, made + REGION_SIZE / 2, CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD,
		  NULL) < 0)
		_exit(1);
}

static void test_one_in_which_its_thread_still_has_its_stack_is_not(void)
{
	protect();
	open_target(child_start(live_there));
	region_place(&region, at(made), target.page);
	TEST_ASSERT_EQUAL_MESSAGE(0, region_write_code(&region, &target.memory, &err), err.text);
	pid_t *tids;
	size_t n;
	TEST_ASSERT_EQUAL(0, proc_threads(target.pid, &tids, &n, &err));
	TEST_ASSERT_EQUAL(2, n);
	wait_blocked(target.pid, tids[1], -1);
	TEST_ASSERT_FALSE_MESSAGE(is_left_over(), "it has not said who it is");
	put_mailbox(region.mailbox, (struct mailbox){ .tid = (uint32_t)tids[1], .done = 1 });
	TEST_ASSERT_FALSE_MESSAGE(is_left_over(), "it is done and still there");
	free(tids);
}

static void expect_foreign(const char *what)
{
	open_child();
	TEST_ASSERT_FALSE_MESSAGE(is_left_over(), what);
	close_target();
	memset(&target, 0, sizeof target);
}

static void put_byte(size_t where)
{
	TEST_ASSERT_EQUAL(0, mprotect(made, REGION_SIZE, PROT_READ | PROT_WRITE));
	memset(made, 0, REGION_SIZE);
	made[where] = (char)0xc3;
	TEST_ASSERT_EQUAL(0, mprotect(made, REGION_SIZE, PROT_READ | PROT_EXEC));
}

static void test_mappings_of_the_program_are_never_left_over(void)
{
	put_byte(0);
	expect_foreign("the same size with code at its start");
	put_byte(4095);
	expect_foreign("the same size with code in its first page");
	put_byte(REGION_SIZE - 1);
	expect_foreign("the same size with code at its end");
	TEST_ASSERT_EQUAL(0, mprotect(made, REGION_SIZE, PROT_READ | PROT_WRITE));
	made[REGION_SIZE - 1] = 0;
	expect_foreign("zeros that can be written");
	mprotect(made, REGION_SIZE, PROT_READ | PROT_WRITE | PROT_EXEC);
	expect_foreign("zeros that can be written and executed");
	mprotect(made, REGION_SIZE, PROT_READ | PROT_EXEC);
	munmap(made + REGION_SIZE - 65536, 65536);
	expect_foreign("zeros of another size");
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_parts_lie_in_order_and_apart_for_every_page_size);
	RUN_TEST(test_the_trampoline_fits_into_the_smallest_page);
	RUN_TEST(test_data_is_put_side_by_side_and_refused_when_full);
	RUN_TEST(test_the_code_is_written_to_a_page_that_is_never_writable);
	RUN_TEST(test_one_that_was_mapped_and_not_yet_written_is_left_over);
	RUN_TEST(test_neighbours_that_were_not_yet_written_are_all_left_over);
	RUN_TEST(test_one_that_nobody_uses_is_left_over);
	RUN_TEST(test_one_that_a_thread_may_still_use_is_not);
	RUN_TEST(test_one_in_which_its_thread_still_has_its_stack_is_not);
	RUN_TEST(test_mappings_of_the_program_are_never_left_over);
	return UNITY_END();
}
