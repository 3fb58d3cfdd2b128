// SPDX-License-Identifier: MIT
/* roclatch's own tool in the target, from the attach to the files that are made of its log. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "rocm_list.h"
#include "rocm_made.h"

#define KINDS "--kernel-trace --memory-copy-trace --memory-allocation-trace --scratch-memory-trace --rccl-trace"

static const struct { const char *kind, *table; } tables[] = {
	{ "KERNEL_DISPATCH", "out_kernel_trace.csv" }, { "MEMORY_COPY", "out_memory_copy_trace.csv" },
	{ "MEMORY_ALLOCATION", "out_memory_allocation_trace.csv" }, { "SCRATCH_MEMORY", "out_scratch_memory_trace.csv" },
	{ "RCCL_API", "out_rccl_api_trace.csv" },
};

static void run_whole(const void *environment)
{
	struct app app = app_start("ready", "threads=2", environment);
	struct run run = own_record(&app, KINDS " -f csv json rocpd html");
	struct outcome o;

	own_emit(&app, "emit all 300 7");
	own_emit(&app, "emit-threads 4 500 11");
	o = own_finish(&run);
	expect(&o, 0, NULL);
	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) {
		long sent = sdk_delivered(&app, tables[i].kind), got = made_rows(&app, tables[i].table);

		check(sent > 300 && sent == got, "%ld of %s were delivered, %ld are in %s", sent, tables[i].kind, got, tables[i].table);
	}
	made_there(&app, "out_results.json", true);
	made_there(&app, "out_results.db", true);
	made_there(&app, "out_results.html", true);
	made_there(&app, "out.rlog", false);
	expect_said(&o, "out_results.html");
	check(!app_traced(&app), "a thread is traced after the end");
	app_end(&app);
}

static void run_keep_log(const void *unused)
{
	struct app app = app_start("ready", "threads=1", ATTACHABLE);
	struct run run = own_record(&app, "--kernel-trace -f json --keep-log");
	struct outcome o;

	(void)unused;
	own_emit(&app, "emit KERNEL_DISPATCH 100 1");
	o = own_finish(&run);
	expect(&o, 0, NULL);
	made_there(&app, "out.rlog", true);
	made_there(&app, "out_results.json", true);
	o = run_all("convert %s/out.rlog -f csv", app.output);
	expect(&o, 0, NULL);
	check(made_rows(&app, "out_kernel_trace.csv") == sdk_delivered(&app, "KERNEL_DISPATCH"), "%ld kernels in the log, %ld were delivered",
		made_rows(&app, "out_kernel_trace.csv"), sdk_delivered(&app, "KERNEL_DISPATCH"));
	app_end(&app);
}

/* Its name is taken each time: nothing is written over. */
static void run_again(const void *unused)
{
	struct app app = app_start("ready", "threads=2", ATTACHABLE);
	char name[64];

	(void)unused;
	for (unsigned i = 0; i < 10; i++) {
		struct outcome o = run_all("attach -p %s -t roclatch --kernel-trace -d %s -o out -f csv json --attach-duration-msec 100", app.pid,
			app.output);

		expect(&o, 0, NULL);
		snprintf(name, sizeof(name), i ? "out_%u_results.json" : "out_results.json", i);
		made_there(&app, name, true);
		snprintf(name, sizeof(name), i ? "out_%u_agent_info.csv" : "out_agent_info.csv", i);
		made_there(&app, name, true);
		made_there(&app, "out.rlog", false);
	}
	made_there(&app, "out_10_results.json", false);
	app_end(&app);
}

/* The file is named by what the first roclatch asked for, and made by the second. */
static void run_kept(const void *with)
{
	const char *late = with;
	struct app app = app_start("ready", "threads=2", *late ? OLD_SDK : ATTACHABLE);
	struct outcome o = run_all("attach -p %s %s --hip-trace -d %s -o out -f csv html --keep", app.pid, *late ? late : "-t roclatch", app.output);

	expect(&o, 0, NULL);
	expect_said(&o, "out.rlog");
	made_there(&app, "out.rlog", true);
	sleep_ms(patient(300));
	o = run_all("detach -p %s", app.pid);
	expect(&o, 0, NULL);
	expect_said(&o, "out_hip_api_trace.csv");
	check(made_rows(&app, "out_hip_api_trace.csv") > 10, "%ld calls of HIP", made_rows(&app, "out_hip_api_trace.csv"));
	made_there(&app, "out_results.html", true);
	made_there(&app, "out_results.db", false);
	made_there(&app, "out.rlog", false);
	o = run_all("detach -p %s", app.pid);
	expect(&o, 3, NULL);
	check(!strstr(o.err, "recorded"), "something was recorded, where nothing was attached: %s", o.err);
	app_end(&app);
}

/* A new attach ends it; where its records are is told. */
static void run_kept_attached(const void *with)
{
	const char *late = with;
	struct app app = app_start("ready", "threads=2", *late ? OLD_SDK : ATTACHABLE);
	struct outcome o = run_all("attach -p %s %s --hip-trace -d %s -o first --keep", app.pid, *late ? late : "-t roclatch", app.output);
	char told[700];

	expect(&o, 0, NULL);
	go_on(&app.t);
	o = run_all("attach -p %s %s --hip-trace -d %s -o next --attach-duration-msec 100", app.pid, *late ? late : "-t roclatch", app.output);
	expect(&o, 0, NULL);
	snprintf(told, sizeof(told), "its log is kept: roclatch convert %s/first.rlog", app.output);
	expect_said(&o, told);
	made_there(&app, "first.rlog", true);
	o = run_all("convert %s/first.rlog", app.output);
	expect(&o, 0, NULL);
	o = run_all("attach -p %s %s --hip-trace -d %s -o next --attach-duration-msec 100", app.pid, *late ? late : "-t roclatch", app.output);
	expect(&o, 0, NULL);
	check(!strstr(o.err, "its log is kept"), "an earlier recording is told where there was none: %s", o.err);
	app_end(&app);
}

/* What is less than was asked for makes no files, and that is told. */
static void run_small(const void *unused)
{
	struct app app = app_start("ready", "threads=1", ATTACHABLE);
	struct outcome o = run_all("attach -p %s -t roclatch --kernel-trace -d %s -o out -f csv html --minimum-output-data 100000 "
		"--attach-duration-msec 100", app.pid, app.output);

	(void)unused;
	expect(&o, 0, NULL);
	expect_said(&o, "--minimum-output-data");
	made_there(&app, "out_agent_info.csv", false);
	made_there(&app, "out_results.html", false);
	app_end(&app);
}

static void run_late(const void *environment)
{
	struct app app = app_start("ready", "threads=2", environment);

	for (unsigned i = 0; i < 2; i++) {
		struct outcome o = run_all("attach -p %s --late --hip-trace -d %s -o out -f csv --attach-duration-msec 300", app.pid, app.output);
		const char *table = i ? "out_1_hip_api_trace.csv" : "out_hip_api_trace.csv";

		expect(&o, 0, NULL);
		check(made_rows(&app, table) > 10, "%ld calls of HIP in %s", made_rows(&app, table), table);
		made_there(&app, "out.rlog", false);
	}
	app_end(&app);
}

/* A child that goes on without exec must not write into its parent's log. */
static void run_forked(const void *unused)
{
	struct app app = app_start("ready", "threads=1", ATTACHABLE);
	struct run run = own_record(&app, "--kernel-trace -f csv");
	const char *answer;
	struct outcome o;
	int child;

	(void)unused;
	own_emit(&app, "emit KERNEL_DISPATCH 200 5");
	answer = app_ask(&app, "fork");
	child = answer ? atoi(answer) : 0;
	require(child > 0, "no child");
	own_emit(&app, "emit KERNEL_DISPATCH 200 6");
	o = own_finish(&run);
	expect(&o, 0, NULL);
	check(made_rows(&app, "out_kernel_trace.csv") == sdk_delivered(&app, "KERNEL_DISPATCH"), "%ld kernels, %ld were delivered",
		made_rows(&app, "out_kernel_trace.csv"), sdk_delivered(&app, "KERNEL_DISPATCH"));
	kill(child, SIGKILL);
	app_end(&app);
}

/* AMD's tool writes a database; here another hand does. */
static void write_database(const struct app *app, const char *name, const char *kind, int status)
{
	struct outcome o;
	char order[8192];

	snprintf(order, sizeof(order), "rm -f %s/made.rlog; %s/../tests/make_log %s/made.rlog %s", app->output, options.fixtures, app->output,
		kind);
	require(!system(order), "%s", order);
	o = run_all("convert %s/made.rlog -o %s -f rocpd", app->output, name);
	expect(&o, status, NULL);
}

static void run_page(const void *unused)
{
	struct app app = app_start("ready", "threads=2", ATTACHABLE);
	struct run run = attach_start(&app, INPUT_PIPE, "--hip-trace -f rocpd html");
	struct outcome o;

	(void)unused;
	log_variable(&app, "attach", "ROCPROF_OUTPUT_FORMAT", "rocpd");
	log_variable(&app, "attach", "ROCPROF_ROCLATCH_LOG", NULL);
	log_variable(&app, "attach", "ROCPROF_ATTACH_OUTPUT_GENERATION_SYNC", "1");
	write_database(&app, "out_3", "", 0);
	/* of other processes, and newer */
	write_database(&app, "out3", "", 0);
	write_database(&app, "out_33_b", "", 0);
	o = own_finish(&run);
	expect(&o, 0, NULL);
	made_there(&app, "out_3_results.html", true);
	expect_said(&o, "out_3_results.html");
	o = run_all("attach -p %s -d %s -o other --hip-trace -f rocpd html --attach-duration-msec 100", app.pid, app.output);
	expect(&o, 7, NULL);
	expect_said(&o, "no database");
	app_end(&app);
}

static void run_damaged_page(const void *kind)
{
	struct app app = app_start("ready", "threads=1", ATTACHABLE);
	struct run run = attach_start(&app, INPUT_PIPE, "--hip-trace -f rocpd html");
	struct outcome o;

	write_database(&app, "out", kind, 7);
	o = own_finish(&run);
	expect(&o, 7, NULL);
	made_there(&app, "out_results.html", true);
	app_end(&app);
}

struct refusal { const char *options, *said; };

static void run_refused(const void *with)
{
	const struct refusal *r = with;
	struct app app = app_start("ready", "threads=1", ATTACHABLE);
	struct snapshot before = look(&app.t, 0), after;
	struct outcome o = run_all("attach -p %s -d %s -o out --attach-duration-msec 100 %s", app.pid, app.output, r->options);

	check(o.status == 2 || o.status == 3, "status %d: %s", o.status, o.err);
	expect_said(&o, r->said);
	after = look(&app.t, 0);
	compare(&before, &after, 0);
	app_end(&app);
}

/* Several at once: each has its own files, and the status tells of all. */
static void run_many(const void *unused)
{
	struct app one = app_start("ready", "threads=1", ATTACHABLE), two = app_start("ready", "threads=1", ATTACHABLE);
	struct outcome o = run_all("attach -p %s -p %s -t roclatch --hip-trace -d %s -o run-%%pid%% -f csv --attach-duration-msec 400 --json",
		one.pid, two.pid, one.output);
	char name[64];

	(void)unused;
	check(o.status == 0, "status %d: %s", o.status, o.err);
	for (unsigned i = 0; i < 2; i++) {
		snprintf(name, sizeof(name), "run-%s_hip_api_trace.csv", i ? two.pid : one.pid);
		check(made_rows(&one, name) > 10, "%ld rows in %s", made_rows(&one, name), name);
	}
	app_end(&one);
	app_end(&two);
}

/* What --sys-trace implies and the own tool leaves out is no reason against the next attachment. */
static void run_checked_again(const void *unused)
{
	struct app app = app_start("ready", "threads=1", ATTACHABLE);
	struct outcome o = run_all("attach -p %s -t roclatch --sys-trace -d %s -o out -f json --attach-duration-msec 100", app.pid, app.output);
	char *text;

	(void)unused;
	expect(&o, 0, NULL);
	o = run_all("check %s", app.pid);
	expect(&o, 0, NULL);
	text = list_of("");
	list_has(list_row(text, app.t.pid), "  now", "one that was attached before");
	free(text);
	app_end(&app);
}

/* At the begin, by the names of the options; and where the log is converted later, by what the log says. */
static void run_left_out(const void *unused)
{
	struct app app = app_start("ready", "threads=1", ATTACHABLE);
	struct outcome o = run_all("attach -p %s --own-tool --sys-trace -d %s -o out -f json --keep-log --attach-duration-msec 100", app.pid,
		app.output);

	(void)unused;
	expect(&o, 0, NULL);
	expect_said(&o, "without what only AMD's tool records: --ompt-trace");
	expect_said(&o, "the log is ");
	check(!strstr(o.err, "ROCPROF_KFD_QUEUE_TRACE"), "what is left out was told twice: %s", o.err);
	o = run_all("convert %s/out.rlog -f csv", app.output);
	expect(&o, 0, NULL);
	expect_said(&o, "ROCPROF_KFD_QUEUE_TRACE");
	app_end(&app);
}

void add_rocm_tool_tests(void)
{
	static const struct refusal sampling = { "-t roclatch --pc-sampling-beta-enabled --pc-sampling-unit time "
		"--pc-sampling-method host_trap --pc-sampling-interval 1", "AMD's tool" };
	static const struct refusal otf2 = { "-t roclatch -f otf2", "otf2" };
	static const struct refusal named = { "-t roclatch --sys-trace --kfd-queue-trace", "--kfd-queue-trace" };
	static const struct refusal none = { "-t roclatch -f csv", "nothing would be recorded" };
	static const struct refusal page = { "-f html --hip-trace", "-t roclatch" };

	add(MIXED, run_whole, ATTACHABLE, "roclatch's own tool records all that the SDK delivers, and all formats are made of it");
	add(MIXED, run_whole, NO_LISTENER, "roclatch's own tool records all without a listener thread too");
	add(MIXED, run_keep_log, NULL, "the own tool's log is kept on request and converts again");
	add(MIXED, run_again, NULL, "ten recordings with one name write nothing over");
	add(MIXED, run_checked_again, NULL, "after a recording of all kinds with the own tool, check and list say that it can be attached");
	add(MIXED, run_left_out, NULL, "what the own tool leaves out of --sys-trace is told once");
	add(MIXED, run_small, NULL, "the own tool's recording makes no files when it is smaller than asked for");
	add(MIXED, run_kept_attached, "", "what an attach ends that another roclatch has left recording is told");
	add(MIXED, run_kept_attached, "--late", "what a late attach ends that another roclatch has left recording is told");
	add(MIXED, run_kept, "", "what one roclatch records with the own tool a second one ends and converts");
	add(MIXED, run_kept, "--late", "what one roclatch records late with the own tool a second one ends and converts");
	add(MIXED, run_late, OLD_SDK, "late attach takes roclatch's own tool when none is named");
	add(MIXED, run_late, "", "late attach with the own tool works on a target with a newer SDK");
	add(MIXED, run_forked, NULL, "a forked child does not write into the log of the own tool");
	add(MIXED, run_many, NULL, "two targets are recorded with the own tool at once");
	add(MIXED, run_refused, &sampling, "the own tool refuses sampling that only AMD's tool can do");
	add(MIXED, run_refused, &otf2, "the own tool refuses otf2");
	add(MIXED, run_refused, &named, "the own tool refuses a trace that was named and that it cannot record");
	add(MIXED, run_refused, &none, "the own tool is not attached where nothing is asked for that it could record");
	add(MIXED, run_page, NULL, "a page is made of the database that another tool writes");
	add(MIXED, run_damaged_page, "damaged 3000", "a page of a database that says that it is damaged is told by the status");
	add(MIXED, run_damaged_page, "short", "a page of a database in which records are missing is told by the status");
	add(MIXED, run_refused, &page, "a page is refused where the tool in the target makes no database");
}
