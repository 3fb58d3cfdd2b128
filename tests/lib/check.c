// SPDX-License-Identifier: MIT
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "host.h"

struct lines { unsigned all, no; char first_no[64]; };

static int take(void *ctx, const struct roclatch_check_line *line)
{
	struct lines *lines = ctx;

	lines->all++;
	if (line->verdict == ROCLATCH_VERDICT_NO && !lines->no++)
		snprintf(lines->first_no, sizeof(lines->first_no), "%s", line->name);
	return 0;
}

static int only_one(void *ctx, const struct roclatch_check_line *line)
{
	(void)line;
	++*(unsigned *)ctx;
	return 1;
}

static void can(void)
{
	struct app app = app_start(NULL);
	struct roclatch_check_result result = { .size = sizeof(result) };
	struct roclatch_error error;
	struct lines lines = { .all = 0 };
	unsigned one = 0;

	works(roclatch_check(app.pid, NULL, take, &lines, &result, &error));
	equal(1, result.can_attach);
	equal(1, result.as_asked);
	equal(sizeof(result), result.size);
	check(lines.all > 5, "only %u lines", lines.all);
	equal(0, lines.no);
	check(!strcmp(result.summary, "can be attached now"), "it says: %s", result.summary);
	check(result.tool[0] == '/', "the tool is %s", result.tool);
	works(roclatch_check(app.pid, NULL, only_one, &one, NULL, NULL) + (error.status = 0));
	equal(1, one);
	app_is_well(&app);
	app_end(&app);
}

static void cannot(void)
{
	pid_t pid = plain_start();
	struct roclatch_check_result result = { .size = sizeof(result) };
	struct roclatch_error error;
	struct lines lines = { .all = 0 };

	works(roclatch_check(pid, NULL, take, &lines, &result, &error));
	equal(0, result.can_attach);
	equal(0, result.as_asked);
	check(!strcmp(lines.first_no, "register"), "the first NO is %s", lines.first_no);
	check(!strncmp(result.summary, "cannot be attached: ", 20), "it says: %s", result.summary);
	child_end(pid);
}

static void no_process(void)
{
	struct roclatch_check_result result = { .size = sizeof(result) };
	struct roclatch_error error;
	struct lines lines = { .all = 0 };
	pid_t pid = fork();

	if (pid == 0)
		_exit(0);
	waitpid(pid, NULL, 0);
	works(roclatch_check(pid, NULL, take, &lines, &result, &error));
	equal(0, result.can_attach);
	equal(1, lines.no);
	fails(ROCLATCH_USAGE, roclatch_check(0, NULL, NULL, NULL, &result, &error));
	fails(ROCLATCH_USAGE, roclatch_check(-1, NULL, NULL, NULL, &result, &error));
}

static void wrong_options(void)
{
	static const char *const words[][3] = {
		{ "--no-such-option" }, { "--help" }, { "--version" }, { "--all" }, { "-p", "1" }, { "--dry-run" }, { "--keep" },
		{ "--attach-duration-msec", "10" }, { "-f", "html" }, { "--json" },
	};
	struct roclatch_check_result result = { .size = sizeof(result) };
	struct roclatch_error error;
	pid_t pid = plain_start();

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		const struct roclatch_attach_options options = {
			.size = sizeof(options), .arguments = words[i], .arguments_n = words[i][1] ? 2 : 1 };

		error.status = -1;
		equal(-1, roclatch_check(pid, &options, NULL, NULL, &result, &error));
		check(error.status == ROCLATCH_USAGE, "%s: status %d: %s", words[i][0], error.status, error.text);
	}
	child_end(pid);
}

/* As programs of other versions would call it. */
static void sizes(void)
{
	struct { struct roclatch_attach_options known; char later[16]; } options = { .later = { 0 } };
	struct { size_t size; int can_attach; char behind[8]; } small = { .size = 12, .behind = "intact" };
	struct { struct roclatch_check_result known; char later[8]; } large = { .later = "1234567" };
	struct roclatch_error error;
	struct app app = app_start(NULL);

	fails(ROCLATCH_USAGE, roclatch_check(app.pid, &options.known, NULL, NULL, NULL, &error));
	options.known.size = sizeof(options);
	small.can_attach = 5;
	works(roclatch_check(app.pid, &options.known, NULL, NULL, (struct roclatch_check_result *)(void *)&small, &error));
	equal(1, small.can_attach);
	equal(12, small.size);
	check(!strcmp(small.behind, "intact"), "more was written than there is room for");
	options.later[3] = 1;
	fails(ROCLATCH_USAGE, roclatch_check(app.pid, &options.known, NULL, NULL, NULL, &error));
	fails(ROCLATCH_USAGE, roclatch_check(app.pid, NULL, NULL, NULL, &large.known, &error));
	large.known.size = sizeof(large);
	works(roclatch_check(app.pid, NULL, NULL, NULL, &large.known, &error));
	check(!large.later[0] && !large.later[6], "what is not known is not 0");
	app_end(&app);
}

void test_check(void)
{
	test("a process that can be attached is said to be so", can);
	test("a process that cannot be attached is said to be so, and why", cannot);
	test("a process that is not there cannot be attached", no_process);
	test("options that are not for the library are refused", wrong_options);
	test("structures of older and newer programs are taken", sizes);
}
