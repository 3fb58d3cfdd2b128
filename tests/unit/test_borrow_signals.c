/* SPDX-License-Identifier: MIT */
/* A signal that comes while a thread is borrowed has the effect that it would have had without us: its handler runs
 * once, and the call in which the thread sleeps ends with EINTR or goes on, as signal(7) tells.  No stop of ours has one. */
#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "borrow_case.h"

static struct shared {
	atomic_uint handled, ended;     /* handlers that ran, calls that came back */
	atomic_int answer;              /* of the last of these: an errno */
	atomic_int hogs;                /* 0: not yet, -1: may not */
} *shared;

void setUp(void)
{
	memset(shared, 0, sizeof *shared);
	borrow_set_up();
}

void tearDown(void)
{
	borrow_tear_down();
}

static void handle(int signo)
{
	(void)signo;
	atomic_fetch_add(&shared->handled, 1);
}

/* Sleep in a call again and again, and tell how it ended. */
static void sleep_by(long (*call)(void))
{
	struct sigaction action = { .sa_handler = handle, .sa_flags = SA_RESTART };
	sigaction(SIGUSR1, &action, NULL);
	for (;;) {
		long rc = call();
		atomic_store(&shared->answer, rc < 0 ? errno : 0);
		atomic_fetch_add(&shared->ended, 1);
	}
}

static long in_poll(void)
{
	return poll(NULL, 0, -1);
}

static long in_epoll(void)
{
	struct epoll_event event;
	int fd = epoll_create1(EPOLL_CLOEXEC);
	long rc = epoll_wait(fd, &event, 1, -1);
	int error = errno;
	close(fd);
	errno = error;
	return rc;
}

static long in_nanosleep(void)
{
	return nanosleep(&(struct timespec){ 1000, 0 }, NULL);
}

static long in_read(void)
{
	char byte;
	return read(wire[0], &byte, 1);
}

static void sleep_in_poll(void) { sleep_by(in_poll); }
static void sleep_in_epoll(void) { sleep_by(in_epoll); }
static void sleep_in_nanosleep(void) { sleep_by(in_nanosleep); }
static void sleep_in_read(void) { sleep_by(in_read); }

static void await_handled(unsigned wanted)
{
	for (uint64_t limit = now_ns() + LIMIT_NS; atomic_load(&shared->handled) < wanted && now_ns() < limit;)
		nap_ms(1);
	TEST_ASSERT_EQUAL_UINT(wanted, atomic_load(&shared->handled));
}

/* With the signal sent at one time or another: as it is stopped, or once it is ours. */
static void disturb(const char *what, void (*body)(void), bool ends, bool diverted_first)
{
	pid_t pid = child_run(body);
	wait_blocked(pid, pid, -1);
	open_child(pid);
	begin_surely();
	if (diverted_first)
		divert();
	kill(pid, SIGUSR1);
	divert();
	give_back();
	await_handled(1);
	for (uint64_t limit = now_ns() + LIMIT_NS; ends && !atomic_load(&shared->ended) && now_ns() < limit;)
		nap_ms(1);
	wait_blocked(pid, pid, -1);
	TEST_ASSERT_EQUAL_UINT_MESSAGE(ends, atomic_load(&shared->ended), what);
	if (ends)
		TEST_ASSERT_EQUAL_INT_MESSAGE(EINTR, atomic_load(&shared->answer), what);
	TEST_ASSERT_EQUAL_UINT_MESSAGE(1, atomic_load(&shared->handled), what);
	expect_untraced();
	close_target();
	target.pid = 0;
	memset(shared, 0, sizeof *shared);
}

static void disturb_both(const char *what, void (*body)(void), bool ends)
{
	disturb(what, body, ends, false);
	disturb(what, body, ends, true);
}

static void test_a_handler_ends_what_no_handler_restarts(void)
{
	disturb_both("poll", sleep_in_poll, true);
	disturb_both("nanosleep", sleep_in_nanosleep, true);
}

static void test_a_handler_ends_what_every_stop_ends(void)
{
	disturb_both("epoll_wait", sleep_in_epoll, true);
}

static void test_a_handler_does_not_end_what_is_restarted(void)
{
	disturb_both("read", sleep_in_read, false);
}

static void pin(pid_t pid, int cpu)
{
	cpu_set_t set;
	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	TEST_ASSERT_EQUAL(0, sched_setaffinity(pid, sizeof set, &set));
}

/* Nobody else runs on its CPU for longer than a thread that was asked to stop is given, and for less than the kernel allows.
 * (musl's sched_setscheduler does nothing.) */
static void hog(void)
{
	struct sched_param first = { .sched_priority = 1 };
	uint64_t end = now_ns() + 600000000;
	bool may = syscall(SYS_sched_setscheduler, 0, SCHED_FIFO, &first) == 0;
	atomic_store(&shared->hogs, may ? 1 : -1);
	while (may && now_ns() < end)
		;
	_exit(0);
}

/* The first two CPUs that we may use: one for us, one for the child and who hogs it. */
static bool choose_cpus(int cpu[2])
{
	cpu_set_t ours;
	int n = 0;
	TEST_ASSERT_EQUAL(0, sched_getaffinity(0, sizeof ours, &ours));
	for (int i = 0; i < CPU_SETSIZE && n < 2; i++)
		if (CPU_ISSET(i, &ours))
			cpu[n++] = i;
	return n == 2;
}

static void start_hog(int cpu)
{
	atomic_store(&shared->hogs, 0);
	pid_t pid = child_run(hog);
	pin(pid, cpu);
	for (uint64_t limit = now_ns() + LIMIT_NS; !atomic_load(&shared->hogs) && now_ns() < limit;)
		nap_ms(1);
	if (atomic_load(&shared->hogs) < 0)
		TEST_IGNORE_MESSAGE("nobody can be kept from a CPU here: real-time priorities are not allowed");
	TEST_ASSERT_EQUAL_INT(1, atomic_load(&shared->hogs));
}

/* Too late to be borrowed it is let go, and makes its call again, too. */
static void test_a_stop_that_comes_late_ends_nothing(void)
{
	cpu_set_t ours;
	int cpu[2], rc = 0;
	sched_getaffinity(0, sizeof ours, &ours);
	if (!choose_cpus(cpu))
		TEST_IGNORE_MESSAGE("this takes two CPUs");
	pid_t pid = child_run(sleep_in_epoll);
	wait_blocked(pid, pid, -1);
	open_child(pid);
	pin(0, cpu[0]);
	for (int i = 0; i < 20 && rc == 0; i++) {
		pin(pid, cpu[1]);
		start_hog(cpu[1]);
		rc = borrow_begin(&borrow, &images, &gadgets, pid, NULL, false, now_ns(), &err);
		if (rc == 0)            /* it was faster */
			give_back();
		wait_blocked(pid, pid, -1);
	}
	sched_setaffinity(0, sizeof ours, &ours);
	TEST_ASSERT_EQUAL_INT(1, rc);
	TEST_ASSERT_EQUAL_INT_MESSAGE(ERR_TIMEOUT, err.code, err.text);
	TEST_ASSERT_EQUAL_UINT(0, atomic_load(&shared->ended));
	expect_untraced();
}

int main(void)
{
	shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED)
		return 1;
	UNITY_BEGIN();
	RUN_TEST(test_a_handler_ends_what_no_handler_restarts);
	RUN_TEST(test_a_handler_ends_what_every_stop_ends);
	RUN_TEST(test_a_handler_does_not_end_what_is_restarted);
	RUN_TEST(test_a_stop_that_comes_late_ends_nothing);
	return UNITY_END();
}
