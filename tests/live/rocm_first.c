// SPDX-License-Identifier: MIT
/* roclatch as the first process of a pid namespace, as it is in a container of its own. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "rocm.h"

#define FIRST "configure configure_attach init attach detach"
#define LIMIT 60000
#define GRACE_MS 10000  /* what docker stop waits before it kills */
#define TARGETS_MAX 3

/* From here on our children are of a namespace of their own: the first is its first process, and all end with it. */
static void have_namespace(void)
{
	require(!unshare(CLONE_NEWPID), "unshare: %s", strerror(errno));
	run_own_proc = true;
}

/* A number behind a word of /proc/PID/status: the last of its line. */
static int status_number(pid_t pid, const char *word)
{
	char text[8192], *at, *end;

	if (!read_text(text, sizeof(text), "/proc/%d/status", (int)pid) || !(at = strstr(text, word)) || !(end = strchr(at, '\n')))
		return -1;
	*end = 0;
	while (end > at && end[-1] != '\t' && end[-1] != ' ')
		end--;
	return atoi(end);
}

static bool is_zombie_of(pid_t pid, pid_t parent)
{
	char text[8192];

	return read_text(text, sizeof(text), "/proc/%d/status", (int)pid) && strstr(text, "State:\tZ") &&
		status_number(pid, "PPid:") == (int)parent;
}

static bool has_zombie(pid_t parent)
{
	DIR *dir = opendir("/proc");
	struct dirent *entry;
	bool found = false;

	while (dir && !found && (entry = readdir(dir)))
		found = atoi(entry->d_name) > 0 && is_zombie_of(atoi(entry->d_name), parent);
	if (dir)
		closedir(dir);
	return found;
}

static bool gets_zombie(pid_t parent)
{
	for (unsigned i = 0; i < LIMIT / 10 && !has_zombie(parent); i++)
		sleep_ms(10);
	return has_zombie(parent);
}

/* A child whose parent ends before it: it falls to the first process, and ends. */
static void leave_orphan(void)
{
	pid_t pid = fork();
	int status;

	require(pid >= 0, "fork: %s", strerror(errno));
	if (!pid) {
		pid_t parent = getpid(), orphan = fork();

		while (!orphan && getppid() == parent)
			usleep(1000);
		_exit(orphan < 0);
	}
	require(waitpid(pid, &status, 0) == pid && !status, "no orphan");
}

static void must_not_end(struct run *run, const char *what)
{
	if (run_goes_on(run))
		return;
	struct outcome o = run_end(run, 0);
	fail("%s: roclatch ended with %d and said: %s", what, o.status, o.err);
	end_failed();
}

/* All of the namespace are killed with its first process, which is not gone before they are. */
static void forget_killed(const struct app *app)
{
	int status = end_of(&app->t, 2 * LIMIT);

	check(status != -1 && WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL, "wait status %#x", status);
	app_forget(app);
}

static bool gets_log(const struct app *place, const char *file, const char *name)
{
	for (int64_t end = now_ns() + LIMIT * INT64_C(1000000); now_ns() < end; sleep_ms(10))
		if (strstr(log_names(place, file), name))
			return true;
	return false;
}

/* With a namespace of mounts its end may wait for whoever mounts something on this machine. */
static void expect_end(struct run *run, int status)
{
	struct outcome o = run_end(run, 2 * LIMIT);

	expect(&o, status, NULL);
}

struct first_case { unsigned targets; int signo; };

static void run_attached(const void *with)
{
	const struct first_case *of = with;
	struct app place = app_start("ready", NULL, ""), app[TARGETS_MAX];
	char environment[128], file[TARGETS_MAX][16];
	struct run run;
	int64_t begun;

	have_namespace();
	snprintf(environment, sizeof(environment), "ROCLATCH_TEST_FIRST=%d " ATTACHABLE, (int)getpid());
	run = run_start(INPUT_NULL, "attach --wait --env ROCLATCH_TEST_FIRST=%d -d %s --kernel-trace", (int)getpid(), place.output);
	require(run_says(&run, "waiting: ", LIMIT), "it does not wait");
	check(status_number(run.pid, "NSpid:") == 1, "roclatch is not the first process");
	leave_orphan();
	check(gets_zombie(run.pid), "no orphan fell to roclatch, or it was reaped");
	kill(run.pid, SIGSTOP);         /* until all are there */
	for (unsigned i = 0; i < of->targets; i++) {
		app[i] = app_start("ready", NULL, environment);
		snprintf(file[i], sizeof(file[i]), "%d", status_number(app[i].t.pid, "NSpid:"));
	}
	kill(run.pid, SIGCONT);
	for (unsigned i = 0; i < of->targets; i++)
		check(gets_log(&place, file[i], "attach"), "process %s of the namespace was not attached", file[i]);
	must_not_end(&run, "attached");
	leave_orphan();
	sleep_ms(200);
	check(has_zombie(run.pid), "it reaped what is not its own");
	begun = now_ns();
	kill(run.pid, of->signo);
	for (unsigned i = 0; i < of->targets; i++)
		check(gets_log(&place, file[i], "detach"), "process %s of the namespace was not detached", file[i]);
	check(slow_machine() || now_ns() - begun < GRACE_MS * INT64_C(1000000), "it took %lld ms to detach",
		(long long)((now_ns() - begun) / 1000000));
	for (unsigned i = 0; i < of->targets; i++)
		forget_killed(&app[i]);
	expect_end(&run, 0);
	for (unsigned i = 0; i < of->targets; i++)
		log_of(&place, file[i], FIRST);
	app_end(&place);
}

static void run_waiting(const void *signo)
{
	struct run run;

	have_namespace();
	run = run_start(INPUT_NULL, "wait --name ^no-such-process-%d$", (int)getpid());
	require(run_says(&run, "waiting: ", LIMIT), "it does not wait");
	check(status_number(run.pid, "NSpid:") == 1, "roclatch is not the first process");
	leave_orphan();
	check(gets_zombie(run.pid), "it reaped what is not its own");
	kill(run.pid, *(const int *)signo);
	expect_end(&run, 128 + *(const int *)signo);
}

/* A shell that starts the program and becomes roclatch: the program is a child of roclatch, but not its own. */
static struct run run_script(const struct app *place, char *script, const char *fmt, ...)
{
	const char *real = options.roclatch;
	struct run run;
	FILE *file;
	va_list ap;

	snprintf(script, 600, "%s/script", place->output);
	file = fopen(script, "w");
	require(file, "cannot write %s", script);
	fprintf(file, "cd %s\nLD_LIBRARY_PATH=lib ROCP_TOOL_ATTACH=1 ./rocm-app ready </dev/null >/dev/null 2>&1 3>&- 4>&- &\nsleep 1\nexec %s ",
		app_path(""), real);
	va_start(ap, fmt);
	vfprintf(file, fmt, ap);
	va_end(ap);
	fclose(file);
	options.roclatch = "/bin/sh";
	run = run_start(INPUT_NULL, "%s", script);
	options.roclatch = real;
	return run;
}

static void run_parent(const void *unused)
{
	struct app place = app_start("ready", NULL, "");
	char script[600];
	struct run run;

	(void)unused;
	have_namespace();
	run = run_script(&place, script, "attach --wait -p $! -d %s -o out --kernel-trace", place.output);
	check(log_waits_for(&place, "attach", 1, LIMIT), "its child was not attached");
	must_not_end(&run, "attached");
	kill(run.pid, SIGTERM);
	expect_end(&run, 0);
	log_is(&place, FIRST);
	app_end(&place);
}

/* Has the shell become roclatch, and that its handlers?  Until then process 1 ignores a signal. */
static bool catches_signals(pid_t pid)
{
	char text[8192], *caught;

	return read_text(text, sizeof(text), "/proc/%d/status", (int)pid) && strstr(text, "Name:\troclatch\n") &&
		(caught = strstr(text, "SigCgt:")) && strtoull(caught + 7, NULL, 16) >> (SIGTERM - 1) & 1;
}

/* The signal comes while it samples, or while it still prepares that. */
static void run_sample(const void *after_ms)
{
	struct app place = app_start("ready", NULL, "");
	char script[600];
	struct stat st;
	struct run run;

	have_namespace();
	run = run_script(&place, script, "sample $! -o %s/samples", place.output);
	for (int64_t end = now_ns() + LIMIT * INT64_C(1000000); now_ns() < end && !catches_signals(run.pid) && run_goes_on(&run);)
		usleep(100);
	sleep_ms(*(const unsigned *)after_ms);
	must_not_end(&run, "sample");
	kill(run.pid, SIGTERM);
	expect_end(&run, 0);
	snprintf(script, sizeof(script), "%s/samples", place.output);
	check(!stat(script, &st) && st.st_size, "nothing was written");
	app_end(&place);
}

void add_rocm_first_tests(void)
{
	static const struct first_case cases[] = { { 1, SIGTERM }, { 3, SIGTERM }, { 3, SIGINT } };
	static const int signals[] = { SIGTERM, SIGINT, SIGHUP };
	static const unsigned after_ms[] = { 0, 500 };

	for (unsigned i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		add(MIXED, run_attached, &cases[i], "first process: signal %d detaches %u, and orphans are not reaped", cases[i].signo,
			cases[i].targets);
	for (unsigned i = 0; i < 3; i++)
		add(MIXED, run_waiting, &signals[i], "first process: signal %d ends a wait, and orphans are not reaped", signals[i]);
	add(MIXED, run_parent, NULL, "first process: a child that it inherited is attached and detached");
	for (unsigned i = 0; i < 2; i++)
		add(MIXED, run_sample, &after_ms[i], "first process: sampling ends by SIGTERM after %u ms", after_ms[i]);
}
