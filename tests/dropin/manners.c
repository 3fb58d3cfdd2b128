// SPDX-License-Identifier: MIT
/* A library is a guest: what the program around it has must be as it was. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "host.h"
#include "state.h"

extern char **environ;

static int saved[2];
static char said[4096];

/* What is said meanwhile on stdout and stderr comes into `said`. */
static void listen_to(int pair[2])
{
	fflush(NULL);
	if (pipe(pair))
		exit(1);
	fcntl(pair[0], F_SETFL, O_NONBLOCK);
	for (int i = 0; i < 2; i++) {
		saved[i] = dup(i + 1);
		dup2(pair[1], i + 1);
	}
}

static void listened(int pair[2])
{
	ssize_t n = read(pair[0], said, sizeof(said) - 1);

	said[n > 0 ? n : 0] = 0;
	for (int i = 0; i < 2; i++) {
		dup2(saved[i], i + 1);
		close(saved[i]);
		close(pair[i]);
	}
}

static void attach_and_fail(pid_t plain)
{
	api.attach(plain);
	api.attach_tree(plain);
	api.old_attach((uint32_t)plain);
	api.detach(plain);
}

static void ignore(int signo)
{
	(void)signo;
}

static void leaves_all_as_it_was(void)
{
	pid_t plain = plain_start();
	struct app app = app_start(NULL);
	sigset_t set, old;

	setenv("ROCPROF_OUTPUT_PATH", app.output, 1);
	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	pthread_sigmask(SIG_BLOCK, &set, &old);
	signal(SIGCHLD, ignore);
	struct state before = look();
	errno = 55;
	attach_and_fail(plain);
	equal(0, api.attach_tree(app.pid));
	equal(0, api.detach_tree(app.pid));
	equal(0, api.old_attach((uint32_t)app.pid));
	equal(0, api.old_detach(app.pid));
	equal(55, errno);
	struct state after = look();
	expect_same(&before, &after);
	signal(SIGCHLD, SIG_DFL);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	equal(-1, waitpid(-1, NULL, WNOHANG | __WCLONE));
	app_is_well(&app);
	app_end(&app);
	child_end(plain);
}

static void says_nothing(void)
{
	pid_t plain = plain_start();
	int pair[2];

	listen_to(pair);
	attach_and_fail(plain);
	listened(pair);
	check(!said[0], "it said: %s", said);
	child_end(plain);
}

static void says_why_when_asked(void)
{
	pid_t plain = plain_start();
	int pair[2];
	const char *before = getenv("ROCATTACH_LOG_LEVEL");     /* of who looks for a failure */
	char *kept = before ? strdup(before) : NULL;

	setenv("ROCATTACH_LOG_LEVEL", "error", 1);
	listen_to(pair);
	attach_and_fail(plain);
	listened(pair);
	unsetenv("ROCATTACH_LOG_LEVEL");
	if (kept)
		setenv("ROCATTACH_LOG_LEVEL", kept, 1);
	free(kept);
	check(!strncmp(said, "rocattach: attach ", 18), "it said: %s", said);
	check(strstr(said, "rocprofiler-register"), "it did not say why: %s", said);
	child_end(plain);
}

static volatile int handled, reaped;

static void on_child(int signo)
{
	int before = errno;

	(void)signo;
	handled++;
	while (waitpid(-1, NULL, WNOHANG) > 0)
		reaped++;
	errno = before;
}

/* A host that waits for every child, in its handler and beside it. */
static void survives_a_greedy_host(void)
{
	struct app app = app_start(NULL);
	struct sigaction action = { .sa_handler = on_child, .sa_flags = SA_RESTART }, old;

	setenv("ROCPROF_OUTPUT_PATH", app.output, 1);
	sigaction(SIGCHLD, &action, &old);
	for (int i = 0; i < 10; i++) {
		equal(0, api.attach(app.pid));
		equal(0, api.detach(app.pid));
	}
	sigaction(SIGCHLD, &old, NULL);
	check(handled && reaped, "the handler took nothing, so nothing is shown");
	app_is_well(&app);
	app_end(&app);
}

static void *cycle(void *with)
{
	struct app *app = with;

	equal(0, api.attach(app->pid));
	equal(0, api.detach(app->pid));
	return NULL;
}

static void works_on_a_small_stack(void)
{
	struct app app = app_start(NULL);
	pthread_attr_t attributes;
	pthread_t thread;

	setenv("ROCPROF_OUTPUT_PATH", app.output, 1);
	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, 32768);
	check(!pthread_create(&thread, &attributes, cycle, &app) && !pthread_join(thread, NULL), "no thread");
	pthread_attr_destroy(&attributes);
	app_is_well(&app);
	app_end(&app);
}

/* A child that was forked while something is attached must not keep it so. */
static void a_forked_child_holds_nothing(void)
{
	struct app app = app_start(NULL);

	setenv("ROCPROF_OUTPUT_PATH", app.output, 1);
	equal(0, api.attach(app.pid));
	pid_t child = fork();
	if (child == 0)
		for (;;)
			pause();
	equal(0, api.detach(app.pid));
	equal(0, api.attach(app.pid));
	equal(0, api.detach(app.pid));
	child_end(child);
	app_end(&app);
}

void test_manners(void)
{
	test("handlers, mask, files, threads, priority, environment, errno of the host stay", leaves_all_as_it_was);
	test("nothing is printed", says_nothing);
	test("with ROCATTACH_LOG_LEVEL the reason is printed", says_why_when_asked);
	test("a host that reaps every child does not get in the way", survives_a_greedy_host);
	test("a thread with a stack of 32 KiB can attach and detach", works_on_a_small_stack);
	test("a child forked meanwhile does not keep the process", a_forked_child_holds_nothing);
}
