/* SPDX-License-Identifier: MIT */
/* What the tool's threads and locks are to the process and its children. */
#include <signal.h>
#include <sys/wait.h>

#include "tool_log.h"

/* As the SDK's thread does, which is there before the child hears of the fork. */
static void *put_early(void *argument)
{
	*(int *)argument = put_call(1);
	return NULL;
}

static int child_of(int fd)
{
	pthread_t early;
	int taken = 1;
	if (pthread_create(&early, NULL, put_early, &taken))
		return 1;
	usleep(20000);
	ring_forked();
	remembered_forked();
	pthread_join(early, NULL);
	return taken || put_call(1) || fcntl(fd, F_GETFD) != -1 || ring_is_broken() ? 2 : 0;
}

static void test_a_forked_child_has_nothing_of_the_log(void)
{
	struct trace trace;
	int fd = make_log(), answer = -1;
	start(fd);
	put_calls(1000);
	ring_before_fork();
	pid_t child = fork();
	if (!child)
		_exit(child_of(fd));
	ring_after_fork();
	TEST_ASSERT_EQUAL(child, waitpid(child, &answer, 0));
	TEST_ASSERT_EQUAL(0, answer);
	put_calls(1000);
	stop();
	TEST_ASSERT_EQUAL_UINT64(2000, calls_in_log(&trace));
	trace_close(&trace);
}

/* In a signal handler, on a thread that has the lock. */
static void test_a_fork_within_the_lock_does_not_deadlock(void)
{
	struct trace trace;
	int fd = make_log(), answer = -1;
	start(fd);
	put_calls(1000);
	ring_lock();
	ring_before_fork();
	pid_t child = fork();
	if (!child) {
		ring_forked();
		remembered_forked();
		_exit(put_call(1) || fcntl(fd, F_GETFD) != -1);
	}
	ring_after_fork();
	ring_unlock();
	TEST_ASSERT_EQUAL(child, waitpid(child, &answer, 0));
	TEST_ASSERT_EQUAL(0, answer);
	stop();
	TEST_ASSERT_EQUAL_UINT64(1000, calls_in_log(&trace));
	trace_close(&trace);
}

static void *mask_of_thread(void *argument)
{
	sigprocmask(SIG_BLOCK, NULL, argument);
	return NULL;
}

static void test_threads_of_ours_take_no_signals_and_change_no_mask(void)
{
	sigset_t inside, before, after;
	pthread_t thread;
	sigprocmask(SIG_BLOCK, NULL, &before);
	TEST_ASSERT_EQUAL(0, thread_start(&thread, mask_of_thread, &inside));
	thread_join(thread);
	sigprocmask(SIG_BLOCK, NULL, &after);
	TEST_ASSERT_TRUE(sigismember(&inside, SIGXFSZ) && sigismember(&inside, SIGTERM) && sigismember(&inside, SIGPROF));
	TEST_ASSERT_EQUAL(sigismember(&before, SIGTERM), sigismember(&after, SIGTERM));
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_a_forked_child_has_nothing_of_the_log);
	RUN_TEST(test_a_fork_within_the_lock_does_not_deadlock);
	RUN_TEST(test_threads_of_ours_take_no_signals_and_change_no_mask);
	return UNITY_END();
}
