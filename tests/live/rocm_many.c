// SPDX-License-Identifier: MIT
/* Many processes at once, trees and groups of them, and one process many times. */
#include <dirent.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "rocm.h"

#define FIRST "configure configure_attach init attach detach"
#define CYCLES 100
#define CYCLES_AT_LENGTH 1000

static void run_parallel(const void *unused)
{
	struct app a = app_start("ready", NULL, ATTACHABLE), b = app_start("ready", NULL, ATTACHABLE);
	struct outcome o;

	(void)unused;
	o = run_all("attach -p %s -p %s -d %s --kernel-trace --attach-duration-msec 300", a.pid, b.pid, a.output);
	expect(&o, 0, NULL);
	log_of(&a, a.pid, FIRST);
	log_of(&a, b.pid, FIRST);
	app_end(&b);
	app_end(&a);
}

/* Two roclatches, each with a process of its own, at the same time. */
static void run_beside(const void *unused)
{
	struct app a = app_start("ready", NULL, ATTACHABLE), b = app_start("ready", NULL, ATTACHABLE);
	struct run first = attach_start(&a, INPUT_PIPE, "--kernel-trace"), second = attach_start(&b, INPUT_PIPE, "--kernel-trace");
	struct outcome o;

	(void)unused;
	dprintf(first.in, "\n");
	o = run_end(&first, 20000);
	expect(&o, 0, NULL);
	log_is(&a, FIRST);
	log_is(&b, "configure configure_attach init attach");
	dprintf(second.in, "\n");
	o = run_end(&second, 20000);
	expect(&o, 0, NULL);
	log_is(&b, FIRST);
	app_end(&b);
	app_end(&a);
}

static void run_partly(const void *unused)
{
	struct app a = app_start("ready", NULL, ATTACHABLE), b = app_start("ready", NULL, "");
	struct snapshot before = look(&b.t, 0), after;
	struct outcome o;

	(void)unused;
	o = run_all("attach -p %s -p %s -d %s --kernel-trace --attach-duration-msec 300", a.pid, b.pid, a.output);
	check(o.status, "roclatch ended with 0, although one of two could not be attached");
	expect_said(&o, "ROCP_TOOL_ATTACH");
	log_of(&a, a.pid, FIRST);
	after = look(&b.t, 0);
	compare(&before, &after, 0);
	log_of(&a, b.pid, "");
	app_end(&b);
	app_end(&a);
}

static pid_t child(const struct app *app, const char *order)
{
	const char *answer = app_ask(app, "%s", order);
	pid_t pid = answer ? atoi(answer) : 0;

	require(pid > 0, "no child by %s", order);
	return pid;
}

static bool lives(pid_t pid)
{
	char text[1024], *end;

	if (!read_text(text, sizeof(text), "/proc/%d/stat", (int)pid))
		return false;
	end = strrchr(text, ')');
	return end && end[2] != 'Z';
}

/* The program, one child that is a program of its own, and one that only forked and has no listener. */
static void run_tree(const void *children)
{
	struct app app = app_start("ready", NULL, ATTACHABLE);
	pid_t anew = child(&app, "exec"), forked = child(&app, "fork"), plain = child(&app, "exec-plain");
	char name[16];
	struct outcome o;

	o = run_all("attach -p %s --attach-children %s -d %s --kernel-trace --attach-duration-msec 300", app.pid,
		(const char *)children, app.output);
	expect(&o, 0, NULL);
	log_of(&app, app.pid, FIRST);
	snprintf(name, sizeof(name), "%d", (int)anew);
	log_of(&app, name, strcmp(children, "true") ? "" : FIRST);
	snprintf(name, sizeof(name), "%d", (int)forked);
	log_of(&app, name, "");
	snprintf(name, sizeof(name), "%d", (int)plain);
	log_of(&app, name, "");
	unharmed(lives(anew) && lives(forked) && lives(plain), "a child is gone");
	app_end(&app);
}

/* A launcher that uses no GPU itself, and the worker that it started. */
static void run_root(const void *unused)
{
	struct app app = app_start("ready", NULL, "");
	char name[16];
	struct outcome o;
	pid_t worker;

	(void)unused;
	app_answers(&app, "set ROCP_TOOL_ATTACH=1", "0");
	worker = child(&app, "exec");
	app_answers(&app, "unset ROCP_TOOL_ATTACH", "0");
	o = run_all("attach -p %s -d %s --kernel-trace --attach-duration-msec 300", app.pid, app.output);
	expect_said(&o, "ROCP_TOOL_ATTACH");
	log_of(&app, app.pid, "");
	snprintf(name, sizeof(name), "%d", (int)worker);
	log_of(&app, name, FIRST);
	check(o.status == 3, "roclatch ended with %d: %s", o.status, o.err);
	unharmed(lives(worker), "the worker is gone");
	app_end(&app);
}

struct size { unsigned maps, files, threads; long rss; };

static unsigned count(const char *format, pid_t pid)
{
	struct dirent *entry;
	char path[64];
	unsigned n = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, format);
	dir = opendir(path);
	require(dir, "the target is gone");
	while ((entry = readdir(dir)))
		n += entry->d_name[0] != '.';
	closedir(dir);
	return n;
}

static struct size measure(const struct app *app)
{
	static char text[1 << 20];
	struct size size = { .files = count("fd", app->t.pid), .threads = count("task", app->t.pid) };
	const char *rss;

	require(read_text(text, sizeof(text), "/proc/%s/maps", app->pid), "the target is gone");
	for (const char *at = text; (at = strchr(at, '\n')); at++)
		size.maps++;
	require(read_text(text, sizeof(text), "/proc/%s/status", app->pid) && (rss = strstr(text, "VmRSS:")), "no VmRSS");
	size.rss = strtol(rss + 6, NULL, 10);
	return size;
}

/* The kernel makes a huge page of small ones when it finds the time: 2 MiB that nobody asked for. */
static int small_pages_only(void)
{
	prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
	return 0;
}

/* The C library keeps a stack and an arena or two for threads to come; that is settled after a few rounds. */
static void run_cycles(const void *environment)
{
	struct app app = app_start_as(&(struct start){ .state = "ready", .settings = "threads=2", .environment = environment,
		.arrange = small_pages_only });
	unsigned cycles = rounds(options.at_length ? CYCLES_AT_LENGTH : CYCLES), settled = cycles / 10;
	struct size before = { 0 }, after;

	for (unsigned i = 0; i < cycles && !failed(); i++) {
		struct outcome o = run_all("attach -p %s -d %s -o out --kernel-trace --attach-duration-msec 1", app.pid, app.output);

		expect(&o, 0, NULL);
		if (i == settled)
			before = measure(&app);
	}
	after = measure(&app);
	unharmed(after.files == before.files, "%u files became %u", before.files, after.files);
	unharmed(after.threads == before.threads, "%u threads became %u", before.threads, after.threads);
	unharmed(after.maps <= before.maps + 2, "%u mappings became %u", before.maps, after.maps);
	unharmed(after.rss <= before.rss + 512, "%ld KiB became %ld", before.rss, after.rss);
	check(log_waits_for(&app, "detach", cycles, 1000) && !log_waits_for(&app, "detach", cycles + 1, 0),
		"the tool was not detached %u times", cycles);
	check(!log_waits_for(&app, "init", 2, 0), "the tool was initialised again");
	app_end(&app);
}

static bool put(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");
	bool ok = file && fputs(text, file) >= 0;

	return (!file || fclose(file) == 0) && ok;
}

/* A group of our own, where one can be made; it is removed before anything is judged. */
static bool run_in_group(const char *mount, const struct app *app, struct outcome *o)
{
	char group[128], procs[160], above[160];

	snprintf(group, sizeof(group), "%s/roclatch-test-%d", mount, (int)getpid());
	snprintf(procs, sizeof(procs), "%s/cgroup.procs", group);
	snprintf(above, sizeof(above), "%s/cgroup.procs", mount);
	bool made = !mkdir(group, 0755) && !access(procs, W_OK) && put(procs, app->pid);

	if (made) {
		*o = run_all("attach --cgroup %s -d %s --kernel-trace --attach-duration-msec 100", group, app->output);
		put(above, app->pid);
	}
	rmdir(group);
	return made;
}

static void run_cgroup(const void *unused)
{
	static const char *const mounts[] = { "/sys/fs/cgroup", "/sys/fs/cgroup/unified", "/sys/fs/cgroup/pids", "/sys/fs/cgroup/memory" };
	struct app app = app_start("ready", NULL, ATTACHABLE), other = app_start("ready", NULL, ATTACHABLE);
	struct outcome o;
	bool made = false;

	(void)unused;
	for (unsigned i = 0; i < 4 && !made; i++)
		made = run_in_group(mounts[i], &app, &o);
	if (made) {
		expect(&o, 0, NULL);
		log_of(&app, app.pid, FIRST);
		log_of(&app, other.pid, "");
	}
	app_end(&app);
	app_end(&other);
	if (!made)
		skip("no control group can be made here");
}

void add_rocm_many_tests(void)
{
	add(MIXED, run_parallel, NULL, "two processes are attached by one roclatch at once");
	add(MIXED, run_beside, NULL, "two roclatches attach a process each at the same time");
	add(MIXED, run_partly, NULL, "of two processes the one that can be attached is, and the other is told and untouched");
	add(MIXED, run_tree, "true", "of a tree those are attached that can be, and children without a listener are skipped");
	add(MIXED, run_root, NULL, "of a tree whose root cannot be attached the children are, and the root is told");
	add(MIXED, run_tree, "false", "without --attach-children only the process itself is attached");
	add(MIXED, run_cgroup, NULL, "the processes of a control group are found and attached");
	add(ALONE, run_cycles, ATTACHABLE, "attaching and detaching again and again leaks nothing in the target");
	add(SLEEPERS, run_cycles, NO_LISTENER, "attaching again and again without a listener leaks nothing in the target");
}
