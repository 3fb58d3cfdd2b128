// SPDX-License-Identifier: MIT
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host.h"

static struct roclatch_attachment *attach(const struct app *app, struct roclatch_error *error)
{
	const char *const words[] = { "-d", app->output, "--kernel-trace" };
	const char *const variables[] = { "ROCPROFILER_METRICS_PATH=/somewhere", "XROCPROF=1", NULL };
	const struct roclatch_attach_options options = {
		.size = sizeof(options), .arguments = words, .arguments_n = 3, .environment = variables };
	struct roclatch_attachment *attachment = (void *)error;
	int rc = roclatch_attach(app->pid, &options, &attachment, error);

	check((rc == 0) == (attachment != NULL), "roclatch_attach answers %d with %p", rc, (void *)attachment);
	return attachment;
}

static void once(void)
{
	struct app app = app_start(NULL);
	struct roclatch_detached detached = { .size = sizeof(detached) };
	struct roclatch_error error;
	struct roclatch_attachment *attachment, *second;
	struct state before = look(), after;

	setenv("ROCPROF_HIP_TRACE", "1", 1);
	attachment = attach(&app, &error);
	works(attachment ? 0 : -1);
	if (attachment) {
		equal(1, tool_saw(&app, app.pid, " attach "));
		equal(0, tool_saw(&app, app.pid, " detach "));
		check(tool_saw(&app, app.pid, "\tROCPROF_KERNEL_TRACE=1\n") || tool_saw(&app, app.pid, "\tROCPROF_KERNEL_TRACE=True\n"),
		      "--kernel-trace did not arrive");
		check(tool_saw(&app, app.pid, "\tROCPROFILER_METRICS_PATH=/somewhere\n"), "a variable did not arrive");
		equal(0, tool_saw(&app, app.pid, "ROCPROF_HIP_TRACE"));
		app_is_well(&app);
		second = attach(&app, &error);
		fails(ROCLATCH_NOT_POSSIBLE, second ? 0 : -1);
		works(roclatch_detach(attachment, &detached, &error));
		equal(1, tool_saw(&app, app.pid, " detach "));
		equal(0, detached.log[0]);
		check(strstr(detached.stays, "librocprofiler-sdk"), "what stays: %s", detached.stays);
		fails(ROCLATCH_NOT_POSSIBLE, roclatch_detach(attachment, NULL, &error));
	}
	roclatch_attachment_close(attachment);
	unsetenv("ROCPROF_HIP_TRACE");
	after = look();
	expect_same(&before, &after);
	app_is_well(&app);
	app_end(&app);
}

static void given_back(void)
{
	struct app app = app_start(NULL);
	struct roclatch_check_result result = { .size = sizeof(result) };
	struct roclatch_error error;
	struct roclatch_attachment *attachment = attach(&app, &error);

	works(attachment ? 0 : -1);
	fails(ROCLATCH_NOT_POSSIBLE, roclatch_detach_pid(app.pid, NULL, &error));
	roclatch_attachment_close(attachment);
	equal(0, tool_saw(&app, app.pid, " detach "));
	works(roclatch_check(app.pid, NULL, NULL, NULL, &result, &error));
	equal(1, result.orphaned);
	works(roclatch_detach_pid(app.pid, NULL, &error));
	equal(1, tool_saw(&app, app.pid, " detach "));
	fails(ROCLATCH_NOT_POSSIBLE, roclatch_detach_pid(app.pid, NULL, &error));
	app_is_well(&app);
	app_end(&app);
	roclatch_attachment_close(NULL);
}

static void own_tool(void)
{
	struct app app = app_start(NULL);
	char tool[4096];
	const char *const words[] = { "-d", app.output, "-t", tool, "--hip-trace" };
	const struct roclatch_attach_options options = { .size = sizeof(options), .arguments = words, .arguments_n = 5 };
	struct roclatch_attachment *attachment;
	struct roclatch_detached detached = { .size = sizeof(detached) };
	struct roclatch_error error;

	snprintf(tool, sizeof(tool), "%s/lib/libroclatch-tool.so", fixtures);
	works(roclatch_attach(app.pid, &options, &attachment, &error));
	app_is_well(&app);
	if (attachment)
		works(roclatch_detach(attachment, &detached, &error));
	check(!strncmp(detached.log, app.output, strlen(app.output)), "its log is %s", detached.log);
	check(access(detached.log, R_OK) == 0, "there is no log %s", detached.log);
	equal(0, detached.lost);
	check(strstr(detached.stays, "libroclatch-tool.so"), "what stays: %s", detached.stays);
	roclatch_attachment_close(attachment);
	app_is_well(&app);
	app_end(&app);
}

static void refused(void)
{
	struct roclatch_error error;
	struct roclatch_attachment *attachment = (void *)&error;
	pid_t pid = plain_start();

	fails(ROCLATCH_NOT_POSSIBLE, roclatch_attach(pid, NULL, &attachment, &error));
	check(!attachment, "there is a handle all the same");
	check(error.remedy[0], "no remedy is said");
	fails(ROCLATCH_USAGE, roclatch_attach(0, NULL, &attachment, &error));
	fails(ROCLATCH_USAGE, roclatch_detach_pid(0, NULL, &error));
	fails(ROCLATCH_NOT_POSSIBLE, roclatch_detach_pid(pid, NULL, &error));
	child_end(pid);
}

static void ended(void)
{
	struct app app = app_start(NULL);
	struct roclatch_error error;
	struct roclatch_attachment *attachment = attach(&app, &error);

	works(attachment ? 0 : -1);
	kill(app.pid, SIGKILL);
	app_end(&app);
	if (attachment)
		fails(ROCLATCH_TARGET_EXITED, roclatch_detach(attachment, NULL, &error));
	roclatch_attachment_close(attachment);
}

static void two(void)
{
	struct app one = app_start(NULL), other = app_start(NULL);
	struct roclatch_error error;
	struct roclatch_attachment *first = attach(&one, &error), *second = attach(&other, &error);

	works(first && second ? 0 : -1);
	if (first && second) {
		works(roclatch_detach(first, NULL, &error));
		works(roclatch_detach(second, NULL, &error));
	}
	roclatch_attachment_close(first);
	roclatch_attachment_close(second);
	equal(1, tool_saw(&one, one.pid, " detach "));
	equal(1, tool_saw(&other, other.pid, " detach "));
	app_is_well(&one);
	app_is_well(&other);
	app_end(&one);
	app_end(&other);
}

void test_attachment(void)
{
	test("a tool is attached with what was asked for, and detached; the program is as before", once);
	test("what a handle that was given back has attached can be detached by its process", given_back);
	test("two processes can be attached at once", two);
	test("the log of roclatch's own tool is told of", own_tool);
	test("what cannot be attached is refused with a remedy", refused);
	test("a process that ends while it is attached is said to have ended", ended);
}
