/* SPDX-License-Identifier: MIT */
#include "bin/wait.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "inject/call.h"
#include "inject/thread.h"

#define LOOK_MS 500
#define IMPATIENT 3     /* signals to stop until a hanging call is abandoned */

static volatile sig_atomic_t stops, first_stop;
static const int asks_to_stop[] = { SIGINT, SIGTERM, SIGHUP };

static void on_stop(int signo)
{
	if (!stops)
		first_stop = signo;
	if (++stops >= IMPATIENT)
		call_stop_signal = signo;
}

static void stop_set(sigset_t *set)
{
	sigemptyset(set);
	for (size_t i = 0; i < sizeof asks_to_stop / sizeof *asks_to_stop; i++)
		sigaddset(set, asks_to_stop[i]);
}

void wait_catch_signals(void)
{
	signal(SIGTTIN, SIG_IGN);       /* in the background of a terminal, reading is to fail and not to stop us */
	for (size_t i = 0; i < sizeof asks_to_stop / sizeof *asks_to_stop; i++) {
		struct sigaction action = { .sa_handler = on_stop }, old;
		if (sigaction(asks_to_stop[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
			sigaction(asks_to_stop[i], &action, NULL);
	}
	if (call_stop_signal && !stops) {       /* one that came while things were prepared */
		first_stop = call_stop_signal;
		stops = 1;
		call_stop_signal = 0;
	}
}

int wait_signal(void)
{
	return (int)first_stop;
}

const char *wait_end_name(enum wait_end end)
{
	static const char *const names[] = { "duration", "enter", "end of input", "signal", "target exited", "the recording stopped" };
	return names[end];
}

/* Only from where a person or a script can answer: not closed, not /dev/null, not a file. */
static bool stdin_answers(void)
{
	struct stat st;
	return fstat(0, &st) == 0 && (isatty(0) || S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode));
}

/* 1: a line, or WAIT_EOF; 0: nothing that ends the wait. */
static bool read_stdin(bool *watched, bool goes_on, enum wait_end *end)
{
	char text[256];
	ssize_t n = read(0, text, sizeof text);
	if (n > 0 && memchr(text, '\n', (size_t)n)) {
		*end = WAIT_ENTER;
		return true;
	}
	*end = WAIT_EOF;
	if (n == 0 && !goes_on)
		return true;
	if (n == 0 || (n < 0 && errno != EINTR && errno != EAGAIN))
		*watched = false;       /* at its end, or in the background of a terminal */
	return false;
}

static void show_time(const struct waiting *waiting, uint64_t begun, uint64_t *shown)
{
	char text[160] = "";
	uint64_t now = now_ns();
	if (!waiting->show || !isatty(2) || now - *shown < (uint64_t)LOOK_MS * 1000000u)
		return;
	*shown = now;
	if (waiting->so_far)
		waiting->so_far(waiting->ctx, text, sizeof text);
	fprintf(stderr, "\r\033[K  %s for %lu s%s%s; %s ends it ", waiting->doing, (unsigned long)((now - begun) / 1000000000u),
		text[0] ? ": " : "", text, waiting->has_duration ? "the duration, Enter or Ctrl-C" : "Enter or Ctrl-C");
	fflush(stderr);
}

static void clear_time(const struct waiting *waiting)
{
	if (waiting->show && isatty(2))
		fputs("\r\033[K", stderr);
}

static struct timespec time_to(uint64_t deadline)
{
	uint64_t now = now_ns(), most = (uint64_t)LOOK_MS * 1000000u;
	uint64_t left = deadline > now ? deadline - now : 0;
	left = left < most ? left : most;
	return (struct timespec){ (time_t)(left / 1000000000u), (long)(left % 1000000000u) };
}

/* One look at everything; true when it is over. */
static bool look(const struct waiting *waiting, struct pollfd *poll_fd, bool *watched, uint64_t deadline,
		 const sigset_t *open, enum wait_end *end)
{
	uint64_t due = waiting->due ? waiting->due(waiting->ctx) : deadline;
	struct timespec limit = time_to(due < deadline ? due : deadline);
	*end = WAIT_SIGNAL;
	if (stops)
		return true;
	for (size_t i = 0; i < waiting->n; i++)
		poll_fd[i].fd = waiting->fd[i];
	poll_fd[waiting->n].fd = *watched ? 0 : -1;
	int n = ppoll(poll_fd, waiting->n + 1, &limit, open);
	if (n > 0 && poll_fd[waiting->n].revents && read_stdin(watched, waiting->has_duration && waiting->input_may_end, end))
		return true;
	*end = WAIT_GONE;
	for (size_t i = 0; n > 0 && i < waiting->n; i++)
		if (poll_fd[i].revents && waiting->over(waiting->ctx, i))
			return true;
	if (waiting->over(waiting->ctx, waiting->n))
		return true;
	*end = WAIT_DURATION;
	return now_ns() >= deadline;
}

enum wait_end wait_for_end(const struct waiting *waiting)
{
	struct pollfd *poll_fd = calloc(waiting->n + 1, sizeof *poll_fd);
	bool watched = !waiting->no_input && stdin_answers();
	sigset_t block, open;
	uint64_t begun = now_ns(), shown = 0;
	uint64_t deadline = waiting->has_duration ? begun + waiting->duration_ms * 1000000u : UINT64_MAX;
	enum wait_end end = WAIT_SIGNAL;
	if (!poll_fd)
		return end;
	stop_set(&block);
	sigprocmask(SIG_BLOCK, &block, &open);  /* so that none slips in between look and sleep */
	for (size_t i = 0; i <= waiting->n; i++)
		poll_fd[i].events = POLLIN;
	do {
		show_time(waiting, begun, &shown);
	} while (!look(waiting, poll_fd, &watched, deadline, &open, &end));
	clear_time(waiting);
	sigprocmask(SIG_SETMASK, &open, NULL);
	free(poll_fd);
	return end;
}

int64_t wall_ns(void)
{
	struct timespec now;
	clock_gettime(CLOCK_REALTIME, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* In short sleeps, each to a time of that clock: a signal that slips in before one is seen after it. */
bool wait_until(int64_t at_ns, bool show)
{
	int64_t now;
	while (!stops && (now = wall_ns()) < at_ns) {
		int64_t next = at_ns - now > LOOK_MS * INT64_C(1000000) ? now + LOOK_MS * INT64_C(1000000) : at_ns;
		if (show && isatty(2)) {
			fprintf(stderr, "\r\033[K  attaching in %lld s; Ctrl-C gives it up ", (long long)((at_ns - now + 999999999) / 1000000000));
			fflush(stderr);
		}
		clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &(struct timespec){ (time_t)(next / 1000000000), (long)(next % 1000000000) },
				NULL);
	}
	if (show && isatty(2))
		fputs("\r\033[K", stderr);
	return !stops;
}
