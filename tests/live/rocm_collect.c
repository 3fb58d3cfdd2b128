// SPDX-License-Identifier: MIT
/* --collect: what was written in another root arrives in a folder of ours.  Files are looked at, not only what is said. */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "rocm_collect.h"

#define BIG_MIB 96u

/* ---- our folder ----------------------------------------------------------------------------- */

const char *fetched(const struct app *app, const char *into, const char *name)
{
	static char path[2][1024];
	static unsigned next;
	char host[256] = "", *one = path[next++ % 2];

	gethostname(host, sizeof(host) - 1);
	snprintf(one, sizeof(path[0]), "%s/%s-%s/%s", into, host, app->pid, name);
	return one;
}

bool is_there(const char *path)
{
	struct stat st;

	return !lstat(path, &st) && S_ISREG(st.st_mode);
}

unsigned files;
static bool leaked;

static int count_one(const char *path, const struct stat *st, int kind, struct FTW *where)
{
	char text[4096] = "";
	int fd = kind == FTW_F ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW) : -1;

	(void)where;
	files += kind != FTW_D && !strstr(path, ".roclatch.json");      /* how it went is not fetched, it is written */
	leaked |= kind != FTW_D && !S_ISREG(st->st_mode);
	if (fd >= 0) {
		leaked |= read(fd, text, sizeof(text) - 1) > 0 && strstr(text, SECRET);
		close(fd);
	}
	return 0;
}

unsigned count(const char *into)
{
	files = 0;
	leaked = false;
	nftw(into, count_one, 16, FTW_PHYS);
	check(!leaked, "something that is no file of the target's was fetched");
	return files;
}

/* ---- targets -------------------------------------------------------------------------------- */

/* In a root of its own, of which we see the folder from outside. */
struct app start_in_root(void)
{
	struct app app = app_start_as(&(struct start){ .state = "ready", .environment = ATTACHABLE, .change_root = true,
						       .uid = NOBODY });

	app_forget(&app);
	snprintf(app.output, sizeof(app.output), "%s/root-rocm/inside-%s", options.fixtures, app.pid);
	require(!mkdir(app.output, 0777) && !chmod(app.output, 0777), "mkdir: %s", strerror(errno));
	return app;
}

const char *inside(const struct app *app)
{
	return strrchr(app->output, '/');
}

const char *at(const struct app *app, const char *name)
{
	static char path[2][1024];
	static unsigned next;
	char *one = path[next++ % 2];

	snprintf(one, sizeof(path[0]), "%s/%s", app->output, name);
	return one;
}

struct run attach_in_root(const struct app *app, const char *into)
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
	o = run_all("attach -p %s -d %s -o out --kernel-trace --attach-duration-msec 100 --collect %s", app.pid, app.output, app.output);
	expect(&o, 0, NULL);
	expect_said(&o, "not copied: 1 file, as the process sees the folder");
	check(count(app.output) == 1, "there are %u files in the folder of the output", files);
	into_forget();
	app_end(&app);
}

static const char *with_pid(const struct app *app)
{
	static char name[2][64];
	static unsigned next;
	char *one = name[next++ % 2];

	snprintf(one, sizeof(name[0]), "out_%s.callbacks", app->pid);
	return one;
}

/* Two that were told to call their output the same. */
static void run_two(const void *unused)
{
	struct app one = start_in_root(), other = start_in_root();
	const char *into = into_make();
	struct outcome o;

	(void)unused;
	o = run_all("attach -p %s -p %s -d %s -o out --kernel-trace --attach-duration-msec 100 --collect %s", one.pid,
		other.pid, inside(&one), into);
	expect(&o, 0, NULL);
	check(is_there(fetched(&one, into, with_pid(&one))) && is_there(fetched(&other, into, with_pid(&other))), "not both are there");
	check(count(into) == 2, "%u files were fetched", files);
	into_forget();
	app_end(&other);
	app_end(&one);
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
	run_records(&run);
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
	run_records(&run);
	own_emit(&app, "emit KERNEL_DISPATCH 2000 3");
	own_wait_for_bytes(&app, "out.rlog", 2000 * 128);       /* the tool writes at least once a second */
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

static void make_big(const char *path)
{
	static char data[1 << 20];
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);

	require(fd >= 0 && !fchown(fd, NOBODY, NOBODY), "%s: %s", path, strerror(errno));
	for (unsigned i = 0; i < BIG_MIB; i++) {
		memset(data, 1 + (int)(i % 200), sizeof(data));
		require(write(fd, data, sizeof(data)) == sizeof(data), "write: %s", strerror(errno));
	}
	close(fd);
}

static void big_is_whole(const char *path)
{
	static char data[1 << 20];
	unsigned right = 0;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	while (read(fd, data, sizeof(data)) == sizeof(data) && data[0] == (char)(1 + right % 200) &&
	       !memcmp(data, data + 1, sizeof(data) - 1))
		right++;
	close(fd);
	check(right == BIG_MIB, "only %u of %u MiB are right", right, BIG_MIB);
}

static off_t part_size;

static int find_part(const char *path, const struct stat *st, int kind, struct FTW *where)
{
	(void)where;
	if (kind == FTW_F && strstr(path, "out_big.") && strstr(path, ".part"))
		part_size = st->st_size;
	return 0;
}

/* Killed in the middle of a file: a later run goes on there. */
static void run_killed(const void *unused)
{
	struct app app = start_in_root();
	const char *into = into_make();
	struct run run = attach_in_root(&app, into);
	struct outcome o;

	(void)unused;
	make_big(at(&app, "out_big"));
	setpriority(PRIO_PROCESS, (id_t)run.pid, 19);   /* so that we are sooner than it */
	dprintf(run.in, "\n");
	for (part_size = 0; !part_size && run_goes_on(&run);)
		nftw(into, find_part, 16, FTW_PHYS);
	kill(run.pid, SIGKILL);
	run_end(&run, 5000);
	if (!part_size) {       /* a guest has no room for several of them */
		unlink(at(&app, "out_big"));
		into_forget();
	}
	require(part_size, "it was over before it could be killed");
	check(!is_there(fetched(&app, into, "out_big")), "what is not whole has the name of the whole");
	o = run_all("detach -p %s --collect %s", app.pid, into);
	expect(&o, 0, NULL);
	big_is_whole(fetched(&app, into, "out_big"));
	check(count(into) == 2, "%u files are there", files);
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
	require(!unshare(CLONE_NEWNS) && !mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) &&
		!mount("none", into, "tmpfs", MS_RDONLY, NULL), "mount: %s", strerror(errno));
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

void add_rocm_collect_tests(void)
{
	add(MIXED, run_default, NULL, "what is written in another root is fetched into the current folder");
	add(MIXED, run_same_root, NULL, "what is written in our own root is fetched on request only");
	add(MIXED, run_two, NULL, "what two targets have written under one name is fetched under two");
	add(MIXED, run_own, NULL, "what is made of a recording on a file system of the target's own is fetched");
	add(MIXED, run_gone, NULL, "what a target that ended has left in its mount namespace is fetched");
	add(MIXED, run_later, NULL, "a later detach fetches what is not there yet");
	add(MIXED, run_killed, NULL, "a fetch that was killed in the middle of a file is continued by a later detach");
	add(MIXED, run_read_only, NULL, "where nothing can be fetched into the current folder it stays, and that is told");
	add(MIXED, run_usage, NULL, "a folder that cannot be fetched into is refused before anything is attached");
	add(SLEEPERS, run_missing, NULL, "output that is missing is told, with where it was looked for");
	add_rocm_collect_trap_tests();
}
