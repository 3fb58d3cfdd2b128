/* SPDX-License-Identifier: MIT */
/* Which thread is borrowed: children whose threads wait in known ways. */
#include <linux/futex.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "inject/pick.h"
#include "inject/thread.h"
#include "live_target.h"

#define OLD_NS 30000000                 /* after which words on a stack are stale */
#define HANDLER 0x1111000ull            /* stands for the address to which handlers return */
#define ALLOCATOR 0x2222000ull          /* stands for text of the allocator */
#define LIBC 0x3333000ull               /* stands for other text of the C library */
#define RANGE 0x1000

enum kind { IN_PPOLL, IN_FUTEX, IN_EPOLL, IN_EPOLL_TIMED, IN_OTHER_FUTEX, SPINNING, NAPPING, KINDS };

static volatile pid_t *tids;                    /* by kind, told by the child */
static uint32_t word;
static struct pick pick;

static void wait_as(enum kind kind)
{
	struct epoll_event event;
	tids[kind] = (pid_t)syscall(SYS_gettid);
	for (;;) {
		switch (kind) {
		case IN_PPOLL: syscall(SYS_ppoll, NULL, 0, NULL, NULL, 8); break;
		case IN_FUTEX: syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, NULL); break;
		case IN_EPOLL: syscall(SYS_epoll_pwait, epoll_create1(0), &event, 1, -1, NULL, 8); break;
		case IN_EPOLL_TIMED: syscall(SYS_epoll_pwait, epoll_create1(0), &event, 1, 60000, NULL, 8); break;
		case IN_OTHER_FUTEX: syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, NULL); break;
		case NAPPING: nap_ms(1); break;
		default: break;
		}
	}
}

static void *wait_in_thread(void *kind)
{
	wait_as((enum kind)(intptr_t)kind);
	return NULL;
}

static const enum kind *wanted;         /* of the threads; the first is the main one's */
static size_t count;

static void be_the_child(void)
{
	for (size_t i = 1; i < count; i++) {
		pthread_t thread;
		pthread_create(&thread, NULL, wait_in_thread, (void *)(intptr_t)wanted[i]);
		while (!tids[wanted[i]])
			;
	}
	wait_as(wanted[0]);
}

static void start(const enum kind *kinds, size_t n)
{
	wanted = kinds;
	count = n;
	for (size_t i = 0; i < KINDS; i++)
		tids[i] = 0;
	pid_t pid = child_run(be_the_child);
	while (!tids[kinds[0]])
		nap_ms(1);
	for (size_t i = 0; i < n; i++)
		if (kinds[i] != SPINNING && kinds[i] != NAPPING)
			wait_blocked(pid, tids[kinds[i]], -1);
	open_target(pid);
	pick_open(&pick, &images, HANDLER);
	/* Text that is avoided is what each test says. */
	pick.malloc_known = true;
	pick.avoided = 2;
	pick.avoid[0].from = ALLOCATOR, pick.avoid[0].to = ALLOCATOR + RANGE, pick.avoid[0].pc_only = false;
	pick.avoid[1].from = LIBC, pick.avoid[1].to = LIBC + RANGE, pick.avoid[1].pc_only = true;
}

#define START(...) do { static const enum kind kinds[] = { __VA_ARGS__ }; \
	start(kinds, sizeof kinds / sizeof kinds[0]); } while (0)

void setUp(void)
{
	tids = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
}

void tearDown(void)
{
	pick_close(&pick);
	close_target();
	munmap((void *)tids, 4096);
}

static void expect_candidate(size_t i, enum kind kind, enum pick_class class)
{
	TEST_ASSERT_TRUE_MESSAGE(i < pick.n, "too few candidates");
	TEST_ASSERT_EQUAL(tids[kind], pick.v[i].tid);
	TEST_ASSERT_EQUAL(class, pick.v[i].class);
	TEST_ASSERT_EQUAL_STRING_LEN("it ", pick.v[i].why, 3);
}

static void look(pid_t only)
{
	TEST_ASSERT_EQUAL_MESSAGE(0, pick_candidates(&pick, only, 0, &err), err.text);
}

static void test_an_exact_wait_comes_before_a_futex_and_a_running_thread(void)
{
	START(SPINNING, IN_FUTEX, IN_PPOLL);
	look(0);
	TEST_ASSERT_EQUAL(3, pick.n);
	expect_candidate(0, IN_PPOLL, PICK_EXACT);
	expect_candidate(1, IN_FUTEX, PICK_FUTEX);
	expect_candidate(2, SPINNING, PICK_RUNNING);
}

static void test_a_wait_that_any_stop_cuts_is_left_alone_where_a_better_one_is(void)
{
	START(IN_EPOLL, IN_EPOLL_TIMED, IN_PPOLL);
	look(0);
	TEST_ASSERT_EQUAL(1, pick.n);
	expect_candidate(0, IN_PPOLL, PICK_EXACT);
}

static void test_where_there_is_nothing_better_it_is_taken_untimed_first(void)
{
	START(IN_EPOLL_TIMED, SPINNING, IN_EPOLL);
	look(0);
	TEST_ASSERT_EQUAL(3, pick.n);
	expect_candidate(0, IN_EPOLL, PICK_REPEATED);
	expect_candidate(1, SPINNING, PICK_RUNNING);
	expect_candidate(2, IN_EPOLL_TIMED, PICK_REPEATED_TIMED);
}

static void test_among_equals_the_oldest_comes_first(void)
{
	START(IN_FUTEX, IN_OTHER_FUTEX);
	look(0);
	TEST_ASSERT_EQUAL(2, pick.n);
	TEST_ASSERT_EQUAL(target.pid, pick.v[0].tid);
}

static void test_one_that_is_named_is_the_only_candidate(void)
{
	START(IN_PPOLL, IN_EPOLL_TIMED);
	look(tids[IN_EPOLL_TIMED]);
	TEST_ASSERT_EQUAL(1, pick.n);
	expect_candidate(0, IN_EPOLL_TIMED, PICK_REPEATED_TIMED);
	look(0x7ffffff0);
	TEST_ASSERT_EQUAL(0, pick.n);
}

static void test_one_that_is_preferred_comes_first_if_it_is_blocked(void)
{
	START(IN_PPOLL, IN_FUTEX, SPINNING);
	TEST_ASSERT_EQUAL_MESSAGE(0, pick_candidates(&pick, 0, tids[IN_FUTEX], &err), err.text);
	TEST_ASSERT_EQUAL(3, pick.n);
	expect_candidate(0, IN_FUTEX, PICK_FUTEX);
	expect_candidate(1, IN_PPOLL, PICK_EXACT);
	TEST_ASSERT_EQUAL_MESSAGE(0, pick_candidates(&pick, 0, tids[SPINNING], &err), err.text);
	expect_candidate(0, IN_PPOLL, PICK_EXACT);
	TEST_ASSERT_EQUAL_MESSAGE(0, pick_candidates(&pick, 0, 0x7ffffff0, &err), err.text);
	TEST_ASSERT_EQUAL(3, pick.n);
}

static void test_while_all_are_watched_one_that_runs_is_no_candidate(void)
{
	START(IN_FUTEX, SPINNING);
	pick_watch(&pick, UINT64_C(60000000000));
	look(0);
	TEST_ASSERT_EQUAL(1, pick.n);
	expect_candidate(0, IN_FUTEX, PICK_FUTEX);
	look(tids[SPINNING]);
	expect_candidate(0, SPINNING, PICK_RUNNING);
	pick_watch(&pick, 0);
	look(0);
	TEST_ASSERT_EQUAL(2, pick.n);
	expect_candidate(1, SPINNING, PICK_RUNNING);
}

static void test_the_call_in_which_a_thread_was_seen_is_remembered(void)
{
	START(IN_PPOLL, IN_FUTEX, SPINNING);
	look(0);
	TEST_ASSERT_EQUAL(SYS_futex, pick_seen(&pick, tids[IN_FUTEX])->nr);
	TEST_ASSERT_EQUAL(SYS_ppoll, pick_seen(&pick, tids[IN_PPOLL])->nr);
	TEST_ASSERT_NULL(pick_seen(&pick, tids[SPINNING]));
	TEST_ASSERT_FALSE(pick_sees_blocked(&pick, tids[SPINNING]));
	TEST_ASSERT_TRUE(pick_sees_blocked(&pick, tids[IN_FUTEX]));
}

/* What the rules say of a thread that is at pc and has these two words on its stack. */
static const char *objection(enum kind kind, raddr pc, uint64_t first, uint64_t second, enum pick_class class)
{
	uint64_t stack[2048] = { [20] = first, [300] = second };        /* all that is looked at */
	raddr sp = (pick_seen(&pick, tids[kind])->sp - sizeof stack - 4096) & ~15ull;
	TEST_ASSERT_EQUAL_MESSAGE(0, memory_write(&target.memory, sp, stack, sizeof stack, &err), err.text);
	return pick_objection(&pick, tids[kind], pc, sp, class);
}

static void test_no_thread_is_taken_inside_the_allocator(void)
{
	START(IN_PPOLL, IN_FUTEX);
	look(0);
	TEST_ASSERT_NOT_NULL(objection(IN_PPOLL, ALLOCATOR, 0, 0, PICK_EXACT));
	TEST_ASSERT_NOT_NULL(objection(IN_PPOLL, ALLOCATOR + RANGE - 1, 0, 0, PICK_RUNNING));
	TEST_ASSERT_NULL(objection(IN_PPOLL, ALLOCATOR + RANGE, 0, 0, PICK_RUNNING));
	TEST_ASSERT_NULL(objection(IN_PPOLL, ALLOCATOR - 1, 0, 0, PICK_EXACT));
}

static void test_in_the_c_library_one_that_waits_is_taken_and_one_that_runs_is_not(void)
{
	START(IN_PPOLL);
	look(0);
	TEST_ASSERT_NULL(objection(IN_PPOLL, LIBC + 4, 0, 0, PICK_EXACT));
	TEST_ASSERT_NOT_NULL(objection(IN_PPOLL, LIBC + 4, 0, 0, PICK_RUNNING));
}

static void test_a_handler_on_top_of_the_allocator_is_not_taken_for_a_while(void)
{
	START(IN_PPOLL);
	look(0);
	pick.since_ns = now_ns();
	TEST_ASSERT_NOT_NULL(objection(IN_PPOLL, 0x5000, HANDLER, ALLOCATOR + 8, PICK_EXACT));
	TEST_ASSERT_NULL(objection(IN_PPOLL, 0x5000, HANDLER, LIBC + 8, PICK_EXACT));
	TEST_ASSERT_NULL(objection(IN_PPOLL, 0x5000, 0, ALLOCATOR + 8, PICK_EXACT));
	pick.since_ns = now_ns() - OLD_NS;
	TEST_ASSERT_NULL(objection(IN_PPOLL, 0x5000, HANDLER, ALLOCATOR + 8, PICK_EXACT));
}

static void test_a_futex_below_the_allocator_is_taken_only_when_its_thread_is_idle(void)
{
	START(IN_FUTEX, NAPPING);
	look(0);
	TEST_ASSERT_NULL(objection(IN_FUTEX, 0x5000, 0, 0, PICK_FUTEX));
	TEST_ASSERT_NOT_NULL(objection(IN_FUTEX, 0x5000, 0, ALLOCATOR + 8, PICK_FUTEX));
	/* on a busy machine it may be awake, and wait for a CPU */
	bool seen = false;
	for (int i = 0; i < 1000 && !seen; i++, nap_ms(1))
		seen = pick_seen(&pick, tids[NAPPING]) || pick_sees_blocked(&pick, tids[NAPPING]);
	TEST_ASSERT_TRUE(seen);
	TEST_ASSERT_NOT_NULL(objection(NAPPING, 0x5000, 0, ALLOCATOR + 8, PICK_FUTEX));
	nap_ms(2 * OLD_NS / 1000000);
	TEST_ASSERT_NULL(objection(IN_FUTEX, 0x5000, 0, ALLOCATOR + 8, PICK_FUTEX));
	TEST_ASSERT_NOT_NULL(objection(NAPPING, 0x5000, 0, ALLOCATOR + 8, PICK_FUTEX));
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_an_exact_wait_comes_before_a_futex_and_a_running_thread);
	RUN_TEST(test_a_wait_that_any_stop_cuts_is_left_alone_where_a_better_one_is);
	RUN_TEST(test_where_there_is_nothing_better_it_is_taken_untimed_first);
	RUN_TEST(test_among_equals_the_oldest_comes_first);
	RUN_TEST(test_one_that_is_named_is_the_only_candidate);
	RUN_TEST(test_one_that_is_preferred_comes_first_if_it_is_blocked);
	RUN_TEST(test_while_all_are_watched_one_that_runs_is_no_candidate);
	RUN_TEST(test_the_call_in_which_a_thread_was_seen_is_remembered);
	RUN_TEST(test_no_thread_is_taken_inside_the_allocator);
	RUN_TEST(test_in_the_c_library_one_that_waits_is_taken_and_one_that_runs_is_not);
	RUN_TEST(test_a_handler_on_top_of_the_allocator_is_not_taken_for_a_while);
	RUN_TEST(test_a_futex_below_the_allocator_is_taken_only_when_its_thread_is_idle);
	return UNITY_END();
}
