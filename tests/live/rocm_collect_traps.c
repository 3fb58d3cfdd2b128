// SPDX-License-Identifier: MIT
/*
 * A target that lays traps where its output is to be does not get roclatch, which is root, to read, write or wait
 * elsewhere.  The files themselves are looked at.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "rocm_collect.h"

#define HUGE_SIZE ((off_t)100 << 30)

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

/* ---- a folder that is a link half of the time ------------------------------------------------- */

/* As the target's user: its folder and a link that leads out change places, as fast as it goes. */
static pid_t start_racer(const struct app *app)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (chdir(app->output) || setgid(NOBODY) || setuid(NOBODY))
		_exit(1);
	for (;;)
		syscall(SYS_renameat2, AT_FDCWD, "run", AT_FDCWD, "link", 2 /* RENAME_EXCHANGE */);
}

static void run_racing(const void *tool)
{
	struct app app = app_start_as(&(struct start){ .state = "ready", .settings = "threads=1", .environment = ATTACHABLE, .uid = NOBODY });
	const char *into = into_make(), *secret = make_secret(&app);
	char outside[1024];
	struct stat before, after;
	pid_t racer;

	snprintf(outside, sizeof(outside), "%s-folder", secret);
	require(!mkdir(outside, 0755) && !mkdir(at(&app, "run"), 0777) && !chown(at(&app, "run"), NOBODY, NOBODY) &&
		!symlink(outside, at(&app, "link")), "mkdir: %s", strerror(errno));
	snprintf(outside, sizeof(outside), "%s-folder/out_results.db", secret);
	require(!link(secret, outside), "link: %s", strerror(errno));
	snprintf(outside, sizeof(outside), "%s-folder", secret);
	require(!stat(outside, &before), "stat");
	racer = start_racer(&app);
	for (unsigned i = 0; i < rounds(12); i++) {
		struct outcome o = run_all("attach -p %s %s -d %s/run -o out --hip-trace --attach-duration-msec 50 --collect %s", app.pid,
			(const char *)tool, app.output, into);

		check(o.status >= 0 && o.status < 8, "roclatch ended with %d and said: %s", o.status, o.err);
	}
	kill(racer, SIGKILL);
	waitpid(racer, NULL, 0);
	count(into);
	/* nothing was made or removed there */
	check(!stat(outside, &after) && before.st_mtim.tv_sec == after.st_mtim.tv_sec && before.st_mtim.tv_nsec == after.st_mtim.tv_nsec,
		"the folder outside has changed");
	into_forget();
	into_remove(outside);
	secret_is_untouched(secret);
	app_end(&app);
	into_remove(app.output);        /* the tool wrote a last line there */
}

void add_rocm_collect_trap_tests(void)
{
	add(MIXED, run_racing, "", "a folder of output that becomes a link and back all the time leads nowhere else");
	add(MIXED, run_racing, "-t roclatch", "a folder of the own tool's log that becomes a link and back all the time leads nowhere else");
	add(MIXED, run_traps, NULL, "links, fifos, devices, hard links and sparse files in place of output do no harm");
	add(SLEEPERS, run_swapped, NULL, "a folder of output that became a link is not entered");
}
