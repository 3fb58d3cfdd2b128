// SPDX-License-Identifier: MIT
/* Processes that come while others are attached, and programs that they become. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "rocm.h"

#define FIRST "configure configure_attach init attach detach"

static pid_t ask_child(const struct app *app, const char *order)
{
	const char *answer = app_ask(app, "%s", order);
	pid_t pid = answer ? atoi(answer) : 0;

	require(pid > 0, "no child by %s", order);
	return pid;
}

/* Until the tool of this process has written that it was attached. */
static bool waits_for_attach(const struct app *app, const char *file, unsigned ms)
{
	int64_t end = now_ns() + patient(ms) * INT64_C(1000000);

	while (now_ns() < end) {
		if (strstr(log_names(app, file), " attach"))
			return true;
		sleep_ms(20);
	}
	return false;
}

/* The child is a program of its own, born when its parent is attached; a forked one cannot be attached, and is told. */
static void run_follow(const void *unused)
{
	struct app app = app_start("ready", "threads=1", ATTACHABLE);
	struct run run = run_start(INPUT_PIPE, "attach -p %s --follow -d %s --kernel-trace", app.pid, app.output);
	char name[16], other[16];
	struct outcome o;
	pid_t anew, forked;

	(void)unused;
	require(waits_for_attach(&app, app.pid, 20000), "the program was not attached");
	forked = ask_child(&app, "fork");
	anew = ask_child(&app, "exec");
	snprintf(name, sizeof(name), "%d", (int)anew);
	snprintf(other, sizeof(other), "%d", (int)forked);
	check(waits_for_attach(&app, name, 30000), "the child that came meanwhile was not attached");
	sleep_ms(patient(600));         /* for the one that is only told at the end */
	dprintf(run.in, "\n");
	o = run_end(&run, 30000);
	expect(&o, 0, NULL);
	expect_said(&o, "2 came meanwhile");
	expect_said(&o, "1 skipped (");
	log_of(&app, app.pid, FIRST);
	log_of(&app, name, FIRST);
	log_of(&app, other, "");
	unharmed(!kill(anew, 0) && !kill(forked, 0), "a child is gone");
	app_end(&app);
}

/* Nothing can be attached at first: the process that is named uses no GPU, its child does. */
static void run_follow_launcher(const void *unused)
{
	struct app app = app_start("waiting", NULL, "");
	struct run run = run_start(INPUT_PIPE, "attach -p %s --follow -d %s --kernel-trace", app.pid, app.output);
	char name[16];
	struct outcome o;

	(void)unused;
	sleep_ms(1000);
	require(run_goes_on(&run), "roclatch did not wait for children");
	app_answers(&app, "set ROCP_TOOL_ATTACH=1", "0");
	snprintf(name, sizeof(name), "%d", (int)ask_child(&app, "exec"));
	check(waits_for_attach(&app, name, 30000), "the child that came meanwhile was not attached");
	dprintf(run.in, "\n");
	o = run_end(&run, 30000);
	log_of(&app, name, FIRST);
	log_of(&app, app.pid, "");
	check(o.status == 3, "roclatch ended with %d: %s", o.status, o.err);
	app_end(&app);
}

/* The process becomes another program while it is attached: that one is attached as well. */
static void run_become(const void *follow)
{
	struct app app = app_start("ready", "threads=1", ATTACHABLE);
	struct run run = run_start(INPUT_PIPE, "attach -p %s %s -d %s --kernel-trace", app.pid, (const char *)follow, app.output);
	struct outcome o;

	require(waits_for_attach(&app, app.pid, 20000), "the program was not attached");
	run_records(&run);
	app_answers(&app, "become", "0");
	if (*(const char *)follow) {
		for (unsigned i = 0; i < 300 && strlen(log_names(&app, app.pid)) < strlen(FIRST); i++)
			sleep_ms(100);
		dprintf(run.in, "\n");
	}
	o = run_end(&run, 40000);
	expect_said(&o, "became another program");
	check(o.status == (*(const char *)follow ? 0 : 4), "roclatch ended with %d: %s", o.status, o.err);
	if (*(const char *)follow)
		expect_said(&o, "in all: 2 of 2 processes attached");
	unharmed(!app_traced(&app), "the program is traced");
	app_end(&app);
}

void add_rocm_follow_tests(void)
{
	add(MIXED, run_follow, NULL, "a child that is born meanwhile is followed, and a forked one is told");
	add(MIXED, run_follow_launcher, NULL, "a child of a process that cannot be attached itself is followed");
	add(MIXED, run_become, "--follow", "a program that a process becomes meanwhile is followed");
	add(MIXED, run_become, "", "a process that becomes another program ends its attachment");
}
