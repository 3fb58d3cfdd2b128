// SPDX-License-Identifier: MIT
/* roclatch install: into folders that are there, are not, or hold something else; from an image with nothing else. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "rocm.h"

#define FIRST "configure configure_attach init attach detach"
#define SOMEBODY 12345
#define LIMIT 60000

static char base[64];

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *place)
{
	(void)st, (void)kind, (void)place;
	return remove(path);
}

static void remove_all(void)
{
	nftw(base, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static const char *below(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
static const char *below(const char *fmt, ...)
{
	static char path[4][512];
	static unsigned next;
	char *into = path[next++ % 4];
	va_list ap;
	size_t used;

	if (!base[0]) {
		strcpy(base, "/tmp/roclatch-install-XXXXXX");
		require(mkdtemp(base) && !chmod(base, 0755), "mkdtemp: %s", strerror(errno));
	}
	used = (size_t)snprintf(into, sizeof(path[0]), "%s/", base);
	va_start(ap, fmt);
	vsnprintf(into + used, sizeof(path[0]) - used, fmt, ap);
	va_end(ap);
	return into;
}

static bool same_bytes(const char *a, const char *b)
{
	static char one[4 << 20], other[4 << 20];
	int from = open(a, O_RDONLY | O_CLOEXEC), to = open(b, O_RDONLY | O_CLOEXEC);
	ssize_t n = read(from, one, sizeof(one)), m = read(to, other, sizeof(other));

	close(from);
	close(to);
	return n > 0 && n == m && !memcmp(one, other, (size_t)n);
}

/* Both files, of mode 0755, and nothing else. */
static void expect_installed(const char *folder, unsigned owner)
{
	static const char *const names[] = { "roclatch", "libroclatch-tool.so" };
	DIR *dir = opendir(folder);
	struct dirent *entry;
	char path[600];
	struct stat st;

	for (unsigned i = 0; i < 2; i++) {
		snprintf(path, sizeof(path), "%s/%s", folder, names[i]);
		check(!lstat(path, &st) && S_ISREG(st.st_mode) && (st.st_mode & 07777) == 0755 && st.st_uid == owner,
			"%s is not there, or of mode %o and user %u", path, (unsigned)st.st_mode, (unsigned)st.st_uid);
	}
	while (dir && (entry = readdir(dir)))
		check(entry->d_name[0] == '.' ? entry->d_name[1] == 0 || !strcmp(entry->d_name, "..") :
			!strcmp(entry->d_name, names[0]) || !strcmp(entry->d_name, names[1]), "%s was left", entry->d_name);
	if (dir)
		closedir(dir);
	snprintf(path, sizeof(path), "%s/roclatch", folder);
	check(same_bytes(options.roclatch, path), "%s has other bytes", path);
}

/* Into a folder that is not there; what lies there then attaches with its tool. */
static void run_fresh(const void *unused)
{
	struct app app = app_start("ready", NULL, ATTACHABLE);
	const char *folder = below("a/b");
	char path[600], wanted[1400];
	struct outcome o;

	(void)unused;
	umask(077);
	o = run_all("install %s", folder);
	snprintf(wanted, sizeof(wanted), "%s/roclatch\n%s/libroclatch-tool.so\n", folder, folder);
	expect(&o, 0, wanted);
	expect_installed(folder, 0);
	o = run_all("install %s/ --json", folder);
	snprintf(wanted, sizeof(wanted), "{\"path\":\"%s/libroclatch-tool.so\",\"bytes\":", folder);
	check(!o.status && strstr(o.out, wanted), "%d %s", o.status, o.out);
	expect_installed(folder, 0);
	snprintf(path, sizeof(path), "%s/roclatch", folder);
	options.roclatch = path;
	o = run_all("attach -p %s -d %s -o out -t roclatch --kernel-trace -f csv --attach-duration-msec 300", app.pid, app.output);
	expect(&o, 0, NULL);
	snprintf(wanted, sizeof(wanted), "%s/libroclatch-tool.so", folder);
	check(app_maps(&app, wanted), "the tool that was installed was not used");
	app_end(&app);
	remove_all();
}

/* What is there runs, is a link to somewhere else, or cannot be replaced. */
static void run_over(const void *unused)
{
	const char *folder = below("there"), *victim = below("victim"), *real = options.roclatch;
	char path[600];
	struct run run;
	struct outcome o;
	struct stat st;
	int fd;

	(void)unused;
	o = run_all("install %s", folder);
	expect(&o, 0, NULL);
	snprintf(path, sizeof(path), "%s/roclatch", folder);
	options.roclatch = path;
	run = run_start(INPUT_NULL, "wait --name ^no-such-process-%d$", (int)getpid());
	require(run_says(&run, "waiting: ", LIMIT), "what was installed does not run");
	options.roclatch = real;
	o = run_all("install %s", folder);
	expect(&o, 0, NULL);
	check(run_goes_on(&run), "what ran has ended");
	kill(run.pid, SIGTERM);
	run_end(&run, LIMIT);
	expect_installed(folder, 0);
	fd = open(victim, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	require(fd >= 0 && write(fd, "mine", 4) == 4 && !unlink(path) && !symlink(victim, path), "link");
	close(fd);
	o = run_all("install %s", folder);
	expect(&o, 0, NULL);
	expect_installed(folder, 0);
	check(!stat(victim, &st) && st.st_size == 4 && (st.st_mode & 07777) == 0600, "a link was followed");
	require(!unlink(path) && !mkdir(path, 0755), "mkdir");
	o = run_all("install %s", folder);
	expect(&o, 1, "");
	expect_said(&o, path);
	rmdir(path);
	o = run_all("install %s", victim);
	expect(&o, 1, "");
	expect_said(&o, "Not a directory");
	remove_all();
}

static void run_refused(const void *unused)
{
	struct outcome o;

	(void)unused;
	require(!mkdir(below("roots"), 0755), "mkdir");
	roclatch_uid = SOMEBODY;
	o = roclatch(LIMIT, "install", below("roots/x"), NULL);
	expect(&o, 1, "");
	o = roclatch(LIMIT, "install", below("roots"), NULL);
	expect(&o, 1, "");
	o = roclatch(LIMIT, "install", NULL);
	expect(&o, 2, "");
	require(!mkdir(below("theirs"), 0700) && !chown(below("theirs"), SOMEBODY, SOMEBODY), "mkdir");
	o = roclatch(LIMIT, "install", below("theirs"), NULL);
	expect(&o, 0, NULL);
	expect_installed(below("theirs"), SOMEBODY);
	remove_all();
}

/* The root of an image that holds the program alone: no /proc, no /tmp, no user's name. */
static void run_scratch(const void *unused)
{
	const char *root = below("image");
	struct outcome o;
	int status;
	pid_t pid;

	(void)unused;
	o = run_all("install %s", root);
	expect(&o, 0, NULL);
	require(!unlink(below("image/libroclatch-tool.so")) && !mkdir(below("image/out"), 0777) && !chmod(below("image/out"), 0777), "prepare");
	pid = fork();
	if (!pid) {
		char *argv[] = { (char *)"roclatch", (char *)"install", (char *)"/out/here", NULL }, *environment[] = { NULL };

		dup2(open("/dev/null", O_WRONLY | O_CLOEXEC), STDOUT_FILENO);
		if (!chroot(root) && !chdir("/") && !setgid(SOMEBODY) && !setuid(SOMEBODY))
			execve("/roclatch", argv, environment);
		_exit(127);
	}
	require(waitpid(pid, &status, 0) == pid && !status, "wait status %#x", status);
	expect_installed(below("image/out/here"), SOMEBODY);
	remove_all();
}

void add_install_tests(void)
{
	add(MIXED, run_fresh, NULL, "install: into a folder that is made, and attaching from there");
	add(MIXED, run_over, NULL, "install: over what runs, and over links, which are not followed");
	add(MIXED, run_refused, NULL, "install: where one may not write is told, as any user");
	add(MIXED, run_scratch, NULL, "install: from a root that holds nothing but the program");
}
