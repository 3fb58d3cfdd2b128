// SPDX-License-Identifier: MIT
/* --announce: a line on the terminal of the program itself. */
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "rocm.h"

/* A terminal: our side of it, or -1; *its is the program's side. */
static int open_terminal(int *its)
{
	int ours = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);

	*its = ours >= 0 && !grantpt(ours) && !unlockpt(ours) ? open(ptsname(ours), O_RDWR | O_NOCTTY | O_CLOEXEC) : -1;
	return *its >= 0 ? ours : -1;
}

static const char *shown_on(int terminal)
{
	static char text[4096];
	struct pollfd readable = { .fd = terminal, .events = POLLIN };
	size_t n = 0;

	while (n < sizeof(text) - 1 && poll(&readable, 1, 200) == 1) {
		ssize_t got = read(terminal, text + n, sizeof(text) - 1 - n);

		if (got <= 0)
			break;
		n += (size_t)got;
	}
	text[n] = 0;
	return text;
}

static void run_announce(const void *option)
{
	int its, ours = open_terminal(&its);
	struct app app;
	struct outcome o;
	const char *shown;

	require(ours >= 0 && dup2(its, STDERR_FILENO) == STDERR_FILENO, "cannot open a terminal");
	app = app_start("ready", "threads=1 loud=1", ATTACHABLE);
	o = run_all("attach -p %s -d %s -o out --attach-duration-msec 50 %s", app.pid, app.output, (const char *)option);
	expect(&o, 0, NULL);
	shown = shown_on(ours);
	if (((const char *)option)[0])
		check(strstr(shown, "[roclatch] a profiler was attached") && strstr(shown, "[roclatch] the profiler was detached") &&
			strstr(shown, app.pid), "the terminal shows \"%s\"", shown);
	else
		check(!strstr(shown, "[roclatch]"), "the terminal shows \"%s\"", shown);
	app_end(&app);
}

void add_rocm_announce_tests(void)
{
	int its, ours = open_terminal(&its);

	if (ours < 0)
		return;         /* no terminals on this machine */
	close(its);
	close(ours);
	add(MIXED, run_announce, "--announce", "attach and detach are announced on the program's terminal when that is asked for");
	add(MIXED, run_announce, "", "nothing is announced by itself");
}
