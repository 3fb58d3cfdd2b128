// SPDX-License-Identifier: MIT
/*
 * A target that lays traps where its output is to be does not get roclatch, which is root, to read, write or wait
 * elsewhere.  The files themselves are looked at.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
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

void add_rocm_collect_trap_tests(void)
{
	add(MIXED, run_traps, NULL, "links, fifos, devices, hard links and sparse files in place of output do no harm");
	add(MIXED, run_swapped, NULL, "a folder of output that became a link is not entered");
}
