// SPDX-License-Identifier: MIT
/* Where the log lies is the target's: what it puts there in place of its log is not taken for it. */
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "rocm_made.h"
#include "../../rocp/log.h"

#define NOBODY 65534

static const char *in_folder(const struct app *app, const char *name)
{
	static char path[4][1024];
	static unsigned next;
	char *one = path[next++ % 4];

	snprintf(one, sizeof(path[0]), "%s/%s", app->output, name);
	return one;
}

static struct app start_of_nobody(void)
{
	return app_start_as(&(struct start){ .state = "ready", .settings = "threads=1", .environment = ATTACHABLE, .uid = NOBODY });
}

static void ends_with_it_kept(const struct app *app, struct run *run, const char *said)
{
	struct stat st;
	struct outcome o = own_finish(run);
	const char *why = strerror(ELOOP), *told = strstr(o.err, why);

	expect(&o, 7, NULL);
	expect_said(&o, said);
	check(!told || !strstr(told + 1, why), "the reason is told twice: %s", o.err);
	check(!lstat(in_folder(app, "out.rlog"), &st), "out.rlog was removed");
	check(!strstr(o.err, "/proc/"), "a path of ours was told: %s", o.err);
	made_there(app, "out_kernel_trace.csv", false);
	app_end(app);
}

/* Root reads through no link. */
static void run_link(const void *unused)
{
	struct app app = start_of_nobody();
	struct run run = own_record(&app, "--kernel-trace -f csv");

	(void)unused;
	own_emit(&app, "emit KERNEL_DISPATCH 100 3");
	require(!rename(in_folder(&app, "out.rlog"), in_folder(&app, "other")), "rename");
	require(!symlink("other", in_folder(&app, "out.rlog")), "symlink");
	ends_with_it_kept(&app, &run, "could not be converted");
}

/* Root does not become who a file in the target's folder belongs to. */
static void run_owner(const void *unused)
{
	struct app app = start_of_nobody();
	struct run run = own_record(&app, "--kernel-trace -f csv");

	(void)unused;
	own_emit(&app, "emit KERNEL_DISPATCH 100 3");
	require(!chown(in_folder(&app, "out.rlog"), 1, 1), "chown");
	ends_with_it_kept(&app, &run, "belongs to user 1");
}

/* The log of another process is converted, if that is what the target says, and not removed. */
static void run_other(const void *unused)
{
	struct app app = start_of_nobody();
	struct run run = own_record(&app, "--kernel-trace -f csv");
	struct log_head head;
	struct outcome o;
	int fd;

	(void)unused;
	own_emit(&app, "emit KERNEL_DISPATCH 100 3");
	fd = open(in_folder(&app, "out.rlog"), O_RDWR | O_CLOEXEC);
	require(fd >= 0 && pread(fd, &head, sizeof(head), 0) == sizeof(head), "cannot read the log");
	head.pid++;
	head.check = 0;
	head.check = log_check(&head, sizeof(head));
	require(pwrite(fd, &head, sizeof(head), 0) == sizeof(head), "cannot write the log");
	close(fd);
	o = own_finish(&run);
	expect(&o, 0, NULL);
	expect_said(&o, "the log is");
	made_there(&app, "out.rlog", true);
	made_there(&app, "out_kernel_trace.csv", true);
	app_end(&app);
}

/* Nobody presses Enter: a recording that is over ends the wait. */
static void run_stops(const void *unused)
{
	struct app app = app_start("ready", "threads=1", ATTACHABLE);
	const struct rlimit limit = { 1 << 20, 1 << 20 };
	struct run run;
	struct outcome o;

	(void)unused;
	require(!prlimit(app.t.pid, RLIMIT_FSIZE, &limit, NULL), "prlimit");
	run = own_record(&app, "--kernel-trace -f csv");
	own_emit(&app, "emit KERNEL_DISPATCH 20000 5");
	o = run_end(&run, 60000);
	expect(&o, 7, NULL);
	expect_said(&o, "detaching (the recording stopped)");
	expect_said(&o, "stopped early");
	made_there(&app, "out.rlog", true);
	app_end(&app);
}

/* The own tool would go on as at first, so another wish is refused. */
static void run_rename(const void *unused)
{
	struct app app = app_start("ready", "threads=1", ATTACHABLE);
	struct outcome o = run_all("attach -p %s -t roclatch -d %s -o out --kernel-trace -f csv --attach-duration-msec 100", app.pid, app.output);

	(void)unused;
	expect(&o, 0, NULL);
	o = run_all("attach -p %s -t roclatch -d %s -o out --kernel-trace --kernel-rename -f csv --attach-duration-msec 100", app.pid, app.output);
	expect(&o, 3, NULL);
	expect_said(&o, "ROCPROF_KERNEL_RENAME");
	app_end(&app);
}

void add_rocm_tool_swap_tests(void)
{
	add(MIXED, run_link, NULL, "a link in place of the own tool's log is not followed");
	add(MIXED, run_owner, NULL, "a log of the own tool that belongs to another user is refused and stays");
	add(MIXED, run_other, NULL, "a log in place of the own tool's is not removed");
	add(MIXED, run_stops, NULL, "a recording of the own tool that ends by itself ends the wait");
	add(MIXED, run_rename, NULL, "the own tool is not attached again with --kernel-rename when it was without");
}
