/* SPDX-License-Identifier: MIT */
/* Stacks by perf_event_open, or the clear answer that there are none. */
#include "inject/watch/perf.h"

#include <errno.h>
#include <sys/mman.h>

#include "arch/arch.h"
#include "inject/thread.h"
#include "watched_child.h"

#define PERIOD_NS 2000000u

static struct perf perf;
static struct perf_ring ring;
static struct stack_copy copy;
static bool possible;
static pid_t child;

static void spin_alone(void) { spin(NULL); }

void setUp(void)
{
	shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	memset(&err, 0, sizeof err);
	memset(&ring, 0, sizeof ring);
	TEST_ASSERT_EQUAL(0, copy_init(&copy, COPY_SMALL));
	child = child_run(spin_alone);
	WAIT_FOR(shared->count);
	possible = perf_open(&perf, child, PERIOD_NS, &err) == 0;
}

void tearDown(void)
{
	perf_end(&ring);
	perf_close(&perf);
	copy_free(&copy);
	child_end(child);
	munmap(shared, sizeof *shared);
}

static void test_it_is_possible_here_or_told_why_not(void)
{
	TEST_MESSAGE(possible ? "perf is possible here" : err.text);
	if (possible)
		return;
	TEST_ASSERT_EQUAL(ERR_NOT_POSSIBLE, err.code);
	TEST_ASSERT_TRUE(err.sys != 0);
}

static void need_perf(void)
{
	if (!possible)
		TEST_IGNORE_MESSAGE("perf is not possible here; stops are used, see test_copy");
	TEST_ASSERT_EQUAL(0, perf_begin(&perf, &ring, child));
}

static void test_a_running_thread_is_seen_where_it_spins(void)
{
	uint64_t spins = at((void *)(uintptr_t)spin_alone), start = at((void *)(uintptr_t)spin);
	need_perf();
	WAIT_FOR(perf_newest(&perf, &ring, &copy));
	TEST_ASSERT_EQUAL(COPY_PERF, copy.way);
	TEST_ASSERT_EQUAL(child, copy.tid);
	TEST_ASSERT_TRUE(frame_knows(&copy.regs, UNWIND_PC) && frame_knows(&copy.regs, UNWIND_FP));
	/* inlined or not, it is in one of the two */
	uint64_t pc = copy.regs.v[UNWIND_PC];
	TEST_ASSERT_TRUE((pc >= spins && pc - spins < 256) || (pc >= start && pc - start < 256));
	TEST_ASSERT_EQUAL_UINT64(copy.regs.v[UNWIND_SP], copy.low);
	TEST_ASSERT_TRUE(copy.size > 0 && copy.size <= PERF_STACK);
	struct memory memory;
	uint8_t there[64];
	TEST_ASSERT_EQUAL(0, memory_open(&memory, child, &err));
	TEST_ASSERT_EQUAL(0, memory_read(&memory, copy.low, there, sizeof there, &err));
	TEST_ASSERT_EQUAL_MEMORY(there, copy.bytes, sizeof there);
	memory_close(&memory);
}

/* Far more samples than the ring holds: over its end again and again, and over its limit. */
static void test_the_ring_goes_round_and_what_is_lost_is_counted(void)
{
	need_perf();
	int seen = 0;
	for (int i = 0; i < 200; i++) {
		nap_ms(3);
		if (!perf_newest(&perf, &ring, &copy))
			continue;
		seen++;
		TEST_ASSERT_EQUAL(child, copy.tid);
		TEST_ASSERT_EQUAL_UINT64(copy.low, copy.regs.v[UNWIND_SP]);
	}
	TEST_ASSERT_TRUE(seen > 10);
	uint64_t before = shared->count;
	for (int i = 0; i < 100 && !perf.lost; i++) {
		WAIT_FOR(shared->count - before > 100000);
		nap_ms(100);
		perf_newest(&perf, &ring, &copy);
	}
	nap_ms(100);
	perf_newest(&perf, &ring, &copy);
	TEST_ASSERT_TRUE_MESSAGE(perf.lost > 0, "a full ring was not noticed");
	WAIT_FOR(perf_newest(&perf, &ring, &copy));
}

static void sleep_alone(void) { sleep_long(NULL); }

static void test_a_sleeping_thread_gives_none(void)
{
	need_perf();
	pid_t sleeper = child_run(sleep_alone);
	struct perf_ring other;
	wait_blocked(sleeper, sleeper, -1);
	TEST_ASSERT_EQUAL(0, perf_begin(&perf, &other, sleeper));
	nap_ms(50);
	TEST_ASSERT_FALSE(perf_newest(&perf, &other, &copy));
	perf_end(&other);
	child_end(sleeper);
}

static void test_nothing_is_left_open(void)
{
	need_perf();
	int fds = count_own_fds();
	for (int i = 0; i < 50; i++) {
		struct perf_ring other;
		TEST_ASSERT_EQUAL(0, perf_begin(&perf, &other, child));
		TEST_ASSERT_TRUE(perf_follows(&other));
		perf_end(&other);
		TEST_ASSERT_FALSE(perf_follows(&other));
	}
	TEST_ASSERT_EQUAL(-1, perf_begin(&perf, &(struct perf_ring){ 0 }, 0x7fffffff));
	TEST_ASSERT_EQUAL(fds, count_own_fds());
	TEST_ASSERT_EQUAL(1, perf.threads);
}

static void forbid_perf(void) { without_call(SYS_perf_event_open); }

static int try_perf(pid_t pid, struct err *why)
{
	struct perf theirs;
	return perf_open(&theirs, pid, PERIOD_NS, why);
}

static void test_a_kernel_without_it_is_told(void)
{
	struct seen seen = seen_as(forbid_perf, try_perf, child);
	TEST_ASSERT_EQUAL(-1, seen.result);
	TEST_ASSERT_EQUAL(ERR_NOT_POSSIBLE, seen.err.code);
	TEST_ASSERT_EQUAL(ENOSYS, seen.err.sys);
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_it_is_possible_here_or_told_why_not);
	RUN_TEST(test_a_running_thread_is_seen_where_it_spins);
	RUN_TEST(test_the_ring_goes_round_and_what_is_lost_is_counted);
	RUN_TEST(test_a_sleeping_thread_gives_none);
	RUN_TEST(test_nothing_is_left_open);
	RUN_TEST(test_a_kernel_without_it_is_told);
	return UNITY_END();
}
