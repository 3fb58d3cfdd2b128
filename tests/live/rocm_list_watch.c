// SPDX-License-Identifier: MIT
/* roclatch list again and again, on a terminal and elsewhere, and while processes come and go. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "rocm_list.h"

static unsigned count(const char *text, const char *part)
{
	unsigned n = 0;

	for (; (text = strstr(text, part)); text += strlen(part))
		n++;
	return n;
}

/* Let it look three times, then Ctrl-C. */
static char *watch(const char *words, const char *of_each_look)
{
	struct run run = run_start(INPUT_NULL, "list --watch %s", words);
	int copy = dup(run.out);
	struct outcome o;
	char *text = list_output(copy);

	for (unsigned ms = 0; count(text, of_each_look) < 3 && ms < LIST_MS; ms += 20) {
		free(text);
		sleep_ms(20);
		text = list_output(copy);
	}
	kill(run.pid, SIGINT);
	o = run_end(&run, LIST_MS);
	expect(&o, 0, NULL);
	free(text);
	text = list_output(copy);
	close(copy);
	return text;
}

static void run_watch(const void *unused)
{
	struct app app = app_start("ready", NULL, ATTACHABLE);
	char *text = watch("", "RUNTIME"), *json = watch("--json", "\"status\":0}\n");
	unsigned lines = count(json, "\n");

	(void)unused;
	check(count(text, "RUNTIME") >= 3 && count(text, "\n\n") == count(text, "RUNTIME") - 1, "no blocks: %s", text);
	check(!strchr(text, '\033'), "an escape sequence where there is no terminal");
	check(lines >= 3 && count(json, "{\"command\":\"list\",") == lines && count(json, "\"status\":0}\n") == lines,
		"not an object a line: %s", json);
	list_has(json, "\"cpu_since\":\"look\"", "the second look");
	list_has(list_object(strchr(json, '\n'), app.t.pid), "\"how\":\"now\"", "one that can be attached");
	free(json);
	free(text);
	app_end(&app);
}

static int open_terminal(int *other, unsigned short columns, unsigned short lines)
{
	struct winsize size = { .ws_row = lines, .ws_col = columns };
	int ours = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);

	require(ours >= 0 && !grantpt(ours) && !unlockpt(ours) && !ioctl(ours, TIOCSWINSZ, &size), "no terminal: %s",
		strerror(errno));
	*other = open(ptsname(ours), O_RDWR | O_NOCTTY | O_CLOEXEC);
	require(*other >= 0, "no terminal: %s", strerror(errno));
	return ours;
}

static size_t read_terminal(int terminal, char *text, size_t have, size_t size, unsigned ms)
{
	struct pollfd more = { .fd = terminal, .events = POLLIN };

	while (have < size - 1 && poll(&more, 1, (int)ms) == 1 && more.revents & POLLIN) {
		ssize_t n = read(terminal, text + have, size - 1 - have);

		if (n <= 0)
			break;
		have += (size_t)n;
	}
	text[have] = 0;
	return have;
}

/* No line is longer than the terminal is wide, and nothing is sent but home and two ways to clear. */
static void check_frames(const char *text, int columns)
{
	int at = 0;

	for (const char *c = text; *c; c++) {
		if (*c == '\033') {
			check(!strncmp(c, "\033[H", 3) || !strncmp(c, "\033[K", 3) || !strncmp(c, "\033[J", 3), "sent ESC%.5s", c + 1);
			at = c[2] == 'H' ? 0 : at;
			c += 2;
		} else if (*c == '\r' || *c == '\n') {
			at = 0;
		} else {
			check(++at <= columns, "a line is longer than %d", columns);
		}
		if (failed())
			return;
	}
}

static pid_t watch_on(int terminal)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	dup2(terminal, STDOUT_FILENO);
	dup2(terminal, STDERR_FILENO);
	execl(options.roclatch, "roclatch", "list", "--all", "--watch", (char *)NULL);
	_exit(127);
}

static void run_terminal(const void *unused)
{
	static char text[1 << 20];
	struct app app = app_start("ready", NULL, ATTACHABLE);
	int other, ours = open_terminal(&other, 50, 8), status;
	size_t have = 0;
	pid_t pid = watch_on(other);

	(void)unused;
	for (unsigned ms = 0; count(text, "\033[H") < 3 && ms < LIST_MS; ms += 50)
		have = read_terminal(ours, text, have, sizeof(text), 50);
	kill(pid, SIGINT);
	waitpid(pid, &status, 0);
	have = read_terminal(ours, text, have, sizeof(text), 100);
	check(WIFEXITED(status) && !WEXITSTATUS(status), "wait status %#x after Ctrl-C", status);
	check(!strncmp(text, "\033[H", 3) && count(text, "\033[H") >= 3 && count(text, "\033[H") == count(text, "\033[J"),
		"no frames: %s", text);
	check(have > 8 && !strcmp(text + have - 7, "\033[J\r\033[K"), "it does not end clean: %s", text);
	check(count(text, "\n") == 7 * count(text, "\033[H"), "%u lines of %u frames", count(text, "\n"), count(text, "\033[H"));
	list_has(text, " more\033[K", "a terminal of 8 lines");
	check_frames(text, 50);
	close(ours);
	close(other);
	app_end(&app);
}

/* ---- a machine that does not hold still ---- */

static void come_and_go(void)
{
	for (;;) {
		pid_t pid = fork();

		if (!pid)
			_exit(0);
		waitpid(pid, NULL, 0);
	}
}

static void run_churn(const void *unused)
{
	struct app app = app_start("ready", NULL, ATTACHABLE);
	pid_t churn = fork();

	(void)unused;
	if (!churn) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		come_and_go();
	}
	for (unsigned i = 0; i < rounds(30) && !failed(); i++) {
		char *text = list_of("--all");

		list_has(list_row(text, app.t.pid), "  now", "one that can be attached");
		check(list_row(text, getpid()), "the test itself is missing");
		free(text);
	}
	kill(churn, SIGKILL);
	waitpid(churn, NULL, 0);
	app_end(&app);
}

void add_rocm_list_watch_tests(void)
{
	add(MIXED, run_watch, NULL, "list --watch looks again and again until Ctrl-C, in blocks or objects");
	add(MIXED, run_terminal, NULL, "list --watch keeps within a terminal and leaves it clean");
	add(MIXED, run_churn, NULL, "list leaves out what vanishes meanwhile");
}
