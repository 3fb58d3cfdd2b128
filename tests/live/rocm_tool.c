// SPDX-License-Identifier: MIT
/* roclatch's own tool in the target, from the attach to the files that are made of its log. */
#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "rocm.h"

#define KINDS "--kernel-trace --memory-copy-trace --memory-allocation-trace --scratch-memory-trace --rccl-trace"
#define SEEN_MS 20000

/* ---- what lies in the folder --------------------------------------------------------------- */

static bool is_there(const struct app *app, const char *name)
{
	char path[1024];

	snprintf(path, sizeof(path), "%s/%s", app->output, name);
	return !access(path, F_OK);
}

static void there(const struct app *app, const char *name, bool wanted)
{
	check(is_there(app, name) == wanted, "%s is %sthere", name, wanted ? "not " : "");
}

/* Rows of a table, without its head; -1: there is none.  No cell of those asked for has several lines. */
static long rows(const struct app *app, const char *name)
{
	char path[1024], buffer[65536];
	long n = -1;
	ssize_t got;
	int fd;

	snprintf(path, sizeof(path), "%s/%s", app->output, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	while ((got = read(fd, buffer, sizeof(buffer))) > 0)
		for (ssize_t i = 0; i < got; i++)
			n += buffer[i] == '\n';
	close(fd);
	return n;
}

/* How many of a kind the SDK has delivered, by its own word. */
static long delivered(const struct app *app, const char *kind)
{
	const char *answer = app_ask(app, "counts"), *at;
	size_t length = strlen(kind);

	for (at = answer; at && (at = strstr(at, kind)); at += length)
		if ((at == answer || at[-1] == ' ') && at[length] == '=')
			return atol(at + length + 1);
	return 0;
}

static void wait_for_log(const struct app *app, const char *name)
{
	for (unsigned ms = 0; !is_there(app, name); ms += 10) {
		require(ms < SEEN_MS, "there is no %s", name);
		sleep_ms(10);
	}
}

static struct run record(const struct app *app, const char *more)
{
	struct run run = run_start(INPUT_PIPE, "attach -p %s -t roclatch -d %s -o out %s", app->pid, app->output, more);

	wait_for_log(app, "out.rlog");
	/* the log is made before the services are started */
	for (unsigned ms = 0; !app_ask(app, "counts") && ms < SEEN_MS; ms += 10)
		sleep_ms(10);
	sleep_ms(slow_machine() ? 2000 : 300);
	return run;
}

static struct outcome finish(struct run *run)
{
	dprintf(run->in, "\n");
	return run_end(run, 120000);
}

static void emit(const struct app *app, const char *order)
{
	const char *answer = app_ask(app, "%s", order);

	require(answer && atol(answer) > 0, "%s: the SDK answered %s", order, answer ? answer : "nothing");
}

/* ---- tests --------------------------------------------------------------------------------- */

static const struct { const char *kind, *table; } tables[] = {
	{ "KERNEL_DISPATCH", "out_kernel_trace.csv" }, { "MEMORY_COPY", "out_memory_copy_trace.csv" },
	{ "MEMORY_ALLOCATION", "out_memory_allocation_trace.csv" }, { "SCRATCH_MEMORY", "out_scratch_memory_trace.csv" },
	{ "RCCL_API", "out_rccl_api_trace.csv" },
};

static void run_whole(const void *environment)
{
	struct app app = app_start("ready", "threads=2", environment);
	struct run run = record(&app, KINDS " -f csv json rocpd html");
	struct outcome o;

	emit(&app, "emit all 300 7");
	emit(&app, "emit-threads 4 500 11");
	o = finish(&run);
	expect(&o, 0, NULL);
	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) {
		long sent = delivered(&app, tables[i].kind), got = rows(&app, tables[i].table);

		check(sent > 300 && sent == got, "%ld of %s were delivered, %ld are in %s", sent, tables[i].kind, got, tables[i].table);
	}
	there(&app, "out_results.json", true);
	there(&app, "out_results.db", true);
	there(&app, "out_results.html", true);
	there(&app, "out.rlog", false);
	expect_said(&o, "out_results.html");
	check(!app_traced(&app), "a thread is traced after the end");
	app_end(&app);
}

static void run_keep_log(const void *unused)
{
	struct app app = app_start("ready", "threads=1", ATTACHABLE);
	struct run run = record(&app, "--kernel-trace -f json --keep-log");
	struct outcome o;

	(void)unused;
	emit(&app, "emit KERNEL_DISPATCH 100 1");
	o = finish(&run);
	expect(&o, 0, NULL);
	there(&app, "out.rlog", true);
	there(&app, "out_results.json", true);
	o = run_all("convert %s/out.rlog -f csv", app.output);
	expect(&o, 0, NULL);
	check(rows(&app, "out_kernel_trace.csv") == delivered(&app, "KERNEL_DISPATCH"), "%ld kernels in the log, %ld were delivered",
		rows(&app, "out_kernel_trace.csv"), delivered(&app, "KERNEL_DISPATCH"));
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
		there(&app, name, true);
		snprintf(name, sizeof(name), i ? "out_%u_agent_info.csv" : "out_agent_info.csv", i);
		there(&app, name, true);
		there(&app, "out.rlog", false);
	}
	there(&app, "out_10_results.json", false);
	app_end(&app);
}

/* A target that is killed leaves a log that is found and converted. */
static void run_killed(const void *unused)
{
	struct app app = app_start("ready", "threads=2", ATTACHABLE);
	struct run run = record(&app, "--kernel-trace --hip-trace -f csv");
	struct outcome o;
	int status;

	(void)unused;
	emit(&app, "emit KERNEL_DISPATCH 2000 3");
	sleep_ms(1500);         /* the tool writes at least once a second */
	kill(app.t.pid, SIGKILL);
	waitpid(app.t.pid, &status, 0);
	o = run_end(&run, 60000);
	expect(&o, 4, NULL);
	expect_said(&o, "converted");
	check(rows(&app, "out_kernel_trace.csv") >= 2000, "%ld of 2000 kernels", rows(&app, "out_kernel_trace.csv"));
	there(&app, "out.rlog", false);
	app_forget(&app);
}

static void run_exits(const void *unused)
{
	struct app app = app_start("ready", "threads=2", ATTACHABLE);
	struct run run = record(&app, "--kernel-trace -f csv");
	struct outcome o;

	(void)unused;
	emit(&app, "emit KERNEL_DISPATCH 500 3");
	stop(&app.t);
	o = run_end(&run, 60000);
	expect(&o, 4, NULL);
	check(rows(&app, "out_kernel_trace.csv") >= 500, "%ld of 500 kernels", rows(&app, "out_kernel_trace.csv"));
	there(&app, "out.rlog", false);
	app_forget(&app);
}

/* The log may not become larger than this: as on a disk that is full. */
static void run_full(const void *unused)
{
	struct app app = app_start("ready", "threads=1", ATTACHABLE);
	const struct rlimit limit = { 1 << 20, 1 << 20 };
	struct run run;
	struct outcome o;

	(void)unused;
	require(!prlimit(app.t.pid, RLIMIT_FSIZE, &limit, NULL), "prlimit");
	run = record(&app, "--kernel-trace -f csv");
	emit(&app, "emit KERNEL_DISPATCH 20000 5");
	sleep_ms(1500);
	go_on(&app.t);          /* no SIGXFSZ reaches it */
	o = finish(&run);
	expect(&o, 7, NULL);
	expect_said(&o, "stopped early");
	check(rows(&app, "out_kernel_trace.csv") > 1000, "%ld kernels were saved", rows(&app, "out_kernel_trace.csv"));
	there(&app, "out.rlog", true);
	app_end(&app);
}

static void run_folder_removed(const void *unused)
{
	struct app app = app_start("ready", "threads=1", ATTACHABLE);
	struct run run = record(&app, "--kernel-trace -f csv");
	struct outcome o;
	char path[1024];

	(void)unused;
	snprintf(path, sizeof(path), "%s/out.rlog", app.output);
	unlink(path);
	rmdir(app.output);
	emit(&app, "emit KERNEL_DISPATCH 100 5");
	o = finish(&run);
	expect(&o, 7, NULL);
	expect_said(&o, "out.rlog");
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
	there(&app, "out.rlog", true);
	sleep_ms(300);
	o = run_all("detach -p %s", app.pid);
	expect(&o, 0, NULL);
	expect_said(&o, "out_hip_api_trace.csv");
	check(rows(&app, "out_hip_api_trace.csv") > 10, "%ld calls of HIP", rows(&app, "out_hip_api_trace.csv"));
	there(&app, "out_results.html", true);
	there(&app, "out_results.db", false);
	there(&app, "out.rlog", false);
	app_end(&app);
}

static void run_late(const void *environment)
{
	struct app app = app_start("ready", "threads=2", environment);

	for (unsigned i = 0; i < 2; i++) {
		struct outcome o = run_all("attach -p %s --late --hip-trace -d %s -o out -f csv --attach-duration-msec 300", app.pid, app.output);
		const char *table = i ? "out_1_hip_api_trace.csv" : "out_hip_api_trace.csv";

		expect(&o, 0, NULL);
		check(rows(&app, table) > 10, "%ld calls of HIP in %s", rows(&app, table), table);
		there(&app, "out.rlog", false);
	}
	app_end(&app);
}

/* A child that goes on without exec must not write into its parent's log. */
static void run_forked(const void *unused)
{
	struct app app = app_start("ready", "threads=1", ATTACHABLE);
	struct run run = record(&app, "--kernel-trace -f csv");
	const char *answer;
	struct outcome o;
	int child;

	(void)unused;
	emit(&app, "emit KERNEL_DISPATCH 200 5");
	answer = app_ask(&app, "fork");
	child = answer ? atoi(answer) : 0;
	require(child > 0, "no child");
	emit(&app, "emit KERNEL_DISPATCH 200 6");
	o = finish(&run);
	expect(&o, 0, NULL);
	check(rows(&app, "out_kernel_trace.csv") == delivered(&app, "KERNEL_DISPATCH"), "%ld kernels, %ld were delivered",
		rows(&app, "out_kernel_trace.csv"), delivered(&app, "KERNEL_DISPATCH"));
	kill(child, SIGKILL);
	app_end(&app);
}

/* Its folder is not ours: the files are made where the target sees it. */
static void run_inside(const void *with)
{
	struct start how = *(const struct start *)with;
	struct app app;
	struct outcome o;
	struct stat st;
	char path[1024];

	how.state = "ready";
	how.settings = "threads=1";
	how.environment = ATTACHABLE;
	app = app_start_as(&how);
	if (how.change_root) {
		char tool[4096];

		app_forget(&app);
		snprintf(app.output, sizeof(app.output), "%s/root-rocm/own-%s", options.fixtures, app.pid);
		snprintf(tool, sizeof(tool), "%s", strrchr(app.output, '/'));
		o = run_all("attach -p %s -t roclatch -d %s -o out --hip-trace --attach-duration-msec 100", app.pid, tool);
		expect(&o, 3, NULL);
		expect_said(&o, "-t");
		app_end(&app);
		return;
	}
	o = run_all("attach -p %s -t roclatch -d %s -o out -f csv rocpd html --hip-trace --attach-duration-msec 300", app.pid, app.output);
	expect(&o, 0, NULL);
	check(rows(&app, "out_hip_api_trace.csv") > 10, "%ld calls of HIP", rows(&app, "out_hip_api_trace.csv"));
	there(&app, "out_results.db", true);
	snprintf(path, sizeof(path), "%s/out_results.db", app.output);
	check(!stat(path, &st) && st.st_uid == how.uid, "the database belongs to %u and not to %u", (unsigned)st.st_uid, how.uid);
	app_end(&app);
}

/* A file system of its own over the target's folder: not to be seen from outside. */
static void cover(const struct app *app, const char *how)
{
	char path[64];
	int status;
	pid_t pid = fork();

	if (!pid) {
		snprintf(path, sizeof(path), "/proc/%d/ns/mnt", (int)app->t.pid);
		_exit(setns(open(path, O_RDONLY | O_CLOEXEC), CLONE_NEWNS) || mount("none", app->output, "tmpfs", 0, how));
	}
	require(waitpid(pid, &status, 0) == pid && !status, "cannot mount");
}

/* To remove its folder here while it is covered there would take the cover away. */
static void end_covered(const struct app *app)
{
	go_on(&app->t);
	stop(&app->t);
	rmdir(strstr(app->output, "/tmp/"));
}

static struct app start_covered(const char *how)
{
	struct app app = app_start_as(&(struct start){ .state = "ready", .settings = "threads=1", .environment = ATTACHABLE,
						       .new_namespaces = true });
	char inside[sizeof(app.output)];

	cover(&app, how);
	/* from now on the folder as the target sees it */
	snprintf(inside, sizeof(inside), "/proc/%d/root%.*s", (int)app.t.pid, (int)sizeof(inside) - 64, app.output);
	memcpy(app.output, inside, sizeof(inside));
	return app;
}

static void run_covered(const void *unused)
{
	struct app app = start_covered("size=64m");
	struct outcome o = run_all("attach -p %s -t roclatch -d %s -o out -f csv json pftrace rocpd html --hip-trace --attach-duration-msec 300",
		app.pid, strstr(app.output, "/tmp/"));

	(void)unused;
	expect(&o, 0, NULL);
	check(rows(&app, "out_hip_api_trace.csv") > 10, "%ld calls of HIP", rows(&app, "out_hip_api_trace.csv"));
	there(&app, "out_results.db", true);
	there(&app, "out_results.json", true);
	there(&app, "out_results.pftrace", true);
	there(&app, "out_results.html", true);
	there(&app, "out.rlog", false);
	check(!strstr(o.err, "/proc/"), "a path of ours was told: %s", o.err);
	end_covered(&app);
}

/* Nothing more goes on that disk: not the records, and not what is made of them. */
static void run_disk_full(const void *unused)
{
	struct app app = start_covered("size=1m");
	struct run run = run_start(INPUT_PIPE, "attach -p %s -t roclatch -d %s -o out -f csv rocpd --kernel-trace", app.pid,
		strstr(app.output, "/tmp/"));
	struct outcome o;

	(void)unused;
	wait_for_log(&app, "out.rlog");
	sleep_ms(slow_machine() ? 2000 : 300);
	emit(&app, "emit KERNEL_DISPATCH 20000 5");
	sleep_ms(1500);
	go_on(&app.t);
	o = finish(&run);
	expect(&o, 7, NULL);
	expect_said(&o, "the log is");
	there(&app, "out.rlog", true);
	there(&app, "out_results.db", false);
	there(&app, "out_kernel_trace.csv", false);
	end_covered(&app);
}

/* AMD's tool writes a database; here another hand does. */
static void run_page(const void *unused)
{
	struct app app = app_start("ready", "threads=2", ATTACHABLE);
	struct run run = attach_start(&app, INPUT_PIPE, "--hip-trace -f rocpd html");
	struct outcome o;
	char order[8192];

	(void)unused;
	log_variable(&app, "attach", "ROCPROF_OUTPUT_FORMAT", "rocpd");
	log_variable(&app, "attach", "ROCPROF_ROCLATCH_LOG", NULL);
	log_variable(&app, "attach", "ROCPROF_ATTACH_OUTPUT_GENERATION_SYNC", "1");
	snprintf(order, sizeof(order), "%s/../tests/make_log %s/made.rlog", options.fixtures, app.output);
	require(!system(order), "%s", order);
	o = run_all("convert %s/made.rlog -o out_3 -f rocpd", app.output);
	expect(&o, 0, NULL);
	o = finish(&run);
	expect(&o, 0, NULL);
	there(&app, "out_3_results.html", true);
	expect_said(&o, "out_3_results.html");
	o = run_all("attach -p %s -d %s -o other --hip-trace -f rocpd html --attach-duration-msec 100", app.pid, app.output);
	expect(&o, 7, NULL);
	expect_said(&o, "no database");
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
		check(rows(&one, name) > 10, "%ld rows in %s", rows(&one, name), name);
	}
	app_end(&one);
	app_end(&two);
}

void add_rocm_tool_tests(void)
{
	static const struct start user = { .uid = 65534 }, names = { .new_namespaces = true }, root = { .change_root = true };
	static const struct refusal sampling = { "-t roclatch --pc-sampling-beta-enabled --pc-sampling-unit time "
		"--pc-sampling-method host_trap --pc-sampling-interval 1", "AMD's tool" };
	static const struct refusal otf2 = { "-t roclatch -f otf2", "otf2" };
	static const struct refusal named = { "-t roclatch --sys-trace --kfd-queue-trace", "--kfd-queue-trace" };
	static const struct refusal page = { "-f html --hip-trace", "-t roclatch" };

	add(MIXED, run_whole, ATTACHABLE, "roclatch's own tool records all that the SDK delivers, and all formats are made of it");
	add(MIXED, run_whole, NO_LISTENER, "roclatch's own tool records all without a listener thread too");
	add(MIXED, run_keep_log, NULL, "the own tool's log is kept on request and converts again");
	add(MIXED, run_again, NULL, "ten recordings with one name write nothing over");
	add(MIXED, run_killed, NULL, "what the own tool has recorded of a target that was killed is converted");
	add(MIXED, run_exits, NULL, "what the own tool has recorded of a target that ended is converted");
	add(MIXED, run_full, NULL, "a log that cannot grow ends the recording, not the target, and is converted");
	add(MIXED, run_folder_removed, NULL, "a log that was removed meanwhile is told");
	add(MIXED, run_kept, "", "what one roclatch records with the own tool a second one ends and converts");
	add(MIXED, run_kept, "--late", "what one roclatch records late with the own tool a second one ends and converts");
	add(MIXED, run_late, OLD_SDK, "late attach takes roclatch's own tool when none is named");
	add(MIXED, run_late, "", "late attach with the own tool works on a target with a newer SDK");
	add(MIXED, run_forked, NULL, "a forked child does not write into the log of the own tool");
	add(MIXED, run_inside, &user, "files made of a recording belong to the target's user");
	add(MIXED, run_inside, &names, "files are made where a target in another namespace sees its folder");
	add(MIXED, run_inside, &root, "a target that does not see the own tool is refused with the remedy");
	add(MIXED, run_covered, NULL, "files are made on a file system of the target's own");
	add(MIXED, run_disk_full, NULL, "a full disk ends the recording, not the target, and leaves no half of a file");
	add(MIXED, run_many, NULL, "two targets are recorded with the own tool at once");
	add(MIXED, run_refused, &sampling, "the own tool refuses sampling that only AMD's tool can do");
	add(MIXED, run_refused, &otf2, "the own tool refuses otf2");
	add(MIXED, run_refused, &named, "the own tool refuses a trace that was named and that it cannot record");
	add(MIXED, run_page, NULL, "a page is made of the database that another tool writes");
	add(MIXED, run_refused, &page, "a page is refused where the tool in the target makes no database");
}
