// SPDX-License-Identifier: MIT
/* Running roclatch and keeping what it said. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "live.h"

#define ARGS 40
#define LIMIT_MS 20000
#define TIMEOUT_MS 10000

unsigned roclatch_uid;

static pid_t spawn(char *const *argv, int out, int err)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	dup2(open("/dev/null", O_RDONLY | O_CLOEXEC), STDIN_FILENO);
	dup2(out, STDOUT_FILENO);
	dup2(err, STDERR_FILENO);
	if (roclatch_uid && (setgid(roclatch_uid) || setuid(roclatch_uid)))
		_exit(126);
	execv(argv[0], argv);
	dprintf(STDERR_FILENO, "cannot run %s: %s\n", argv[0], strerror(errno));
	_exit(127);
}

static void take(int fd, char *text, size_t size)
{
	ssize_t n = pread(fd, text, size - 1, 0);

	text[n > 0 ? n : 0] = 0;
	close(fd);
}

/* -1 when it had to be killed. */
static int wait_for(pid_t pid, unsigned limit_ms)
{
	int64_t end = now_ns() + patient(limit_ms) * INT64_C(1000000);
	int status;

	while (!waitpid(pid, &status, WNOHANG)) {
		if (now_ns() > end) {
			kill(pid, SIGKILL);
			waitpid(pid, &status, 0);
			return -1;
		}
		await_end(pid, end);
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

struct outcome roclatch_argv(unsigned limit_ms, char *const *argv)
{
	struct outcome o;
	int out = memfd_create("out", MFD_CLOEXEC), err = memfd_create("err", MFD_CLOEXEC);
	int64_t begun = now_ns();

	o.status = wait_for(spawn(argv, out, err), limit_ms);
	o.ns = now_ns() - begun;
	take(out, o.out, sizeof(o.out));
	take(err, o.err, sizeof(o.err));
	return o;
}

static void collect(char **argv, const char *first, va_list ap)
{
	unsigned n = 0;

	argv[n++] = strdup(options.roclatch);
	for (const char *arg = first; arg && n < ARGS - 1; arg = va_arg(ap, const char *))
		argv[n++] = strdup(arg);
	argv[n] = NULL;
}

static void discard(char **argv)
{
	for (; *argv; argv++)
		free(*argv);
}

struct outcome roclatch(unsigned limit_ms, const char *first, ...)
{
	char *argv[ARGS];
	struct outcome o;
	va_list ap;

	va_start(ap, first);
	collect(argv, first, ap);
	va_end(ap);
	o = roclatch_argv(limit_ms, argv);
	discard(argv);
	return o;
}

pid_t roclatch_start(const char *first, ...)
{
	char *argv[ARGS];
	int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	va_list ap;
	pid_t pid;

	va_start(ap, first);
	collect(argv, first, ap);
	va_end(ap);
	pid = spawn(argv, null, null);
	close(null);
	discard(argv);
	return pid;
}

static struct outcome call_on(const struct target *target, pid_t tid, const char *on, const char *function,
	const char *args)
{
	char pid[16], thread[16], ms[16], copy[256], *argv[ARGS], *rest = NULL;
	unsigned n = 0;
	const char *const words[] = { options.roclatch, "call", pid, target->library, function };
	struct outcome o;

	snprintf(pid, sizeof(pid), "%d", (int)target->pid);
	snprintf(thread, sizeof(thread), "%d", (int)tid);
	snprintf(ms, sizeof(ms), "%u", patient(TIMEOUT_MS));
	snprintf(copy, sizeof(copy), "%s", args);
	for (unsigned i = 0; i < 2; i++)
		argv[n++] = strdup(words[i]);
	argv[n++] = strdup("--timeout-msec");
	argv[n++] = strdup(ms);
	argv[n++] = strdup("--on");
	argv[n++] = strdup(on);
	if (tid) {
		argv[n++] = strdup("--thread");
		argv[n++] = strdup(thread);
	}
	for (unsigned i = 2; i < 5; i++)
		argv[n++] = strdup(words[i]);
	for (char *word = strtok_r(copy, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
		argv[n++] = strdup(word);
	argv[n] = NULL;
	o = roclatch_argv(LIMIT_MS, argv);
	discard(argv);
	return o;
}

struct outcome call(const struct target *target, const char *on, const char *function, const char *args)
{
	return call_on(target, target->tid, on, function, args);
}

struct outcome call_any(const struct target *target, const char *on, const char *function, const char *args)
{
	return call_on(target, 0, on, function, args);
}

void expect(const struct outcome *outcome, int status, const char *out)
{
	if (outcome->status == -1)
		fail("roclatch did not end and was killed; it said: %s", outcome->err);
	else if (outcome->status != status)
		fail("roclatch ended with %d and not %d; it said: %s", outcome->status, status, outcome->err);
	else if (out && strcmp(outcome->out, out))
		fail("roclatch printed \"%s\" and not \"%s\"", outcome->out, out);
}

void expect_said(const struct outcome *outcome, const char *word)
{
	if (!strcasestr(outcome->err, word) && !strcasestr(outcome->out, word))
		fail("roclatch said nothing of \"%s\" but: %s", word, outcome->err);
}
