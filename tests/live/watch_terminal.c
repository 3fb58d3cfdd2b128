// SPDX-License-Identifier: MIT
/* A pseudo-terminal with roclatch on it. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "watch.h"

#define WAIT_MS patient(15000)
#define ARGS 16

static void become(int slave, char *const *argv)
{
	setpgid(0, 0);
	signal(SIGTTOU, SIG_IGN);
	tcsetpgrp(slave, getpid());
	for (int fd = 0; fd < 3; fd++)
		dup2(slave, fd);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (int signo = 1; signo < 32; signo++)
		signal(signo, SIG_DFL);
	setenv("TERM", "xterm", 1);
	execv(argv[0], argv);
	_exit(127);
}

/* Has one job in the foreground, tells its id, and ends as it does. */
static void be_shell(int slave, char *const *argv, int tell)
{
	pid_t job;
	int status;

	setsid();
	ioctl(slave, TIOCSCTTY, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	signal(SIGHUP, SIG_IGN);
	job = fork();
	if (!job)
		become(slave, argv);
	if (write(tell, &job, sizeof(job)) != sizeof(job))
		_exit(126);
	while (waitpid(job, &status, 0) != job)
		;
	_exit(WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
}

struct screen_test screen_start(unsigned columns, unsigned rows, const char *first, ...)
{
	struct screen_test test = { .master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC) };
	char *argv[ARGS], *name;
	unsigned n = 0;
	int told[2];
	va_list ap;

	require(test.master >= 0 && !grantpt(test.master) && !unlockpt(test.master), "no terminal: %s", strerror(errno));
	name = ptsname(test.master);
	/* held open, so that its settings can be asked for when roclatch has ended */
	test.slave = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
	require(test.slave >= 0, "no terminal: %s", strerror(errno));
	screen_size(&test, columns, rows);
	tcgetattr(test.slave, &test.before);
	argv[n++] = strdup(options.roclatch);
	va_start(ap, first);
	for (const char *arg = first; arg && n < ARGS - 1; arg = va_arg(ap, const char *))
		argv[n++] = strdup(arg);
	va_end(ap);
	argv[n] = NULL;
	require(!pipe2(told, O_CLOEXEC), "pipe: %s", strerror(errno));
	test.shell = fork();
	if (!test.shell)
		be_shell(test.slave, argv, told[1]);
	require(read(told[0], &test.pid, sizeof(test.pid)) == sizeof(test.pid), "roclatch was not started");
	close(told[0]);
	close(told[1]);
	return test;
}

/* False: nothing came for so long. */
static bool hear(struct screen_test *test, int ms)
{
	struct pollfd in = { .fd = test->master, .events = POLLIN };

	if (poll(&in, 1, ms) <= 0)
		return false;
	if (test->room - test->n < 4096) {
		test->room += 1 << 16;
		test->seen = realloc(test->seen, test->room);
		require(test->seen, "no memory");
	}
	ssize_t n = read(test->master, test->seen + test->n, 4095);
	if (n <= 0)
		return false;
	for (ssize_t i = 0; i < n; i++)         /* so that strstr sees all of it */
		if (!test->seen[test->n + (size_t)i])
			test->seen[test->n + (size_t)i] = '?';
	test->n += (size_t)n;
	test->seen[test->n] = 0;
	return true;
}

bool screen_wait(struct screen_test *test, const char *text)
{
	int64_t end = now_ns() + WAIT_MS * INT64_C(1000000);

	while (!test->seen || !strstr(test->seen + test->from, text)) {
		if (now_ns() > end)
			return false;
		hear(test, 20);
	}
	return true;
}

void screen_forget(struct screen_test *test)
{
	while (hear(test, 0))
		;
	test->from = test->n;
}

void screen_press(struct screen_test *test, const char *keys)
{
	require(write(test->master, keys, strlen(keys)) == (ssize_t)strlen(keys), "cannot press: %s", strerror(errno));
}

void screen_size(struct screen_test *test, unsigned columns, unsigned rows)
{
	struct winsize size = { .ws_col = (unsigned short)columns, .ws_row = (unsigned short)rows };

	require(!ioctl(test->master, TIOCSWINSZ, &size), "cannot resize: %s", strerror(errno));
}

int screen_end(struct screen_test *test)
{
	int64_t end = now_ns() + WAIT_MS * INT64_C(1000000);
	int status;

	while (!waitpid(test->shell, &status, WNOHANG)) {
		if (now_ns() > end) {
			kill(test->pid, SIGKILL);
			waitpid(test->shell, &status, 0);
			return -1;
		}
		hear(test, 5);
	}
	while (hear(test, 0))
		;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static const char *last(const char *text, const char *part)
{
	const char *found = NULL;

	for (const char *at = text; (at = strstr(at, part)); at++)
		found = at;
	return found;
}

/* The last word about it. */
static void check_last(const struct screen_test *test, const char *on, const char *off, const char *what)
{
	const char *taken = last(test->seen, on), *given = last(test->seen, off);

	check(taken, "%s was never taken", what);
	check(given && given > taken, "%s was not given back", what);
}

void screen_is_back(const struct screen_test *test)
{
	struct termios after = { 0 };   /* the kernel fills in fewer characters than the C library has */

	require(!tcgetattr(test->slave, &after), "tcgetattr: %s", strerror(errno));
	check(after.c_lflag == test->before.c_lflag && after.c_iflag == test->before.c_iflag &&
	      after.c_oflag == test->before.c_oflag && after.c_cflag == test->before.c_cflag &&
	      !memcmp(after.c_cc, test->before.c_cc, sizeof(after.c_cc)), "the terminal has other settings than before");
	require(test->seen, "nothing was shown");
	check_last(test, "\033[?1049h", "\033[?1049l", "the alternate screen");
	check_last(test, "\033[?25l", "\033[?25h", "the cursor");
	check_last(test, "\033[?7l", "\033[?7h", "the wrapping of lines");
}
