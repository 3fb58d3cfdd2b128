// SPDX-License-Identifier: MIT
/*
 * --collect: what was written in another root arrives in a folder of ours, and a target that lays traps in its
 * own does not get roclatch, which is root, to read or write elsewhere.  Files are looked at, not only what is said.
 */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "rocm_made.h"

#define NOBODY 65534
#define SECRET "nobody outside is to read this"
#define HUGE_SIZE ((off_t)100 << 30)

/* ---- our folder ----------------------------------------------------------------------------- */

static const char *fetched(const struct app *app, const char *into, const char *name)
{
	static char path[2][1024];
	static unsigned next;
	char host[256] = "", *one = path[next++ % 2];

	gethostname(host, sizeof(host) - 1);
	snprintf(one, sizeof(path[0]), "%s/%s-%s/%s", into, host, app->pid, name);
	return one;
}

static bool is_there(const char *path)
{
	struct stat st;

	return !lstat(path, &st) && S_ISREG(st.st_mode);
}

static unsigned files;
static bool leaked;

static int count_one(const char *path, const struct stat *st, int kind, struct FTW *where)
{
	char text[4096] = "";
	int fd = kind == FTW_F ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW) : -1;

	(void)where;
	files += kind != FTW_D;
	leaked |= kind != FTW_D && !S_ISREG(st->st_mode);
	if (fd >= 0) {
		leaked |= read(fd, text, sizeof(text) - 1) > 0 && strstr(text, SECRET);
		close(fd);
	}
	return 0;
}

static unsigned count(const char *into)
{
	files = 0;
	leaked = false;
	nftw(into, count_one, 16, FTW_PHYS);
	check(!leaked, "something that is no file of the target's was fetched");
	return files;
}

/* ---- targets -------------------------------------------------------------------------------- */

/* In a root of its own, of which we see the folder from outside. */
static struct app start_in_root(void)
{
	struct app app = app_start_as(&(struct start){ .state = "ready", .environment = ATTACHABLE, .change_root = true, .uid = NOBODY });

	app_forget(&app);
	snprintf(app.output, sizeof(app.output), "%s/root-rocm/inside-%s", options.fixtures, app.pid);
	require(!mkdir(app.output, 0777) && !chmod(app.output, 0777), "mkdir: %s", strerror(errno));
	return app;
}

static const char *inside(const struct app *app)
{
	return strrchr(app->output, '/');
}

static const char *at(const struct app *app, const char *name)
{
	static char path[2][1024];
	static unsigned next;
	char *one = path[next++ % 2];

	snprintf(one, sizeof(path[0]), "%s/%s", app->output, name);
	return one;
}

static struct run attach_in_root(const struct app *app, const char *into)
{
	struct run run = run_start(INPUT_PIPE, "attach -p %s -d %s -o out --kernel-trace --collect %s", app->pid, inside(app), into);

	require(log_waits_for(app, "attach", 1, 20000), "the tool was not told to attach");
	return run;
}

/* ---- what arrives --------------------------------------------------------------------------- */

static void run_default(const void *unused)
{
	struct app app = start_in_root();
	const char *into = into_make();
	struct outcome o;

	(void)unused;
	run_folder = into;
	o = run_all("attach -p %s -d %s -o out --kernel-trace --attach-duration-msec 100", app.pid, inside(&app));
	expect(&o, 0, NULL);
	expect_said(&o, "into the current folder");
	check(is_there(fetched(&app, into, "out.callbacks")), "it is not there");
	check(count(into) == 1, "%u files were fetched", files);
	into_forget();
	app_end(&app);
}

/* Where we see the same files nothing is fetched unless that is asked for. */
static void run_same_root(const void *unused)
{
	struct app app = app_start("ready", NULL, ATTACHABLE);
	const char *into = into_make();
	struct outcome o;

	(void)unused;
	run_folder = into;
	o = run_all("attach -p %s -d %s -o out --kernel-trace --attach-duration-msec 100", app.pid, app.output);
	expect(&o, 0, NULL);
	check(count(into) == 0, "%u files were fetched", files);
	run_folder = NULL;
	o = run_all("attach -p %s -d %s -o out --kernel-trace --attach-duration-msec 100 --collect %s --json", app.pid, app.output, into);
	expect(&o, 0, NULL);
	check(strstr(o.out, "\"collected\"") && strstr(o.out, "out.callbacks\""), "the JSON does not tell: %s", o.out);
	check(is_there(fetched(&app, into, "out.callbacks")), "it is not there");
	into_forget();
	app_end(&app);
}

static void run_own(const void *unused)
{
	struct app app = covered_start("size=64m,mode=777", NOBODY), ours;
	const char *into = into_make();
	struct run run = run_start(INPUT_PIPE, "attach -p %s -t roclatch -d %s -o out --kernel-trace -f csv rocpd html --collect %s", app.pid,
		strstr(app.output, "/tmp/"), into);
	struct outcome o;

	(void)unused;
	own_wait_for_log(&app, "out.rlog");
	sleep_ms(slow_machine() ? 2000 : 300);
	own_emit(&app, "emit KERNEL_DISPATCH 500 3");
	o = own_finish(&run);
	expect(&o, 0, NULL);
	ours = app;
	snprintf(ours.output, sizeof(ours.output), "%s", fetched(&app, into, ""));
	check(made_rows(&ours, "out_kernel_trace.csv") == sdk_delivered(&app, "KERNEL_DISPATCH"), "%ld kernels arrived",
		made_rows(&ours, "out_kernel_trace.csv"));
	made_there(&ours, "out_results.db", true);
	made_there(&ours, "out_results.html", true);
	made_there(&ours, "out.rlog", false);
	into_forget();
	covered_end(&app);
}

/* Its mount namespace would go with it. */
static void run_gone(const void *unused)
{
	struct app app = covered_start("size=64m,mode=777", NOBODY);
	const char *into = into_make();
	struct run run = run_start(INPUT_PIPE, "attach -p %s -t roclatch -d %s -o out --kernel-trace -f csv --collect %s", app.pid,
		strstr(app.output, "/tmp/"), into);
	struct outcome o;
	int status;

	(void)unused;
	own_wait_for_log(&app, "out.rlog");
	sleep_ms(slow_machine() ? 2000 : 300);
	own_emit(&app, "emit KERNEL_DISPATCH 2000 3");
	sleep_ms(1500);         /* the tool writes at least once a second */
	kill(app.t.pid, SIGKILL);
	waitpid(app.t.pid, &status, 0);
	o = run_end(&run, 60000);
	expect(&o, 4, NULL);
	check(is_there(fetched(&app, into, "out_kernel_trace.csv")), "it is not there; said: %s", o.err);
	into_forget();
	rmdir(strstr(app.output, "/tmp/"));
}

/* A later detach brings what an earlier one has not. */
static void run_later(const void *unused)
{
	struct app app = start_in_root();
	const char *into = into_make();
	struct outcome o;

	(void)unused;
	o = run_all("attach -p %s -d %s -o out --kernel-trace --keep", app.pid, inside(&app));
	expect(&o, 0, NULL);
	check(count(into) == 0, "%u files were fetched before the end", files);
	o = run_all("detach -p %s --collect %s", app.pid, into);
	expect(&o, 0, NULL);
	check(is_there(fetched(&app, into, "out.callbacks")), "it is not there; said: %s", o.err);
	o = run_all("detach -p %s --collect %s", app.pid, into);
	expect(&o, 0, NULL);
	expect_said(&o, "from an earlier run");
	check(count(into) == 1, "%u files were fetched", files);
	require(!unlink(fetched(&app, into, "out.callbacks")), "unlink");
	o = run_all("detach -p %s --collect %s --json", app.pid, into);
	expect(&o, 0, NULL);
	check(is_there(fetched(&app, into, "out.callbacks")), "it is not there again");
	run_folder = into;
	o = run_all("detach -p %s", app.pid);
	expect(&o, 3, NULL);
	check(count(into) == 1, "something was fetched when there was nothing to detach");
	into_forget();
	app_end(&app);
}

/* Nobody has asked for it: what cannot be fetched stays, and the recording is good. */
static void run_read_only(const void *unused)
{
	struct app app = start_in_root();
	const char *into = into_make();
	struct outcome o;

	(void)unused;
	require(!unshare(CLONE_NEWNS) && !mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) && !mount("none", into, "tmpfs", MS_RDONLY, NULL),
		"mount: %s", strerror(errno));
	run_folder = into;
	o = run_all("attach -p %s -d %s -o out --kernel-trace --attach-duration-msec 100", app.pid, inside(&app));
	umount2(into, MNT_DETACH);
	expect(&o, 0, NULL);
	expect_said(&o, "not fetched");
	expect_said(&o, inside(&app));
	check(is_there(at(&app, "out.callbacks")), "it is not there");
	into_forget();
	app_end(&app);
}

static void run_usage(const void *unused)
{
	struct app app = app_start("ready", NULL, ATTACHABLE);
	struct outcome o = run_all("attach -p %s --collect /tmp --keep", app.pid);

	(void)unused;
	expect(&o, 2, NULL);
	expect_said(&o, "roclatch detach");
	o = run_all("attach -p %s --collect /dev/null/x --attach-duration-msec 100", app.pid);
	expect(&o, 1, NULL);
	check(!app_maps(&app, "rocprofiler-sdk-tool"), "it was attached before the folder was looked at");
	app_end(&app);
}

static void run_missing(const void *unused)
{
	struct app app = start_in_root();
	const char *into = into_make();
	struct run run = attach_in_root(&app, into);
	struct outcome o;

	(void)unused;
	require(!rename(app.output, app_path("moved-away")), "rename");
	require(!mkdir(app.output, 0755), "mkdir");
	o = own_finish(&run);
	expect(&o, 7, NULL);
	expect_said(&o, "/out*");
	check(count(into) == 0, "%u files were fetched", files);
	rmdir(app.output);
	rename(app_path("moved-away"), app.output);
	into_forget();
	app_end(&app);
}

/* ---- traps ---------------------------------------------------------------------------------- */

static const char *make_secret(const struct app *app)
{
	static char path[1024];
	const struct timespec times[2] = { { .tv_sec = time(NULL) - 200000 }, { .tv_sec = time(NULL) - 100000 } };
	int fd;

	snprintf(path, sizeof(path), "%s/out-secret-%s", options.fixtures, app->pid);
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	require(fd >= 0 && write(fd, SECRET, strlen(SECRET)) > 0 && !futimens(fd, times), "%s: %s", path, strerror(errno));
	close(fd);
	return path;
}

static void secret_is_untouched(const char *path)
{
	struct stat st;

	check(!stat(path, &st) && st.st_atim.tv_sec < time(NULL) - 150000, "a file outside the root was read");
	check(st.st_mtim.tv_sec < time(NULL) - 50000 && st.st_size == (off_t)strlen(SECRET), "a file outside the root was written");
	unlink(path);
}

static void make_huge(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);

	require(fd >= 0 && !fchown(fd, NOBODY, NOBODY), "%s: %s", path, strerror(errno));
	if (ftruncate(fd, HUGE_SIZE))
		check(errno == EFBIG, "ftruncate: %s", strerror(errno));
	close(fd);
}

static void run_traps(const void *unused)
{
	struct app app = start_in_root();
	const char *into = into_make(), *secret = make_secret(&app);
	struct run run = attach_in_root(&app, into);
	struct outcome o;
	struct stat st;

	(void)unused;
	require(!symlink(secret, at(&app, "out_results.db")), "symlink");
	require(!symlink(strrchr(secret, '/') + 1, at(&app, "out_a.csv")), "symlink");
	require(!symlink("../../out-secret", at(&app, "out_b.csv")), "symlink");
	require(!symlink("/proc/1/environ", at(&app, "out_c.csv")), "symlink");
	require(!mkfifo(at(&app, "out_fifo"), 0666), "mkfifo");
	mknod(at(&app, "out_zero"), S_IFCHR | 0666, makedev(1, 5));
	require(!link(secret, at(&app, "out_hard.json")), "link: %s", strerror(errno));
	make_huge(at(&app, "out_huge"));
	o = own_finish(&run);
	expect(&o, 7, NULL);
	check(count(into) == 2, "%u files were fetched", files);
	check(is_there(fetched(&app, into, "out.callbacks")), "the tool's own file is not there");
	check(!stat(fetched(&app, into, "out_huge"), &st) && st.st_blocks < 4096, "a sparse file takes room, or is not there");
	into_forget();
	unlink(at(&app, "out_hard.json"));
	secret_is_untouched(secret);
	app_end(&app);
}

/* The folder becomes a link while all goes on. */
static void run_swapped(const void *unused)
{
	struct app app = start_in_root();
	const char *into = into_make(), *secret = make_secret(&app);
	struct run run = attach_in_root(&app, into);
	struct outcome o;

	(void)unused;
	require(!rename(app.output, app_path("moved-away-too")), "rename");
	require(!symlink(options.fixtures, app.output), "symlink");
	o = own_finish(&run);
	expect(&o, 7, NULL);
	check(count(into) == 0, "%u files were fetched", files);
	unlink(app.output);
	rename(app_path("moved-away-too"), app.output);
	into_forget();
	secret_is_untouched(secret);
	app_end(&app);
}

void add_rocm_collect_tests(void)
{
	add(MIXED, run_default, NULL, "what is written in another root is fetched into the current folder");
	add(MIXED, run_same_root, NULL, "what is written in our own root is fetched on request only");
	add(MIXED, run_own, NULL, "what is made of a recording on a file system of the target's own is fetched");
	add(MIXED, run_gone, NULL, "what a target that ended has left in its mount namespace is fetched");
	add(MIXED, run_later, NULL, "a later detach fetches what is not there yet");
	add(MIXED, run_read_only, NULL, "where nothing can be fetched into the current folder it stays, and that is told");
	add(MIXED, run_usage, NULL, "a folder that cannot be fetched into is refused before anything is attached");
	add(MIXED, run_missing, NULL, "output that is missing is told, with where it was looked for");
	add(MIXED, run_traps, NULL, "links, fifos, devices, hard links and sparse files in place of output do no harm");
	add(MIXED, run_swapped, NULL, "a folder of output that became a link is not entered");
}
