/* SPDX-License-Identifier: MIT */
/* Starts and stops, with an SDK that is told how to behave. */
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "rocp/tool/recording.h"
#include "rocp/tool/sdk.h"
#include "rocp/tool/services.h"
#include "tool_log.h"

#define RCCL 3

static _Atomic bool flush_hangs;
static int started, stopped;

static int create(struct sdk_handle *made) { static uint64_t last; made->handle = ++last; return 0; }
static int start_context(struct sdk_handle context) { (void)context; started++; return 0; }
static int stop_context(struct sdk_handle context) { (void)context; stopped++; return 0; }
static int is_active(struct sdk_handle context, int *active) { (void)context; *active = 1; return 0; }
static int assign(struct sdk_handle buffer, struct sdk_handle thread) { (void)buffer, (void)thread; return 0; }
static int each_kind(int (*callback)(int kind, void *data), void *data) { return callback(RCCL, data); }

static int create_buffer(struct sdk_handle context, size_t size, size_t watermark, int policy, sdk_buffer_callback *callback,
			 void *data, struct sdk_handle *buffer)
{
	(void)context, (void)size, (void)watermark, (void)policy, (void)callback, (void)data;
	return create(buffer);
}

static int flush_buffer(struct sdk_handle buffer)
{
	(void)buffer;
	while (flush_hangs)
		usleep(1000);
	return 0;
}

static int name_of(int kind, const char **name, uint64_t *length)
{
	*name = kind == RCCL ? "RCCL_API" : "";
	*length = strlen(*name);
	return 0;
}

static int each_operation(int kind, int (*callback)(int kind, int32_t operation, void *data), void *data)
{
	(void)kind, (void)callback, (void)data;
	return 0;
}

static int by_buffer(struct sdk_handle context, int kind, const int32_t *operations, size_t n, struct sdk_handle buffer)
{
	(void)context, (void)kind, (void)operations, (void)n, (void)buffer;
	return 0;
}

static int agents(int version, int (*callback)(int version, const void **agents, size_t n, void *data), size_t size, void *data)
{
	(void)version, (void)callback, (void)size, (void)data;
	return 0;
}

static void configure(void)
{
	struct settings settings = { .service[SERVICE_RCCL] = true };
	sdk = (struct sdk){ .version = 10300, .create_context = create, .start_context = start_context, .stop_context = stop_context,
		.context_is_active = is_active, .create_buffer = create_buffer, .flush_buffer = flush_buffer,
		.create_callback_thread = create, .assign_callback_thread = assign, .iterate_buffer_tracing_kinds = each_kind,
		.iterate_callback_tracing_kinds = each_kind, .query_buffer_tracing_kind_name = name_of,
		.query_callback_tracing_kind_name = name_of, .iterate_buffer_tracing_kind_operations = each_operation,
		.configure_buffer_tracing_service = by_buffer, .query_available_agents = agents };
	TEST_ASSERT_EQUAL(0, services_configure(&settings));
}

/* In a process of its own: what is over or stuck stays so. */
static void in_child(int (*test)(void), unsigned most_seconds)
{
	int answer = -1;
	setenv(TOOL_LOG_VARIABLE, path, 1);
	status->state = 1;
	pid_t child = fork();
	if (!child) {
		alarm(most_seconds);
		_exit(test());
	}
	TEST_ASSERT_EQUAL(child, waitpid(child, &answer, 0));
	TEST_ASSERT_EQUAL_HEX_MESSAGE(0, answer, "of the process that records");
}

static void log_ends_with(const char *why)
{
	struct trace trace;
	struct err err = { 0 };
	TEST_ASSERT_EQUAL_MESSAGE(0, trace_open(&trace, path, &err), err.text);
	TEST_ASSERT_TRUE(trace.closed);
	TEST_ASSERT_EQUAL_STRING(why, trace.why);
	trace_close(&trace);
}

static int end_within_the_lock(void)
{
	if (recording_start() || status->state != 2)
		return 1;
	put_calls(100);
	ring_lock();
	recording_finalize();   /* as exit does, called by the handler of a signal */
	if (status->state != 3)
		return 2;
	return put_call(1) || recording_start() != ESHUTDOWN;
}

static void test_an_exit_within_the_rings_lock_does_not_hang(void)
{
	in_child(end_within_the_lock, 15);
	log_ends_with("the process ended while it was within the tool");
}

static int stop_within_the_lock(void)
{
	if (recording_start())
		return 1;
	ring_lock();
	if (recording_stop() || status->state != 3 || !status->why[0])
		return 2;
	ring_unlock();
	return recording_start();       /* which ends the one before */
}

static void test_a_stop_within_the_rings_lock_does_not_hang(void)
{
	in_child(stop_within_the_lock, 15);
}

static int end_while_the_sdk_hangs(void)
{
	if (recording_start())
		return 1;
	put_calls(100);
	flush_hangs = true;
	recording_finalize();
	return status->state != 3;
}

static void test_an_exit_within_a_buffer_of_the_sdk_does_not_hang(void)
{
	struct trace trace;
	in_child(end_while_the_sdk_hangs, 25);
	log_ends_with("the SDK does not give back a buffer");
	struct err err = { 0 };
	TEST_ASSERT_EQUAL(0, trace_open(&trace, path, &err));
	TEST_ASSERT_EQUAL_UINT64(0, trace.lost);
	trace_close(&trace);
}

static void *start_after_the_end(void *answer)
{
	*(int *)answer = recording_start();
	return NULL;
}

static int start_when_over(void)
{
	int answer = 0;
	pthread_t thread;
	recording_finalize();
	if (pthread_create(&thread, NULL, start_after_the_end, &answer))
		return 1;
	pthread_join(thread, NULL);
	return answer != ESHUTDOWN || status->state == 2 || !access(path, F_OK);
}

static void test_nothing_starts_when_the_sdk_has_ended(void)
{
	in_child(start_when_over, 15);
}

static int start_without_room(void)
{
	const struct rlimit none = { 0, 0 };
	setrlimit(RLIMIT_FSIZE, &none);
	for (int i = 0; i < 20; i++) {
		recording_start();
		for (unsigned ms = 0; ms < 20000 && status->state != 3; ms++)
			usleep(1000);
		if (status->state != 3 || status->sys != EFBIG)
			return 1;
		recording_stop();
	}
	return 0;
}

static void test_a_start_that_broke_at_once_is_not_told_as_recording(void)
{
	in_child(start_without_room, 120);
}

static int fail_after_another(void)
{
	if (recording_start() || strcmp(status->log, path) || recording_stop())
		return 1;
	setenv(TOOL_LOG_VARIABLE, "/proc/nowhere/b.rlog", 1);
	if (recording_start() != ENOENT || status->log[0])
		return 2;
	return !strstr(status->why, "/proc/nowhere/b.rlog");
}

static void test_a_start_that_fails_tells_its_own_path(void)
{
	in_child(fail_after_another, 15);
}

static int fork_while_recording(void)
{
	int answer = -1, before;
	if (recording_start())
		return 1;
	before = stopped;
	recording_before_fork();
	pid_t child = fork();
	if (!child) {
		recording_forked();
		_exit(stopped == before || recording_start() != EOPNOTSUPP || status->state == 2);
	}
	recording_after_fork();
	if (waitpid(child, &answer, 0) != child || answer)
		return 2;
	return recording_stop();
}

static void test_a_child_of_a_recorded_process_has_its_contexts_stopped(void)
{
	in_child(fork_while_recording, 15);
	log_ends_with("");
}

int main(void)
{
	UNITY_BEGIN();
	configure();
	RUN_TEST(test_an_exit_within_the_rings_lock_does_not_hang);
	RUN_TEST(test_a_stop_within_the_rings_lock_does_not_hang);
	RUN_TEST(test_an_exit_within_a_buffer_of_the_sdk_does_not_hang);
	RUN_TEST(test_nothing_starts_when_the_sdk_has_ended);
	RUN_TEST(test_a_start_that_broke_at_once_is_not_told_as_recording);
	RUN_TEST(test_a_start_that_fails_tells_its_own_path);
	RUN_TEST(test_a_child_of_a_recorded_process_has_its_contexts_stopped);
	return UNITY_END();
}
