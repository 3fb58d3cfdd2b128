// SPDX-License-Identifier: MIT
/* Processes that cannot be attached, and what the status says. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "host.h"

static pid_t gone(void)
{
	pid_t pid = fork();

	if (pid == 0)
		_exit(0);
	waitpid(pid, NULL, 0);
	return pid;
}

static void no_such_process(void)
{
	pid_t pid = gone();

	equal(6, api.attach(pid));
	equal(6, api.attach_tree(pid));
	equal(6, api.old_attach((uint32_t)pid));
}

static void plain_process(void)
{
	pid_t pid = plain_start();

	equal(1, api.attach(pid));
	equal(2, api.detach(pid));
	equal(1, api.attach(pid));
	equal(1, api.attach_tree(pid));
	equal(2, api.detach_tree(pid));
	equal(1, api.old_attach((uint32_t)pid));
	equal(0, waitpid(pid, NULL, WNOHANG));
	child_end(pid);
}

/* What look(pid) answers as nobody; a child of ours, as ids do not come back. */
static int as_nobody(rocattach_status_t (*look)(int), pid_t pid)
{
	int status;
	pid_t child = fork();

	if (child == 0) {
		if (setgid(65534) || setuid(65534))
			_exit(99);
		_exit((int)look(pid));
	}
	waitpid(child, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void forbidden(void)
{
	pid_t pid = plain_start();

	if (getuid() == 0) {
		equal(5, as_nobody(api.attach, pid));
		equal(5, as_nobody(api.attach_tree, pid));
	}
	child_end(pid);
}

static void traced(void)
{
	pid_t pid = plain_start(), tracer;
	int ready[2];
	char byte = 0;

	if (pipe(ready))
		return;
	tracer = fork();
	if (tracer == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (ptrace(PTRACE_SEIZE, pid, NULL, NULL) || write(ready[1], "r", 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	close(ready[1]);
	check(read(ready[0], &byte, 1) == 1, "the tracer does not trace");
	equal(5, api.attach(pid));
	close(ready[0]);
	child_end(tracer);
	equal(1, api.attach(pid));
	child_end(pid);
}

static void started_without_the_variable(void)
{
	struct app app = app_start("ROCP_NOTHING=1");

	equal(1, api.attach(app.pid));
	equal(1, api.attach_tree(app.pid));
	equal(2, api.detach(app.pid));
	equal(1, api.old_attach((uint32_t)app.pid));
	app_is_well(&app);
	app_end(&app);
}

/* Only the name of the listener: nothing may be called there. */
static void bad_tool(void)
{
	static const char *const tools[] = { "/nowhere/libtool.so", "tools/libneeds.so", "tools/libothercpu.so" };
	struct app app = app_start(NULL);

	for (unsigned i = 0; i < sizeof(tools) / sizeof(*tools); i++) {
		char path[4096];

		snprintf(path, sizeof(path), tools[i][0] == '/' ? "%s%s" : "%s/root-rocm/%s",
			 tools[i][0] == '/' ? "" : fixtures, tools[i]);
		setenv("ROCPROF_ATTACH_TOOL_LIBRARY", path, 1);
		check(api.attach(app.pid) == 2, "with the tool %s", path);
	}
	unsetenv("ROCPROF_ATTACH_TOOL_LIBRARY");
	equal(2, api.detach(app.pid));
	app_is_well(&app);
	setenv("ROCPROF_OUTPUT_PATH", app.output, 1);
	equal(0, api.attach(app.pid));
	equal(0, api.detach(app.pid));
	app_is_well(&app);
	app_end(&app);
}

static void refusing_tool(void)
{
	struct app app = app_start(NULL);
	char path[4096];

	snprintf(path, sizeof(path), "%s/root-rocm/tools/libcrashes.so", fixtures);
	setenv("ROCPROF_OUTPUT_PATH", app.output, 1);
	setenv("ROCPROF_ATTACH_TOOL_LIBRARY", path, 1);
	equal(1, api.attach(app.pid));
	equal(2, api.detach(app.pid));
	check(api.attach(app.pid) != 2, "a second try is taken for a double attachment");
	unsetenv("ROCPROF_ATTACH_TOOL_LIBRARY");
	app_is_well(&app);
	app_end(&app);
}

void test_refusals(void)
{
	test("there is no such process", no_such_process);
	test("a process without ROCm is refused, alive, and can be tried again", plain_process);
	test("a process of another user is not permitted", forbidden);
	test("a process that somebody traces is not permitted until that ends", traced);
	test("a process started without ROCP_TOOL_ATTACH is refused and goes on", started_without_the_variable);
	test("a tool that cannot be loaded is an invalid argument, and the next attachment works", bad_tool);
	test("a tool that crashes fails the attachment, rolls it back and leaves the process", refusing_tool);
}
