// SPDX-License-Identifier: MIT
/* Attach and detach: what the tool is told, in which order, with which variables, and what the target notices. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "rocm_made.h"

#define FIRST "configure configure_attach init attach detach"

static struct outcome attach_for(const struct app *app, const char *more)
{
	return run_all("attach -p %s -d %s -o out --attach-duration-msec 200 %s", app->pid, app->output, more);
}

static void run_once(const void *environment)
{
	struct app app = app_start("ready", "threads=4", environment);
	pid_t listener = app_listener(app.t.pid);
	unsigned threads = threads_of(&app.t);
	struct outcome o = attach_for(&app, "--kernel-trace -f csv");

	expect(&o, 0, NULL);
	log_is(&app, FIRST);
	check(log_number(&app, "detach", "seen=") > 0, "the tool saw no HIP call");
	check(app_listener(app.t.pid) == listener, "the listener thread has changed");
	/* the SDK's own thread, and none of ours */
	check(threads_of(&app.t) == threads + 1, "there were %u threads and are %u", threads, threads_of(&app.t));
	check(!app_traced(&app), "a thread is traced after the end");
	expect_said(&o, "librocprofiler-sdk-tool");
	app_end(&app);
}

static void run_twice(const void *environment)
{
	struct app app = app_start("ready", "threads=2", environment);
	struct outcome o = attach_for(&app, "--kernel-trace");

	expect(&o, 0, NULL);
	for (unsigned i = 0; i < 2; i++) {
		o = attach_for(&app, "--kernel-trace");
		expect(&o, 0, NULL);
		check(log_number(&app, "detach", "seen=") > 0, "the tool saw no HIP call the next time");
	}
	log_is(&app, FIRST " attach detach attach detach");
	app_end(&app);
}

static const struct { const char *name, *value; } sent[] = {
	{ "ROCPROFILER_LIBRARY_CTOR", "1" },
	{ "ROCPROFILER_REGISTER_TOOL_ATTACHED", "1" },
	{ "ROCPROF_COUNTERS", "pmc: SQ_WAVES GRBM_COUNT" },
	{ "ROCPROF_COUNTER_COLLECTION", "1" },
	{ "ROCPROF_HIP_COMPILER_API_TRACE", "1" },
	{ "ROCPROF_HIP_EVENT_TRACE", "1" },
	{ "ROCPROF_HIP_GRAPH_TRACE", "1" },
	{ "ROCPROF_HIP_RUNTIME_API_TRACE", "1" },
	{ "ROCPROF_KERNEL_TRACE", "1" },
	{ "ROCPROF_OUTPUT_FILE_NAME", "out" },
	{ "ROCPROF_OUTPUT_FORMAT", "csv,json" },
	{ "ROCPROF_STAND_IN", "of the caller" },
	{ "ROCPROFILER_REGISTER_LIBRARY", NULL },
	{ "ROCPROF_MARKER_API_TRACE", NULL },
	{ "ROCPROF_HSA_CORE_API_TRACE", NULL },
};

static void run_variables(const void *unused)
{
	struct app app = app_start("ready", NULL, ATTACHABLE);
	struct outcome o;

	(void)unused;
	setenv("ROCPROF_STAND_IN", "of the caller", 1);
	setenv("ROCPROFILER_REGISTER_LIBRARY", "/nowhere", 1);
	setenv("ROCP_TOOL_LIBRARIES", "/nowhere", 1);
	o = attach_for(&app, "--hip-trace --kernel-trace -f csv json --pmc SQ_WAVES GRBM_COUNT");
	expect(&o, 0, NULL);
	log_is(&app, FIRST);
	for (size_t i = 0; i < sizeof(sent) / sizeof(sent[0]); i++) {
		log_variable(&app, "init", sent[i].name, sent[i].value);
		log_variable(&app, "attach", sent[i].name, sent[i].value);
	}
	log_variable(&app, "attach", "ROCPROF_OUTPUT_PATH", app.output);
	app_answers(&app, "env ROCP_TOOL_LIBRARIES", "(null)");
	app_answers(&app, "env ROCPROFILER_REGISTER_LIBRARY", "(null)");
	app_answers(&app, "env ROCLATCH_ATTACHED", "(null)");
	app_end(&app);
}

/* A child made while the tool is attached must not be told to load it. */
static void run_inherited(const void *unused)
{
	struct app app = app_start("ready", NULL, ATTACHABLE);
	struct run run = attach_start(&app, INPUT_PIPE, "--kernel-trace");
	struct outcome o;
	char text[8192], *at;
	const char *answer;

	(void)unused;
	app_answers(&app, "env ROCP_TOOL_LIBRARIES", "(null)");
	answer = app_ask(&app, "exec");
	require(answer && atoi(answer) > 0, "no child");
	require(read_text(text, sizeof(text), "/proc/%d/environ", atoi(answer)), "cannot read the child's environment");
	for (at = text; *at; at += strlen(at) + 1)
		check(strncmp(at, "ROCP_TOOL_LIBRARIES=", 20), "the child inherited %s", at);
	dprintf(run.in, "\n");
	o = run_end(&run, 20000);
	expect(&o, 0, NULL);
	app_end(&app);
}

/* What was there before is there again. */
static void run_had_tools(const void *unused)
{
	struct app app = app_start("ready", NULL, ATTACHABLE);
	struct outcome o;

	(void)unused;
	app_answers(&app, "set ROCP_TOOL_LIBRARIES=/of/the/program.so", "0");
	o = attach_for(&app, "--kernel-trace");
	expect(&o, 0, NULL);
	app_answers(&app, "env ROCP_TOOL_LIBRARIES", "/of/the/program.so");
	app_end(&app);
}

static unsigned signals_sent;

static bool has_handled_all(const struct target *target)
{
	return atomic_load(&target->record->handled) >= signals_sent;
}

static void run_free(const void *environment)
{
	struct app app = app_start("ready", "threads=4", environment);
	struct run run = attach_start(&app, INPUT_PIPE, "--kernel-trace");
	struct outcome o;
	unsigned handled;

	signals_sent = handled = atomic_load(&app.t.record->handled);
	for (unsigned i = 0; i < 20; i++) {
		check(!app_traced(&app), "a thread is traced while the tool is attached");
		signals_sent++;
		kill(app.t.pid, i % 2 ? SIGUSR1 : SIGWINCH);
		wait_until(has_handled_all, &app.t, 2000);      /* of two at a time one would be lost */
	}
	check(atomic_load(&app.t.record->handled) == handled + 20, "20 signals sent, %u arrived",
		atomic_load(&app.t.record->handled) - handled);
	go_on(&app.t);
	check(run_goes_on(&run), "roclatch did not wait");
	dprintf(run.in, "\n");
	o = run_end(&run, 20000);
	expect(&o, 0, NULL);
	log_is(&app, FIRST);
	app_end(&app);
}

/* The threads that call HIP are never held for long: the tool's detach takes three seconds, their rounds a millisecond. */
static void run_slow(const void *unused)
{
	struct app app = app_start("ready", "threads=2", ATTACHABLE);
	struct run run;
	struct outcome o;
	uint64_t before;

	(void)unused;
	run = attach_detaching_slowly(&app);
	before = atomic_load(&app.t.record->spins);
	for (int64_t end = now_ns() + INT64_C(2000000000); atomic_load(&app.t.record->spins) <= before + 50 && now_ns() < end;)
		sleep_ms(10);
	check(atomic_load(&app.t.record->spins) > before + 50, "the target made %llu rounds while the tool detached",
		(unsigned long long)(atomic_load(&app.t.record->spins) - before));
	check(run_goes_on(&run), "roclatch did not wait for the tool");
	/* impatience must not tear the call apart */
	kill(run.pid, SIGINT);
	kill(run.pid, SIGINT);
	o = run_end(&run, 20000);
	check(o.status == 0 || o.status == 130, "roclatch ended with %d: %s", o.status, o.err);
	check(log_waits_for(&app, "detach", 1, 10000), "the tool never detached");
	log_is(&app, FIRST);
	go_on(&app.t);
	o = run_all("attach -p %s -d %s -o out --attach-duration-msec 100 --kernel-trace -t %s", app.pid, app.output,
		    app_path("tools/libslow.so"));
	expect(&o, 0, NULL);
	app_end(&app);
}

/* Its own root has another folder for the output than ours. */
static void run_confined(const void *with)
{
	struct start how = *(const struct start *)with;
	struct app app;
	struct outcome o;

	how.state = "ready";
	how.environment = ATTACHABLE;
	app = app_start_as(&how);
	if (how.change_root) {
		app_forget(&app);
		snprintf(app.output, sizeof(app.output), "%s/root-rocm/inside-%s", options.fixtures, app.pid);
	}
	o = run_all("attach -p %s -d %s -o out --kernel-trace --attach-duration-msec 100 --collect %s", app.pid,
		how.change_root ? strrchr(app.output, '/') : app.output, into_make());
	into_forget();
	expect(&o, 0, NULL);
	log_is(&app, FIRST);
	app_end(&app);
}

/* As with PyTorch's wheels, whose register nobody uses. */
static void run_second_register(const void *unused)
{
	struct app app = app_start("ready", NULL, ATTACHABLE);
	char order[4200];
	struct outcome o;

	(void)unused;
	snprintf(order, sizeof(order), "load %s", app_path("nosdk/librocprofiler-register.so.0"));
	app_answers(&app, order, "0");
	check(app_maps(&app, "nosdk/librocprofiler-register.so.0.6.0"), "there is no second register");
	o = attach_for(&app, "--kernel-trace");
	expect(&o, 0, NULL);
	log_is(&app, FIRST);
	app_end(&app);
}

void add_rocm_attach_tests(void)
{
	static const struct start root = { .change_root = true }, user = { .uid = 65534 }, names = { .new_namespaces = true };

	add(MIXED, run_once, ATTACHABLE, "attach calls the tool in the documented order and leaves no thread behind");
	add(MIXED, run_once, NO_LISTENER, "attach works with an SDK that has no listener thread");
	add(MIXED, run_twice, ATTACHABLE, "a second and third attach do not configure the tool again");
	add(MIXED, run_twice, NO_LISTENER, "a second and third attach work without a listener thread");
	add(MIXED, run_variables, NULL, "attach makes those variables arrive that rocprofv3 would send");
	add(MIXED, run_inherited, NULL, "a child born while attached does not inherit the tool");
	add(MIXED, run_had_tools, NULL, "the target's own ROCP_TOOL_LIBRARIES is there again after attach");
	add(MIXED, run_free, ATTACHABLE, "while attached no thread is traced and every signal arrives");
	add(MIXED, run_free, NO_LISTENER, "while attached without a listener no thread is traced and every signal arrives");
	add(MIXED, run_slow, NULL, "the target computes on while the tool takes three seconds to detach");
	add(MIXED, run_confined, &root, "attach works on a target in a chroot");
	add(MIXED, run_confined, &user, "attach works on a target of another user");
	add(MIXED, run_confined, &names, "attach works on a target in mount and pid namespaces");
	add(MIXED, run_second_register, NULL, "attach uses the register that the runtimes use, of two that are mapped");
}
