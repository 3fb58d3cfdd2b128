// SPDX-License-Identifier: MIT
/* What ends an attachment, and what does not. */
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "rocm.h"

#define WHILE "configure configure_attach init attach"
#define FIRST WHILE " detach"

struct way {
	enum input input;
	const char *words;
	int signo;              /* sent to roclatch */
	bool enter, close;
};

static void run_way(const void *with)
{
	const struct way *way = with;
	struct app app = app_start("ready", NULL, ATTACHABLE);
	struct run run = attach_start(&app, way->input, way->words);
	struct outcome o;

	if (!strstr(way->words, "duration")) {
		sleep_ms(400);
		check(run_goes_on(&run), "roclatch did not wait");
		log_is(&app, WHILE);
	}
	if (way->enter)
		dprintf(run.in, "\n");
	if (way->close) {
		close(run.in);
		run.in = -1;
	}
	if (way->signo)
		kill(run.pid, way->signo);
	o = run_end(&run, 20000);
	expect(&o, 0, NULL);
	log_is(&app, FIRST);
	check(!app_traced(&app), "a thread is traced after the end");
	app_end(&app);
}

/* The process is stopped (a suspended job, say) when its recording ends: the detach waits until it goes on. */
static void run_stopped(const void *unused)
{
	struct app app = app_start("ready", NULL, ATTACHABLE);
	struct run run = attach_start(&app, INPUT_PIPE, "--kernel-trace");
	struct outcome o;

	(void)unused;
	kill(app.t.pid, SIGSTOP);
	sleep_ms(50);
	dprintf(run.in, "\n");
	sleep_ms(500);
	check(run_goes_on(&run), "roclatch did not wait for the stopped process");
	kill(app.t.pid, SIGCONT);
	o = run_end(&run, 20000);
	expect(&o, 0, NULL);
	log_is(&app, FIRST);
	check(!app_traced(&app), "a thread is traced after the end");
	app_end(&app);
}

/* A closed input, or none, is not somebody who wants to detach. */
static void run_not_ended(const void *input)
{
	struct app app = app_start("ready", NULL, ATTACHABLE);
	struct run run = attach_start(&app, *(const enum input *)input, "--kernel-trace");
	struct outcome o;

	sleep_ms(1000);
	check(run_goes_on(&run), "roclatch did not wait");
	log_is(&app, WHILE);
	kill(run.pid, SIGTERM);
	o = run_end(&run, 20000);
	expect(&o, 0, NULL);
	log_is(&app, FIRST);
	app_end(&app);
}

static void run_duration(const void *end_of_input)
{
	struct app app = app_start("ready", NULL, ATTACHABLE);
	struct run run = attach_start(&app, INPUT_PIPE, "--kernel-trace --attach-duration-msec 1200");
	int64_t begun = now_ns();
	struct outcome o;

	if (end_of_input) {
		close(run.in);
		run.in = -1;
	}
	check(log_waits_for(&app, "detach", 1, 20000), "the tool never detached");
	check(now_ns() - begun > INT64_C(1000000000), "1200 ms were only %lld ms", (long long)(now_ns() - begun) / 1000000);
	o = run_end(&run, 20000);
	expect(&o, 0, NULL);
	log_is(&app, FIRST);
	app_end(&app);
}

static void run_exit(const void *order)
{
	struct app app = app_start("ready", NULL, ATTACHABLE);
	struct run run = attach_start(&app, INPUT_PIPE, "--kernel-trace");
	struct outcome o;
	int status;

	if (order)
		app_ask(&app, "%s", (const char *)order);
	else
		kill(app.t.pid, SIGKILL);
	status = end_of(&app.t, 10000);
	check(order ? WIFEXITED(status) && WEXITSTATUS(status) == 42 : WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL,
		"the target ended with %#x", status);
	o = run_end(&run, 10000);
	expect(&o, 4, NULL);
	if (order)
		log_is(&app, WHILE " fini");
	app_forget(&app);
}

static void run_keep(const void *environment)
{
	struct app app = app_start("ready", NULL, environment);
	struct outcome o = run_all("attach -p %s -d %s -o out --kernel-trace --keep", app.pid, app.output);

	expect(&o, 0, NULL);
	log_is(&app, WHILE);
	app_answers(&app, "env ROCP_TOOL_LIBRARIES", "(null)");
	check(!app_traced(&app), "a thread is traced while the tool is attached");
	go_on(&app.t);
	sleep_ms(200);
	o = run_all("detach -p %s --dry-run", app.pid);
	expect(&o, 0, NULL);
	log_is(&app, WHILE);
	o = run_all("detach -p %s", app.pid);
	expect(&o, 0, NULL);
	log_is(&app, FIRST);
	check(log_number(&app, "detach", "seen=") > 0, "the tool saw no HIP call");
	o = run_all("detach -p %s", app.pid);
	expect(&o, 3, NULL);
	log_is(&app, FIRST);
	app_end(&app);
}

/* The one who attached is gone; its tool records on until somebody detaches, or attaches. */
static void run_killed(const void *next)
{
	struct app app = app_start("ready", "threads=3", ATTACHABLE);
	struct run run = attach_start(&app, INPUT_PIPE, "--kernel-trace");
	struct outcome o;

	kill(run.pid, SIGKILL);
	o = run_end(&run, 5000);
	check(o.status == 128 + SIGKILL, "roclatch ended with %d", o.status);
	go_on(&app.t);
	check(!app_traced(&app), "a thread is traced");
	log_is(&app, WHILE);
	if (!strcmp(next, "detach")) {
		o = run_all("detach -p %s", app.pid);
		expect(&o, 0, NULL);
		log_is(&app, FIRST);
	}
	o = run_all("attach -p %s -d %s -o out --kernel-trace --attach-duration-msec 100", app.pid, app.output);
	expect(&o, 0, NULL);
	log_is(&app, FIRST " attach detach");
	app_end(&app);
}

/* A detach that waits for what a killed roclatch has begun is no time-out when it is told to stop. */
static void run_stopped_waiting(const void *unused)
{
	struct app app = app_start("ready", "threads=1", ATTACHABLE);
	struct run run;
	struct outcome o;

	(void)unused;
	run = attach_detaching_slowly(&app);
	kill(run.pid, SIGKILL);
	run_end(&run, 5000);
	run = run_start(INPUT_NULL, "detach -p %s", app.pid);
	sleep_ms(700);
	kill(run.pid, SIGINT);
	o = run_end(&run, 20000);
	check(o.status == 128 + SIGINT || (slow_machine() && o.status == 3), "roclatch ended with %d: %s", o.status, o.err);
	check(log_waits_for(&app, "detach", 1, 10000), "the tool never detached");
	app_end(&app);
}

/* Wherever that happens: the target lives, is nobody's, and can be attached. */
static void run_killed_anywhere(const void *environment)
{
	struct app app = app_start("ready", "threads=2", environment);
	int64_t begun = now_ns();
	struct outcome o = run_all("attach -p %s -d %s -o out --kernel-trace --attach-duration-msec 1", app.pid, app.output);
	int64_t whole = now_ns() - begun;
	unsigned kills = rounds(40);

	expect(&o, 0, NULL);
	for (unsigned i = 0; i < kills && !failed(); i++) {
		struct run run = run_start(INPUT_NULL, "attach -p %s -d %s -o out --kernel-trace --attach-duration-msec 1", app.pid,
			app.output);
		struct timespec until = { 0, (long)(whole * i / kills % 1000000000) };

		nanosleep(&until, NULL);
		kill(run.pid, SIGKILL);
		run_end(&run, 5000);
		go_on(&app.t);
		check(!app_traced(&app), "a thread is traced after kill %u", i);
		if (i % 2) {
			o = run_all("detach -p %s", app.pid);
			check(o.status == 0 || o.status == 3, "detach after kill %u ended with %d: %s", i, o.status, o.err);
		}
		o = run_all("attach -p %s -d %s -o out --kernel-trace --attach-duration-msec 1", app.pid, app.output);
		expect(&o, 0, NULL);
	}
	check(!log_waits_for(&app, "init", 2, 0), "the tool was initialised again");
	app_end(&app);
}

static void run_owned(const void *unused)
{
	struct app app = app_start("ready", NULL, ATTACHABLE);
	struct run run = attach_start(&app, INPUT_PIPE, "--kernel-trace");
	struct outcome o;

	(void)unused;
	o = run_all("attach -p %s -d %s -o out --kernel-trace --attach-duration-msec 100", app.pid, app.output);
	expect(&o, 3, NULL);
	o = run_all("detach -p %s --dry-run", app.pid);
	expect(&o, 3, NULL);
	expect_said(&o, "another roclatch");
	log_is(&app, WHILE);
	dprintf(run.in, "\n");
	o = run_end(&run, 20000);
	expect(&o, 0, NULL);
	log_is(&app, FIRST);
	app_end(&app);
}

static void run_nothing(const void *environment)
{
	struct app app = app_start("ready", NULL, environment);
	struct snapshot before = look(&app.t, 0), after;
	struct outcome o = run_all("detach -p %s", app.pid);

	expect(&o, 3, NULL);
	o = run_all("detach -p %s --dry-run", app.pid);
	expect(&o, 3, NULL);
	o = run_all("detach -p %s --json", app.pid);
	expect(&o, 3, NULL);
	check(strstr(o.out, "\"attached\":false") && strstr(o.out, "\"detached_at_ns\":0,"), "it said: %s", o.out);
	o = run_all("detach -p %s --on borrowed", app.pid);
	expect(&o, 2, NULL);
	after = look(&app.t, 0);
	compare(&before, &after, 0);
	app_end(&app);
}

/* Whenever it comes: either nothing was loaded, or it was attached and is detached. */
static void run_early_stop(const void *unused)
{
	unsigned before = 0, after = 0;

	(void)unused;
	for (unsigned ms = 0; ms < (slow_machine() ? 400 : 40) && !failed(); ms += slow_machine() ? 100 : 2) {
		struct app app = app_start("ready", "threads=1", ATTACHABLE);
		struct run run = run_start(INPUT_NULL, "attach -p %s -d %s -o out --kernel-trace", app.pid, app.output);
		struct outcome o;

		sleep_ms(ms);
		kill(run.pid, SIGINT);
		o = run_end(&run, 30000);
		if (o.status == 0) {
			after++;
			log_is(&app, "configure configure_attach init attach detach");
		} else {
			before++;
			check(o.status == 128 + SIGINT, "after %u ms it ended with %d: %s", ms, o.status, o.err);
			check(!app_maps(&app, "librocprofiler-sdk.so"), "after %u ms the SDK was loaded all the same", ms);
		}
		unharmed(!app_traced(&app), "the program is still traced");
		app_end(&app);
	}
	check(before > 0, "no signal came before the attach (%u after it)", after);
}

void add_rocm_end_tests(void)
{
	static const enum input closed = INPUT_CLOSED, null = INPUT_NULL;
	static const struct way enter = { .input = INPUT_PIPE, .words = "--kernel-trace", .enter = true };
	static const struct way interrupt = { .input = INPUT_PIPE, .words = "--kernel-trace", .signo = SIGINT };
	static const struct way terminate = { .input = INPUT_PIPE, .words = "--kernel-trace", .signo = SIGTERM };
	static const struct way end = { .input = INPUT_PIPE, .words = "--kernel-trace", .close = true };

	add(MIXED, run_way, &enter, "Enter detaches");
	add(MIXED, run_way, &interrupt, "SIGINT detaches");
	add(MIXED, run_way, &terminate, "SIGTERM detaches");
	add(MIXED, run_early_stop, NULL, "a signal before the attach leaves the target untouched, one during it is followed by detach");
	add(MIXED, run_way, &end, "the end of a pipe as input detaches");
	add(MIXED, run_not_ended, &closed, "a closed input does not detach");
	add(MIXED, run_not_ended, &null, "an input from nowhere does not detach");
	add(MIXED, run_stopped, NULL, "a process that is stopped when its recording ends is detached when it goes on");
	add(MIXED, run_duration, NULL, "a duration ends the attachment, and not before");
	add(MIXED, run_duration, "", "the end of a pipe as input does not shorten a duration");
	add(MIXED, run_exit, "exit 42", "a target that exits while attached is reported, with its own status and the tool finalised");
	add(MIXED, run_exit, NULL, "a target that is killed while attached is reported");
	add(MIXED, run_keep, ATTACHABLE, "a second roclatch detaches what the first has kept attached, once");
	add(MIXED, run_keep, NO_LISTENER, "a second roclatch detaches without a listener thread");
	add(MIXED, run_killed, "detach", "after kill -9 of roclatch detach works, and attach after it");
	add(MIXED, run_killed, "attach", "after kill -9 of roclatch attach detaches first and attaches again");
	add(MIXED, run_stopped_waiting, NULL, "a signal to a detach that waits for a killed roclatch's call is told by the status");
	add(ALONE, run_killed_anywhere, ATTACHABLE, "kill -9 of roclatch at any time of attach and detach leaves a target that can be attached");
	add(SLEEPERS, run_killed_anywhere, NO_LISTENER, "kill -9 of roclatch at any time leaves a target without a listener attachable");
	add(MIXED, run_owned, NULL, "a target that a living roclatch has attached is refused");
	add(MIXED, run_nothing, ATTACHABLE, "detach of a target that was never attached is refused and touches nothing");
	add(MIXED, run_nothing, "", "detach of a target that cannot be attached is refused and touches nothing");
}
