/* SPDX-License-Identifier: MIT */
/* What becomes of a log when the disk does not do its part. */
#include <sys/resource.h>

#include "tool_log.h"

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

/* How many were lost; each that was not is in the log. */
static uint64_t lost_by_sixteen(void)
{
	pthread_t thread[16];
	pthread_attr_t attr;
	struct trace trace;
	unlink(path);
	start(make_log());
	pthread_attr_init(&attr);
	TEST_ASSERT_EQUAL(0, pthread_attr_setstacksize(&attr, 256 << 10));
	for (unsigned i = 0; i < 16; i++)
		TEST_ASSERT_EQUAL(0, pthread_create(&thread[i], &attr, put_many, NULL));
	for (unsigned i = 0; i < 16; i++)
		pthread_join(thread[i], NULL);
	stop();
	uint64_t written = calls_in_log(&trace), lost = trace.lost;
	TEST_ASSERT_EQUAL_UINT64(16 * 20000, written + lost);
	TEST_ASSERT_EQUAL_STRING(lost ? "the disk is too slow" : "", trace.why);
	trace_close(&trace);
	return lost;
}

/* A writer that gets no CPU for two seconds, as on a machine that is emulated beside much else, is a disk that is too slow. */
static void test_many_threads_lose_nothing(void)
{
	uint64_t lost = 1;
	for (int try = 0; lost && try < 4; try++)
		lost = lost_by_sixteen();
	TEST_ASSERT_EQUAL_UINT64(0, lost);
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

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_all_that_is_put_is_in_the_log);
	RUN_TEST(test_many_threads_lose_nothing);
	RUN_TEST(test_little_is_written_before_a_second_has_gone);
	RUN_TEST(test_names_are_in_every_log);
	RUN_TEST(test_a_full_disk_ends_the_recording_with_the_reason);
	RUN_TEST(test_a_limit_of_file_size_does_not_kill_and_leaves_whole_blocks);
	RUN_TEST(test_a_log_that_is_removed_ends_the_recording);
	RUN_TEST(test_a_descriptor_that_became_anothers_is_not_written_to);
	RUN_TEST(test_a_disk_that_hangs_does_not_hang_the_process);
	return UNITY_END();
}
