/* SPDX-License-Identifier: MIT */
/* What goes wrong around a recording does not go wrong in the program. */
#define FEW "ROCPROF_HIP_RUNTIME_API_TRACE=1"
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "rocp/trace/trace.h"
#include "tests.h"
#include "unity.h"

static uint64_t now(void)
{
	struct timespec time;
	clock_gettime(CLOCK_BOOTTIME, &time);
	return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static struct trace open_log(const struct app *app, const char *name)
{
	struct trace trace;
	struct err err = { 0 };
	char path[128];
	snprintf(path, sizeof path, "%s/%s", app->folder, name);
	TEST_ASSERT_EQUAL_MESSAGE(0, trace_open(&trace, path, &err), err.text);
	return trace;
}

static void await_end(pid_t pid)
{
	for (unsigned ms = 0; ms < 20000 && status_of(pid).state == 2; ms += 20)
		nap_ms(20);
}

static int latest(void *ctx, const struct event *event, struct err *err)
{
	uint64_t *last = ctx;
	(void)err;
	if (event->end > *last)
		*last = event->end;
	return 0;
}

static void test_a_killed_program_loses_at_most_the_last_second(void)
{
	struct app *app = run("lib", true, "SDK_TRUTH_COUNTS=1");
	struct err err = { 0 };
	uint64_t last = 0;
	app_attach(app, "a.rlog", "");
	app_order(app, "emit-for 60000 4");
	nap_ms(2500);
	uint64_t killed = now();
	kill(app->pid, SIGKILL);
	waitpid(app->pid, NULL, 0);
	app->pid = -1;
	struct trace trace = open_log(app, "a.rlog");
	TEST_ASSERT_FALSE(trace.closed);
	TEST_ASSERT_GREATER_THAN_UINT64(1000, trace.events[DOMAIN_HIP]);
	TEST_ASSERT_EQUAL(0, trace_each(&trace, DOMAIN_BIT(DOMAIN_HIP), latest, &last, &err));
	TEST_ASSERT_LESS_THAN_UINT64(1000000000u, killed - (last < killed ? last : killed));
	trace_close(&trace);
}

static void test_a_full_disk_ends_the_recording_and_nothing_else(void)
{
	struct app *app = run("lib", true, "SDK_TRUTH_COUNTS=1");
	char small[128];
	snprintf(small, sizeof small, "%s/small", app->folder);
	mkdir(small, 0777);
	if (mount("none", small, "tmpfs", 0, "size=2m"))
		TEST_IGNORE_MESSAGE("no right to mount a small file system");
	app_attach(app, "small/a.rlog", "");
	app_ask(app, "emit-threads 2 30000 2");
	await_end(app->pid);
	struct tool_status status = status_of(app->pid);
	unsigned threads = threads_of(app->pid, "roclatch-writer");
	for (unsigned ms = 0; ms < 5000 && threads; ms += 20) {
		nap_ms(20);
		threads = threads_of(app->pid, "roclatch-writer") + threads_of(app->pid, "roclatch-ticker");
	}
	struct trace trace = open_log(app, "small/a.rlog");
	bool whole = !trace.damage[0] && trace.events[DOMAIN_HIP] > 1000;
	trace_close(&trace);
	app_is_well(app);
	app_does(app, "0", "detach");
	umount(small);
	TEST_ASSERT_EQUAL(3, status.state);
	TEST_ASSERT_EQUAL(ENOSPC, status.sys);
	TEST_ASSERT_GREATER_THAN_UINT64(0, status.lost);
	TEST_ASSERT_EQUAL_STRING("the log cannot be written: No space left on device", status.why);
	TEST_ASSERT_EQUAL(0, threads);
	TEST_ASSERT_TRUE(whole);
	/* and the next one works */
	app_attach(app, "b.rlog", "");
	app_ask(app, "emit all 20 2");
	app_does(app, "0", "detach");
	trace = open_log(app, "b.rlog");
	TEST_ASSERT_TRUE(trace.closed);
	TEST_ASSERT_EQUAL_UINT64(0, trace.lost);
	trace_close(&trace);
}

static void test_a_folder_that_is_removed_ends_the_recording(void)
{
	struct app *app = run("lib", true, NULL);
	char command[128];
	app_attach(app, "sub/a.rlog", "");
	snprintf(command, sizeof command, "rm -r %s/sub", app->folder);
	TEST_ASSERT_EQUAL(0, system(command));
	await_end(app->pid);
	TEST_ASSERT_EQUAL_STRING("the log was removed", status_of(app->pid).why);
	app_is_well(app);
	app_does(app, "0", "detach");
	TEST_ASSERT_EQUAL(0, open_files(app->pid, ".rlog (deleted)"));
}

static void test_a_folder_that_cannot_be_made_is_told(void)
{
	struct app *app = run("lib", true, NULL);
	app_does(app, "0", "attach %s/tool/libroclatch-tool.so " TOOL_LOG_VARIABLE "=/proc/nowhere/a.rlog " FEW, fixtures);
	struct tool_status status = status_of(app->pid);
	TEST_ASSERT_EQUAL(3, status.state);
	TEST_ASSERT_EQUAL(ENOENT, status.sys);
	TEST_ASSERT_EQUAL_STRING("the log cannot be made: No such file or directory: /proc/nowhere/a.rlog", status.why);
	TEST_ASSERT_EQUAL_STRING("", status.log);
	TEST_ASSERT_EQUAL(0, threads_of(app->pid, "roclatch-writer"));
	app_does(app, "0", "detach");
	app_is_well(app);
}

static void test_forks_while_recording_harm_neither(void)
{
	struct app *app = run("lib", true, NULL);
	pid_t child[8];
	app_attach(app, "a.rlog", "");
	app_does(app, "0", "busy 8");
	for (int i = 0; i < 8; i++)
		child[i] = atoi(app_ask(app, "fork"));
	nap_ms(500);
	for (int i = 0; i < 8; i++) {
		TEST_ASSERT_EQUAL(0, kill(child[i], 0));
		TEST_ASSERT_EQUAL(1, status_of(child[i]).state);
		TEST_ASSERT_EQUAL(0, open_files(child[i], ".rlog"));
	}
	app_does(app, "0", "idle");
	app_does(app, "0", "detach");
	TEST_ASSERT_GREATER_THAN(100, same_as_truth(app, "a.rlog"));
	app_is_well(app);
}

static void test_children_forked_at_full_rate_call_on_and_end(void)
{
	struct app *app = run("lib", true, "SDK_TRUTH_COUNTS=1");
	app_attach(app, "a.rlog", "");
	app_does(app, "40", "forks 40");
	app_does(app, "0", "detach");
	app_is_well(app);
}

static void test_what_was_lost_is_in_the_log_of_a_killed_program(void)
{
	struct app *app = run("lib", true, NULL);
	app_attach(app, "a.rlog", "");
	app_does(app, "0", "drop 5");
	app_does(app, "10", "emit RCCL_API 10 2");
	nap_ms(1500);
	app_does(app, "0", "drop 2");
	app_does(app, "10", "emit RCCL_API 10 2");
	nap_ms(1500);
	kill(app->pid, SIGKILL);
	waitpid(app->pid, NULL, 0);
	app->pid = -1;
	struct trace trace = open_log(app, "a.rlog");
	TEST_ASSERT_FALSE(trace.closed);
	TEST_ASSERT_EQUAL_UINT64(7, trace.lost);
	TEST_ASSERT_EQUAL_STRING("7 records were lost: the SDK dropped them, or they were of an unknown form",
				 trace.note[trace.notes - 1]);
	trace_close(&trace);
}

static void test_what_was_lost_is_not_counted_twice_in_a_log_that_ends(void)
{
	struct app *app = run("lib", true, NULL);
	app_attach(app, "a.rlog", "");
	app_does(app, "0", "drop 5");
	app_does(app, "10", "emit RCCL_API 10 2");
	nap_ms(1500);
	app_does(app, "0", "detach");
	struct trace trace = open_log(app, "a.rlog");
	TEST_ASSERT_TRUE(trace.closed);
	TEST_ASSERT_EQUAL_UINT64(5, trace.lost);
	trace_close(&trace);
}

static void test_an_exec_takes_no_descriptor_along(void)
{
	struct app *app = run("lib", true, NULL);
	app_attach(app, "a.rlog", "");
	TEST_ASSERT_EQUAL(1, open_files(app->pid, ".rlog"));
	pid_t child = atoi(app_ask(app, "exec-plain"));
	TEST_ASSERT_GREATER_THAN(0, child);
	TEST_ASSERT_EQUAL(0, open_files(child, ".rlog"));
	app_does(app, "0", "detach");
}

void test_trouble(void)
{
	RUN_TEST(test_a_killed_program_loses_at_most_the_last_second);
	RUN_TEST(test_a_full_disk_ends_the_recording_and_nothing_else);
	RUN_TEST(test_a_folder_that_is_removed_ends_the_recording);
	RUN_TEST(test_a_folder_that_cannot_be_made_is_told);
	RUN_TEST(test_forks_while_recording_harm_neither);
	RUN_TEST(test_children_forked_at_full_rate_call_on_and_end);
	RUN_TEST(test_what_was_lost_is_in_the_log_of_a_killed_program);
	RUN_TEST(test_what_was_lost_is_not_counted_twice_in_a_log_that_ends);
	RUN_TEST(test_an_exec_takes_no_descriptor_along);
}
