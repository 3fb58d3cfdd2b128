/* SPDX-License-Identifier: MIT */
/* How long a child has slept, how long its call was to last, and the same call for the rest. */
#include <pthread.h>
#include <sched.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "inject/thread.h"
#include "inject/timed.h"
#include "live_target.h"

#define MS 1000000ull

static struct shared {
	volatile uint64_t asleep_ns;
	volatile pid_t tid;
	struct timespec whole, wrong, scratch;
} *shared;

void setUp(void)
{
	shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	shared->whole = (struct timespec){ 3, 500000000 };
	shared->wrong = (struct timespec){ 3, 1000000000 };
	shared->scratch = (struct timespec){ 77, 77 };
}

void tearDown(void)
{
	munmap(shared, sizeof *shared);
}

static void sleep_once(void)
{
	struct epoll_event event;
	shared->tid = (pid_t)syscall(SYS_gettid);
	shared->asleep_ns = now_ns();
	syscall(SYS_epoll_pwait, epoll_create1(0), &event, 1, 60000, NULL, 8);
}

static void *sleep_beside(void *unused)
{
	sleep_once();
	return unused;
}

/* Its main thread never sleeps, so that only the thread's own clock is right. */
static void sleep_in_a_thread(void)
{
	pthread_t thread;
	pthread_create(&thread, NULL, sleep_beside, NULL);
	for (;;)
		sched_yield();
}

/* Too long by how much, after a sleep of `ms`.  Positive: it says more than can be. */
static int64_t error_after(void (*body)(void), long ms)
{
	uint64_t slept = 0;
	shared->asleep_ns = 0;
	pid_t pid = child_run(body);
	while (!shared->asleep_ns)
		nap_ms(1);
	wait_blocked(pid, shared->tid, SYS_epoll_pwait);
	nap_ms(ms);
	uint64_t before = now_ns();
	int rc = timed_slept(shared->tid, &slept);
	uint64_t after = now_ns();
	child_end(pid);
	TEST_ASSERT_EQUAL(0, rc);
	int64_t least = (int64_t)(before - shared->asleep_ns), most = (int64_t)(after - shared->asleep_ns);
	int64_t says = (int64_t)slept;
	return says > most ? says - most : says < least ? says - least : 0;
}

/* On a busy machine a child may not get to sleep at once, and then has slept for less. */
static void expect_accurate(void (*body)(void))
{
	int64_t best = INT64_MAX;
	for (int i = 0; i < 8 && best > 30 * (int64_t)MS; i++) {
		int64_t error = error_after(body, 300);
		TEST_ASSERT_TRUE_MESSAGE(error < 30 * (int64_t)MS, "it says that it slept longer than it can have");
		best = -error < best ? -error : best;
	}
	TEST_ASSERT_TRUE_MESSAGE(best <= 30 * (int64_t)MS, "it says that it slept for a shorter time");
}

static bool kernel_tells(void)
{
	size_t size;
	char *text = proc_read(&size, NULL, "/proc/self/sched");
	bool tells = text && strstr(text, "se.exec_start");
	free(text);
	return tells;
}

static void test_how_long_a_process_has_slept_is_known_to_30_ms(void)
{
	uint64_t slept;
	if (!kernel_tells())
		TEST_ASSERT_EQUAL(-1, timed_slept(getpid(), &slept));
	else
		expect_accurate(sleep_once);
}

static void test_how_long_a_thread_has_slept_is_its_own(void)
{
	if (kernel_tells())
		expect_accurate(sleep_in_a_thread);
}

static void sleep_under_a_false_name(void)
{
	prctl(PR_SET_NAME, "se.exec_start:9");
	sleep_once();
}

static void test_a_name_that_looks_like_the_answer_does_not_deceive(void)
{
	if (kernel_tells())
		expect_accurate(sleep_under_a_false_name);
}

static void test_asking_leaves_our_own_cpus_as_they_were(void)
{
	cpu_set_t before, after;
	uint64_t slept;
	sched_getaffinity(0, sizeof before, &before);
	timed_slept(getppid(), &slept);
	sched_getaffinity(0, sizeof after, &after);
	TEST_ASSERT_TRUE(CPU_EQUAL(&before, &after));
	TEST_ASSERT_EQUAL(-1, timed_slept(0x7ffffff0, &slept));
}

struct call {
	const char *what;
	long nr;
	unsigned arg;
	uint64_t value;
	bool timed;
	uint64_t ns;
};

static void test_the_length_of_a_call_is_in_its_arguments(void)
{
	const uint64_t whole = at(&shared->whole);
	const struct call calls[] = {
		{ "epoll_pwait", SYS_epoll_pwait, 3, 250, true, 250 * MS },
		{ "epoll_pwait for no time", SYS_epoll_pwait, 3, 0, true, 0 },
		{ "epoll_pwait with a dirty upper half", SYS_epoll_pwait, 3, 0xdead000000fa, true, 250 * MS },
		{ "epoll_pwait for ever", SYS_epoll_pwait, 3, (uint64_t)-1, false, 0 },
		{ "epoll_pwait for ever, as an int", SYS_epoll_pwait, 3, 0xffffffff, false, 0 },
		{ "epoll_pwait2", SYS_epoll_pwait2, 3, whole, true, 3500 * MS },
		{ "epoll_pwait2 for ever", SYS_epoll_pwait2, 3, 0, false, 0 },
		{ "semtimedop", SYS_semtimedop, 3, whole, true, 3500 * MS },
		{ "semop", SYS_semop, 3, whole, false, 0 },
		{ "sigtimedwait", SYS_rt_sigtimedwait, 2, whole, true, 3500 * MS },
		{ "sigwaitinfo", SYS_rt_sigtimedwait, 2, 0, false, 0 },
		{ "io_getevents", SYS_io_getevents, 4, whole, true, 3500 * MS },
		{ "a time that is none", SYS_semtimedop, 3, at(&shared->wrong), false, 0 },
		{ "a time that cannot be read", SYS_semtimedop, 3, 16, false, 0 },
		{ "nanosleep", SYS_nanosleep, 0, whole, true, 3500 * MS },
		{ "relative clock_nanosleep", SYS_clock_nanosleep, 2, whole, true, 3500 * MS },
		{ "futex wait", SYS_futex, 3, whole, true, 3500 * MS },
		{ "futex wait without a time", SYS_futex, 3, 0, false, 0 },
		{ "recvfrom", SYS_recvfrom, 3, 250, false, 0 },
		{ "ppoll, which keeps its own account", SYS_ppoll, 2, whole, false, 0 },
	};
	open_target(child_start(NULL));
	for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
		uint64_t args[6] = { 0 }, ns = 0;
		args[calls[i].arg] = calls[i].value;
		TEST_ASSERT_EQUAL_MESSAGE(calls[i].timed, timed_length(&target.memory, calls[i].nr, args, &ns), calls[i].what);
		if (calls[i].timed)
			TEST_ASSERT_EQUAL_MESSAGE(calls[i].ns, ns, calls[i].what);
	}
	close_target();
}

/* The argument of the call after `slept_ns` of it have passed. */
static uint64_t shortened(long nr, unsigned arg, uint64_t value, uint64_t slept_ns)
{
	struct regs regs;
	memset(&regs, 0, sizeof regs);
	for (unsigned i = 0; i < 6; i++)
		arch_arg_set(&regs, i, 1000 + i);
	arch_arg_set(&regs, arg, value);
	timed_shorten(&target.memory, &regs, nr, slept_ns, at(&shared->scratch));
	for (unsigned i = 0; i < 6; i++)
		if (i != arg)
			TEST_ASSERT_EQUAL_HEX64(1000 + i, arch_arg(&regs, i));
	return arch_arg(&regs, arg);
}

/* The rest in ms, or up to 2 ms more: rather late than early. */
static void expect_rest(uint64_t wanted, uint64_t got)
{
	TEST_ASSERT_TRUE(got >= wanted && got <= wanted + 2);
}

static void test_milliseconds_that_remain_are_never_too_few(void)
{
	open_target(child_start(NULL));
	expect_rest(150, shortened(SYS_epoll_pwait, 3, 250, 100 * MS));
	expect_rest(150, shortened(SYS_epoll_pwait, 3, 250, 100 * MS + 1));
	expect_rest(1, shortened(SYS_epoll_pwait, 3, 250, 250 * MS - 1));
	expect_rest(0, shortened(SYS_epoll_pwait, 3, 250, 250 * MS));
	expect_rest(0, shortened(SYS_epoll_pwait, 3, 250, 9999 * MS));
	TEST_ASSERT_EQUAL_HEX64(-1, (int64_t)shortened(SYS_epoll_pwait, 3, (uint64_t)-1, 100 * MS));
	TEST_ASSERT_EQUAL(250, shortened(SYS_recvfrom, 3, 250, 100 * MS));
	close_target();
}

static uint64_t scratch_ns(void)
{
	return (uint64_t)shared->scratch.tv_sec * 1000 * MS + (uint64_t)shared->scratch.tv_nsec;
}

static void test_a_time_in_memory_is_written_elsewhere_and_the_programs_own_stays(void)
{
	open_target(child_start(NULL));
	TEST_ASSERT_EQUAL_HEX64(at(&shared->scratch), shortened(SYS_semtimedop, 3, at(&shared->whole), 1200 * MS + 1));
	TEST_ASSERT_TRUE(scratch_ns() >= 2300 * MS - 1 && scratch_ns() <= 2302 * MS);
	TEST_ASSERT_TRUE(shared->scratch.tv_nsec < 1000000000);
	TEST_ASSERT_EQUAL_HEX64(at(&shared->scratch), shortened(SYS_rt_sigtimedwait, 2, at(&shared->whole), 3600 * MS));
	TEST_ASSERT_TRUE(scratch_ns() <= 2 * MS);
	TEST_ASSERT_EQUAL(3, shared->whole.tv_sec);
	TEST_ASSERT_EQUAL(500000000, shared->whole.tv_nsec);
	close_target();
}

static void test_a_call_without_a_time_or_until_a_point_in_time_stays_as_it_is(void)
{
	const uint64_t whole = at(&shared->whole), wrong = at(&shared->wrong);
	open_target(child_start(NULL));
	TEST_ASSERT_EQUAL_HEX64(0, shortened(SYS_semtimedop, 3, 0, 1200 * MS));
	TEST_ASSERT_EQUAL_HEX64(wrong, shortened(SYS_semtimedop, 3, wrong, 1200 * MS));
	/* argument 1 is 1001 there: the flag of an absolute time, and no plain FUTEX_WAIT */
	TEST_ASSERT_EQUAL_HEX64(whole, shortened(SYS_clock_nanosleep, 2, whole, 1200 * MS));
	TEST_ASSERT_EQUAL_HEX64(whole, shortened(SYS_futex, 3, whole, 1200 * MS));
	TEST_ASSERT_EQUAL(77, shared->scratch.tv_sec);
	uint64_t args[6] = { CLOCK_MONOTONIC, TIMER_ABSTIME, whole }, ns;
	TEST_ASSERT_FALSE(timed_length(&target.memory, SYS_clock_nanosleep, args, &ns));
	close_target();
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_how_long_a_process_has_slept_is_known_to_30_ms);
	RUN_TEST(test_how_long_a_thread_has_slept_is_its_own);
	RUN_TEST(test_a_name_that_looks_like_the_answer_does_not_deceive);
	RUN_TEST(test_asking_leaves_our_own_cpus_as_they_were);
	RUN_TEST(test_the_length_of_a_call_is_in_its_arguments);
	RUN_TEST(test_milliseconds_that_remain_are_never_too_few);
	RUN_TEST(test_a_time_in_memory_is_written_elsewhere_and_the_programs_own_stays);
	RUN_TEST(test_a_call_without_a_time_or_until_a_point_in_time_stays_as_it_is);
	return UNITY_END();
}
