// SPDX-License-Identifier: MIT
/* Waiting for a process that is yet to come, or to become one that can be attached. */
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "rocm.h"

#define FIRST "configure configure_attach init attach detach"
#define LIMIT 60000
#define CROWD 500
#define CROWD_WAIT_S 10

/* A variable that nobody else on this machine has. */
static const char *mark(void)
{
	static char text[64];

	snprintf(text, sizeof(text), "ROCLATCH_TEST_WAIT=%d", (int)getpid());
	return text;
}

static struct app start_marked(const char *state, const char *further)
{
	char environment[256];

	snprintf(environment, sizeof(environment), "%s %s", mark(), further);
	return app_start(state, NULL, environment);
}

static void expect_pid(struct run *run, const struct app *app)
{
	struct outcome o = run_end(run, LIMIT);
	char wanted[24];

	snprintf(wanted, sizeof(wanted), "%s\n", app->pid);
	expect(&o, 0, wanted);
}

static void expect_says(struct run *run, const char *words)
{
	if (run_says(run, words, LIMIT))
		return;
	kill(run->pid, SIGTERM);
	struct outcome o = run_end(run, LIMIT);
	fail("roclatch did not say \"%s\"; it ended with %d and said: %s", words, o.status, o.err);
	end_failed();
}

static void run_later(const void *unused)
{
	struct run run = run_start(INPUT_NULL, "wait --env %s", mark());
	struct app app;

	(void)unused;
	expect_says(&run, "no process that may be read was started with");
	app = start_marked("ready", ATTACHABLE);
	expect_pid(&run, &app);
	app_end(&app);
}

/* A job that is not on this node yet; a process of its own that can never be attached is no part of the answer. */
static void run_job(const void *unused)
{
	char job[16], variable[64];
	struct app app, other;
	struct run run;

	(void)unused;
	snprintf(job, sizeof(job), "%u", 4293000000u + (unsigned)getpid());
	snprintf(variable, sizeof(variable), "SLURM_JOB_ID=%s", job);
	run = run_start(INPUT_NULL, "wait --slurm-job %s", job);
	expect_says(&run, "is on this node");
	other = app_start("ready", NULL, variable);
	expect_says(&run, other.pid);
	snprintf(variable, sizeof(variable), "SLURM_JOB_ID=%s " ATTACHABLE, job);
	app = app_start("ready", NULL, variable);
	expect_pid(&run, &app);
	app_end(&app);
	app_end(&other);
}

static void run_becomes(const void *unused)
{
	struct app app = start_marked("waiting", ATTACHABLE);
	struct snapshot before = look(&app.t, 0), after;
	struct run run = run_start(INPUT_NULL, "wait --env %s", mark());

	(void)unused;
	expect_says(&run, "is there, but");
	expect_says(&run, "HSA");
	after = look(&app.t, 0);
	compare(&before, &after, 0);
	check(run_goes_on(&run), "it did not wait");
	app_answers(&app, "init", "0");
	expect_pid(&run, &app);
	app_end(&app);
}

static void run_never(const void *unused)
{
	struct app app = start_marked("ready", "");
	struct outcome o = run_all("wait --env %s --timeout 1s", mark());
	struct run run;

	(void)unused;
	expect(&o, 6, "");
	expect_said(&o, "ROCP_TOOL_ATTACH=1");
	expect_said(&o, app.pid);
	o = run_all("wait -p %s --timeout 300ms --json", app.pid);
	check(o.status == 6 && strstr(o.out, "\"pids\":[]") && strstr(o.out, "\"name\":\"timeout\""), "%d %s", o.status, o.out);
	run = run_start(INPUT_NULL, "wait --late --env %s", mark());
	expect_pid(&run, &app);
	app_end(&app);
}

/* One that can never be attached does not end it, nor is it told twice; what to do about it is told, too. */
static void run_another(const void *unused)
{
	struct app never = start_marked("ready", "");
	struct run run = run_start(INPUT_NULL, "wait --env %s", mark());
	struct app app;
	struct outcome o;
	const char *told;
	char wanted[24];

	(void)unused;
	expect_says(&run, never.pid);
	sleep_ms(1500);
	check(run_goes_on(&run), "it did not wait");
	app = start_marked("ready", ATTACHABLE);
	o = run_end(&run, LIMIT);
	snprintf(wanted, sizeof(wanted), "%s\n", app.pid);
	expect(&o, 0, wanted);
	told = strstr(o.err, "started without ROCP_TOOL_ATTACH=1\n  remedy: start the process with ROCP_TOOL_ATTACH=1");
	check(told && !strstr(told + 1, "started without"), "told not once, or without the remedy: %s", o.err);
	app_end(&app);
	app_end(&never);
}

/* The ranks of a job: all that are there; one that is on its way is waited for, but not for long. */
static void run_ranks(const void *unused)
{
	struct app a = start_marked("waiting", ATTACHABLE), b = start_marked("waiting", ATTACHABLE);
	struct run run = run_start(INPUT_NULL, "wait --json --env %s", mark());
	struct outcome o;
	char wanted[64];
	int64_t begun;

	(void)unused;
	sleep_ms(200);
	begun = now_ns();
	app_answers(&a, "init", "0");
	o = run_end(&run, LIMIT);
	snprintf(wanted, sizeof(wanted), "\"pids\":[%s]", a.pid);
	check(!o.status && strstr(o.out, wanted), "%d %s", o.status, o.out);
	check(now_ns() - begun >= 1000000000, "the other had no second to come");
	run = run_start(INPUT_NULL, "attach --wait -p %s -p %s -d %s --kernel-trace --attach-duration-msec 300", a.pid, b.pid,
		a.output);
	expect_says(&run, b.pid);
	sleep_ms(1500);
	check(run_goes_on(&run) && !*log_names(&a, a.pid), "it did not wait for the second");
	app_answers(&b, "init", "0");
	o = run_end(&run, LIMIT);
	expect(&o, 0, NULL);
	log_of(&a, a.pid, FIRST);
	log_of(&a, b.pid, FIRST);
	app_end(&b);
	app_end(&a);
}

static void run_attach(const void *unused)
{
	struct app place = app_start("ready", NULL, ""), app;
	struct run run = run_start(INPUT_NULL, "attach --wait --wait-timeout 60s --env %s -d %s --kernel-trace "
		"--attach-duration-msec 300", mark(), place.output);
	struct outcome o;

	(void)unused;
	expect_says(&run, "waiting: ");
	app = start_marked("waiting", ATTACHABLE);
	expect_says(&run, app.pid);
	check(run_goes_on(&run), "it did not wait");
	app_answers(&app, "init", "0");
	o = run_end(&run, LIMIT);
	expect(&o, 0, NULL);
	log_of(&place, app.pid, FIRST);
	app_end(&app);
	o = run_all("attach --wait --wait-timeout 300ms --env %s -d %s --kernel-trace", mark(), place.output);
	expect(&o, 6, NULL);
	app_end(&place);
}

static void put_text(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

	require(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text), "cannot write %s", path);
	close(fd);
}

static void run_file(const void *unused)
{
	struct app app = app_start("ready", NULL, ATTACHABLE);
	struct run run;
	struct outcome o;
	char file[600];

	(void)unused;
	snprintf(file, sizeof(file), "%s/pid", app.output);
	run = run_start(INPUT_NULL, "wait --pid-file %s", file);
	expect_says(&run, "No such file");
	put_text(file, "not yet\n");
	expect_says(&run, "is no process id");
	put_text(file, app.pid);
	expect_pid(&run, &app);
	o = run_all("attach --pid-file %s -d %s -o out --kernel-trace --attach-duration-msec 300", file, app.output);
	expect(&o, 0, NULL);
	log_is(&app, FIRST);
	unlink(file);
	require(!mkfifo(file, 0600), "mkfifo");
	o = run_all("wait --pid-file %s", file);
	expect(&o, 3, "");
	app_end(&app);
}

/* A shell that becomes the program after it was seen, as the entry points of images do. */
static void run_exec(const void *unused)
{
	char name[16], link_path[4096], shell[256], wanted[24];
	struct run run;
	struct outcome o;
	pid_t pid;

	(void)unused;
	snprintf(name, sizeof(name), "w%d", (int)getpid());
	snprintf(link_path, sizeof(link_path), "%s", app_path(name));
	require(!link(app_path("rocm-app"), link_path), "link %s", link_path);
	snprintf(shell, sizeof(shell), "sleep 3; export LD_LIBRARY_PATH=lib; exec ./%s ready 3>&- 4>&-", name);
	run = run_start(INPUT_NULL, "wait --name ^%s$", name);
	pid = fork();
	if (!pid) {
		char *argv[] = { (char *)"sh", (char *)"-c", shell, NULL };
		char *environment[] = { (char *)ATTACHABLE, (char *)"PATH=/bin:/usr/bin", NULL };

		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (!chdir(app_path("")))
			execve("/bin/sh", argv, environment);
		_exit(1);
	}
	o = run_end(&run, LIMIT);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	unlink(link_path);
	snprintf(wanted, sizeof(wanted), "%d\n", (int)pid);
	expect(&o, 0, wanted);
	expect_said(&o, name);
}

static void run_ends(const void *unused)
{
	struct app app = app_start("waiting", NULL, ATTACHABLE);
	struct run run = run_start(INPUT_NULL, "wait -p %s", app.pid);
	struct outcome o;

	(void)unused;
	expect_says(&run, "HSA");
	stop(&app.t);
	o = run_end(&run, LIMIT);
	expect(&o, 4, "");
	o = run_all("wait -p %s", app.pid);
	expect(&o, 3, "");
	app_forget(&app);
}

static void run_signal(const void *signo)
{
	struct run run = run_start(INPUT_NULL, "wait --name ^no-such-process-%d$", (int)getpid());
	struct outcome o;

	expect_says(&run, "waiting: ");
	kill(run.pid, *(const int *)signo);
	o = run_end(&run, LIMIT);
	expect(&o, 128 + *(const int *)signo, "");
}

static double cpu_s(const struct rusage *usage)
{
	return (double)(usage->ru_utime.tv_sec + usage->ru_stime.tv_sec) +
		(double)(usage->ru_utime.tv_usec + usage->ru_stime.tv_usec) / 1e6;
}

/* Its first look costs what it costs; after that, next to nothing. */
static void run_cheap(const void *whom)
{
	pid_t crowd[CROWD];
	struct rusage before, after;
	struct outcome o;
	/* in an emulated machine a look costs some thirty times as much: whoever polls there takes all of a CPU */
	unsigned n = slow_machine() ? CROWD / 10 : CROWD;
	double used, share = slow_machine() ? 0.3 : 0.02;

	for (unsigned i = 0; i < n; i++) {
		crowd[i] = fork();
		if (!crowd[i]) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			for (;;)
				pause();
		}
	}
	getrusage(RUSAGE_CHILDREN, &before);
	o = run_all("wait %s --timeout %ds", (const char *)whom, CROWD_WAIT_S);
	getrusage(RUSAGE_CHILDREN, &after);
	for (unsigned i = 0; i < n; i++) {
		kill(crowd[i], SIGKILL);
		waitpid(crowd[i], NULL, 0);
	}
	expect(&o, 6, "");
	used = cpu_s(&after) - cpu_s(&before);
	/* below 0.01 in the long run; what runs beside it makes each look dearer */
	check(used < share * CROWD_WAIT_S, "it took %.3f s of CPU time in %d s", used, CROWD_WAIT_S);
}

void add_rocm_wait_tests(void)
{
	static const int signals[] = { SIGTERM, SIGINT, SIGHUP };

	add(MIXED, run_later, NULL, "wait: a process that starts later is found");
	add(MIXED, run_job, NULL, "wait: a process of a Slurm job that starts later is found");
	add(MIXED, run_becomes, NULL, "wait: a process is found once it has initialised HSA, and is not touched before");
	add(MIXED, run_never, NULL, "wait: a process that was started without attach support is told when the time is over");
	add(MIXED, run_another, NULL, "wait: a process that can never be attached does not end it when another may come");
	add(MIXED, run_ranks, NULL, "wait: of several processes those that are ready, and all that were given");
	add(MIXED, run_attach, NULL, "wait: attach --wait attaches a process that starts later");
	add(MIXED, run_file, NULL, "wait: the process of a file that is written later");
	add(MIXED, run_exec, NULL, "wait: a shell that becomes the program by exec is found by its new name");
	add(MIXED, run_ends, NULL, "wait: the end of a given process ends it");
	for (unsigned i = 0; i < 3; i++)
		add(MIXED, run_signal, &signals[i], "wait: signal %d ends it", signals[i]);
	add(ALONE, run_cheap, "--name ^no-such-process$", "wait: costs next to no CPU time among 500 processes, by name");
	add(ALONE, run_cheap, "--env NO_SUCH_VARIABLE=1", "wait: costs next to no CPU time among 500 processes, by variable");
}
