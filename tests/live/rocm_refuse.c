// SPDX-License-Identifier: MIT
/* What cannot work is refused before the target is touched; what fails there does not take it along. */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "rocm.h"

struct refusal {
	const char *words;              /* the test's name */
	const char *state;              /* default: ready */
	const char *environment;        /* default: one that can be attached */
	const char *program, *settings;
	const char *tool;               /* below the root; default: the target's own */
	const char *output;             /* default: the test's folder */
	const char *said;               /* a word that has to be in the reason */
	unsigned uid;
};

static const struct refusal refusals[] = {
	{ .words = "a target started without ROCP_TOOL_ATTACH is refused", .environment = "", .said = "ROCP_TOOL_ATTACH" },
	{ .words = "a target that has not used HSA yet is refused", .state = "waiting", .said = "HSA" },
	{ .words = "a target that has no table but a thread of the listener's name is refused", .state = "waiting",
		.settings = "fake=1", .said = "HSA" },
	{ .words = "a target with a start-up tool is refused", .program = "rocm-app-startup", .said = "rocprofiler_configure" },
	{ .words = "a target without an SDK is refused", .environment = ATTACHABLE " " NO_SDK, .tool = AMD_TOOL,
		.said = "librocprofiler-sdk" },
	{ .words = "a target whose SDK has no attach entry points is refused", .environment = ATTACHABLE " " OLD_SDK,
		.tool = AMD_TOOL, .said = "attach support" },
	{ .words = "a tool that does not exist is refused", .tool = "tools/libnone.so", .said = "libnone.so" },
	{ .words = "a tool that lacks a library is refused", .tool = "tools/libneeds.so", .said = "libnowhere.so.9" },
	{ .words = "a tool for another CPU is refused", .tool = "tools/libothercpu.so", .said = "libothercpu.so" },
	{ .words = "a tool with an executable stack is refused", .tool = "tools/libexecstack.so", .said = "stack" },
	{ .words = "a tool that is no library is refused", .tool = "lib/.made", .said = ".made" },
	{ .words = "an output folder that would lie in a file is refused", .output = "rocm-app/inside",
		.said = "rocm-app" },
	{ .words = "an output folder that the target's user may not write is refused", .output = "/usr", .uid = 65534,
		.said = "/usr" },
};

static struct app start_refused(const struct refusal *r)
{
	return app_start_as(&(struct start){ .program = r->program, .state = r->state ? r->state : "ready", .uid = r->uid,
		.settings = r->settings ? r->settings : "threads=3",
		.environment = r->environment ? r->environment : ATTACHABLE });
}

/* roclatch COMMAND with what the refusal is about */
static struct outcome command(const struct app *app, const struct refusal *r, const char *words)
{
	return run_all("%s -p %s -d %s %s %s", words, app->pid, r->output ? r->output : app->output, r->tool ? "-t" : "",
		r->tool ? app_path(r->tool) : "");
}

static struct outcome attach(const struct app *app, const struct refusal *r)
{
	return command(app, r, "attach -o out --kernel-trace --attach-duration-msec 100");
}

/* check says the same as attach, and neither touches the target. */
static void run_refusal(const void *with)
{
	const struct refusal *r = with;
	struct app app = start_refused(r);
	struct snapshot before = look(&app.t, 0), after;
	struct outcome o = command(&app, r, "check");

	expect(&o, 3, NULL);
	expect_said(&o, r->said);
	o = command(&app, r, "check --json");
	expect(&o, 3, NULL);
	check(o.out[0] == '{' && strstr(o.out, "\"no\"") && strcasestr(o.out, r->said), "check --json printed %s and said %s", o.out,
		o.err);
	o = attach(&app, r);
	expect(&o, 3, NULL);
	expect_said(&o, r->said);
	after = look(&app.t, 0);
	compare(&before, &after, 0);
	log_is(&app, "");
	app_end(&app);
}

static void run_check_good(const void *environment)
{
	struct app app = app_start("ready", "threads=3", environment);
	struct snapshot before = look(&app.t, 0), after;
	struct outcome o = run_all("check -p %s -d %s", app.pid, app.output);

	expect(&o, 0, NULL);
	o = run_all("check -p %s --json -d %s", app.pid, app.output);
	expect(&o, 0, NULL);
	check(o.out[0] == '{' && !strstr(o.out, "\"no\""), "check --json printed %s", o.out);
	after = look(&app.t, 0);
	compare(&before, &after, 0);
	app_end(&app);
}

static struct outcome attach_again(const struct app *app, const char *more)
{
	return run_all("attach -p %s -o out -d %s --attach-duration-msec 100 %s", app->pid, app->output, more);
}

/* The target has been attached once, so that its SDK and tool are as they are. */
static void run_again_refused(const void *more)
{
	struct app app = app_start("ready", "threads=2", ATTACHABLE);
	struct outcome o = attach_again(&app, "--kernel-trace");
	struct snapshot before, after;
	char words[4200];

	expect(&o, 0, NULL);
	before = look(&app.t, 0);
	snprintf(words, sizeof(words), "--kernel-trace -t %s", app_path("tools/libsecond.so"));
	o = attach_again(&app, more ? more : words);
	expect(&o, 3, NULL);
	after = look(&app.t, 0);
	compare(&before, &after, 0);
	log_is(&app, "configure configure_attach init attach detach");
	o = attach_again(&app, "--kernel-trace");
	expect(&o, 0, NULL);
	log_is(&app, "configure configure_attach init attach detach attach detach");
	app_end(&app);
}

/* Refused for what was missing, it is attached once that is there. */
static void run_retry(const void *settings)
{
	struct app app = app_start("waiting", settings, ATTACHABLE);
	struct outcome o = attach_again(&app, "--kernel-trace");

	expect(&o, 3, NULL);
	app_answers(&app, "init", "0");
	check(app_gets_listener(&app), "there is no listener after HSA was used");
	o = attach_again(&app, "--kernel-trace");
	expect(&o, 0, NULL);
	log_is(&app, "configure configure_attach init attach detach");
	app_end(&app);
}

/* The tool says no; the register answers 6. */
static void run_tool_refuses(const void *unused)
{
	struct app app = app_start("ready", "threads=2", ATTACHABLE);
	struct refusal r = { .tool = "tools/librefuses.so" };
	struct outcome o = attach(&app, &r);

	(void)unused;
	expect(&o, 5, NULL);
	log_is(&app, "configure");
	app_answers(&app, "env ROCP_TOOL_LIBRARIES", "(null)");
	app_answers(&app, "env ROCLATCH_ATTACHED", "(null)");
	check(!app_traced(&app), "a thread is traced");
	app_end(&app);
}

static void run_tool_crashes(const void *unused)
{
	struct app app = app_start("ready", "threads=2", ATTACHABLE);
	struct refusal r = { .tool = "tools/libcrashes.so" };
	struct outcome o = attach(&app, &r);

	(void)unused;
	expect(&o, 5, NULL);
	expect_said(&o, "crashed with SIGSEGV in libcrashes.so!attach+");
	expect_said(&o, "remedy: correct the called code");
	log_is(&app, "configure configure_attach init attach");
	app_answers(&app, "env ROCP_TOOL_LIBRARIES", "(null)");
	app_answers(&app, "env ROCLATCH_ATTACHED", "(null)");
	check(!app_traced(&app), "a thread is traced");
	app_end(&app);
}

void add_rocm_refuse_tests(void)
{
	for (size_t i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++)
		add(MIXED, run_refusal, &refusals[i], "%s by check and attach, and nothing is touched", refusals[i].words);
	add(MIXED, run_check_good, ATTACHABLE, "check finds nothing against a target that can be attached");
	add(MIXED, run_check_good, NO_LISTENER, "check finds nothing against a target without a listener thread");
	add(MIXED, run_again_refused, NULL, "another tool than the first time is refused, and the first one works on");
	add(MIXED, run_again_refused, "--hip-trace --kernel-trace", "more services than the first time are refused before the target is touched");
	add(MIXED, run_again_refused, "--hsa-trace", "other services than the first time are refused before the target is touched");
	add(MIXED, run_retry, "threads=2", "a target that was refused before HSA was used is attached after that");
	add(MIXED, run_retry, "fake=1", "a target that was refused for a false listener is attached when there is a true one");
	add(MIXED, run_tool_refuses, NULL, "a tool that does not configure itself is reported, and the target lives");
	add(MIXED, run_tool_crashes, NULL, "a tool that crashes in attach is reported, and the target lives");
}
