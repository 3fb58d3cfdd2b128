// SPDX-License-Identifier: MIT
/* Many processes at the same moment, at a time, of a job. */
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
	char folder[64];        /* for statuses and files that are fetched */
};

static void make_folder(char folder[64])
{
	strcpy(folder, "/tmp/roclatch-crew-XXXXXX");
	require(mkdtemp(folder) && !chmod(folder, 0777), "mkdtemp: %s", strerror(errno));
}

static void remove_folder(const char *folder)
{
	char command[96];

	snprintf(command, sizeof(command), "rm -rf %s", folder);
	check(!system(command), "%s did not work", command);
}

static struct crew crew_start(unsigned n, const char *environment)
{
	struct crew crew = { .n = n };

	make_folder(crew.folder);
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
	remove_folder(crew->folder);
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
static void same_moment(const struct crew *crew, const struct outcome *o)
{
	const char *folder = crew->folder;
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
	struct outcome o = run_all("attach%s -d %s -o run --collect %s --kernel-trace --attach-duration-msec 300", crew.pids,
		crew.app[0].output, crew.folder);
	char name[32];

	(void)unused;
	expect(&o, 0, NULL);
	expect_said(&o, "in all: 8 of 8 processes attached within");
	expect_said(&o, "their files are called run_PID");
	for (unsigned i = 0; i < crew.n; i++) {
		snprintf(name, sizeof(name), "run_%s", crew.app[i].pid);
		log_of(&crew.app[0], name, FIRST);
	}
	log_of(&crew.app[0], "run", "");
	same_moment(&crew, &o);
	crew_end(&crew);
}

/* One cannot be attached; the others are, together, and the reason is told once more in the summary. */
static void run_one_fails(const void *unused)
{
	struct crew crew = crew_start(CREW - 1, ATTACHABLE);
	struct app bad = app_start("ready", NULL, "");
	struct snapshot before = look(&bad.t, 0), after;
	struct outcome o = run_all("attach%s -p %s -d %s -o run --collect %s --kernel-trace --attach-duration-msec 300", crew.pids, bad.pid,
		crew.app[0].output, crew.folder);

	(void)unused;
	check(o.status == 3, "roclatch ended with %d and not 3: %s", o.status, o.err);
	expect_said(&o, "in all: 7 of 8 processes attached within");
	expect_said(&o, "1 failed (");
	same_moment(&crew, &o);
	check(told(crew.folder, bad.pid, "status") == 3 && told(crew.folder, bad.pid, "attached") == 0, "the failure has no status of its own");
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

/* n processes some seconds from now; none may be early, how late it was is told. */
static void run_at(const void *n)
{
	struct crew crew = crew_start(*(const unsigned *)n, ATTACHABLE);
	const char *folder = crew.folder;
	int64_t at = wall_ns() + (slow_machine() ? 30 : 2) * INT64_C(1000000000);
	struct outcome o = run_all("attach%s --at @%lld.%09lld -d %s -o out --collect %s --kernel-trace --attach-duration-msec 100", crew.pids,
		(long long)(at / 1000000000), (long long)(at % 1000000000), crew.app[0].output, folder);

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

static pid_t first_worker(const struct run *run)
{
	char text[256] = "";

	for (int64_t end = now_ns() + INT64_C(20000000000); !atoi(text) && now_ns() < end;)
		if (!read_text(text, sizeof(text), "/proc/%d/task/%d/children", (int)run->pid, (int)run->pid))
			text[0] = 0;
	require(atoi(text), "roclatch has started no worker");
	return atoi(text);
}

static bool is_attached(const struct app *app, unsigned ms)
{
	int64_t end = now_ns() + ms * INT64_C(1000000);
	struct outcome o;

	while (o = roclatch(20000, "check", "-p", app->pid, NULL), !strstr(o.out, "another roclatch has it attached") && now_ns() < end)
		sleep_ms(100);
	return strstr(o.out, "another roclatch has it attached");
}

/* A worker is stopped before it has looked.  Where it was faster than we are, another crew is tried. */
static struct run straggler_start(struct crew *crew, pid_t *worker)
{
	for (int tries = 1;; tries++) {
		*crew = crew_start(3, ATTACHABLE);
		struct run run = run_start(INPUT_PIPE, "attach%s -d %s --kernel-trace", crew->pids, crew->app[0].output);
		*worker = first_worker(&run);
		kill(*worker, SIGSTOP);
		check(is_attached(&crew->app[1], 40000) && is_attached(&crew->app[2], 20000), "the others were not attached");
		if (run_says(&run, "1 of 3 processes is not ready in time", 1000) || tries == 5 || failed())
			return run;
		kill(*worker, SIGCONT);
		dprintf(run.in, "\n");
		run_end(&run, 60000);
		crew_end(crew);
	}
}

/* The others do not wait for it for ever.  It is late, or never comes. */
static void run_straggler(const void *goes_on)
{
	struct crew crew;
	pid_t worker;
	struct run run = straggler_start(&crew, &worker);
	struct outcome o;

	log_of(&crew.app[0], crew.app[0].pid, "");
	if (goes_on) {
		kill(worker, SIGCONT);
		check(is_attached(&crew.app[0], 40000), "the late one was not attached");
	}
	dprintf(run.in, "\n");
	o = run_end(&run, 60000);
	expect_said(&o, "1 of 3 processes is not ready in time");
	expect_said(&o, goes_on ? "in all: 3 of 3 processes attached" : "was not ready before the end");
	check(o.status == (goes_on ? 0 : 6), "roclatch ended with %d: %s", o.status, o.err);
	log_of(&crew.app[0], crew.app[0].pid, goes_on ? FIRST : "");
	log_of(&crew.app[0], crew.app[1].pid, FIRST);
	crew_end(&crew);
}

static bool is_let_go(const struct app *app, unsigned ms)
{
	int64_t end = now_ns() + ms * INT64_C(1000000);
	struct outcome o;

	do {
		sleep_ms(50);
		o = roclatch(20000, "detach", "-p", app->pid, NULL);
		if (o.status == 3 && strstr(o.err, "nothing is attached") && !app_traced(app))
			return true;
	} while ((o.status == 3 || app_traced(app)) && now_ns() < end);        /* its worker is still there */
	fail("process %s was not detached by its worker: a later detach ended with %d: %s", app->pid, o.status, o.err);
	return false;
}

/* Killed with -9 while it looks, at the word, and after it: the workers detach what they have attached by themselves. */
static void run_killed(const void *unused)
{
	struct crew crew = crew_start(4, ATTACHABLE);
	struct app *out = &crew.app[0];
	int64_t begun = now_ns(), whole;
	struct outcome o = run_all("attach%s -d %s -o out --kernel-trace --attach-duration-msec 1", crew.pids, out->output);
	unsigned steps = slow_machine() ? 5 : 24;

	(void)unused;
	expect(&o, 0, NULL);
	whole = now_ns() - begun;
	for (unsigned i = 0; i < steps && !failed(); i++) {
		struct run run = run_start(INPUT_PIPE, "attach%s -d %s -o out --kernel-trace", crew.pids, out->output);

		sleep_ms((unsigned)(whole / 1000000 * i / steps));
		kill(run.pid, SIGKILL);
		run_end(&run, 5000);
		sleep_ms(200);
		for (unsigned k = 0; k < crew.n && is_let_go(&crew.app[k], 60000); k++)
			;
	}
	crew_end(&crew);
}

/* By the job's variables; roclatch, which has them too, is left out, and so is what has no ROCm. */
static void run_slurm(const void *unused)
{
	struct app app = app_start("ready", NULL, ATTACHABLE " SLURM_JOB_ID=4294000001 SLURM_STEP_ID=3 OMPI_COMM_WORLD_RANK=5");
	struct app plain = app_start_as(&(struct start){ .program = "rocm-app", .state = "waiting",
		.environment = "SLURM_JOB_ID=4294000001 SLURM_STEP_ID=3" });
	struct outcome o;
	char name[32], folder[64], text[32];
	pid_t shell;

	(void)unused;
	make_folder(folder);
	setenv("SLURM_JOB_ID", "4294000001", 1);
	setenv("SLURM_STEP_ID", "3", 1);
	shell = fork();
	if (!shell) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		execlp("sleep", "sleep", "600", (char *)NULL);
		_exit(127);
	}
	snprintf(name, sizeof(name), "%d", (int)shell);
	for (unsigned i = 0; i < 1000 && !(read_text(text, sizeof(text), "/proc/%d/comm", (int)shell) && !strcmp(text, "sleep\n")); i++)
		sleep_ms(10);
	o = run_all("attach --slurm-job 4294000001.3 -d %s -o run --collect %s --kernel-trace --attach-duration-msec 100", app.output, folder);
	expect_said(&o, "in all: 1 of 3 processes attached");
	expect(&o, 0, NULL);
	check(told(folder, app.pid, "rank") == 5, "the rank is not in the status");
	expect_said(&o, "1 skipped (");
	check(told(folder, plain.pid, "status") == 3, "what has ROCm and could not be attached has no status");
	check(told(folder, name, "status") == -1, "there is a status of what has no ROCm");
	kill(shell, SIGKILL);
	waitpid(shell, NULL, 0);
	snprintf(name, sizeof(name), "run_%s", app.pid);
	log_of(&app, name, FIRST);
	o = run_all("attach --slurm-job 4294000001.4 -d %s --collect %s", app.output, folder);
	check(o.status == 3, "roclatch ended with %d", o.status);
	check(told(folder, "0", "status") == 3, "that nobody was found is not in the folder");
	app_end(&plain);
	app_end(&app);
	remove_folder(folder);
}

void add_rocm_crew_tests(void)
{
	static const unsigned one = 1, three = 3;

	add(MIXED, run_moment, NULL, "eight processes are attached at the same moment, how far apart is told, and each has files of its own");
	add(MIXED, run_one_fails, NULL, "of eight processes one cannot be attached and holds nobody up");
	add(MIXED, run_at, &three, "three processes are attached at the time that was asked for");
	add(MIXED, run_at, &one, "one process is attached at the time that was asked for");
	add(MIXED, run_at_stopped, &three, "a signal before the time leaves three processes alone");
	add(MIXED, run_at_stopped, &one, "a signal before the time leaves one process alone");
	add(MIXED, run_at_past, NULL, "a time that is over is refused, one just over means at once");
	add(SLEEPERS, run_straggler, "", "one of three is late: the others do not wait for it, and it is attached when it can be");
	add(SLEEPERS, run_straggler, NULL, "one of three is never ready: the others are attached and detached, and it is told");
	add(SLEEPERS, run_killed, NULL, "a killed roclatch's workers detach their processes");
	add(MIXED, run_slurm, NULL, "the processes of a Slurm step are found and attached");
}
