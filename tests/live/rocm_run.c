// SPDX-License-Identifier: MIT
/* roclatch while it runs: with an input to type into, and what it has said at the end. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sched.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "rocm.h"

#define ARGS 40
#define ATTACH_MS 20000

bool run_own_proc;

static bool have_own_proc(void)
{
	return !unshare(CLONE_NEWNS) && !mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) &&
		!mount("proc", "/proc", "proc", 0, NULL);
}

const char *run_folder, *run_through;

static void arrange_input(enum input input, const int pipe_ends[2])
{
	if (input == INPUT_PIPE)
		dup2(pipe_ends[0], STDIN_FILENO);
	else if (input == INPUT_NULL)
		dup2(open("/dev/null", O_RDONLY | O_CLOEXEC), STDIN_FILENO);
	else
		close(STDIN_FILENO);
}

static unsigned add_words(char **argv, unsigned n, char *words)
{
	char *rest = NULL;

	for (char *word = strtok_r(words, " ", &rest); word && n < ARGS - 1; word = strtok_r(NULL, " ", &rest))
		argv[n++] = word;
	return n;
}

static struct run begin(enum input input, char *words)
{
	char *argv[ARGS] = { NULL }, through[1024], program[4096];
	struct run run = { .in = -1, .out = memfd_create("out", MFD_CLOEXEC), .err = memfd_create("err", MFD_CLOEXEC) };
	int ends[2];
	unsigned n;

	snprintf(through, sizeof(through), "%s", run_through ? run_through : "");
	snprintf(program, sizeof(program), "%s", options.roclatch);
	n = add_words(argv, 0, through);
	argv[n++] = program;
	add_words(argv, n, words);
	require(!pipe2(ends, O_CLOEXEC), "pipe: %s", strerror(errno));
	run.pid = fork();
	if (!run.pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		signal(SIGPIPE, SIG_DFL);
		dup2(run.out, STDOUT_FILENO);
		dup2(run.err, STDERR_FILENO);
		arrange_input(input, ends);
		if ((run_own_proc && !have_own_proc()) || (run_folder && chdir(run_folder)))
			_exit(126);
		execv(argv[0], argv);
		_exit(127);
	}
	close(ends[0]);
	run.in = ends[1];
	return run;
}

struct run run_start(enum input input, const char *fmt, ...)
{
	char words[8192];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(words, sizeof(words), fmt, ap);
	va_end(ap);
	return begin(input, words);
}

static void take(int fd, char *text, size_t size)
{
	ssize_t n = pread(fd, text, size - 1, 0);

	text[n > 0 ? n : 0] = 0;
	close(fd);
}

struct outcome run_end(struct run *run, unsigned limit_ms)
{
	int64_t end = now_ns() + patient(limit_ms) * INT64_C(1000000);
	struct outcome o = { .status = -1 };
	int status;

	while (!waitpid(run->pid, &status, WNOHANG)) {
		if (now_ns() > end) {
			kill(run->pid, SIGKILL);
			waitpid(run->pid, &status, 0);
			status = -1;
			break;
		}
		await_end(run->pid, end);
	}
	if (status != -1)
		o.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	take(run->out, o.out, sizeof(o.out));
	take(run->err, o.err, sizeof(o.err));
	if (run->in >= 0)
		close(run->in);
	run->in = -1;
	return o;
}

struct outcome run_all(const char *fmt, ...)
{
	char words[8192];
	struct run run;
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(words, sizeof(words), fmt, ap);
	va_end(ap);
	run = begin(INPUT_NULL, words);
	return run_end(&run, 60000);
}

bool run_goes_on(const struct run *run)
{
	return !has_ended(run->pid);
}

bool run_says(const struct run *run, const char *words, unsigned limit_ms)
{
	int64_t end = now_ns() + patient(limit_ms) * INT64_C(1000000);
	static char text[8192];

	do {
		ssize_t n = pread(run->err, text, sizeof(text) - 1, 0);

		text[n > 0 ? n : 0] = 0;
		if (strstr(text, words))
			return true;
		sleep_ms(10);
	} while (now_ns() < end && run_goes_on(run));
	return false;
}

void run_records(const struct run *run)
{
	run_says(run, "recording", ATTACH_MS);
}

struct run attach_start(const struct app *app, enum input input, const char *more)
{
	const char *names = log_names(app, "out"), *began = strstr(more, "--late") ? "start" : "attach";
	unsigned before = 0;
	struct run run;

	for (const char *at = names; *at; at += strcspn(at, " "), at += *at == ' ')
		before += !strncmp(at, began, strlen(began)) && (at[strlen(began)] == ' ' || !at[strlen(began)]);
	run = run_start(input, "attach -p %s -d %s -o out %s", app->pid, app->output, more);
	if (!log_waits_for(app, began, before + 1, ATTACH_MS)) {
		kill(run.pid, SIGTERM);
		struct outcome o = run_end(&run, 5000);
		fail("the tool was not told to %s; roclatch ended with %d, printed %s and said: %s", began, o.status, o.out, o.err);
		end_failed();
	}
	run_records(&run);
	return run;
}

struct run attach_detaching_slowly(const struct app *app)
{
	char more[4200];
	struct run run;

	snprintf(more, sizeof(more), "--kernel-trace -t %s", app_path("tools/libslow.so"));
	run = attach_start(app, INPUT_PIPE, more);
	dprintf(run.in, "\n");
	sleep_ms(700);
	return run;
}
