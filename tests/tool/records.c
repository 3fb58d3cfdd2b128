/* SPDX-License-Identifier: MIT */
/* What is delivered is recorded. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "rocp/trace/trace.h"
#include "tests.h"
#include "unity.h"

#define COUNTERS "ROCPROF_COUNTER_COLLECTION=1 ROCPROF_COUNTERS=pmc:,SQ_WAVES,TCC_HIT:device=1,NOSUCH,SQ_WAVES"

static void emit_all_there_is(const struct app *app)
{
	app_does(app, "0", "kernels 40 7");
	app_ask(app, "emit all 300 2");
	app_ask(app, "emit all 100 3");
	app_does(app, "0", "marker push outer, \"one\"");
	app_does(app, "0", "marker push inner");
	app_does(app, "3", "emit KERNEL_DISPATCH 3 2");
	app_does(app, "0", "marker pop");
	app_does(app, "0", "marker pop");
	app_does(app, "0", "busy 4");
	nap_ms(300);
	app_does(app, "0", "idle");
}

/* A thread has its name only once it runs. */
static unsigned awaited_threads(pid_t pid, const char *name)
{
	for (unsigned ms = 0; ms < 5000 && !threads_of(pid, name); ms += 10)
		nap_ms(10);
	return threads_of(pid, name);
}

static void everything_is_recorded(const char *libraries)
{
	struct app *app = run(libraries, true, NULL);
	app_attach(app, "a.rlog", COUNTERS);
	TEST_ASSERT_EQUAL(2, status_of(app->pid).state);
	TEST_ASSERT_EQUAL(1, awaited_threads(app->pid, "roclatch-writer"));
	TEST_ASSERT_EQUAL(1, awaited_threads(app->pid, "roclatch-ticker"));
	emit_all_there_is(app);
	app_does(app, "0", "detach");
	TEST_ASSERT_GREATER_THAN(5000, same_as_truth(app, "a.rlog"));
	struct tool_status status = status_of(app->pid);
	TEST_ASSERT_EQUAL(3, status.state);
	TEST_ASSERT_EQUAL_UINT64(0, status.lost);
	TEST_ASSERT_EQUAL(0, threads_of(app->pid, "roclatch-writer") + threads_of(app->pid, "roclatch-ticker"));
	TEST_ASSERT_EQUAL(0, open_files(app->pid, ".rlog"));
	app_is_well(app);
}

static void test_everything_that_sdk_1_3_delivers_is_recorded(void)
{
	everything_is_recorded("lib");
}

static void test_everything_that_sdk_1_1_delivers_is_recorded(void)
{
	everything_is_recorded("sdk-1.1:lib");
}

/* Without attach entry points: the tool begins by itself, and ends with the process. */
static void test_everything_that_sdk_1_0_delivers_is_recorded_until_the_exit(void)
{
	struct app *app = run("sdk-1.0:lib", false, NULL);
	int answer;
	app_does(app, "0", "set " TOOL_LOG_VARIABLE "=%s/a.rlog", app->folder);
	static const char *const on[] = { "HIP_RUNTIME_API", "HSA_CORE_API", "MARKER_API", "KERNEL", "MEMORY_COPY", "SCRATCH_MEMORY",
		"MEMORY_ALLOCATION", "RCCL_API", "HSA_AMD_EXT_API" };
	for (size_t i = 0; i < sizeof on / sizeof on[0]; i++)
		app_does(app, "0", "set ROCPROF_%s_TRACE=1", on[i]);
	app_does(app, "0", "set ROCP_TOOL_LIBRARIES=%s/tool/libroclatch-tool.so", fixtures);
	app_does(app, "0", "late");
	TEST_ASSERT_EQUAL(2, status_of(app->pid).state);
	TEST_ASSERT_GREATER_THAN(0, atoi(app_ask(app, "emit all 300 2")));
	app_order(app, "exit 7");
	TEST_ASSERT_EQUAL(app->pid, waitpid(app->pid, &answer, 0));
	TEST_ASSERT_TRUE(WIFEXITED(answer));
	TEST_ASSERT_EQUAL(7, WEXITSTATUS(answer));
	TEST_ASSERT_GREATER_THAN(2000, same_as_truth(app, "a.rlog"));
	app->pid = -1;
}

static void test_ten_attaches_make_ten_logs_that_have_everything_together(void)
{
	struct app *app = run("lib", true, NULL);
	char logs[256] = "", name[32];
	app_does(app, "0", "kernels 5 7");
	for (int i = 0; i < 10; i++) {
		app_attach(app, "a.rlog", "");
		app_ask(app, "emit all 20 2");
		app_does(app, "0", "detach");
		snprintf(name, sizeof name, i ? ",a_%d.rlog" : "a.rlog", i);
		strcat(logs, name);
	}
	TEST_ASSERT_GREATER_OR_EQUAL(10 * 18 * 20, same_as_truth(app, logs));
	TEST_ASSERT_EQUAL_UINT64(10, status_of(app->pid).sessions);
	/* kernels that were told of in the first are known in the last */
	struct trace trace;
	struct err err = { 0 };
	char path[128];
	snprintf(path, sizeof path, "%s/a_9.rlog", app->folder);
	TEST_ASSERT_EQUAL(0, trace_open(&trace, path, &err));
	TEST_ASSERT_GREATER_OR_EQUAL(5, trace.kernels);
	TEST_ASSERT_EQUAL(9, trace.session);
	trace_close(&trace);
	app_is_well(app);
}

static void test_sixty_four_threads_at_once_lose_nothing(void)
{
	struct app *app = run("lib", true, NULL);
	app_attach(app, "a.rlog", "");
	app_does(app, "128000", "emit-threads 64 2000 2");
	app_does(app, "0", "detach");
	TEST_ASSERT_GREATER_OR_EQUAL(128000, same_as_truth(app, "a.rlog"));
	app_is_well(app);
}

static struct trace open_named(const struct app *app, const char *name)
{
	struct trace trace;
	struct err err = { 0 };
	char path[128];
	snprintf(path, sizeof path, "%s/%s", app->folder, name);
	TEST_ASSERT_EQUAL_MESSAGE(0, trace_open(&trace, path, &err), err.text);
	return trace;
}

static struct trace open_log(const struct app *app)
{
	return open_named(app, "a.rlog");
}

static int must_have_rename(void *ctx, const struct event *event, struct err *err)
{
	unsigned *named = ctx;
	(void)err;
	if (event->rename) {
		TEST_ASSERT_EQUAL_STRING("the step", event->rename);
		++*named;
	}
	return 0;
}

static void test_kernels_are_renamed_by_the_range_they_are_launched_in(void)
{
	struct app *app = run("lib", true, NULL);
	struct err err = { 0 };
	unsigned named = 0;
	app_attach(app, "a.rlog", "ROCPROF_KERNEL_RENAME=1");
	app_does(app, "0", "marker push the step");
	app_does(app, "7", "emit KERNEL_DISPATCH 7 2");
	app_does(app, "0", "marker pop");
	app_does(app, "5", "emit KERNEL_DISPATCH 5 2");
	app_does(app, "0", "detach");
	struct trace trace = open_log(app);
	TEST_ASSERT_EQUAL(0, trace_each(&trace, DOMAIN_BIT(DOMAIN_KERNEL), must_have_rename, &named, &err));
	TEST_ASSERT_EQUAL(7, named);
	trace_close(&trace);
}

static int must_be_wanted(void *ctx, const struct event *event, struct err *err)
{
	(void)ctx, (void)err;
	TEST_ASSERT_NOT_NULL(strstr(event->kernel->demangled, "add_words"));
	return 0;
}

static void test_counters_are_of_the_kernels_and_runs_asked_for(void)
{
	struct app *app = run("lib", true, NULL);
	struct err err = { 0 };
	app_attach(app, "a.rlog", COUNTERS " ROCPROF_KERNEL_FILTER_INCLUDE_REGEX=add_\\w+\\( ROCPROF_KERNEL_FILTER_RANGE=[2-4],[6]");
	app_does(app, "0", "kernels 10 7");
	for (int i = 0; i < 2; i++)
		app_is_well(app);
	nap_ms(300);
	app_does(app, "0", "detach");
	struct trace trace = open_log(app);
	TEST_ASSERT_GREATER_THAN_UINT64(6, trace.events[DOMAIN_KERNEL]);
	TEST_ASSERT_EQUAL_UINT64(4, trace.events[DOMAIN_COUNTERS]);
	TEST_ASSERT_EQUAL(0, trace_each(&trace, DOMAIN_BIT(DOMAIN_COUNTERS), must_be_wanted, NULL, &err));
	TEST_ASSERT_EQUAL(1, trace.notes);
	TEST_ASSERT_EQUAL_STRING("NOSUCH is not counted: no GPU here has such a counter", trace.note[0]);
	trace_close(&trace);
	TEST_ASSERT_GREATER_THAN(6, same_as_truth(app, "a.rlog"));
}

static void test_a_pause_pauses_and_selected_regions_wait_for_a_resume(void)
{
	struct app *app = run("lib", true, NULL);
	app_attach(app, "a.rlog", "ROCPROF_SELECTED_REGIONS=1");
	app_does(app, "0", "emit RCCL_API 10 2");
	app_does(app, "0", "resume");
	app_does(app, "20", "emit RCCL_API 20 2");
	app_does(app, "0", "pause");
	app_does(app, "0", "emit RCCL_API 40 2");
	app_does(app, "0", "detach");
	struct trace trace = open_log(app);
	TEST_ASSERT_EQUAL_UINT64(20, trace.events[DOMAIN_RCCL]);
	trace_close(&trace);
	app_is_well(app);
}

static void rccl_calls_are(const struct app *app, const char *name, uint64_t n)
{
	struct trace trace = open_named(app, name);
	TEST_ASSERT_EQUAL_UINT64_MESSAGE(n, trace.events[DOMAIN_RCCL], name);
	trace_close(&trace);
}

static void test_selected_regions_are_for_one_attach_alone(void)
{
	struct app *app = run("lib", true, NULL);
	static const char *const on[] = { "0", "1", "0" };
	static const char *const logs[] = { "a.rlog", "b.rlog", "c.rlog" };
	for (int i = 0; i < 3; i++) {
		app_does(app, "0", "attach %s/tool/libroclatch-tool.so " TOOL_LOG_VARIABLE "=%s/%s ROCPROF_RCCL_API_TRACE=1 "
			 "ROCPROF_SELECTED_REGIONS=%s", fixtures, app->folder, logs[i], on[i]);
		app_ask(app, "emit RCCL_API 10 2");
		app_does(app, "0", "resume");
		app_does(app, "20", "emit RCCL_API 20 2");
		app_does(app, "0", "detach");
	}
	rccl_calls_are(app, "a.rlog", 30);
	rccl_calls_are(app, "b.rlog", 20);
	rccl_calls_are(app, "c.rlog", 30);
	app_is_well(app);
}

static void test_runs_of_kernels_are_counted_anew_at_each_attach(void)
{
	struct app *app = run("lib", true, NULL);
	static const char *const logs[] = { "a.rlog", "b.rlog" };
	for (int i = 0; i < 2; i++) {
		app_attach(app, logs[i], COUNTERS " ROCPROF_KERNEL_FILTER_INCLUDE_REGEX=add_\\w+\\( ROCPROF_KERNEL_FILTER_RANGE=[2-4],[6]");
		app_is_well(app);
		app_is_well(app);
		nap_ms(500);
		app_does(app, "0", "detach");
		struct trace trace = open_named(app, logs[i]);
		TEST_ASSERT_EQUAL_UINT64_MESSAGE(4, trace.events[DOMAIN_COUNTERS], logs[i]);
		trace_close(&trace);
	}
}

static void test_what_is_not_asked_for_is_not_recorded(void)
{
	struct app *app = run("lib", true, NULL);
	app_does(app, "0", "attach %s/tool/libroclatch-tool.so " TOOL_LOG_VARIABLE "=%s/a.rlog ROCPROF_RCCL_API_TRACE=1 "
		 "ROCPROF_KERNEL_TRACE=0 ROCPROF_PC_SAMPLING_METHOD=host_trap", fixtures, app->folder);
	app_ask(app, "emit all 50 2");
	app_does(app, "0", "detach");
	struct trace trace = open_log(app);
	for (unsigned i = 0; i < DOMAINS; i++)
		TEST_ASSERT_EQUAL_UINT64_MESSAGE(i == DOMAIN_RCCL ? 50 : 0, trace.events[i], domain_key((enum domain)i));
	TEST_ASSERT_EQUAL(1, trace.notes);
	trace_close(&trace);
}

void test_records(bool brief)
{
	RUN_TEST(test_everything_that_sdk_1_3_delivers_is_recorded);
	if (brief)
		return;
	RUN_TEST(test_everything_that_sdk_1_1_delivers_is_recorded);
	RUN_TEST(test_everything_that_sdk_1_0_delivers_is_recorded_until_the_exit);
	RUN_TEST(test_ten_attaches_make_ten_logs_that_have_everything_together);
	RUN_TEST(test_sixty_four_threads_at_once_lose_nothing);
	RUN_TEST(test_kernels_are_renamed_by_the_range_they_are_launched_in);
	RUN_TEST(test_counters_are_of_the_kernels_and_runs_asked_for);
	RUN_TEST(test_a_pause_pauses_and_selected_regions_wait_for_a_resume);
	RUN_TEST(test_selected_regions_are_for_one_attach_alone);
	RUN_TEST(test_runs_of_kernels_are_counted_anew_at_each_attach);
	RUN_TEST(test_what_is_not_asked_for_is_not_recorded);
}
