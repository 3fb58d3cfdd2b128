/* SPDX-License-Identifier: MIT */
/* What becomes of a log when the disk does not do its part. */
#include "rocp/tool/ring.h"

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "rocp/tool/circumstances.h"
#include "rocp/tool/remembered.h"
#include "rocp/tool/thread.h"
#include "rocp/trace/trace.h"
#include "unity.h"

static char folder[64], path[128];
static struct tool_status *const status = &roclatch_tool_status;

void setUp(void)
{
	snprintf(folder, sizeof folder, "/tmp/roclatch-ring-XXXXXX");
	TEST_ASSERT_NOT_NULL(mkdtemp(folder));
	snprintf(path, sizeof path, "%s/a.rlog", folder);
	status->why[0] = '\0';
	status->sys = 0;
	status->records = status->lost = status->bytes = 0;
	status->state = 2;
}

void tearDown(void)
{
	char command[128];
	ring_stop();
	snprintf(command, sizeof command, "rm -r %s", folder);
	TEST_ASSERT_EQUAL(0, system(command));
}

static int make_log(void)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND, 0666);
	TEST_ASSERT_GREATER_OR_EQUAL(0, fd);
	return fd;
}

static void start(int fd)
{
	struct log_head head;
	circumstances_head(&head, 10300, 0);
	TEST_ASSERT_EQUAL(0, ring_start(fd, &head));
	remember_name(5, -1, "HIP_RUNTIME_API");
	remember_name(5, 1, "hipMalloc");
	remembered_open();
}

/* One call; false: it is lost. */
static bool put_call(uint64_t number)
{
	struct log_api api = { .frame = { .size = sizeof api, .type = LOG_API }, .kind = 5, .operation = 1,
		.correlation = number, .start = number, .end = number + 1, .thread = 7 };
	ring_lock();
	void *place = ring_take(sizeof api);
	if (place) {
		memcpy(place, &api, sizeof api);
		ring_fill.records++;
		status->records++;
	} else {
		status->lost++;
	}
	ring_unlock();
	return place;
}

static void put_calls(uint64_t n)
{
	for (uint64_t i = 1; i <= n; i++)
		put_call(i);
}

static void stop(void)
{
	ring_settle();
	remembered_close();
	ring_stop();
}

struct sum { uint64_t n, sum; };
static int add(void *ctx, const struct event *event, struct err *err)
{
	struct sum *sum = ctx;
	(void)err;
	TEST_ASSERT_EQUAL_STRING("hipMalloc", event->operation_name);
	sum->n++;
	sum->sum += event->correlation;
	return 0;
}

/* How many calls are in the log, which must have the first ones, whole and in order of their numbers. */
static uint64_t calls_in_log(struct trace *trace)
{
	struct err err = { 0 };
	struct sum sum = { 0 };
	TEST_ASSERT_EQUAL_MESSAGE(0, trace_open(trace, path, &err), err.text);
	TEST_ASSERT_EQUAL(0, trace_each(trace, DOMAINS_ALL, add, &sum, &err));
	TEST_ASSERT_EQUAL_STRING("", trace->damage);
	TEST_ASSERT_EQUAL_UINT64(trace->events[DOMAIN_HIP], sum.n);
	return sum.n;
}

static unsigned threads(void)
{
	unsigned n = 0;
	DIR *list = opendir("/proc/self/task");
	for (struct dirent *entry; list && (entry = readdir(list));)
		n += entry->d_name[0] != '.';
	closedir(list);
	return n;
}

static bool ends_within(bool (*done)(void), unsigned ms)
{
	while (!done() && ms) {
		usleep(10000);
		ms = ms > 10 ? ms - 10 : 0;
	}
	return done();
}

static void test_all_that_is_put_is_in_the_log(void)
{
	struct trace trace;
	start(make_log());
	put_calls(100000);
	stop();
	TEST_ASSERT_EQUAL_UINT64(100000, calls_in_log(&trace));
	TEST_ASSERT_TRUE(trace.closed);
	TEST_ASSERT_EQUAL_STRING("", trace.why);
	TEST_ASSERT_EQUAL_UINT64(0, trace.lost);
	trace_close(&trace);
	TEST_ASSERT_EQUAL_UINT64(100000, status->records);
	struct stat file;
	TEST_ASSERT_EQUAL(0, stat(path, &file));
	TEST_ASSERT_EQUAL_UINT64(file.st_size, status->bytes);
	TEST_ASSERT_EQUAL(1, threads());
}

static void *put_many(void *argument)
{
	(void)argument;
	put_calls(20000);
	return NULL;
}

static void test_many_threads_lose_nothing(void)
{
	pthread_t thread[16];
	pthread_attr_t attr;
	struct trace trace;
	start(make_log());
	pthread_attr_init(&attr);
	TEST_ASSERT_EQUAL(0, pthread_attr_setstacksize(&attr, 256 << 10));
	for (unsigned i = 0; i < 16; i++)
		TEST_ASSERT_EQUAL(0, pthread_create(&thread[i], &attr, put_many, NULL));
	for (unsigned i = 0; i < 16; i++)
		pthread_join(thread[i], NULL);
	stop();
	TEST_ASSERT_EQUAL_UINT64(16 * 20000, calls_in_log(&trace));
	trace_close(&trace);
}

static bool has_a_call(void)
{
	struct stat file;
	return !stat(path, &file) && file.st_size > 400;
}

static void test_little_is_written_before_a_second_has_gone(void)
{
	struct trace trace;
	start(make_log());
	put_calls(5);
	TEST_ASSERT_TRUE(ends_within(has_a_call, 950));
	TEST_ASSERT_EQUAL_UINT64(5, calls_in_log(&trace));
	TEST_ASSERT_FALSE(trace.closed);
	trace_close(&trace);
}

static void test_names_are_in_every_log(void)
{
	struct trace trace;
	start(make_log());
	put_calls(1);
	stop();
	unlink(path);
	struct log_head head;
	circumstances_head(&head, 10300, 1);
	TEST_ASSERT_EQUAL(0, ring_start(make_log(), &head));
	remembered_open();
	put_calls(3);
	stop();
	TEST_ASSERT_EQUAL_UINT64(3, calls_in_log(&trace));      /* hipMalloc is known */
	TEST_ASSERT_EQUAL(1, trace.session);
	trace_close(&trace);
}

static void test_a_full_disk_ends_the_recording_with_the_reason(void)
{
	start(open("/dev/full", O_WRONLY));
	put_calls(20000);
	TEST_ASSERT_TRUE(ends_within(ring_is_broken, 2000));
	TEST_ASSERT_FALSE(put_call(1));
	stop();
	TEST_ASSERT_EQUAL(ENOSPC, status->sys);
	TEST_ASSERT_EQUAL_STRING("the log cannot be written: No space left on device", status->why);
	TEST_ASSERT_EQUAL_UINT64(20001, status->lost);
	TEST_ASSERT_EQUAL(3, status->state);
}

/* A write beyond the limit raises SIGXFSZ, which ends a process that has it not blocked. */
static void test_a_limit_of_file_size_does_not_kill_and_leaves_whole_blocks(void)
{
	struct rlimit before, small;
	struct trace trace;
	getrlimit(RLIMIT_FSIZE, &before);
	small = before;
	small.rlim_cur = 1000000;
	TEST_ASSERT_EQUAL(0, setrlimit(RLIMIT_FSIZE, &small));
	start(make_log());
	uint64_t put = 0, refused = 0;
	for (; put < 100000 && refused < 10; put++)
		refused += !put_call(put);
	TEST_ASSERT_TRUE(ends_within(ring_is_broken, 2000));
	stop();
	setrlimit(RLIMIT_FSIZE, &before);
	TEST_ASSERT_EQUAL(EFBIG, status->sys);
	uint64_t there = calls_in_log(&trace);
	TEST_ASSERT_GREATER_THAN_UINT64(3 * (RING_CHUNK_SIZE / 64 - 100), there);
	TEST_ASSERT_EQUAL_UINT64(put, there + status->lost);
	TEST_ASSERT_TRUE(trace.closed);         /* there is room for the last words */
	TEST_ASSERT_EQUAL_UINT64(status->lost, trace.lost);
	TEST_ASSERT_EQUAL_STRING("the log cannot be written: File too large", trace.why);
	trace_close(&trace);
}

static void test_a_log_that_is_removed_ends_the_recording(void)
{
	start(make_log());
	put_calls(10);
	unlink(path);
	TEST_ASSERT_TRUE(ends_within(ring_is_broken, 2000));
	TEST_ASSERT_EQUAL_STRING("the log was removed", status->why);
}

static void test_a_descriptor_that_became_anothers_is_not_written_to(void)
{
	char other[128];
	int fd = make_log();
	struct stat file;
	start(fd);
	put_calls(10);
	TEST_ASSERT_TRUE(ends_within(has_a_call, 2000));
	snprintf(other, sizeof other, "%s/theirs", folder);
	int theirs = open(other, O_WRONLY | O_CREAT, 0666);
	TEST_ASSERT_EQUAL(fd, dup2(theirs, fd));
	put_calls(10);
	TEST_ASSERT_TRUE(ends_within(ring_is_broken, 2000));
	stop();
	TEST_ASSERT_EQUAL_STRING("the process has closed the log's file descriptor", status->why);
	TEST_ASSERT_EQUAL(0, fstat(fd, &file));         /* still theirs, and empty */
	TEST_ASSERT_EQUAL(0, file.st_size);
	close(fd);
	close(theirs);
}

static bool one_thread(void)
{
	return threads() == 1;
}

/* A pipe that nobody reads is a disk that hangs. */
static void test_a_disk_that_hangs_does_not_hang_the_process(void)
{
	int pipes[2];
	char data[65536];
	uint64_t begin = now_by(CLOCK_MONOTONIC);
	TEST_ASSERT_EQUAL(0, pipe(pipes));
	start(pipes[1]);
	while (put_call(1))
		;
	uint64_t waited = now_by(CLOCK_MONOTONIC) - begin;
	TEST_ASSERT_GREATER_THAN_UINT64(1900 * MS, waited);
	TEST_ASSERT_LESS_THAN_UINT64(5000 * MS, waited);
	TEST_ASSERT_EQUAL_STRING("the disk is too slow", status->why);
	begin = now_by(CLOCK_MONOTONIC);
	stop();
	TEST_ASSERT_LESS_THAN_UINT64(RING_CLOSE + 3000 * MS, now_by(CLOCK_MONOTONIC) - begin);
	TEST_ASSERT_GREATER_THAN_UINT64(RING_CHUNK_SIZE / 64 * 6, status->lost);
	/* and when it goes on after all, nothing is left behind */
	TEST_ASSERT_EQUAL(0, fcntl(pipes[0], F_SETFL, O_NONBLOCK));
	for (unsigned i = 0; i < 500 && !one_thread(); i++) {
		while (read(pipes[0], data, sizeof data) > 0)
			;
		usleep(10000);
	}
	TEST_ASSERT_TRUE(one_thread());
	close(pipes[0]);
}

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

/* The ring takes pthread_detach from the process only if it is there: a static program has what it names. */
static int (*const linked)(pthread_t) = pthread_detach;

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
	TEST_ASSERT_NOT_NULL(linked);
	RUN_TEST(test_all_that_is_put_is_in_the_log);
	RUN_TEST(test_many_threads_lose_nothing);
	RUN_TEST(test_little_is_written_before_a_second_has_gone);
	RUN_TEST(test_names_are_in_every_log);
	RUN_TEST(test_a_full_disk_ends_the_recording_with_the_reason);
	RUN_TEST(test_a_limit_of_file_size_does_not_kill_and_leaves_whole_blocks);
	RUN_TEST(test_a_log_that_is_removed_ends_the_recording);
	RUN_TEST(test_a_descriptor_that_became_anothers_is_not_written_to);
	RUN_TEST(test_a_disk_that_hangs_does_not_hang_the_process);
	RUN_TEST(test_a_forked_child_has_nothing_of_the_log);
	RUN_TEST(test_a_fork_within_the_lock_does_not_deadlock);
	RUN_TEST(test_threads_of_ours_take_no_signals_and_change_no_mask);
	return UNITY_END();
}
