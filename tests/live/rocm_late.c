// SPDX-License-Identifier: MIT
/* Late attach: processes started without ROCP_TOOL_ATTACH, and SDKs without attach support. */
#include <stdlib.h>
#include <string.h>

#include "rocm.h"

#define OWN_TOOL "tools/libroclatch-tool.so"

static struct outcome late(const struct app *app, const char *tool, const char *more)
{
	return run_all("attach -p %s -d %s -o out --late -t %s --hip-trace --attach-duration-msec 200 %s", app->pid, app->output,
		app_path(tool), more);
}

/* An SDK with attach support asks the tool for that as well. */
static void run_late(const void *environment)
{
	struct app app = app_start("ready", "threads=3", environment);
	bool old = strstr(environment, "sdk-1.0");
	struct outcome o = late(&app, OWN_TOOL, "");

	expect(&o, 0, NULL);
	log_is(&app, old ? "configure init start stop" : "configure configure_attach init start stop");
	check(log_number(&app, "stop", "seen=") > 0, "the tool saw no HIP call");
	log_variable(&app, "start", "ROCPROF_HIP_RUNTIME_API_TRACE", "1");
	app_answers(&app, "env ROCP_TOOL_LIBRARIES", "(null)");
	app_answers(&app, "env ROCLATCH_ATTACHED", "(null)");
	check(!app_traced(&app), "a thread is traced");
	for (unsigned i = 0; i < 2; i++) {
		o = late(&app, OWN_TOOL, "");
		expect(&o, 0, NULL);
		check(log_number(&app, "stop", "seen=") > 0, "the tool saw no HIP call the next time");
	}
	log_is(&app, old ? "configure init start stop start stop start stop" :
		"configure configure_attach init start stop start stop start stop");
	go_on(&app.t);
	stop(&app.t);
	check(strstr(log_names(&app, "out"), "fini"), "the tool was not finalised");
	app_forget(&app);
}

static void run_sdk(const void *unused)
{
	struct app app = app_start("ready", NULL, NO_SDK);
	char more[4200];
	struct outcome o;

	(void)unused;
	snprintf(more, sizeof(more), "--sdk %s", app_path("sdk-1.0/librocprofiler-sdk.so.1"));
	o = late(&app, OWN_TOOL, more);
	expect(&o, 0, NULL);
	log_is(&app, "configure init start stop");
	app_answers(&app, "env ROCPROFILER_REGISTER_LIBRARY", "(null)");
	app_end(&app);
}

static void run_keep(const void *unused)
{
	struct app app = app_start("ready", NULL, OLD_SDK);
	struct outcome o = run_all("attach -p %s -d %s -o out --late -t %s --hip-trace --keep", app.pid, app.output,
		app_path(OWN_TOOL));

	(void)unused;
	expect(&o, 0, NULL);
	log_is(&app, "configure init start");
	go_on(&app.t);
	sleep_ms(100);
	o = run_all("detach -p %s", app.pid);
	expect(&o, 0, NULL);
	log_is(&app, "configure init start stop");
	check(log_number(&app, "stop", "seen=") > 0, "the tool saw no HIP call");
	app_end(&app);
}

/* As after a roclatch that was killed between the mark and the start, or between the stop and the mark's end. */
static void run_not_started(const void *unused)
{
	struct app app = app_start("ready", NULL, OLD_SDK);
	struct outcome o = late(&app, OWN_TOOL, "");

	(void)unused;
	expect(&o, 0, NULL);
	app_answers(&app, "set ROCLATCH_ATTACHED=late", "0");
	o = run_all("detach -p %s", app.pid);
	expect(&o, 0, NULL);
	app_answers(&app, "env ROCLATCH_ATTACHED", "(null)");
	log_is(&app, "configure init start stop");
	o = late(&app, OWN_TOOL, "");
	expect(&o, 0, NULL);
	log_is(&app, "configure init start stop start stop");
	app_end(&app);
}

/* The same with roclatch's own tool, which still tells of the log before: all was made of that, and it is gone. */
static void run_not_started_own(const void *unused)
{
	struct app app = app_start("ready", NULL, OLD_SDK);

	(void)unused;
	for (unsigned i = 0; i < 2; i++) {
		struct outcome o = run_all("attach -p %s -d %s -o out --late -t roclatch --hip-trace -f csv --attach-duration-msec 50", app.pid,
			app.output);

		expect(&o, 0, NULL);
		app_answers(&app, "set ROCLATCH_ATTACHED=late", "0");
		o = run_all("detach -p %s", app.pid);
		expect(&o, 0, NULL);
		app_answers(&app, "env ROCLATCH_ATTACHED", "(null)");
	}
	app_end(&app);
}

struct refused { const char *environment, *state, *tool, *said; };

static void run_refused(const void *with)
{
	const struct refused *r = with;
	struct app app = app_start(r->state, "threads=2", r->environment);
	struct snapshot before = look(&app.t, 0), after;
	struct outcome o = late(&app, r->tool, "");

	expect(&o, 3, NULL);
	expect_said(&o, r->said);
	after = look(&app.t, 0);
	compare(&before, &after, 0);
	app_end(&app);
}

/* The register has the attach library's table, and would send it to an SDK that knows no such table. */
static void run_foreseen(const void *unused)
{
	static const char *const ways[] = { "check", "attach --hip-trace" };
	struct app app = app_start("ready", "threads=2", ATTACHABLE " " OLD_SDK);
	struct snapshot before = look(&app.t, 0), after;
	char more[4200];
	struct outcome o;

	(void)unused;
	for (unsigned i = 0; i < 2; i++) {
		o = run_all("%s -p %s --late -t %s", ways[i], app.pid, app_path(OWN_TOOL));
		expect(&o, 3, NULL);
		expect_said(&o, "would refuse the \"rocattach\" table");
		expect_said(&o, "start the process without ROCP_TOOL_ATTACH, or name an SDK of 1.1 (ROCm 7.1) or newer with --sdk");
	}
	o = run_all("wait -p %s --late --timeout 1s", app.pid);
	expect(&o, 6, NULL);
	expect_said(&o, "would refuse the \"rocattach\" table");
	after = look(&app.t, 0);
	compare(&before, &after, 0);
	/* what it advises is right */
	snprintf(more, sizeof(more), "--sdk %s", app_path("lib/librocprofiler-sdk.so"));
	o = late(&app, OWN_TOOL, more);
	expect(&o, 0, NULL);
	app_end(&app);
}

/* Tables are sent once: to attach them after a late attach would abort the target. */
static void run_then_attach(const void *unused)
{
	struct app app = app_start("ready", NULL, ATTACHABLE);
	struct outcome o = late(&app, OWN_TOOL, "");
	struct snapshot before, after;

	(void)unused;
	expect(&o, 0, NULL);
	before = look(&app.t, 0);
	o = run_all("attach -p %s -d %s -o out --hip-trace -t %s --attach-duration-msec 100", app.pid, app.output,
		app_path(OWN_TOOL));
	expect(&o, 3, NULL);
	after = look(&app.t, 0);
	compare(&before, &after, 0);
	app_end(&app);
}

void add_rocm_late_tests(void)
{
	static const struct refused amd = { OLD_SDK, "ready", AMD_TOOL, "roclatch_tool_state" };
	static const struct refused no_sdk = { NO_SDK, "ready", OWN_TOOL, "librocprofiler-sdk" };
	static const struct refused bad = { OLD_SDK, "ready", "tools/libneeds.so", "libnowhere.so.9" };

	add(MIXED, run_late, OLD_SDK, "late attach initialises, starts, stops and starts a tool with an SDK without attach support");
	add(MIXED, run_late, "", "late attach works on a target started without ROCP_TOOL_ATTACH");
	add(MIXED, run_sdk, NULL, "late attach brings an SDK by path where the target finds none");
	add(MIXED, run_keep, NULL, "a second roclatch stops what the first has attached late");
	add(MIXED, run_not_started, NULL, "a late attach whose tool does not record is detached without complaint");
	add(MIXED, run_not_started_own, NULL, "a late attach whose own tool does not record, and has no log, is detached without complaint");
	add(MIXED, run_refused, &amd, "late attach refuses a tool that cannot be started and stopped");
	add(MIXED, run_refused, &no_sdk, "late attach refuses a target that finds no SDK");
	add(MIXED, run_refused, &bad, "late attach refuses a tool that cannot be loaded");
	add(MIXED, run_foreseen, NULL, "late attach foresees that an old SDK refuses the attach library's table, and what it advises works");
	add(MIXED, run_then_attach, NULL, "an attach after a late attach, which would abort the target, is refused");
}
