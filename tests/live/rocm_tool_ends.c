// SPDX-License-Identifier: MIT
/* Recordings with roclatch's own tool that end in another way, or in another place. */
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

#include "rocm_made.h"

/* A target that is killed leaves a log that is found and converted. */
static void run_killed(const void *unused)
{
	struct app app = app_start("ready", "threads=2", ATTACHABLE);
	struct run run = own_record(&app, "--kernel-trace --hip-trace -f csv");
	struct outcome o;
	int status;

	(void)unused;
	own_emit(&app, "emit KERNEL_DISPATCH 2000 3");
	own_wait_for_bytes(&app, "out.rlog", 2000 * 128);
	sleep_ms(patient(1500));        /* the tool writes at least once a second, also what else there is */
	kill(app.t.pid, SIGKILL);
	waitpid(app.t.pid, &status, 0);
	o = run_end(&run, 60000);
	expect(&o, 4, NULL);
	expect_said(&o, "converted");
	check(made_rows(&app, "out_kernel_trace.csv") >= 2000, "%ld of 2000 kernels", made_rows(&app, "out_kernel_trace.csv"));
	made_there(&app, "out.rlog", false);
	app_forget(&app);
}

static void run_exits(const void *unused)
{
	struct app app = app_start("ready", "threads=2", ATTACHABLE);
	struct run run = own_record(&app, "--kernel-trace -f csv");
	struct outcome o;

	(void)unused;
	own_emit(&app, "emit KERNEL_DISPATCH 500 3");
	stop(&app.t);
	o = run_end(&run, 60000);
	expect(&o, 4, NULL);
	check(made_rows(&app, "out_kernel_trace.csv") >= 500, "%ld of 500 kernels", made_rows(&app, "out_kernel_trace.csv"));
	made_there(&app, "out.rlog", false);
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
	run = own_record(&app, "--kernel-trace -f csv");
	own_emit(&app, "emit KERNEL_DISPATCH 20000 5");
	sleep_ms(1500);
	go_on(&app.t);          /* no SIGXFSZ reaches it */
	o = own_finish(&run);
	expect(&o, 7, NULL);
	expect_said(&o, "stopped early");
	expect_said(&o, "name another folder (-d)");
	check(made_rows(&app, "out_kernel_trace.csv") > 1000, "%ld kernels were saved", made_rows(&app, "out_kernel_trace.csv"));
	made_there(&app, "out.rlog", true);
	app_end(&app);
}

/* The log of a recording that never began says nothing: it is not left. */
static void run_not_started(const void *late)
{
	struct app app = app_start("ready", "threads=1", late ? "SDK_STARTS_NOTHING=1" : ATTACHABLE " SDK_STARTS_NOTHING=1");
	struct outcome o = run_all("attach -p %s --own-tool %s --kernel-trace -d %s -o out --attach-duration-msec 100", app.pid,
		late ? "--late" : "", app.output);

	expect(&o, 5, NULL);
	expect_said(&o, "the SDK would not start: It conflicts with another context");
	check(!strstr(o.err, ".rlog"), "a log is told: %s", o.err);
	check(!strstr(o.err, "-d"), "another folder would not help: %s", o.err);
	expect_said(&o, "stays in the target: library");
	made_there(&app, "out.rlog", false);
	app_answers(&app, "env ROCLATCH_ATTACHED", "(null)");
	go_on(&app.t);
	app_end(&app);
}

static void run_folder_removed(const void *unused)
{
	struct app app = app_start("ready", "threads=1", ATTACHABLE);
	struct run run = own_record(&app, "--kernel-trace -f csv");
	struct outcome o;
	char path[1024];

	(void)unused;
	snprintf(path, sizeof(path), "%s/out.rlog", app.output);
	unlink(path);
	rmdir(app.output);
	own_emit(&app, "emit KERNEL_DISPATCH 100 5");
	o = own_finish(&run);
	expect(&o, 7, NULL);
	expect_said(&o, "out.rlog");
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
		o = run_all("attach -p %s -t roclatch -d %s -o out --stage none --hip-trace --attach-duration-msec 100", app.pid, tool);
		expect(&o, 3, NULL);
		expect_said(&o, "-t");
		app_end(&app);
		return;
	}
	o = run_all("attach -p %s -t roclatch -d %s -o out -f csv rocpd html --hip-trace --attach-duration-msec 300", app.pid, app.output);
	expect(&o, 0, NULL);
	check(made_rows(&app, "out_hip_api_trace.csv") > 10, "%ld calls of HIP", made_rows(&app, "out_hip_api_trace.csv"));
	made_there(&app, "out_results.db", true);
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
void covered_end(const struct app *app)
{
	go_on(&app->t);
	stop(&app->t);
	rmdir(strstr(app->output, "/tmp/"));
}

struct app covered_start(const char *how, unsigned uid)
{
	struct app app = app_start_as(&(struct start){ .state = "ready", .settings = "threads=1", .environment = ATTACHABLE,
						       .new_namespaces = true, .uid = uid });
	char inside[sizeof(app.output)];

	cover(&app, how);
	/* from now on the folder as the target sees it */
	snprintf(inside, sizeof(inside), "/proc/%d/root%.*s", (int)app.t.pid, (int)sizeof(inside) - 64, app.output);
	memcpy(app.output, inside, sizeof(inside));
	return app;
}

static void run_covered(const void *unused)
{
	struct app app = covered_start("size=64m", 0);
	struct outcome o = run_all("attach -p %s -t roclatch -d %s -o out -f csv json pftrace rocpd html --hip-trace --attach-duration-msec 300 "
		"--collect %s", app.pid, strstr(app.output, "/tmp/"), into_make());

	(void)unused;
	into_forget();
	expect(&o, 0, NULL);
	check(made_rows(&app, "out_hip_api_trace.csv") > 10, "%ld calls of HIP", made_rows(&app, "out_hip_api_trace.csv"));
	made_there(&app, "out_results.db", true);
	made_there(&app, "out_results.json", true);
	made_there(&app, "out_results.pftrace", true);
	made_there(&app, "out_results.html", true);
	made_there(&app, "out.rlog", false);
	check(!strstr(o.err, "/proc/"), "a path of ours was told: %s", o.err);
	covered_end(&app);
}

/* Nothing more goes on that disk: not the records, and not what is made of them. */
static void run_disk_full(const void *json)
{
	struct app app = covered_start("size=1m", 0);
	struct run run = run_start(INPUT_PIPE, "attach -p %s -t roclatch -d %s -o out -f csv rocpd --kernel-trace --collect %s%s", app.pid,
		strstr(app.output, "/tmp/"), into_make(), json ? " --json" : "");
	struct outcome o;

	own_wait_for_log(&app, "out.rlog");
	sleep_ms(slow_machine() ? 2000 : 300);
	own_emit(&app, "emit KERNEL_DISPATCH 20000 5");
	sleep_ms(1500);
	go_on(&app.t);
	o = own_finish(&run);
	into_forget();
	expect(&o, 7, NULL);
	if (json) {
		check(strstr(o.out, "\"lost\":") && !strstr(o.out, "\"lost\":0"), "nothing is said to be lost: %s", o.out);
	} else {
		expect_said(&o, "the log is");
		expect_said(&o, "records were lost");
	}
	made_there(&app, "out.rlog", true);
	made_there(&app, "out_results.db", false);
	made_there(&app, "out_kernel_trace.csv", false);
	covered_end(&app);
}

void add_rocm_tool_end_tests(void)
{
	static const struct start user = { .uid = 65534 }, names = { .new_namespaces = true }, root = { .change_root = true };

	add(MIXED, run_killed, NULL, "what the own tool has recorded of a target that was killed is converted");
	add(MIXED, run_exits, NULL, "what the own tool has recorded of a target that ended is converted");
	add(MIXED, run_full, NULL, "a log that cannot grow ends the recording, not the target, and is converted");
	add(MIXED, run_not_started, NULL, "a recording that the SDK does not start leaves no log");
	add(MIXED, run_not_started, "late", "a recording that the SDK does not start when attached late leaves no log");
	add(MIXED, run_folder_removed, NULL, "a log that was removed meanwhile is told");
	add(MIXED, run_inside, &user, "files made of a recording belong to the target's user");
	add(MIXED, run_inside, &names, "files are made where a target in another namespace sees its folder");
	add(MIXED, run_inside, &root, "a target that does not see the own tool is refused with the remedy");
	add(MIXED, run_covered, NULL, "files are made on a file system of the target's own");
	add(MIXED, run_disk_full, NULL, "a full disk ends the recording, not the target, and leaves no half of a file");
	add(MIXED, run_disk_full, "json", "what a full disk has lost is told in JSON as in words");
}
