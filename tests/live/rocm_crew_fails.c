// SPDX-License-Identifier: MIT
/* Of several processes some fail: each tells what, why and what helps, as text and as JSON. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "rocm.h"

#define FIRST "configure configure_attach init attach detach"
#define JSON_SIZE (1 << 20)

/* What roclatch says of this process on its own line has a remedy below it. */
static void told_with_remedy(const struct outcome *o, const struct app *app)
{
	char words[64];
	const char *at, *end;

	snprintf(words, sizeof(words), "process %s rocm-app: ", app->pid);
	at = strstr(o->err, words);
	end = at ? strchr(at, '\n') : NULL;
	check(end && !strncmp(end, "\n  remedy: ", 11), "no \"%s\" with a remedy below it: %s", words, o->err);
}

static pid_t first_child(pid_t pid)
{
	char text[256];

	return read_text(text, sizeof(text), "/proc/%d/task/%d/children", (int)pid, (int)pid) ? atoi(text) : 0;
}

static bool has_attached(const struct app *a, const struct app *b)
{
	for (unsigned i = 0; i < 600; i++) {
		if (strstr(log_names(a, a->pid), " attach") && strstr(log_names(a, b->pid), " attach"))
			return true;
		sleep_ms(100);
	}
	return false;
}

/* A worker is killed while its process is attached: the others go on, and what it advises works. */
static void run_worker_lost(const void *unused)
{
	struct app a = app_start("ready", NULL, ATTACHABLE), b = app_start("ready", NULL, ATTACHABLE);
	struct run run = run_start(INPUT_PIPE, "attach -p %s -p %s -d %s --kernel-trace", a.pid, b.pid, a.output);
	struct outcome o;
	pid_t worker;

	(void)unused;
	require(run_says(&run, "recording all of them", 60000), "nothing is recorded");
	worker = first_child(run.pid);
	require(worker > 0 && !kill(worker, SIGKILL), "there is no worker");
	check(dprintf(run.in, "\n") == 1, "Enter was not given");
	o = run_end(&run, 60000);
	expect(&o, 7, NULL);
	expect_said(&o, "was lost; it is still attached");
	told_with_remedy(&o, &a);
	o = run_all("detach -p %s", a.pid);
	expect(&o, 0, NULL);
	log_of(&a, b.pid, FIRST);
	log_of(&a, a.pid, FIRST);
	app_end(&b);
	app_end(&a);
}

/* All of the workers are: every entry of the JSON that is one of failure has its remedy. */
static void run_json(const void *unused)
{
	struct app a = app_start("ready", NULL, ATTACHABLE), b = app_start("ready", NULL, ATTACHABLE);
	struct run run = run_start(INPUT_PIPE, "attach -p %s -p %s -d %s --kernel-trace --json", a.pid, b.pid, a.output);
	char *text = calloc(1, JSON_SIZE);
	struct outcome o;
	int out = dup(run.out);

	(void)unused;
	require(text && out >= 0 && has_attached(&a, &b), "nothing is recorded");
	for (pid_t worker; (worker = first_child(run.pid)) > 0; sleep_ms(50))
		kill(worker, SIGKILL);
	o = run_end(&run, 60000);
	check(o.status == 7, "roclatch ended with %d and not 7", o.status);
	check(pread(out, text, JSON_SIZE - 1, 0) > 0 && strstr(text, "\"targets\":["), "there is no JSON");
	check(strstr(text, "\",\"status\":7}") && !strstr(text, "\"remedy\":null,\"status\":7}"), "no remedy for a process in %s", text);
	check(!strstr(text, "\"remedy\":null,\"skipped\":false"), "no remedy for a reason in %s", text);
	close(out);
	free(text);
	app_end(&b);
	app_end(&a);
}

void add_rocm_crew_fail_tests(void)
{
	add(MIXED, run_worker_lost, NULL, "a worker that is killed leaves its process to detach, and the others go on");
	add(MIXED, run_json, NULL, "each of several processes that fail tells what helps in the JSON, too");
}
