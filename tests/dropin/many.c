// SPDX-License-Identifier: MIT
/* Several processes, several threads, and families. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host.h"

#define APPS 3
#define CYCLES 5

static struct app apps[APPS];
static unsigned failures[APPS];

static void start_all(void)
{
	for (int i = 0; i < APPS; i++)
		apps[i] = app_start(NULL);
	setenv("ROCPROF_OUTPUT_PATH", apps[0].output, 1);
}

static void end_all(void)
{
	for (int i = 0; i < APPS; i++) {
		app_is_well(&apps[i]);
		app_end(&apps[i]);
	}
}

static void *cycle(void *with)
{
	struct app *app = with;

	for (int i = 0; i < CYCLES; i++) {
		failures[app - apps] += api.attach(app->pid) != 0;
		failures[app - apps] += api.detach(app->pid) != 0;
	}
	return NULL;
}

static void in_parallel(void)
{
	pthread_t thread[APPS];

	start_all();
	for (int i = 0; i < APPS; i++)
		if (pthread_create(&thread[i], NULL, cycle, &apps[i]))
			exit(1);
	for (int i = 0; i < APPS; i++) {
		pthread_join(thread[i], NULL);
		equal(0, failures[i]);
		equal(CYCLES, tool_saw(&apps[0], apps[i].pid, " detach "));
	}
	end_all();
}

static unsigned successes, doubles;
static pthread_mutex_t counting = PTHREAD_MUTEX_INITIALIZER;

static void *compete(void *with)
{
	struct app *app = with;
	rocattach_status_t status = api.attach(app->pid);

	pthread_mutex_lock(&counting);
	successes += status == 0;
	doubles += status == 2;
	pthread_mutex_unlock(&counting);
	return NULL;
}

static void competing(void)
{
	pthread_t thread[4];
	struct app app = app_start(NULL);

	setenv("ROCPROF_OUTPUT_PATH", app.output, 1);
	for (int i = 0; i < 4; i++)
		if (pthread_create(&thread[i], NULL, compete, &app))
			exit(1);
	for (int i = 0; i < 4; i++)
		pthread_join(thread[i], NULL);
	equal(1, successes);
	equal(3, doubles);
	equal(0, api.detach(app.pid));
	app_is_well(&app);
	app_end(&app);
}

static void all_at_once(void)
{
	start_all();
	for (int i = 0; i < APPS; i++)
		equal(0, api.attach(apps[i].pid));
	equal(0, api.detach(0));
	for (int i = 0; i < APPS; i++) {
		equal(1, tool_saw(&apps[0], apps[i].pid, " detach "));
		equal(2, api.detach(apps[i].pid));
	}
	end_all();
}

/* A child that can be attached, one that cannot, and a grandchild would be alike. */
static void family(void)
{
	struct app app = app_start(NULL);
	pid_t child = atoi(app_ask(&app, "exec")), plain = atoi(app_ask(&app, "fork"));

	setenv("ROCPROF_OUTPUT_PATH", app.output, 1);
	check(child > 0 && plain > 0, "no children");
	for (int i = 0; i < 5000 && !tool_saw(&app, child, " attach "); i++) {
		/* the child starts up meanwhile */
		if (i)
			equal(0, api.detach_tree(app.pid));
		equal(0, api.attach_tree(app.pid));
		usleep(1000);
	}
	check(tool_saw(&app, app.pid, " attach "), "the process itself is not attached");
	equal(1, tool_saw(&app, child, " attach "));
	equal(0, tool_saw(&app, plain, " attach "));
	equal(2, api.attach(child));
	equal(2, api.attach_tree(app.pid));
	equal(0, api.detach_tree(app.pid));
	equal(1, tool_saw(&app, child, " detach "));
	equal(2, api.detach_tree(app.pid));
	equal(2, api.detach(child));
	app_is_well(&app);
	child_end(plain);
	app_end(&app);
}

static void without_its_root(void)
{
	struct app app = app_start("ROCP_NOTHING=1");
	pid_t child = atoi(app_ask(&app, "exec"));

	setenv("ROCPROF_OUTPUT_PATH", app.output, 1);
	usleep(300000);
	equal(1, api.attach_tree(app.pid));
	equal(0, tool_saw(&app, child, " attach "));
	equal(2, api.detach_tree(app.pid));
	equal(2, api.detach(child));
	app_end(&app);
}

static void parts_of_a_family(void)
{
	struct app app = app_start(NULL);

	setenv("ROCPROF_OUTPUT_PATH", app.output, 1);
	equal(0, api.attach_tree(app.pid));
	equal(0, api.detach(app.pid));
	equal(2, api.detach_tree(app.pid));
	equal(0, api.attach(app.pid));
	equal(2, api.detach_tree(app.pid));
	equal(0, api.detach(app.pid));
	app_end(&app);
}

void test_many(void)
{
	test("several threads attach and detach several processes", in_parallel);
	test("of several threads on one process one attaches", competing);
	test("detach(0) ends all", all_at_once);
	test("a family: the children that can be attached are, the others are left out", family);
	test("without the root none of its children is attached", without_its_root);
	test("a tree is what attach_tree attached and nobody detached", parts_of_a_family);
}
