// SPDX-License-Identifier: MIT
/*
 * What the real rocprofiler-register does when it is called from inside, without
 * roclatch: the ground on which attaching stands, and the traps in it.
 */
#include <signal.h>
#include <string.h>
#include <sys/wait.h>

#include "rocm.h"

static void attach(const struct app *app, const char *tool, const char *status)
{
	const char *got = app_ask(app, "attach %s ROCPROF_OUTPUT_PATH=%s ROCPROF_OUTPUT_FILE_NAME=out ROCPROF_KERNEL_TRACE=1", tool,
		app->output);

	check(got && !strcmp(got, status), "rocprofiler_register_attach answered %s and not %s", got ? got : "nothing", status);
}

static void run_cycle(const void *environment)
{
	struct app app = app_start("ready", "threads=3", environment);
	const char *tool = app_path(AMD_TOOL);

	check(!!app_listener(app.t.pid) == !strstr(environment, "nolistener"), "the listener thread is %d",
		(int)app_listener(app.t.pid));
	app_answers(&app, "tables", "rocattach hsa hip hip_compiler ");
	attach(&app, tool, "0");
	log_is(&app, "configure configure_attach init attach");
	log_variable(&app, "attach", "ROCPROF_KERNEL_TRACE", "1");
	log_variable(&app, "attach", "ROCP_TOOL_LIBRARIES", tool);
	log_variable(&app, "attach", "ROCPROFILER_REGISTER_TOOL_ATTACHED", "1");
	check(log_number(&app, "attach", "contexts=") == 1, "the tool got %ld contexts", log_number(&app, "attach", "contexts="));
	go_on(&app.t);
	sleep_ms(100);
	app_answers(&app, "detach", "0");
	log_is(&app, "configure configure_attach init attach detach");
	check(log_number(&app, "detach", "seen=") > 0, "the tool saw no HIP call");
	attach(&app, tool, "0");
	app_answers(&app, "detach", "0");
	log_is(&app, "configure configure_attach init attach detach attach detach");
	attach(&app, app_path("tools/libsecond.so"), "8");
	go_on(&app.t);
	stop(&app.t);
	log_is(&app, "configure configure_attach init attach detach attach detach fini");
	app_forget(&app);
}

/* The order is given, and the end is all the answer. */
static void ends_by(const struct app *app, int signo, const char *order)
{
	int status;

	app_ask(app, "%s", order);
	status = end_of(&app->t, 10000);
	check(status != -1 && WIFSIGNALED(status) && WTERMSIG(status) == signo, "after \"%s\" the program ended with %#x", order,
		status);
	app_forget(app);
}

static void run_without_table(const void *order)
{
	struct app app = app_start("ready", "threads=1", "");

	check(!app_maps(&app, "librocprofiler-sdk-attach"), "the attach library is there");
	app_answers(&app, "tables", "hsa hip hip_compiler ");
	ends_by(&app, SIGSEGV, order);
}

static void run_without_sdk(const void *unused)
{
	struct app app = app_start("ready", "threads=1", ATTACHABLE " " NO_SDK);

	(void)unused;
	ends_by(&app, SIGABRT, "attach /nowhere");
}

static void run_bad_tool(const void *tool)
{
	struct app app = app_start("ready", "threads=1", ATTACHABLE);
	char order[4200];

	snprintf(order, sizeof(order), "attach %s", app_path(tool));
	ends_by(&app, SIGABRT, order);
}

static void run_refusing_tool(const void *unused)
{
	struct app app = app_start("ready", "threads=1", ATTACHABLE);

	(void)unused;
	attach(&app, app_path("tools/librefuses.so"), "6");
	log_is(&app, "configure");
	attach(&app, app_path(AMD_TOOL), "8");
	app_end(&app);
}

/* The rocattach table is the first one sent, so that a second attach fails there as well and wraps nothing twice. */
static void run_old_sdk(const void *unused)
{
	struct app app = app_start("ready", "threads=1", ATTACHABLE " " OLD_SDK);
	char order[4200];

	(void)unused;
	attach(&app, app_path(AMD_TOOL), "6");
	check(strstr(log_names(&app, "out"), "init"), "the tool was not initialised: %s", log_names(&app, "out"));
	app_answers(&app, "detach", "1");
	go_on(&app.t);
	snprintf(order, sizeof(order), "attach %s", app_path(AMD_TOOL));
	app_answers(&app, order, "6");
	app_end(&app);
}

static void run_late(const void *environment)
{
	struct app app = app_start("ready", "threads=2", environment);

	app_ask(&app, "set ROCP_TOOL_LIBRARIES=%s", app_path("tools/libroclatch-tool.so"));
	app_ask(&app, "set ROCPROF_OUTPUT_PATH=%s", app.output);
	app_answers(&app, "set ROCPROF_OUTPUT_FILE_NAME=out", "0");
	app_answers(&app, "late", "0");
	check(strstr(log_names(&app, "out"), "init"), "the tool was not initialised: %s", log_names(&app, "out"));
	app_answers(&app, "late", "0");
	go_on(&app.t);
	ends_by(&app, SIGABRT, "all");
}

static void run_late_then_attach(const void *unused)
{
	struct app app = app_start("ready", "threads=2", ATTACHABLE);
	char order[4200];

	(void)unused;
	app_ask(&app, "set ROCPROF_OUTPUT_PATH=%s", app.output);
	app_ask(&app, "set ROCP_TOOL_LIBRARIES=%s", app_path("tools/libroclatch-tool.so"));
	app_answers(&app, "late", "0");
	snprintf(order, sizeof(order), "attach %s", app_path("tools/libroclatch-tool.so"));
	ends_by(&app, SIGABRT, order);
}

static void run_startup(const void *unused)
{
	struct app app = app_start_as(&(struct start){ .program = "rocm-app-startup", .state = "ready", .environment = ATTACHABLE });

	(void)unused;
	check(!app_maps(&app, "librocprofiler-sdk-attach"), "the attach library is there");
	check(app_maps(&app, "librocprofiler-sdk.so"), "the SDK is not there");
	app_end(&app);
}

static void run_order(const void *unused)
{
	struct app app = app_start("waiting", NULL, ATTACHABLE);

	(void)unused;
	app_answers(&app, "tables", "");
	check(!app_listener(app.t.pid), "there is a listener before HSA was used");
	app_answers(&app, "init", "0");
	app_answers(&app, "tables", "rocattach hsa hip hip_compiler ");
	check(app_gets_listener(&app), "there is no listener after HSA was used");
	app_end(&app);
}

/* The register takes no variables as well as some. */
static void run_call(const void *environment)
{
	struct app app = app_start("ready", "threads=3", environment);
	struct outcome o;

	app_ask(&app, "set ROCPROF_OUTPUT_PATH=%s", app.output);
	app_answers(&app, "set ROCPROF_OUTPUT_FILE_NAME=out", "0");
	o = roclatch(20000, "call", app.pid, "librocprofiler-register.so.0", "rocprofiler_register_attach", "0",
		app_path(AMD_TOOL), NULL);
	check(o.status == 0 || o.status == 7, "roclatch call ended with %d: %s", o.status, o.err);
	check(!strcmp(o.out, "0\n"), "the register answered %s", o.out);
	log_is(&app, "configure configure_attach init attach");
	check(!app_traced(&app), "a thread is traced");
	o = roclatch(20000, "call", app.pid, "librocprofiler-register.so.0", "rocprofiler_register_detach", NULL);
	check(!o.status && !strcmp(o.out, "0\n"), "detach: roclatch ended with %d, the register answered %s: %s", o.status, o.out,
		o.err);
	log_is(&app, "configure configure_attach init attach detach");
	app_end(&app);
}

/* "a:b" loads a alone, "a:b:" both. */
static void run_list(const void *unused)
{
	struct app app = app_start("ready", NULL, ATTACHABLE);
	char list[8400];

	(void)unused;
	snprintf(list, sizeof(list), "%s:%s", app_path(AMD_TOOL), app_path("tools/libsecond.so"));
	attach(&app, list, "0");
	check(app_maps(&app, "librocprofiler-sdk-tool") && !app_maps(&app, "libsecond"), "not the first of two tools alone was loaded");
	app_end(&app);
	app = app_start("ready", NULL, ATTACHABLE);
	strcat(list, ":");
	attach(&app, list, "0");
	check(app_maps(&app, "librocprofiler-sdk-tool") && app_maps(&app, "libsecond"), "not both tools were loaded");
	app_end(&app);
}

void add_rocm_register_tests(void)
{
	add(SLEEPERS, run_cycle, ATTACHABLE, "the real register attaches, detaches and attaches again from inside");
	add(SLEEPERS, run_cycle, NO_LISTENER, "the real register attaches from inside without a listener thread");
	add(MIXED, run_call, ATTACHABLE, "a tool is attached and detached by calling the real register from outside");
	add(MIXED, run_call, NO_LISTENER, "a tool is attached from outside by such a call without a listener thread");
	add(SLEEPERS, run_late_then_attach, NULL, "the real register aborts the program when it attaches after tables were passed on late");
	add(SLEEPERS, run_order, NULL, "a program becomes attachable when HSA is first used");
	add(SLEEPERS, run_list, NULL, "of a list of tools the SDK drops the text behind the last colon");
	add(SLEEPERS, run_without_table, "attach /nowhere", "the real register crashes at attach when no rocattach table is there");
	add(SLEEPERS, run_without_table, "detach", "the real register crashes at detach when no rocattach table is there");
	add(SLEEPERS, run_without_sdk, NULL, "the real register aborts when there is no SDK");
	add(SLEEPERS, run_bad_tool, "tools/libnone.so", "a tool that does not exist aborts the program");
	add(SLEEPERS, run_bad_tool, "tools/libneeds.so", "a tool that lacks a library aborts the program");
	add(SLEEPERS, run_bad_tool, "tools/libothercpu.so", "a tool for another CPU aborts the program");
	add(SLEEPERS, run_bad_tool, "tools/libexecstack.so", "a tool with an executable stack aborts the program");
	add(SLEEPERS, run_refusing_tool, NULL, "a tool that does not configure itself makes attach answer 6 and stays the only one");
	add(SLEEPERS, run_old_sdk, NULL, "an SDK without attach entry points makes attach answer 6 and detach 1");
	add(SLEEPERS, run_late, OLD_SDK, "the real register passes tables on late, once, to an SDK without attach entry points");
	add(SLEEPERS, run_late, "", "the real register passes tables on late, once, to an SDK with attach entry points");
	add(SLEEPERS, run_startup, NULL, "a start-up tool keeps the real register from loading the attach library");
}
