/* SPDX-License-Identifier: MIT */
/* Stacks that are copied by a stop, and what the thread feels of it. */
#include "copied.h"

static void expect_untraced(pid_t tid)
{
	struct proc_status status;
	TEST_ASSERT_EQUAL(0, proc_status(tid, tid, &status, &err));
	TEST_ASSERT_EQUAL(0, status.tracer);
}

static void expect_running_on(void)
{
	uint64_t before = shared->count;
	expect_untraced(target.pid);
	WAIT_FOR(shared->count != before);
}

static int compare_u64(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return (x > y) - (x < y);
}

static void test_a_running_thread_is_copied_by_a_stop(void)
{
	enum { MOST = 300 };
	const int TIMES = getenv("BRIEF") ? MOST / 5 : MOST;    /* (on an emulated machine) */
	uint64_t times[MOST];
	char text[96];
	start_spinning(spin_alone);
	int fds = count_own_fds();
	uint64_t from = now_ns();
	for (int i = 0; i < TIMES; i++) {
		TEST_ASSERT_EQUAL_MESSAGE(1, stop(PATIENCE), err.text);
		times[i] = copy.stopped_ns;
	}
	uint64_t all = now_ns() - from;
	TEST_ASSERT_EQUAL(COPY_STOP, copy.way);
	TEST_ASSERT_TRUE(frame_knows(&copy.regs, UNWIND_FP) && frame_knows(&copy.regs, UNWIND_PC));
	TEST_ASSERT_TRUE(copy.low <= copy.regs.v[UNWIND_SP] && copy.size > 0);
	expect_running_on();
	TEST_ASSERT_EQUAL(fds, count_own_fds());
	TEST_ASSERT_EQUAL_MESSAGE(0, waitpid(-1, NULL, WNOHANG | __WALL), "a process was left behind");
	qsort(times, (size_t)TIMES, sizeof *times, compare_u64);
	snprintf(text, sizeof text, "stopped for %.1f us (median), %.1f us (longest); %.1f us each in all",
		 (double)times[TIMES / 2] / 1e3, (double)times[TIMES - 1] / 1e3, (double)all / 1e3 / TIMES);
	TEST_MESSAGE(text);
}

static void test_one_that_does_not_stop_in_time_is_let_go(void)
{
	int late = 0;
	start_spinning(spin_alone);
	for (int i = 0; i < (getenv("BRIEF") ? 60 : 300); i++) {
		int rc = stop(0);
		TEST_ASSERT_TRUE_MESSAGE(rc == 0 || rc == 1, err.text);
		late += rc == 0;
		expect_untraced(target.pid);
	}
	TEST_ASSERT_TRUE(late > 0);
	expect_running_on();
}

static void sleep_two_seconds(void)
{
	struct timespec left = { 0 }, from, to;
	clock_gettime(CLOCK_MONOTONIC, &from);
	shared->result = (int)syscall(SYS_nanosleep, &(struct timespec){ 2, 0 }, &left);
	shared->error = errno;
	clock_gettime(CLOCK_MONOTONIC, &to);
	shared->to_ns = (uint64_t)(to.tv_sec - from.tv_sec) * 1000000000u + (uint64_t)to.tv_nsec - (uint64_t)from.tv_nsec;
	shared->go = 1;
	for (;;)
		pause();
}

static void test_a_sleep_is_not_cut_short_or_drawn_out(void)
{
	char text[64];
	int stops = 0;
	start(sleep_two_seconds);
	while (!shared->go) {
		int rc = stop(PATIENCE);
		TEST_ASSERT_TRUE_MESSAGE(rc == 1 || rc == 0, err.text);
		stops += rc == 1;
		nap_ms(5);
	}
	TEST_ASSERT_EQUAL(0, shared->result);
	TEST_ASSERT_TRUE(shared->to_ns >= 2000000000u);
	TEST_ASSERT_TRUE_MESSAGE(stops > 20, "it was hardly ever stopped");
	snprintf(text, sizeof text, "%d stops, slept for %.4f s", stops, (double)shared->to_ns / 1e9);
	TEST_MESSAGE(text);
}

static void wait_in_epoll(void)
{
	struct epoll_event event;
	shared->result = (int)syscall(SYS_epoll_pwait, epoll_create1(0), &event, 1, -1, NULL, 8);
	shared->go = 1;
	for (;;)
		pause();
}

static void test_a_call_that_a_stop_would_cut_short_is_left_alone(void)
{
	pid_t pid = child_run(wait_in_epoll);
	wait_blocked(pid, pid, SYS_epoll_pwait);
	open_target(pid);
	for (int i = 0; i < 50; i++)
		TEST_ASSERT_EQUAL(0, stop(PATIENCE));
	TEST_ASSERT_EQUAL(1, outside(end_by_maps));
	nap_ms(20);
	TEST_ASSERT_EQUAL(0, shared->go);
	expect_untraced(pid);
}

/* Waits that are as short as can be, so that many begin between our look and the stop. */
static void go_in_and_out_of_epoll(void)
{
	struct epoll_event event;
	const struct timespec shortest = { 0, 1000 };
	int fd = epoll_create1(0);
	prctl(PR_SET_TIMERSLACK, 1);
	for (;; shared->count++) {
		for (volatile int i = 0; i < 3000; i++)
			;
		if (syscall(SYS_epoll_pwait2, fd, &event, 1, &shortest, NULL, 8) < 0 && errno == EINTR)
			shared->error++;
	}
}

static void test_one_that_goes_into_such_a_call_meanwhile_does_not_notice(void)
{
	char text[64];
	int stops = 0;
	start_spinning(go_in_and_out_of_epoll);
	uint64_t end = now_ns() + 3000000000u;
	for (int i = 0; i < 5000 && now_ns() < end; i++)
		stops += stop(PATIENCE) == 1;
	snprintf(text, sizeof text, "%d stops, %d calls cut short", stops, shared->error);
	TEST_MESSAGE(text);
	TEST_ASSERT_TRUE(stops > 10);
	/* the rest of a window of a microsecond or two */
	TEST_ASSERT_TRUE_MESSAGE(shared->error <= (ARCH_KEEPS_ARGUMENTS ? 0 : stops / 2), text);
	expect_running_on();
}

static void handle(int signo)
{
	(void)signo;
	shared->handled++;
}

static void spin_with_handler(void)
{
	signal(SIGRTMIN + 3, handle);
	spin(NULL);
}

static void test_signals_that_come_meanwhile_arrive(void)
{
	start_spinning(spin_with_handler);
	for (int i = 0; i < 400; i++) {
		TEST_ASSERT_EQUAL(0, sigqueue(target.pid, SIGRTMIN + 3, (union sigval){ 0 }));
		TEST_ASSERT_EQUAL_MESSAGE(1, stop(PATIENCE), err.text);
	}
	WAIT_FOR(shared->handled == 400);
	expect_running_on();
}

static void test_a_stopped_process_stays_stopped(void)
{
	struct proc_stat stat;
	start_spinning(spin_alone);
	kill(target.pid, SIGSTOP);
	waitpid(target.pid, NULL, WUNTRACED);
	for (int i = 0; i < 20; i++)
		TEST_ASSERT_EQUAL(0, stop(PATIENCE));
	WAIT_FOR(proc_stat(target.pid, target.pid, &stat, NULL) == 0 && stat.state == 'T');
	uint64_t before = shared->count;
	nap_ms(20);
	TEST_ASSERT_EQUAL_UINT64(before, shared->count);
	kill(target.pid, SIGCONT);
	expect_running_on();
}

static void test_our_own_signals_are_left_alone(void)
{
	sigset_t before, after;
	struct sigaction action;
	signal(SIGCHLD, SIG_IGN);
	sigprocmask(SIG_SETMASK, NULL, &before);
	start_spinning(spin_alone);
	TEST_ASSERT_EQUAL_MESSAGE(1, stop(PATIENCE), err.text);
	sigaction(SIGCHLD, NULL, &action);
	sigprocmask(SIG_SETMASK, NULL, &after);
	TEST_ASSERT_TRUE(action.sa_handler == SIG_IGN);
	TEST_ASSERT_EQUAL_MEMORY(&before, &after, 8);
	signal(SIGCHLD, SIG_DFL);
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_a_running_thread_is_copied_by_a_stop);
	RUN_TEST(test_one_that_does_not_stop_in_time_is_let_go);
	RUN_TEST(test_a_sleep_is_not_cut_short_or_drawn_out);
	RUN_TEST(test_a_call_that_a_stop_would_cut_short_is_left_alone);
	RUN_TEST(test_one_that_goes_into_such_a_call_meanwhile_does_not_notice);
	RUN_TEST(test_signals_that_come_meanwhile_arrive);
	RUN_TEST(test_a_stopped_process_stays_stopped);
	RUN_TEST(test_our_own_signals_are_left_alone);
	return UNITY_END();
}
