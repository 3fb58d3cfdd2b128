/* SPDX-License-Identifier: MIT */
/* A thread that was asked to stop stops, whatever other stops it meets first. */
#include "inject/thread.h"

#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "inject/borrow.h"
#include "inject/proc.h"
#include "unity.h"

#define LIMIT_NS 10000000000ull

static pid_t child;
static struct thread thread;
static struct err err;
static volatile unsigned *handled;      /* shared with the child */

static void handle(int number)
{
	(void)number;
	++*handled;
}

void setUp(void)
{
	*handled = 0;
	thread_quiet = false;
	child = fork();
	if (child == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		signal(SIGUSR1, handle);
		for (;;)
			pause();
	}
}

void tearDown(void)
{
	kill(child, SIGKILL);
	while (waitpid(child, NULL, __WALL) == child && thread_lives(child))
		;
}

static bool is_in(pid_t pid, char state)
{
	struct proc_stat stat;
	return proc_stat(pid, pid, &stat, NULL) == 0 && stat.state == state;
}

static void await(pid_t pid, char state)
{
	uint64_t limit = now_ns() + LIMIT_NS;
	while (!is_in(pid, state) && now_ns() < limit)
		nanosleep(&(struct timespec){ 0, 1000000 }, NULL);
	TEST_ASSERT_TRUE(is_in(pid, state));
}

/* Traced, and asleep in a call whose end is a stop of its own. */
static void trace_into_call(void)
{
	await(child, 'S');
	TEST_ASSERT_EQUAL(0, thread_seize(&thread, child, &err));
	TEST_ASSERT_EQUAL(0, thread_stop(&thread, now_ns() + LIMIT_NS, &err));
	TEST_ASSERT_EQUAL(0, thread_resume(&thread, PTRACE_SYSCALL, 0, &err));
	TEST_ASSERT_EQUAL(THREAD_ENTRY, thread_wait(&thread, now_ns() + LIMIT_NS));
	TEST_ASSERT_EQUAL(0, thread_resume(&thread, PTRACE_SYSCALL, 0, &err));
	await(child, 'S');
}

static void test_one_in_a_call_whose_end_is_a_stop_is_stopped_behind_it(void)
{
	trace_into_call();
	TEST_ASSERT_EQUAL(0, thread_stop(&thread, now_ns() + LIMIT_NS, &err));
	TEST_ASSERT_EQUAL(THREAD_STOPPED, thread.state);
}

static void test_a_borrowed_one_in_such_a_call_is_halted_behind_it(void)
{
	trace_into_call();
	struct target target = { .pid = child, .live_tid = child, .pidfd = -1 };
	struct images images = { .target = &target };
	struct borrow borrow = { .thread = thread, .images = &images };
	TEST_ASSERT_EQUAL(0, borrow_halt(&borrow, &err));
	TEST_ASSERT_EQUAL(THREAD_STOPPED, borrow.thread.state);
}

static void test_one_that_was_let_go_sleeps_on(void)
{
	trace_into_call();
	TEST_ASSERT_EQUAL(0, thread_stop(&thread, now_ns() + LIMIT_NS, &err));
	TEST_ASSERT_EQUAL(0, thread_detach(&thread, 0, &err));
	await(child, 'S');
}

static pid_t tracer_of(pid_t pid)
{
	struct proc_status status;
	return proc_status(pid, pid, &status, &err) < 0 ? -1 : status.tracer;
}

static void test_a_glance_shows_where_it_is_and_lets_it_sleep_on(void)
{
	struct proc_syscall call;
	struct regs regs;
	await(child, 'S');
	TEST_ASSERT_EQUAL(0, proc_syscall(child, child, &call, &err));
	TEST_ASSERT_EQUAL(0, thread_glance(child, &regs));
	TEST_ASSERT_EQUAL_UINT64(call.sp, arch_sp(&regs));
	TEST_ASSERT_EQUAL(0, tracer_of(child));
	await(child, 'S');
}

static void test_a_signal_that_it_meets_on_the_way_is_given_to_it(void)
{
	await(child, 'S');
	TEST_ASSERT_EQUAL(0, thread_seize(&thread, child, &err));
	kill(child, SIGUSR1);
	await(child, 't');
	TEST_ASSERT_EQUAL(0, thread_stop(&thread, now_ns() + LIMIT_NS, &err));
	TEST_ASSERT_EQUAL(THREAD_STOPPED, thread.state);
	TEST_ASSERT_EQUAL(0, thread_detach(&thread, 0, &err));
	await(child, 'S');
	TEST_ASSERT_EQUAL(1, *handled);
}

/* Who started us may ignore the end of children, and then nobody tells us of stops either.  (thread_wait looks now and then
 * by itself, so that its time alone would not show it.) */
static void test_one_is_stopped_soon_though_we_were_started_to_ignore_children(void)
{
	sigset_t old, told;
	sigemptyset(&told);
	sigaddset(&told, SIGCHLD);
	signal(SIGCHLD, SIG_IGN);       /* forgets what was pending */
	thread_listen(&old);
	await(child, 'S');
	TEST_ASSERT_EQUAL(0, thread_seize(&thread, child, &err));
	TEST_ASSERT_EQUAL(0, thread_interrupt(&thread, &err));
	TEST_ASSERT_EQUAL_MESSAGE(SIGCHLD, sigtimedwait(&told, NULL, &(struct timespec){ LIMIT_NS / 1000000000, 0 }),
				  "nobody has told of its stop");
	TEST_ASSERT_EQUAL(THREAD_STOPPED, thread_wait(&thread, now_ns() + LIMIT_NS));
	TEST_ASSERT_EQUAL(0, thread_detach(&thread, 0, &err));
	thread_unlisten(&old);
}

/* Somebody else in the program waits for any child and is told of our thread's stop: then we are not. */
static void take_its_stop(void)
{
	int status;
	TEST_ASSERT_EQUAL(child, waitpid(-1, &status, __WALL));
	TEST_ASSERT_TRUE(WIFSTOPPED(status));
}

/* As a library: no signal tells of a stop. */
/* As when we got no CPU between the moment at which the deadline was set and the one at which we ask. */
static void test_one_that_is_asked_when_the_time_is_over_still_stops(void)
{
	await(child, 'S');
	for (unsigned i = 0; i < 100; i++) {
		TEST_ASSERT_EQUAL(0, thread_seize(&thread, child, &err));
		TEST_ASSERT_EQUAL_MESSAGE(0, thread_stop_patiently(&thread, now_ns() - 1, &err), err.text);
		TEST_ASSERT_EQUAL(0, thread_detach(&thread, 0, &err));
	}
}

static void test_stops_are_seen_without_a_signal_and_where_another_took_them(void)
{
	thread_quiet = true;
	await(child, 'S');
	TEST_ASSERT_EQUAL(0, thread_seize(&thread, child, &err));
	TEST_ASSERT_EQUAL(THREAD_RUNNING, thread_wait(&thread, now_ns() + 3000000));
	TEST_ASSERT_EQUAL(0, thread_stop(&thread, now_ns() + LIMIT_NS, &err));
	TEST_ASSERT_EQUAL(0, thread_resume(&thread, PTRACE_SYSCALL, 0, &err));
	take_its_stop();
	TEST_ASSERT_EQUAL(THREAD_ENTRY, thread_wait(&thread, now_ns() + LIMIT_NS));
	TEST_ASSERT_EQUAL(0, thread_resume(&thread, PTRACE_CONT, 0, &err));
	TEST_ASSERT_EQUAL(0, thread_interrupt(&thread, &err));
	take_its_stop();
	TEST_ASSERT_EQUAL(THREAD_STOPPED, thread_wait(&thread, now_ns() + LIMIT_NS));
	TEST_ASSERT_EQUAL(0, thread_resume(&thread, PTRACE_CONT, 0, &err));
	kill(child, SIGUSR1);
	take_its_stop();
	TEST_ASSERT_EQUAL(THREAD_SIGNAL, thread_wait(&thread, now_ns() + LIMIT_NS));
	TEST_ASSERT_EQUAL(SIGUSR1, thread.signo);
	TEST_ASSERT_EQUAL(0, thread_detach(&thread, SIGUSR1, &err));
	for (uint64_t limit = now_ns() + LIMIT_NS; !*handled && now_ns() < limit;)
		nanosleep(&(struct timespec){ 0, 1000000 }, NULL);
	TEST_ASSERT_EQUAL(1, *handled);
}

static int nap(void *seconds)
{
	return nanosleep(&(struct timespec){ *(time_t *)seconds, 0 }, NULL);
}

/* Whoever waits for a child by vfork cannot be stopped.  (musl's own is a fork on some CPUs.) */
static void wait_by_vfork(time_t seconds)
{
	static _Alignas(16) char stack[16384];
	clone(nap, stack + sizeof stack, CLONE_VM | CLONE_VFORK | SIGCHLD, &seconds);
	for (;;)
		pause();
}

static pid_t start_waiting_by_vfork(time_t seconds)
{
	pid_t waits = fork();
	if (waits == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		wait_by_vfork(seconds);
	}
	await(waits, 'D');
	return waits;
}

static void test_a_glance_waits_for_one_that_stops_late_and_lets_it_go(void)
{
	struct regs regs;
	pid_t waits = start_waiting_by_vfork(3);
	TEST_ASSERT_EQUAL(0, thread_glance(waits, &regs));
	TEST_ASSERT_EQUAL(0, tracer_of(waits));
	await(waits, 'S');
	kill(waits, SIGKILL);
	waitpid(waits, NULL, __WALL);
}

static void test_one_that_stops_late_is_waited_for_and_let_go(void)
{
	struct target target;
	struct images images;
	struct borrow borrow;
	pid_t waits = start_waiting_by_vfork(7);
	TEST_ASSERT_EQUAL_MESSAGE(0, target_open(&target, waits, NULL, &err), err.text);
	TEST_ASSERT_EQUAL_MESSAGE(0, images_open(&images, &target, &err), err.text);
	const struct gadgets gadgets = { 0 };   /* not looked at before it has stopped */
	TEST_ASSERT_EQUAL(1, borrow_begin(&borrow, &images, &gadgets, waits, NULL, false, now_ns() + LIMIT_NS, &err));
	TEST_ASSERT_EQUAL(ERR_TIMEOUT, err.code);
	TEST_ASSERT_EQUAL(0, tracer_of(waits));
	images_close(&images);
	target_close(&target);
	kill(waits, SIGKILL);
	waitpid(waits, NULL, __WALL);
}

static int interrupt(void) { return thread_interrupt(&thread, &err); }
static int resume(void) { return thread_resume(&thread, PTRACE_CONT, 0, &err); }
static int stop(void) { return thread_stop(&thread, now_ns() + LIMIT_NS, &err); }
static int let_go(void) { return thread_detach(&thread, 0, &err); }

static void test_one_that_was_killed_meanwhile_is_told_to_have_ended(void)
{
	static int (*const ask[])(void) = { resume, stop, let_go };
	for (size_t i = 0; i < sizeof ask / sizeof ask[0]; i++) {
		if (i)
			setUp();
		await(child, 'S');
		TEST_ASSERT_EQUAL(0, thread_seize(&thread, child, &err));
		kill(child, SIGKILL);
		await(child, 'Z');
		TEST_ASSERT_EQUAL(-1, ask[i]());
		TEST_ASSERT_EQUAL(ERR_TARGET_EXITED, err.code);
		TEST_ASSERT_EQUAL(THREAD_GONE, thread.state);
		TEST_ASSERT_TRUE(thread.killed);
		TEST_ASSERT_EQUAL(0, let_go());
	}
	/* it has been waited for */
	TEST_ASSERT_EQUAL(-1, thread_seize(&thread, child, &err));
	TEST_ASSERT_EQUAL(ERR_TARGET_EXITED, err.code);
	TEST_ASSERT_EQUAL(-1, interrupt());
	TEST_ASSERT_EQUAL(ERR_TARGET_EXITED, err.code);
	TEST_ASSERT_EQUAL(THREAD_GONE, thread_wait(&thread, 0));
}

static int follow(void) { return thread_follow(&thread, true, &err); }
static int read_mask(void) { uint64_t mask; return thread_mask_get(&thread, &mask, &err); }
static int set_mask(void) { return thread_mask_set(&thread, 0, &err); }
static int read_regs(void) { struct regs regs; return thread_regs_get(&thread, &regs, &err); }

/* A stop that it has not made cannot be ended; that it lives is seen. */
static void test_one_that_is_not_held_is_not_told_to_have_ended(void)
{
	static const struct { int (*ask)(void); const char *words; } row[] = {
		{ interrupt, "trace thread" }, { resume, "trace thread" }, { stop, "trace thread" }, { let_go, "trace thread" },
		{ follow, "follow what thread" }, { read_mask, "read the signal mask" }, { set_mask, "set the signal mask" },
		{ read_regs, "read the registers" },
	};
	await(child, 'S');
	for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
		thread = (struct thread){ .tid = child, .state = THREAD_RUNNING };
		TEST_ASSERT_EQUAL_MESSAGE(-1, row[i].ask(), row[i].words);
		TEST_ASSERT_EQUAL_MESSAGE(ERR_FAILED, err.code, err.text);
		TEST_ASSERT_NOT_NULL_MESSAGE(strstr(err.text, row[i].words), err.text);
		TEST_ASSERT_EQUAL(THREAD_RUNNING, thread.state);
	}
	TEST_ASSERT_EQUAL(THREAD_RUNNING, thread_wait(&thread, 0));
	TEST_ASSERT_TRUE(is_in(child, 'S'));
}

static void test_one_that_nobody_may_trace_is_refused(void)
{
	TEST_ASSERT_EQUAL(-1, thread_seize(&thread, getpid(), &err));
	TEST_ASSERT_EQUAL(ERR_NOT_POSSIBLE, err.code);
	TEST_ASSERT_EQUAL(THREAD_FREE, thread.state);
}

int main(void)
{
	sigset_t old;
	thread_listen(&old);
	handled = mmap(NULL, sizeof *handled, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (handled == MAP_FAILED)
		return 1;
	UNITY_BEGIN();
	RUN_TEST(test_one_in_a_call_whose_end_is_a_stop_is_stopped_behind_it);
	RUN_TEST(test_a_borrowed_one_in_such_a_call_is_halted_behind_it);
	RUN_TEST(test_one_that_was_let_go_sleeps_on);
	RUN_TEST(test_a_glance_shows_where_it_is_and_lets_it_sleep_on);
	RUN_TEST(test_a_signal_that_it_meets_on_the_way_is_given_to_it);
	RUN_TEST(test_one_is_stopped_soon_though_we_were_started_to_ignore_children);
	RUN_TEST(test_one_that_is_asked_when_the_time_is_over_still_stops);
	RUN_TEST(test_stops_are_seen_without_a_signal_and_where_another_took_them);
	RUN_TEST(test_a_glance_waits_for_one_that_stops_late_and_lets_it_go);
	RUN_TEST(test_one_that_stops_late_is_waited_for_and_let_go);
	RUN_TEST(test_one_that_was_killed_meanwhile_is_told_to_have_ended);
	RUN_TEST(test_one_that_is_not_held_is_not_told_to_have_ended);
	RUN_TEST(test_one_that_nobody_may_trace_is_refused);
	return UNITY_END();
}
