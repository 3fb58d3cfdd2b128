// SPDX-License-Identifier: MIT
/* The sample program that uses ROCm: start it, give it orders, look at it. */
#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "rocm.h"

#define ANSWER_MS 20000
#define MAPS_SIZE (1 << 20)

struct app app_start_as(const struct start *how)
{
	struct start with = *how;
	struct app app = { .output = "/tmp/roclatch-rocm-XXXXXX" };

	with.root = "root-rocm";
	if (!with.program)
		with.program = "rocm-app";
	require(mkdtemp(app.output) && !chmod(app.output, 0777), "mkdtemp: %s", strerror(errno));
	app.t = start(&with);
	snprintf(app.pid, sizeof(app.pid), "%d", (int)app.t.pid);
	if (app_maps(&app, "lib/librocprofiler-sdk-attach"))
		require(app_gets_listener(&app), "there is no listener thread");
	return app;
}

struct app app_start(const char *state, const char *settings, const char *environment)
{
	return app_start_as(&(struct start){ .state = state, .settings = settings, .environment = environment });
}

const char *app_ask(const struct app *app, const char *order, ...)
{
	static char answer[4096];
	struct pollfd poll_answer = { .fd = app->t.wake, .events = POLLIN };
	size_t have = 0;
	va_list ap;

	va_start(ap, order);
	vdprintf(app->t.wake, order, ap);
	va_end(ap);
	dprintf(app->t.wake, "\n");
	while (have < sizeof(answer) - 1 && poll(&poll_answer, 1, (int)patient(ANSWER_MS)) == 1) {
		ssize_t n = read(app->t.wake, answer + have, sizeof(answer) - 1 - have);

		if (n <= 0)
			return NULL;
		have += (size_t)n;
		if (answer[have - 1] == '\n') {
			answer[have - 1] = 0;
			return answer;
		}
	}
	return NULL;
}

void app_answers(const struct app *app, const char *order, const char *answer)
{
	const char *got = app_ask(app, "%s", order);

	check(got && !strcmp(got, answer), "asked for \"%s\", the program answered \"%s\" and not \"%s\"", order,
		got ? got : "(nothing)", answer);
}

void app_forget(const struct app *app)
{
	struct dirent *entry;
	DIR *dir = opendir(app->output);

	while (dir && (entry = readdir(dir)))
		unlinkat(dirfd(dir), entry->d_name, 0);
	if (dir)
		closedir(dir);
	rmdir(app->output);
}

void app_end(const struct app *app)
{
	go_on(&app->t);
	stop(&app->t);
	app_forget(app);
}

const char *app_path(const char *below)
{
	static char path[4][4096];
	static unsigned next;
	char *into = path[next++ % 4];

	snprintf(into, sizeof(path[0]), "%s/root-rocm/%s", options.fixtures, below);
	return into;
}

bool app_maps(const struct app *app, const char *name)
{
	char *text = malloc(MAPS_SIZE);
	bool found;

	require(text && read_text(text, MAPS_SIZE, "/proc/%d/maps", (int)app->t.pid), "the target is gone");
	found = strstr(text, name);
	free(text);
	return found;
}

static DIR *open_tasks(pid_t pid)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	return opendir(path);
}

bool app_traced(const struct app *app)
{
	char text[8192];
	DIR *dir = open_tasks(app->t.pid);
	struct dirent *entry;
	bool traced = false;

	require(dir, "the target is gone");
	while ((entry = readdir(dir)))
		if (entry->d_name[0] != '.' &&
		    read_text(text, sizeof(text), "/proc/%d/task/%s/status", (int)app->t.pid, entry->d_name))
			traced |= !strstr(text, "TracerPid:\t0\n");
	closedir(dir);
	return traced;
}

pid_t app_listener(pid_t pid)
{
	char text[64];
	DIR *dir = open_tasks(pid);
	struct dirent *entry;
	pid_t found = 0;

	while (dir && !found && (entry = readdir(dir)))
		if (entry->d_name[0] != '.' && read_text(text, sizeof(text), "/proc/%d/task/%s/comm", (int)pid, entry->d_name) &&
		    !strcmp(text, "rocp-bg-attach\n"))
			found = atoi(entry->d_name);
	if (dir)
		closedir(dir);
	return found;
}

static bool has_listener(const struct target *target)
{
	return app_listener(target->pid);
}

bool app_gets_listener(const struct app *app)
{
	return wait_until(has_listener, &app->t, 5000);
}

void add_rocm_tests(void)
{
	add_same(add_rocm_register_tests);
	add_same(add_rocm_attach_tests);
	add_native(add_rocm_option_tests);
	add_same(add_rocm_end_tests);
	add_native(add_rocm_refuse_tests);
	add_native(add_rocm_many_tests);
	add_native(add_rocm_crew_tests);
	add_native(add_rocm_crew_fail_tests);
	add_native(add_rocm_follow_tests);
	add_native(add_rocm_name_tests);
	add_same(add_rocm_late_tests);
	add_native(add_rocm_kill_tests);
	add_native(add_rocm_announce_tests);
	add_native(add_rocm_tool_tests);
	add_native(add_rocm_format_tests);
	add_native(add_rocm_tool_end_tests);
	add_native(add_rocm_tool_swap_tests);
	add_native(add_rocm_list_tests);
	add_native(add_rocm_staged_tests);
	add_native(add_rocm_wait_tests);
	add_native(add_rocm_first_tests);
	add_native(add_install_tests);
	add_native(add_rocm_collect_tests);
}
