// SPDX-License-Identifier: MIT
/*
 * roclatch is killed at a system call of attach or detach, counted from outside (killat).  The
 * program must go on as if nothing had been, and a later detach and attach must work.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "rocm_world.h"

#define POINTS 24               /* in one test; --at-length takes them all */

const char *killat(void)
{
	static char path[4096];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 16);

	require(n > 0, "cannot read /proc/self/exe");
	path[n] = 0;
	strcpy(strrchr(path, '/'), "/killat");
	return path;
}

/* A tool that has to be brought first, if the target has a root of its own. */
static const char *staged;
static unsigned left_over;      /* how often something was there after a kill */

static const char *output_of(const struct app *app)
{
	static char words[128];

	snprintf(words, sizeof(words), "/out -t roclatch -f csv --stage %s", staged ? staged : "");
	return staged ? words : app->output;
}

/* killat WHAT -- roclatch COMMAND -p PID ...: what killat said. */
static struct outcome disturb(const struct app *app, const char *what, const char *command)
{
	struct outcome o;
	char text[8192], *argv[48], *save = NULL;
	const unsigned limit_ms = slow_machine() ? 240000 : 60000;
	unsigned n = 0;

	snprintf(text, sizeof(text), "%s --limit-msec %u %s -- %s %s -p %s%s%s", killat(), limit_ms, what, options.roclatch, command,
		app->pid, strcmp(command, "attach") ? "" : " --hip-trace --attach-duration-msec 5 -o out -d ",
		strcmp(command, "attach") ? "" : output_of(app));
	for (char *word = strtok_r(text, " ", &save); word && n < 47; word = strtok_r(NULL, " ", &save))
		argv[n++] = word;
	argv[n] = NULL;
	o = roclatch_argv(limit_ms + 30000, argv);
	return o;
}

static unsigned step_of(unsigned calls)
{
	return options.at_length ? 1 : calls / (slow_machine() ? 3 : POINTS) + 1;
}

static unsigned count_calls(const struct app *app, const char *command)
{
	struct outcome o = disturb(app, "--count", command);
	unsigned calls = 0;

	require(o.status == 0 && sscanf(o.out, "calls %u", &calls) == 1 && calls > 50, "killat ended with %d and said: %s%s",
		o.status, o.out, o.err);
	require(strstr(o.out, "status 0"), "roclatch %s did not work under killat: %s%s", command, o.out, o.err);
	return calls;
}

static void run_roclatch(const struct app *app, const char *command, bool may_refuse)
{
	struct outcome o = strcmp(command, "attach") ? run_all("detach -p %s", app->pid) :
		run_all("attach -p %s --hip-trace --attach-duration-msec 1 -o out -d %s", app->pid, output_of(app));

	check(o.status == 0 || (may_refuse && o.status == 3), "a later %s ended with %d: %s", command, o.status, o.err);
}

/* One point: kill, look, detach what is left, and attach anew. */
static void kill_once(const struct app *app, const char *command, const char *how, unsigned point)
{
	char what[64];
	unsigned before = atomic_load(&app->t.record->wrong);

	snprintf(what, sizeof(what), "%s %u", how, point);
	disturb(app, what, command);
	if (staged)
		left_over += strstr(world_descriptors(app), "memfd:roclatch") || world_folder(app, "/tmp")[0];
	unharmed(alive(&app->t), "the program is gone after %s of %s", what, command);
	unharmed(wait_until(is_free, &app->t, 20000), "the program is still held after %s of %s", what, command);
	if (failed())
		end_failed();
	go_on(&app->t);
	run_roclatch(app, "detach", true);
	run_roclatch(app, "attach", false);
	unharmed(atomic_load(&app->t.record->wrong) == before, "the program found something wrong after %s of %s", what, command);
	if (failed())
		fail("... by %s of %s", what, command);
}

/* with: "attach --kill", "detach --kill-after", ... */
static void run_kills(const void *with)
{
	char command[32], how[32];
	struct app app = app_start("ready", "threads=2", ATTACHABLE);
	unsigned calls, step;

	sscanf(with, "%31s %31s", command, how);
	run_roclatch(&app, "attach", false);
	if (!strcmp(command, "detach")) {
		struct outcome o = roclatch(60000, "attach", "-p", app.pid, "--keep", "--hip-trace", "-o", "out", "-d", app.output, NULL);
		expect(&o, 0, NULL);
	}
	calls = count_calls(&app, command);
	step = step_of(calls);
	for (unsigned point = 1 + (unsigned)getpid() % step; point <= calls && !failed(); point += step) {
		if (!strcmp(command, "detach")) {
			struct outcome o = roclatch(60000, "attach", "-p", app.pid, "--keep", "--hip-trace", "-o", "out", "-d",
				app.output, NULL);
			expect(&o, 0, NULL);
		}
		kill_once(&app, command, how, point);
	}
	app_end(&app);
}

/* The very first attach, which loads SDK and tool: a program of its own for each point. */
static void run_first_kills(const void *how)
{
	struct app counted = app_start("ready", "threads=2", ATTACHABLE);
	unsigned calls = count_calls(&counted, "attach"), step = 2 * step_of(calls);

	app_end(&counted);
	for (unsigned point = 1 + (unsigned)getpid() % step; point <= calls && !failed(); point += step) {
		struct app app = app_start("ready", "threads=2", ATTACHABLE);

		kill_once(&app, "attach", how, point);
		app_end(&app);
	}
}

/* The same with a tool that is brought: at most one descriptor or folder stays, until the next attach or detach. */
static void run_staged_kills(const void *how)
{
	static const struct world plain = { .stage = "" };
	struct app counted = world_start(&plain);
	unsigned calls, step;

	staged = how;
	calls = count_calls(&counted, "attach");
	step = 2 * step_of(calls);
	app_end(&counted);
	for (unsigned point = 1 + (unsigned)getpid() % step; point <= calls && !failed(); point += step) {
		struct app app = world_start(&plain);
		char *before = strdup(world_descriptors(&app));

		kill_once(&app, "attach", "--kill", point);
		world_as_before(&app, before, "after the kill");
		free(before);
		app_end(&app);
	}
	/* a few points may miss the time in which something is there */
	check(left_over || slow_machine(), "no kill of %u calls left anything to be removed", calls);
}

/* What is set for the time of a call alone is not left behind, whenever roclatch is killed. */
static void run_late_kills(const void *unused)
{
	/* another number of variables falls into rounds otherwise */
	static const char *const variables[] = { "", "-f csv", "--kernel-trace -f csv", "--kernel-trace --marker-trace -f csv" };
	unsigned points = slow_machine() ? 2 : options.at_length ? 1200 : POINTS, from = (unsigned)getpid() % 50;
	static char through[5000];

	(void)unused;
	for (unsigned i = 0; i < points && !failed(); i++) {
		struct app app = app_start("ready", "threads=2", OLD_SDK);
		char words[9000];
		struct outcome o;

		snprintf(words, sizeof(words), "attach -p %s --late -t %s --hip-trace --attach-duration-msec 1 -o out -d %s %s", app.pid,
			app_path("tools/libroclatch-tool.so"), app.output, variables[i % 4]);
		snprintf(through, sizeof(through), "%s --result-first --kill %u --", killat(), 300 + from + i * 1200 / points);
		run_through = through;
		run_all("%s", words);
		run_through = NULL;
		run_roclatch(&app, "detach", true);
		o = run_all("%s", words);
		check(o.status == 0, "a later attach ended with %d: %s", o.status, o.err);
		app_answers(&app, "env ROCP_TOOL_LIBRARIES", "(null)");
		app_answers(&app, "env ROCLATCH_ATTACHED", "(null)");
		check(!failed(), "... by %s", through);
		app_end(&app);
	}
}

void add_rocm_kill_tests(void)
{
	add(MIXED, run_late_kills, NULL, "a late attach that is killed leaves no variable behind");
	add(MIXED, run_staged_kills, "memfd",
		"an attach that is killed while it brings a tool in memory leaves nothing that stays");
	add(MIXED, run_staged_kills, "file",
		"an attach that is killed while it brings a tool as a file leaves nothing that stays");
	add(MIXED, run_first_kills, "--kill", "a first attach that is killed leaves a program that can be attached");
	add(MIXED, run_kills, "attach --kill-after", "a re-attach that is killed leaves a program that can be attached");
	add(MIXED, run_kills, "detach --kill", "a detach that is killed leaves a program that can be attached");
}
