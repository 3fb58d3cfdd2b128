// SPDX-License-Identifier: MIT
/* Called by the names of AMD's programs: their options, and the sentences that scripts look for. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "rocm.h"

#define FIRST "configure configure_attach init attach detach"

/* From here on roclatch is run by that name. */
static void call_it(const struct app *app, const char *name)
{
	static char path[600];

	snprintf(path, sizeof(path), "%s/%s", app->output, name);
	require(!symlink(options.roclatch, path), "symlink: %s", strerror(errno));
	options.roclatch = path;
}

static void says(const struct outcome *o, const struct app *app, const char *before, const char *after)
{
	char text[256];

	snprintf(text, sizeof(text), "%s %s using library ", before, app->pid);
	const char *found = strstr(o->out, text), *end = found ? strchr(found, '\n') : NULL;
	/* the same begins the line before it, which has no end of success */
	while (found && end && strncmp(end - strlen(after), after, strlen(after))) {
		found = strstr(end, text);
		end = found ? strchr(found, '\n') : NULL;
	}
	check(found && end, "no line \"%s ...%s\" in: %s", text, after, o->out);
}

static void expect_sentences(const struct outcome *o, const struct app *app)
{
	says(o, app, "Attaching to PID", " :: success");
	says(o, app, "Detaching from PID", " :: success");
	log_is(app, FIRST);
}

static void run_helper(const void *unused)
{
	struct app app = app_start("ready", NULL, ATTACHABLE);
	struct outcome o;

	(void)unused;
	call_it(&app, "rocprof-attach");
	app_ask(&app, "set ROCPROF_OUTPUT_PATH=%s", app.output);
	app_answers(&app, "set ROCPROF_OUTPUT_FILE_NAME=out", "0");
	/* its caller sets the variables */
	setenv("ROCPROF_OUTPUT_PATH", app.output, 1);
	o = run_all("-p %s -d 300", app.pid);
	expect(&o, 0, NULL);
	check(strstr(o.out, "Attaching for 300 msec..."), "the duration was not told: %s", o.out);
	expect_sentences(&o, &app);
	app_end(&app);
}

struct way { int signo; const char *said; };

static void run_profiler(const void *with)
{
	const struct way *way = with;
	struct app app = app_start("ready", NULL, ATTACHABLE);
	struct outcome o;
	struct run run;

	call_it(&app, "rocprofv3");
	run = run_start(INPUT_PIPE, "--attach %s -d %s -o out --kernel-trace", app.pid, app.output);
	require(log_waits_for(&app, "attach", 1, 20000), "the tool was not told to attach");
	sleep_ms(200);
	if (way->signo)
		kill(run.pid, way->signo);
	else
		dprintf(run.in, "\n");
	o = run_end(&run, 20000);
	expect(&o, 0, NULL);
	check(strstr(o.out, "Press Enter to detach"), "nothing was said of Enter: %s", o.out);
	check(strstr(o.out, way->said), "nothing was said of \"%s\": %s", way->said, o.out);
	expect_sentences(&o, &app);
	log_variable(&app, "attach", "ROCPROF_KERNEL_TRACE", "1");
	app_end(&app);
}

/* Without a word before the options it is attach. */
static void run_options_only(const void *unused)
{
	struct app app = app_start("ready", NULL, ATTACHABLE);
	struct outcome o = run_all("-p %s -d %s -o out --kernel-trace --attach-duration-msec 100", app.pid, app.output);

	(void)unused;
	expect(&o, 0, NULL);
	log_is(&app, FIRST);
	app_end(&app);
}

void add_rocm_name_tests(void)
{
	static const struct way enter = { 0, "Detaching." }, interrupt = { SIGINT, "Caught signal SIGINT" };

	add(MIXED, run_helper, NULL, "called rocprof-attach it takes -d as duration and says what rocprof-attach says");
	add(MIXED, run_profiler, &enter, "called rocprofv3 it waits for Enter and says what rocprofv3 says");
	add(MIXED, run_profiler, &interrupt, "called rocprofv3 it detaches on SIGINT and says what rocprofv3 says");
	add(MIXED, run_options_only, NULL, "called with options only it attaches");
}
