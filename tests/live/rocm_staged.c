// SPDX-License-Identifier: MIT
/*
 * A tool that the target does not see.  It lives in a root of its own: parts of root-rocm in a file system in memory,
 * with its own /proc and /tmp, which is gone with it.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "rocm_made.h"

#define WORLD "../root-static/"
#define MEMORY "/memfd:roclatch/"
#define RECORDS "--hip-trace -f csv"

struct world {
	bool no_proc, read_only, noexec, without_memfd, own_pids, late;
	unsigned uid, files;
	const char *stage;      /* further words for roclatch */
	const char *seen;       /* in its maps while the tool is attached */
};

static const struct world *world;

static int bind_part(const char *name, bool folder)
{
	char to[64];

	snprintf(to, sizeof(to), WORLD "%s", name);
	return (folder ? mkdir(to, 0755) : mknod(to, S_IFREG | 0755, 0)) || mount(name, to, NULL, MS_BIND, NULL);
}

static int make_folder(const char *name, mode_t mode)
{
	return mkdir(name, mode) || chmod(name, mode);
}

/* A call that would be the end of the process. */
static int forbid_memfd(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_memfd_create, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, 0x80000000u /* kill the process */),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof(code) / sizeof(code[0]), code };

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

/* Of all files in memory of a pid namespace, where the kernel knows that (since 6.3). */
static int forbid_exec(void)
{
	int fd = open(WORLD "proc/sys/vm/memfd_noexec", O_WRONLY | O_CLOEXEC), rc = fd < 0 ? errno != ENOENT : write(fd, "2", 1) != 1;

	if (fd >= 0)
		close(fd);
	return rc;
}

static int build(void)
{
	static const char *const folders[] = { "lib", "nolistener", "sdk-1.0" };
	const unsigned long exec = world->noexec ? MS_NOEXEC : 0;

	if (unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("none", WORLD, "tmpfs", 0, "mode=0755"))
		return -1;
	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++)
		if (bind_part(folders[i], true))
			return -1;
	if (bind_part("rocm-app", false) || make_folder(WORLD "proc", 0755) || make_folder(WORLD "tmp", 01777) || make_folder(WORLD "out", 0777))
		return -1;
	if (!world->no_proc && mount("proc", WORLD "proc", "proc", 0, NULL))
		return -1;
	if (world->own_pids && forbid_exec())
		return -1;
	if (mount("none", WORLD "out", "tmpfs", exec, "mode=0777") || (!world->read_only && mount("none", WORLD "tmp", "tmpfs", exec, "mode=1777")))
		return -1;
	if (mount(NULL, WORLD, NULL, MS_REMOUNT | MS_BIND | (world->read_only ? MS_RDONLY : exec), NULL))
		return -1;
	if (world->without_memfd && forbid_memfd())
		return -1;
	return chdir(WORLD);
}

static struct app begin(const struct world *with)
{
	struct app app;

	if (geteuid())
		skip("needs root");
	world = with;
	app = app_start_as(&(struct start){ .state = "ready", .settings = "threads=2", .environment = with->late ? OLD_SDK : ATTACHABLE,
		.change_root = true, .arrange = build, .uid = with->uid, .new_namespaces = with->own_pids });
	app_forget(&app);
	snprintf(app.output, sizeof(app.output), "/proc/%s/root/out", app.pid);
	return app;
}

/* ---- what is there of ours ---- */

static char *descriptors(const struct app *app)
{
	static char text[2][16384];
	static unsigned next;
	char *into = text[next++ % 2], path[300], link[4096];
	struct dirent *entry;
	size_t used = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%s/fd", app->pid);
	dir = opendir(path);
	require(dir, "the target is gone");
	into[0] = 0;
	while ((entry = readdir(dir)) && used < sizeof(text[0]) - 8) {
		ssize_t n = readlinkat(dirfd(dir), entry->d_name, link, sizeof(link) - 1);

		if (n > 0)
			used += (size_t)snprintf(into + used, sizeof(text[0]) - used, "%s -> %.*s\n", entry->d_name, (int)n, link);
	}
	closedir(dir);
	return into;
}

/* The folder of ours in one that the target sees; "": none. */
static const char *folder_in(const struct app *app, const char *place)
{
	static char found[600];
	char path[512];
	struct dirent *entry;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%s/root%s", app->pid, place);
	dir = opendir(path);
	found[0] = 0;
	while (dir && (entry = readdir(dir)))
		if (!strncmp(entry->d_name, ".roclatch", 9))
			snprintf(found, sizeof(found), "%s/%.80s", path, entry->d_name);
	if (dir)
		closedir(dir);
	return found;
}

static void nothing_left(const struct app *app, const char *before, const char *when)
{
	const char *after = descriptors(app);

	check(!strcmp(before, after), "%s the descriptors were\n%sand are\n%s", when, before, after);
	check(!folder_in(app, "/tmp")[0] && !folder_in(app, "")[0], "%s %s%s is there", when, folder_in(app, "/tmp"), folder_in(app, ""));
	check(!app_traced(app), "%s a thread is traced", when);
}

static struct outcome attach(const struct app *app, const char *more)
{
	return run_all("attach -p %s -d /out -o out --verbose %s %s", app->pid, more, world->late ? "--late" : "-t roclatch");
}

static void has_rows(const struct app *app, const char *table)
{
	check(made_rows(app, table) > 10, "%ld calls of HIP in %s", made_rows(app, table), table);
}

static char remembered[16384];

struct app staged_start(void)
{
	static const struct world plain = { .stage = "" };

	return begin(&plain);
}

void staged_before(const struct app *app)
{
	strcpy(remembered, descriptors(app));
}

void staged_nothing_left(const struct app *app)
{
	nothing_left(app, remembered, "after the kill");
}

/* ---- tests ---- */

/* Attached twice, then kept and detached by another roclatch. */
static void run_staged(const void *with)
{
	const struct world *w = with;
	struct app app = begin(w);
	char words[256], *before = strdup(descriptors(&app));
	struct outcome o;

	snprintf(words, sizeof(words), RECORDS " %s --attach-duration-msec 300", w->stage);
	o = attach(&app, words);
	expect(&o, 0, NULL);
	has_rows(&app, "out_hip_api_trace.csv");
	nothing_left(&app, before, "after the first attach");
	check(app_maps(&app, w->seen), "%s is not mapped", w->seen);
	o = attach(&app, words);
	expect(&o, 0, NULL);
	has_rows(&app, "out_1_hip_api_trace.csv");
	nothing_left(&app, before, "after the second attach");
	snprintf(words, sizeof(words), RECORDS " %s --keep", w->stage);
	o = attach(&app, words);
	expect(&o, 0, NULL);
	check(!strstr(descriptors(&app), MEMORY), "the file in memory is open while the tool is attached");
	sleep_ms(200);
	o = run_all("detach -p %s", app.pid);
	expect(&o, 0, NULL);
	has_rows(&app, "out_2_hip_api_trace.csv");
	nothing_left(&app, before, "after the detach by another");
	free(before);
	app_end(&app);
}

/* While it is attached the file is the target's own, and others can read it. */
static void run_file(const void *with)
{
	const struct world *w = with;
	struct app app = begin(w);
	char words[256], path[700], *before = strdup(descriptors(&app));
	struct outcome o;
	struct stat st;

	snprintf(words, sizeof(words), RECORDS " %s --keep", w->stage);
	o = attach(&app, words);
	expect(&o, 0, NULL);
	snprintf(path, sizeof(path), "%s", folder_in(&app, "/tmp"));
	check(!lstat(path, &st) && S_ISDIR(st.st_mode) && (st.st_mode & 07777) == 0755 && st.st_uid == w->uid, "the folder %s: mode %o, user %u",
		path, (unsigned)st.st_mode, (unsigned)st.st_uid);
	strcat(path, "/libroclatch-tool.so");
	check(!lstat(path, &st) && S_ISREG(st.st_mode) && (st.st_mode & 07777) == 0644 && st.st_uid == w->uid, "the file %s: mode %o, user %u",
		path, (unsigned)st.st_mode, (unsigned)st.st_uid);
	o = run_all("detach -p %s", app.pid);
	expect(&o, 0, NULL);
	nothing_left(&app, before, "after the detach");
	free(before);
	app_end(&app);
}

struct refusal { struct world world; const char *said; };

static void run_refused(const void *with)
{
	const struct refusal *r = with;
	struct app app = begin(&r->world);
	struct snapshot before, after;
	char words[256];
	struct outcome o;

	if (r->world.files) {
		struct rlimit limit = { r->world.files, r->world.files };

		require(!prlimit(app.t.pid, RLIMIT_NOFILE, &limit, NULL), "prlimit: %s", strerror(errno));
	}
	before = look(&app.t, 0);
	snprintf(words, sizeof(words), RECORDS " %s --attach-duration-msec 100", r->world.stage);
	o = attach(&app, words);
	expect(&o, 3, NULL);
	expect_said(&o, r->said);
	expect_said(&o, "remedy");
	o = run_all("check -p %s -d /out -t roclatch %s", app.pid, r->world.stage);
	expect(&o, 3, NULL);
	after = look(&app.t, 0);
	compare(&before, &after, 0);
	app_end(&app);
}

/* check and --dry-run say what would be, and do nothing. */
static void run_told(const void *with)
{
	const struct world *w = with;
	struct app app = begin(w);
	struct snapshot before = look(&app.t, 0), after;
	char words[256];
	struct outcome o = run_all("check -p %s -d /out -t roclatch %s", app.pid, w->stage);

	expect(&o, 0, NULL);
	expect_said(&o, w->seen);
	snprintf(words, sizeof(words), RECORDS " %s --dry-run", w->stage);
	o = attach(&app, words);
	expect(&o, 0, NULL);
	after = look(&app.t, 0);
	compare(&before, &after, 0);
	nothing_left(&app, descriptors(&app), "after looking");
	app_end(&app);
}

/* The program is the only file there is of roclatch. */
static void run_alone(const void *with)
{
	char folder[] = "/tmp/roclatch-alone-XXXXXX", path[64], buffer[65536];
	int from = open(options.roclatch, O_RDONLY | O_CLOEXEC), to;
	ssize_t n;

	require(mkdtemp(folder), "mkdtemp: %s", strerror(errno));
	snprintf(path, sizeof(path), "%s/roclatch", folder);
	to = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0755);
	while ((n = read(from, buffer, sizeof(buffer))) > 0)
		if (write(to, buffer, (size_t)n) != n)
			fail("cannot copy roclatch");
	close(from);
	close(to);
	options.roclatch = path;
	if (!failed())
		run_staged(with);
	unlink(path);
	rmdir(folder);
}

/* Another tool than roclatch's own, or two: their files are ours alone. */
static void run_other(const void *list)
{
	static const struct world plain = { .stage = "" };
	struct app app = begin(&plain);
	char words[9000], one[4200], *before = strdup(descriptors(&app));

	snprintf(one, sizeof(one), "%s", app_path("tools/libsecond.so"));
	if (list)
		snprintf(words, sizeof(words), "-t %s:%s", one, app_path("tools/libroclatch-tool.so"));
	else
		snprintf(words, sizeof(words), "-t %s", one);
	for (unsigned i = 0; i < 2; i++) {
		struct outcome o = run_all("attach -p %s -d /out -o out --kernel-trace --attach-duration-msec 100 %s", app.pid, words);

		expect(&o, 0, NULL);
		nothing_left(&app, before, i ? "after the second attach" : "after the first attach");
	}
	check(app_maps(&app, list ? MEMORY "0-libsecond.so" : MEMORY "libsecond.so"), "the tool is not mapped");
	check(!list || app_maps(&app, MEMORY "1-libroclatch-tool.so"), "the second tool is not mapped");
	if (!list) {
		struct outcome o = run_all("attach -p %s -d /out -o out --kernel-trace --attach-duration-msec 100 -t %s", app.pid,
			app_path("tools/libslow.so"));

		expect(&o, 3, NULL);
		expect_said(&o, "was attached before");
	}
	free(before);
	app_end(&app);
}

/* A tool that fails leaves nothing of what was brought. */
static void run_fails(const void *with)
{
	const struct world *w = with;
	struct app app = begin(w);
	char *before = strdup(descriptors(&app));
	struct outcome o = run_all("attach -p %s -d /out -o out --kernel-trace --attach-duration-msec 100 %s -t %s", app.pid, w->stage,
		app_path(w->seen));

	expect(&o, 5, NULL);
	app_answers(&app, "env ROCLATCH_ATTACHED", "(null)");
	nothing_left(&app, before, "after the failure");
	free(before);
	app_end(&app);
}

/* A root without /proc that we see, too: what the target leaves by ending is removed by the roclatch that lives. */
static void run_ends(const void *unused)
{
	struct app app = app_start_as(&(struct start){ .state = "ready", .settings = "threads=2", .environment = ATTACHABLE, .change_root = true });
	struct outcome o;
	struct run run;
	char pattern[4200];

	(void)unused;
	app_forget(&app);
	snprintf(app.output, sizeof(app.output), "%s/root-rocm/ends-%s", options.fixtures, app.pid);
	require(!mkdir(app.output, 0777), "mkdir: %s", strerror(errno));
	run = run_start(INPUT_PIPE, "attach -p %s -t roclatch -d %s -o out " RECORDS, app.pid, strrchr(app.output, '/'));
	own_wait_for_log(&app, "out.rlog");
	check(folder_in(&app, "")[0], "there is no folder with the tool");
	snprintf(pattern, sizeof(pattern), "%s/root-rocm%s", options.fixtures, strrchr(folder_in(&app, ""), '/'));
	kill(app.t.pid, SIGKILL);
	o = run_end(&run, 60000);
	check(o.status == 4 || o.status == 0, "roclatch ended with %d: %s", o.status, o.err);
	check(access(pattern, F_OK), "%s is there", pattern);
	waitpid(app.t.pid, NULL, 0);
	app_forget(&app);
}

void add_rocm_staged_tests(void)
{
	static const struct world memory = { .stage = "--stage memfd", .seen = MEMORY "libroclatch-tool.so" },
		any = { .stage = "", .seen = MEMORY "libroclatch-tool.so" },
		late = { .stage = "", .late = true, .seen = MEMORY "libroclatch-tool.so" },
		late_file = { .stage = "--stage file", .late = true, .seen = "/.roclatch-" },
		user = { .stage = "", .uid = 65534, .seen = MEMORY "libroclatch-tool.so" },
		read_only = { .stage = "", .read_only = true, .seen = MEMORY "libroclatch-tool.so" },
		noexec = { .stage = "", .noexec = true, .seen = MEMORY "libroclatch-tool.so" },
		pids = { .stage = "--stage memfd", .own_pids = true, .seen = MEMORY "libroclatch-tool.so" },
		file = { .stage = "--stage file", .seen = "/tmp/.roclatch-" },
		no_proc = { .stage = "", .no_proc = true, .seen = "/tmp/.roclatch-" },
		no_memfd = { .stage = "", .without_memfd = true, .seen = "/tmp/.roclatch-" },
		user_file = { .stage = "--stage file", .uid = 65534, .seen = "/tmp/.roclatch-" },
		told_memory = { .stage = "", .seen = "--stage memfd" }, told_file = { .stage = "--stage file", .seen = "below /tmp" },
		crashes = { .stage = "", .seen = "tools/libcrashes.so" }, refuses_file = { .stage = "--stage file", .seen = "tools/librefuses.so" };
	static const struct refusal none = { { .stage = "--stage none" }, "does not see" },
		no_folder = { { .stage = "--stage file", .read_only = true }, "no folder" },
		noexec_file = { { .stage = "--stage file", .noexec = true }, "noexec" },
		memory_only = { { .stage = "--stage memfd", .no_proc = true }, "/proc" },
		full = { { .stage = "", .files = 6 }, "open no more" };

	add(MIXED, run_staged, &memory, "a tool that the target does not see is brought in memory, again and again");
	add(MIXED, run_staged, &file, "a tool that the target does not see is brought as a file, again and again");
	add(MIXED, run_staged, &late, "a tool that the target does not see is brought in memory and attached late");
	add(MIXED, run_staged, &late_file, "a tool that the target does not see is brought as a file and attached late");
	add(MIXED, run_staged, &user, "a tool is brought in memory to a target of another user");
	add(MIXED, run_staged, &read_only, "a tool is brought in memory to a target that can write nowhere");
	add(MIXED, run_staged, &noexec, "a tool is brought in memory where all is mounted noexec");
	add(MIXED, run_staged, &pids, "a tool is brought in memory to a pid namespace whose files in memory may not be run");
	add(MIXED, run_staged, &no_proc, "a tool is brought as a file to a target without /proc");
	add(MIXED, run_staged, &no_memfd, "a tool is brought as a file where memfd_create would kill the target");
	add(MIXED, run_alone, &any, "roclatch as the only file records with the tool that is built in");
	add(MIXED, run_file, &file, "a tool that is brought as a file has modes that all can read");
	add(MIXED, run_file, &user_file, "a tool that is brought as a file belongs to the target's user");
	add(MIXED, run_other, NULL, "another tool is brought in memory, and known again");
	add(MIXED, run_other, "two", "two tools are brought in memory, and known again");
	add(MIXED, run_fails, &crashes, "a tool that was brought in memory and crashes leaves nothing of that");
	add(MIXED, run_fails, &refuses_file, "a tool that was brought as a file and refuses leaves nothing of that");
	add(MIXED, run_ends, NULL, "a tool that was brought as a file is removed when the target ends");
	add(MIXED, run_told, &told_memory, "check and a dry run tell that a tool would be brought in memory");
	add(MIXED, run_told, &told_file, "check and a dry run tell that a tool would be brought as a file");
	add(MIXED, run_refused, &none, "a tool that may not be brought is refused");
	add(MIXED, run_refused, &no_folder, "a tool that is to be a file is refused where the target can write nowhere");
	add(MIXED, run_refused, &noexec_file, "a tool that is to be a file is refused where all is mounted noexec");
	add(MIXED, run_refused, &memory_only, "a tool that is to be in memory is refused without /proc");
	add(MIXED, run_refused, &full, "a target that can open no more files is refused a tool");
}
