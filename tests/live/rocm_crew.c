// SPDX-License-Identifier: MIT
/* Many processes at the same moment, at a time, and those that come meanwhile. */
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "rocm.h"

#define CREW 8
#define FIRST "configure configure_attach init attach detach"

struct crew {
	struct app app[CREW];
	unsigned n;
	char pids[CREW * 16];   /* " -p 4711 -p 4712" */
};

static struct crew crew_start(unsigned n, const char *environment)
{
	struct crew crew = { .n = n };

	for (unsigned i = 0; i < n; i++) {
		size_t used = strlen(crew.pids);

		crew.app[i] = app_start("ready", "threads=1", environment);
		snprintf(crew.pids + used, sizeof(crew.pids) - used, " -p %s", crew.app[i].pid);
	}
	return crew;
}

static void crew_end(const struct crew *crew)
{
	for (unsigned i = 0; i < crew->n; i++)
		app_end(&crew->app[i]);
}

/* A number of the status that roclatch wrote of this process; -1 if there is none. */
static long long told(const char *folder, const char *pid, const char *member)
{
	char host[256] = "", text[8192], word[64];
	const char *at;

	gethostname(host, sizeof(host) - 1);
	snprintf(word, sizeof(word), "\"%s\":", member);
	if (!read_text(text, sizeof(text), "%s/%s-%s.roclatch.json", folder, host, pid) || !(at = strstr(text, word)))
		return -1;
	at += strlen(word);
	return strncmp(at, "true", 4) ? strtoll(at, NULL, 10) : 1;
}

static double said_within(const struct outcome *o, unsigned n)
{
	char words[64];
	const char *at;

	snprintf(words, sizeof(words), "%u processes attached within ", n);
	at = strstr(o->err, words);
	require(at, "no \"%s\" in what roclatch said: %s", words, o->err);
	return atof(at + strlen(words));
}

/* What roclatch says of the moment is what the statuses hold. */
static void same_moment(const struct crew *crew, const struct outcome *o, const char *folder)
{
	long long first = 0, last = 0;
	double said = said_within(o, crew->n), is;

	for (unsigned i = 0; i < crew->n; i++) {
		long long at = told(folder, crew->app[i].pid, "attached_at_ns"), end = told(folder, crew->app[i].pid, "detached_at_ns");

		require(at > 0 && end > at, "process %s has no times in its status: %lld and %lld", crew->app[i].pid, at, end);
		check(told(folder, crew->app[i].pid, "status") == 0 && told(folder, crew->app[i].pid, "attached") == 1 &&
			told(folder, crew->app[i].pid, "detached") == 1, "the status of %s is not one of success", crew->app[i].pid);
		first = !i || at < first ? at : first;
		last = !i || at > last ? at : last;
	}
	is = (double)(last - first) / 1e6;
	check(said > is - 0.06 && said < is + 0.06, "%.1f ms were said, and it was %.3f", said, is);
	for (unsigned i = 0; i < crew->n; i++)
		check(told(folder, crew->app[i].pid, "detached_at_ns") > last, "process %s was detached before another was attached",
			crew->app[i].pid);
}

static void run_moment(const void *unused)
{
	struct crew crew = crew_start(CREW, ATTACHABLE);
	const char *folder = crew.app[0].output;
	struct outcome o = run_all("attach%s -d %s --collect %s --kernel-trace --attach-duration-msec 300", crew.pids, folder, folder);

	(void)unused;
	expect(&o, 0, NULL);
	expect_said(&o, "in all: 8 of 8 processes attached within");
	for (unsigned i = 0; i < crew.n; i++)
		log_of(&crew.app[0], crew.app[i].pid, FIRST);
	same_moment(&crew, &o, folder);
	crew_end(&crew);
}

/* One cannot be attached; the others are, together, and the reason is told once more in the summary. */
static void run_one_fails(const void *unused)
{
	struct crew crew = crew_start(CREW - 1, ATTACHABLE);
	struct app bad = app_start("ready", NULL, "");
	struct snapshot before = look(&bad.t, 0), after;
	const char *folder = crew.app[0].output;
	struct outcome o = run_all("attach%s -p %s -d %s --collect %s --kernel-trace --attach-duration-msec 300", crew.pids, bad.pid,
		folder, folder);

	(void)unused;
	check(o.status == 3, "roclatch ended with %d and not 3: %s", o.status, o.err);
	expect_said(&o, "in all: 7 of 8 processes attached within");
	expect_said(&o, "1 failed (");
	same_moment(&crew, &o, folder);
	check(told(folder, bad.pid, "status") == 3 && told(folder, bad.pid, "attached") == 0, "the failure has no status of its own");
	after = look(&bad.t, 0);
	compare(&before, &after, 0);
	app_end(&bad);
	crew_end(&crew);
}

static int64_t wall_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* n processes two seconds from now; none may be early, how late it was is told. */
static void run_at(const void *n)
{
	struct crew crew = crew_start(*(const unsigned *)n, ATTACHABLE);
	const char *folder = crew.app[0].output;
	int64_t at = wall_ns() + INT64_C(2000000000);
	struct outcome o = run_all("attach%s --at @%lld.%09lld -d %s --collect %s --kernel-trace --attach-duration-msec 100", crew.pids,
		(long long)(at / 1000000000), (long long)(at % 1000000000), folder, folder);

	expect(&o, 0, NULL);
	expect_said(&o, "ready; attaching at ");
	expect_said(&o, " ms after the time");
	for (unsigned i = 0; i < crew.n; i++) {
		long long attached = told(folder, crew.app[i].pid, "attached_at_ns");

		check(attached > at, "process %s was attached %.1f ms before the time", crew.app[i].pid, (double)(at - attached) / 1e6);
		check(told(folder, crew.app[i].pid, "asked_at_ns") == at, "the time that was asked for is not in the status");
	}
	crew_end(&crew);
}

static void run_at_stopped(const void *n)
{
	struct crew crew = crew_start(*(const unsigned *)n, ATTACHABLE);
	struct run run = run_start(INPUT_NULL, "attach%s --at +60s -d %s --kernel-trace", crew.pids, crew.app[0].output);
	struct outcome o;

	sleep_ms(1500);
	kill(run.pid, SIGINT);
	o = run_end(&run, 20000);
	check(o.status == 128 + SIGINT, "roclatch ended with %d: %s", o.status, o.err);
	for (unsigned i = 0; i < crew.n; i++)
		log_of(&crew.app[0], crew.app[i].pid, "");
	crew_end(&crew);
}

static void run_at_past(const void *unused)
{
	struct app app = app_start("ready", NULL, ATTACHABLE);
	struct outcome o = run_all("attach -p %s --at @%lld -d %s", app.pid, (long long)(wall_ns() / 1000000000 - 100), app.output);

	(void)unused;
	check(o.status == 2, "roclatch ended with %d", o.status);
	o = run_all("attach -p %s --at @%lld -d %s --kernel-trace --attach-duration-msec 1", app.pid,
		(long long)(wall_ns() / 1000000000 - 20), app.output);
	expect(&o, 0, NULL);
	expect_said(&o, " s ago: attaching at once");
	app_end(&app);
}

static pid_t ask_child(const struct app *app, const char *order)
{
	const char *answer = app_ask(app, "%s", order);
	pid_t pid = answer ? atoi(answer) : 0;

	require(pid > 0, "no child by %s", order);
	return pid;
}

/* Until the tool of this process has written that it was attached. */
static bool waits_for_attach(const struct app *app, const char *file, unsigned ms)
{
	int64_t end = now_ns() + ms * INT64_C(1000000);

	while (now_ns() < end) {
		if (strstr(log_names(app, file), " attach"))
			return true;
		sleep_ms(20);
	}
	return false;
}

/* The child is a program of its own, born when its parent is attached; a forked one cannot be attached, and is told. */
static void run_follow(const void *unused)
{
	struct app app = app_start("ready", "threads=1", ATTACHABLE);
	struct run run = run_start(INPUT_PIPE, "attach -p %s --follow -d %s --kernel-trace", app.pid, app.output);
	char name[16], other[16];
	struct outcome o;
	pid_t anew, forked;

	(void)unused;
	require(waits_for_attach(&app, app.pid, 20000), "the program was not attached");
	forked = ask_child(&app, "fork");
	anew = ask_child(&app, "exec");
	snprintf(name, sizeof(name), "%d", (int)anew);
	snprintf(other, sizeof(other), "%d", (int)forked);
	check(waits_for_attach(&app, name, 30000), "the child that came meanwhile was not attached");
	sleep_ms(600);
	dprintf(run.in, "\n");
	o = run_end(&run, 30000);
	expect(&o, 0, NULL);
	expect_said(&o, "2 came meanwhile");
	expect_said(&o, "1 skipped (");
	log_of(&app, app.pid, FIRST);
	log_of(&app, name, FIRST);
	log_of(&app, other, "");
	unharmed(!kill(anew, 0) && !kill(forked, 0), "a child is gone");
	app_end(&app);
}

/* Nothing can be attached at first: the process that is named uses no GPU, its child does. */
static void run_follow_launcher(const void *unused)
{
	struct app app = app_start("waiting", NULL, "");
	struct run run = run_start(INPUT_PIPE, "attach -p %s --follow -d %s --kernel-trace", app.pid, app.output);
	char name[16];
	struct outcome o;

	(void)unused;
	sleep_ms(1000);
	require(run_goes_on(&run), "roclatch did not wait for children");
	app_answers(&app, "set ROCP_TOOL_ATTACH=1", "0");
	snprintf(name, sizeof(name), "%d", (int)ask_child(&app, "exec"));
	check(waits_for_attach(&app, name, 30000), "the child that came meanwhile was not attached");
	dprintf(run.in, "\n");
	o = run_end(&run, 30000);
	log_of(&app, name, FIRST);
	log_of(&app, app.pid, "");
	check(o.status == 3, "roclatch ended with %d: %s", o.status, o.err);
	app_end(&app);
}

/* The process becomes another program while it is attached: that one is attached as well. */
static void run_become(const void *follow)
{
	struct app app = app_start("ready", "threads=1", ATTACHABLE);
	struct run run = run_start(INPUT_PIPE, "attach -p %s %s -d %s --kernel-trace", app.pid, (const char *)follow, app.output);
	struct outcome o;

	require(waits_for_attach(&app, app.pid, 20000), "the program was not attached");
	sleep_ms(300);
	app_answers(&app, "become", "0");
	if (*(const char *)follow) {
		for (unsigned i = 0; i < 300 && strlen(log_names(&app, app.pid)) < strlen(FIRST); i++)
			sleep_ms(100);
		dprintf(run.in, "\n");
	}
	o = run_end(&run, 40000);
	expect_said(&o, "became another program");
	check(o.status == (*(const char *)follow ? 0 : 4), "roclatch ended with %d: %s", o.status, o.err);
	if (*(const char *)follow)
		expect_said(&o, "in all: 2 of 2 processes attached");
	unharmed(!app_traced(&app), "the program is traced");
	app_end(&app);
}

/* Killed with -9 just after the word was given, or a little later: the workers detach by themselves. */
static void run_killed(const void *unused)
{
	struct crew crew = crew_start(4, ATTACHABLE);
	struct app *out = &crew.app[0];

	(void)unused;
	for (unsigned ms = 0; ms < 120 && !failed(); ms += slow_machine() ? 60 : 10) {
		struct run run = run_start(INPUT_PIPE, "attach%s -d %s -o out --kernel-trace", crew.pids, out->output);
		unsigned attached = 0;

		for (unsigned i = 0; i < 200 && !attached; i++, sleep_ms(5))
			attached = strlen(log_names(out, "out")) > 0;
		sleep_ms(ms);
		kill(run.pid, SIGKILL);
		run_end(&run, 5000);
		for (unsigned i = 0; i < crew.n; i++) {
			struct outcome o;
			int64_t end = now_ns() + INT64_C(20000000000);

			do {    /* until its worker has let it go */
				sleep_ms(50);
				o = roclatch(20000, "detach", "-p", crew.app[i].pid, NULL);
			} while (strstr(o.err, "another roclatch") && now_ns() < end);
			check(o.status == 3 && strstr(o.err, "nothing is attached"), "after a kill %u ms later process %s is not detached: %s", ms,
				crew.app[i].pid, o.err);
			unharmed(!app_traced(&crew.app[i]), "process %s is traced", crew.app[i].pid);
		}
	}
	crew_end(&crew);
}

/* -o NAME is the same for all: their ids go behind it. */
static void run_names(const void *unused)
{
	struct crew crew = crew_start(2, ATTACHABLE);
	const char *folder = crew.app[0].output;
	struct outcome o = run_all("attach%s -d %s -o same --kernel-trace --attach-duration-msec 100", crew.pids, folder);
	char name[32];

	(void)unused;
	expect(&o, 0, NULL);
	expect_said(&o, "their files are called same_PID");
	for (unsigned i = 0; i < crew.n; i++) {
		snprintf(name, sizeof(name), "same_%s", crew.app[i].pid);
		log_of(&crew.app[0], name, FIRST);
	}
	log_of(&crew.app[0], "same", "");
	crew_end(&crew);
}

/* By the job's variables; roclatch, which has them too, is left out, and so is what has no ROCm. */
static void run_slurm(const void *unused)
{
	struct app app = app_start("ready", NULL, ATTACHABLE " SLURM_JOB_ID=4294000001 SLURM_STEP_ID=3 OMPI_COMM_WORLD_RANK=5");
	struct app plain = app_start_as(&(struct start){ .program = "rocm-app", .state = "waiting",
		.environment = "SLURM_JOB_ID=4294000001 SLURM_STEP_ID=3" });
	struct outcome o;
	char name[16];
	pid_t shell;

	(void)unused;
	setenv("SLURM_JOB_ID", "4294000001", 1);
	setenv("SLURM_STEP_ID", "3", 1);
	shell = fork();
	if (!shell) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		execlp("sleep", "sleep", "600", (char *)NULL);
		_exit(127);
	}
	snprintf(name, sizeof(name), "%d", (int)shell);
	sleep_ms(300);
	o = run_all("attach --slurm-job 4294000001.3 -d %s --collect %s --kernel-trace --attach-duration-msec 100", app.output, app.output);
	expect_said(&o, "in all: 1 of 3 processes attached");
	expect(&o, 0, NULL);
	check(told(app.output, app.pid, "rank") == 5, "the rank is not in the status");
	expect_said(&o, "1 skipped (");
	check(told(app.output, plain.pid, "status") == 3, "what has ROCm and could not be attached has no status");
	check(told(app.output, name, "status") == -1, "there is a status of what has no ROCm");
	kill(shell, SIGKILL);
	waitpid(shell, NULL, 0);
	log_of(&app, app.pid, FIRST);
	o = run_all("attach --slurm-job 4294000001.4 -d %s --collect %s", app.output, app.output);
	check(o.status == 3, "roclatch ended with %d", o.status);
	check(told(app.output, "0", "status") == 3, "that nobody was found is not in the folder");
	app_end(&plain);
	app_end(&app);
}

static bool put(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");
	bool ok = file && fputs(text, file) >= 0;

	return (!file || fclose(file) == 0) && ok;
}

/* A group of our own, where one can be made. */
static void run_cgroup(const void *unused)
{
	static const char *const mounts[] = { "/sys/fs/cgroup", "/sys/fs/cgroup/unified", "/sys/fs/cgroup/pids", "/sys/fs/cgroup/memory" };
	struct app app = app_start("ready", NULL, ATTACHABLE), other = app_start("ready", NULL, ATTACHABLE);
	char group[128] = "", procs[160];
	struct outcome o;

	(void)unused;
	for (unsigned i = 0; i < 4 && !group[0]; i++) {
		snprintf(group, sizeof(group), "%s/roclatch-test-%d", mounts[i], (int)getpid());
		snprintf(procs, sizeof(procs), "%s/cgroup.procs", group);
		if (!mkdir(group, 0755) && !access(procs, W_OK) && put(procs, app.pid))
			break;
		rmdir(group);
		group[0] = 0;
	}
	if (!group[0]) {
		app_end(&other);
		app_end(&app);
		skip("no control group can be made here");
	}
	o = run_all("attach --cgroup %s -d %s --kernel-trace --attach-duration-msec 100", group, app.output);
	expect(&o, 0, NULL);
	log_of(&app, app.pid, FIRST);
	log_of(&app, other.pid, "");
	app_end(&app);
	app_end(&other);
	for (unsigned i = 0; i < 100 && rmdir(group) && errno == EBUSY; i++)
		sleep_ms(50);
}

void add_rocm_crew_tests(void)
{
	static const unsigned one = 1, three = 3;

	add(MIXED, run_moment, NULL, "eight processes are attached at the same moment, and how far apart is told");
	add(MIXED, run_one_fails, NULL, "of eight processes one cannot be attached and holds nobody up");
	add(MIXED, run_at, &three, "three processes are attached at the time that was asked for");
	add(MIXED, run_at, &one, "one process is attached at the time that was asked for");
	add(MIXED, run_at_stopped, &three, "a signal before the time leaves three processes alone");
	add(MIXED, run_at_stopped, &one, "a signal before the time leaves one process alone");
	add(MIXED, run_at_past, NULL, "a time that is over is refused, one just over means at once");
	add(MIXED, run_follow, NULL, "a child that is born meanwhile is followed, and a forked one is told");
	add(MIXED, run_follow_launcher, NULL, "a child of a process that cannot be attached itself is followed");
	add(MIXED, run_become, "--follow", "a program that a process becomes meanwhile is followed");
	add(MIXED, run_become, "", "a process that becomes another program ends its attachment");
	add(MIXED, run_killed, NULL, "a killed roclatch's workers detach their processes");
	add(MIXED, run_names, NULL, "processes that are given one file name write to files of their own");
	add(MIXED, run_slurm, NULL, "the processes of a Slurm step are found and attached");
	add(MIXED, run_cgroup, NULL, "the processes of a control group are found and attached");
}
