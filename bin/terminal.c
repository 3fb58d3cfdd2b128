/* SPDX-License-Identifier: MIT */
#include "bin/terminal.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "inject/thread.h"

#define IN 0
#define OUT 1
#define ESCAPE_NS 50000000u     /* so long after an Esc the rest of a key's sequence may come */
#define LEAVE_MS 1000           /* to a terminal that takes nothing any more no more is said */

/* The alternate screen, no cursor, no going on in the next line. */
static const char enter_screen[] = "\033[?1049h\033[?25l\033[?7l";
static const char leave_screen[] = "\033[0m\033[?7h\033[?25h\033[?1049l";

static const int to_end[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
static const int to_notice[] = { SIGTSTP, SIGCONT, SIGWINCH };
static const int crashes[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT };

static struct termios saved;
static volatile sig_atomic_t taken, ended_by, suspend, resumed, resized;
static struct sigaction before[NSIG];
static sigset_t open_mask;
static void *crash_stack;

static void on_end(int signo)
{
	if (!ended_by)
		ended_by = signo;
}

static void on_notice(int signo)
{
	if (signo == SIGTSTP)
		suspend = 1;
	else if (signo == SIGCONT)
		resumed = 1;
	else
		resized = 1;
}

static void send_bytes(const char *bytes, size_t n)
{
	while (n) {
		ssize_t done = write(OUT, bytes, n);
		if (done < 0 && (errno != EINTR || ended_by))
			return;
		bytes += done > 0 ? done : 0;
		n -= done > 0 ? (size_t)done : 0;
	}
}

/* Only what may be called from a handler. */
static void leave(void)
{
	if (!taken)
		return;
	taken = 0;
	struct pollfd out = { .fd = OUT, .events = POLLOUT };
	if (poll(&out, 1, LEAVE_MS) > 0 && out.revents & POLLOUT) {
		ssize_t rest = write(OUT, leave_screen, sizeof leave_screen - 1);
		(void)rest;
	}
	/* in the background this would stop us */
	struct sigaction ignore = { .sa_handler = SIG_IGN }, old;
	sigaction(SIGTTOU, &ignore, &old);
	tcsetattr(IN, TCSANOW, &saved);
	sigaction(SIGTTOU, &old, NULL);
}

static void on_crash(int signo)
{
	leave();
	signal(signo, SIG_DFL);
	raise(signo);
}

static void enter(void)
{
	struct termios raw = saved;
	raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO | IEXTEN);
	raw.c_iflag &= ~(tcflag_t)(IXON | ICRNL | INLCR | IGNCR | ISTRIP);
	raw.c_cc[VMIN] = 1;
	raw.c_cc[VTIME] = 0;
	taken = 1;
	tcsetattr(IN, TCSANOW, &raw);
	send_bytes(enter_screen, sizeof enter_screen - 1);
}

static int fit(struct terminal *terminal)
{
	struct winsize size = { .ws_col = 0 };
	if (ioctl(OUT, TIOCGWINSZ, &size) < 0 || !size.ws_col || !size.ws_row)
		size = (struct winsize){ .ws_col = 80, .ws_row = 24 };
	return screen_resize(&terminal->screen, size.ws_col, size.ws_row);
}

/* What was ignored (nohup, a shell without jobs) stays ignored. */
static void catch(const int *signals, size_t n, void (*handler)(int), int flags)
{
	for (size_t i = 0; i < n; i++) {
		struct sigaction action = { .sa_handler = handler, .sa_flags = flags };
		sigaction(signals[i], NULL, &before[signals[i]]);
		if (before[signals[i]].sa_handler != SIG_IGN)
			sigaction(signals[i], &action, NULL);
	}
}

static void release(const int *signals, size_t n)
{
	for (size_t i = 0; i < n; i++)
		sigaction(signals[i], &before[signals[i]], NULL);
}

#define COUNT(list) (sizeof (list) / sizeof *(list))

static void catch_all(void)
{
	sigset_t block;
	sigemptyset(&block);
	for (size_t i = 0; i < COUNT(to_end); i++)
		sigaddset(&block, to_end[i]);
	for (size_t i = 0; i < COUNT(to_notice); i++)
		sigaddset(&block, to_notice[i]);
	sigprocmask(SIG_BLOCK, &block, &open_mask);     /* so that none slips in between look and sleep */
	catch(to_end, COUNT(to_end), on_end, 0);
	catch(to_notice, COUNT(to_notice), on_notice, 0);
	/* a stack that has overflowed has no room for a handler */
	crash_stack = malloc((size_t)SIGSTKSZ * 2);
	if (crash_stack)
		sigaltstack(&(stack_t){ .ss_sp = crash_stack, .ss_size = (size_t)SIGSTKSZ * 2 }, NULL);
	catch(crashes, COUNT(crashes), on_crash, (int)(SA_RESETHAND | SA_NODEFER | SA_ONSTACK));
}

static void release_all(void)
{
	release(crashes, COUNT(crashes));
	release(to_notice, COUNT(to_notice));
	release(to_end, COUNT(to_end));
	sigprocmask(SIG_SETMASK, &open_mask, NULL);
	sigaltstack(&(stack_t){ .ss_flags = SS_DISABLE }, NULL);
	free(crash_stack);
	crash_stack = NULL;
}

int terminal_check(struct err *err)
{
	const char *kind = getenv("TERM");
	if (!isatty(IN) || !isatty(OUT))
		return err_set(err, ERR_USAGE, 0, "%s is not a terminal", isatty(IN) ? "stdout" : "stdin");
	if (kind && !strcmp(kind, "dumb"))
		return err_set(err, ERR_USAGE, 0, "this terminal (TERM=dumb) shows lines only");
	return 0;
}

int terminal_open(struct terminal *terminal, struct err *err)
{
	*terminal = (struct terminal){ .keys.n = 0 };
	if (terminal_check(err) < 0)
		return -1;
	if (tcgetattr(IN, &saved) < 0)
		return err_set(err, ERR_FAILED, errno, "the terminal's settings cannot be read");
	if (fit(terminal) < 0)
		return err_set(err, ERR_FAILED, 0, "out of memory");
	ended_by = suspend = resumed = resized = 0;
	catch_all();
	enter();
	return 0;
}

void terminal_close(struct terminal *terminal)
{
	leave();
	release_all();
	screen_free(&terminal->screen);
}

int terminal_stopped(struct err *err)
{
	if (!ended_by || ended_by == SIGINT)
		return 0;
	return err_set(err, (enum err_code)(ERR_SIGNAL + ended_by), 0, "ended by signal %d", (int)ended_by);
}

/* Ctrl-Z: give the terminal back, stop as anybody does, and take it again. */
static void stop_here(void)
{
	sigset_t stopping;
	suspend = resumed = 0;
	leave();
	signal(SIGTSTP, SIG_DFL);
	raise(SIGTSTP);
	sigemptyset(&stopping);
	sigaddset(&stopping, SIGTSTP);
	sigprocmask(SIG_UNBLOCK, &stopping, NULL);      /* we stop in here */
	sigprocmask(SIG_BLOCK, &stopping, NULL);
	struct sigaction action = { .sa_handler = on_notice };
	sigaction(SIGTSTP, &action, NULL);
	tcgetattr(IN, &saved);
	enter();
}

/* What signals have left to do; 0 if nothing. */
static int notice(struct terminal *terminal)
{
	if (ended_by)
		return TERMINAL_STOP;
	if (!suspend && !resumed && !resized)
		return 0;
	if (suspend)
		stop_here();
	else if (resumed)
		enter();        /* stopped by a signal that cannot be caught; whoever did it may have used the terminal */
	resumed = resized = 0;
	return fit(terminal) < 0 ? TERMINAL_STOP : TERMINAL_RESIZED;
}

/* False: the terminal is gone. */
static bool read_keys(struct terminal *terminal)
{
	unsigned char bytes[32];
	ssize_t n = read(IN, bytes, sizeof bytes);
	if (n > 0)
		keys_put(&terminal->keys, bytes, (size_t)n);
	return n > 0 || (n < 0 && (errno == EINTR || errno == EAGAIN));
}

int terminal_wait(struct terminal *terminal, int fd, uint64_t until_ns)
{
	struct pollfd look[] = { { .fd = IN, .events = POLLIN }, { .fd = fd, .events = POLLIN } };
	uint64_t escape_ns = 0;
	for (;;) {
		int news = notice(terminal);
		int key = news ? KEY_NONE : keys_next(&terminal->keys, escape_ns && now_ns() >= escape_ns);
		if (news || key)
			return news ? news : key;
		if (terminal->keys.n && !escape_ns)
			escape_ns = now_ns() + ESCAPE_NS;
		uint64_t now = now_ns(), end = escape_ns && escape_ns < until_ns ? escape_ns : until_ns;
		uint64_t left = end > now ? end - now : 0;
		struct timespec limit = { (time_t)(left / 1000000000u), (long)(left % 1000000000u) };
		int n = ppoll(look, 2, &limit, &open_mask);
		if (n < 0 && errno != EINTR)
			return TERMINAL_STOP;
		if (n > 0 && look[0].revents && !read_keys(terminal))
			return TERMINAL_STOP;
		if (n > 0 && look[1].revents)
			return TERMINAL_READY;
		if (n == 0 && now_ns() >= until_ns)
			return TERMINAL_TIME;
	}
}

void terminal_show(struct terminal *terminal)
{
	const char *bytes;
	size_t n = screen_end(&terminal->screen, &bytes);
	sigset_t closed;
	/* a terminal that takes nothing would hold us for ever */
	sigprocmask(SIG_SETMASK, &open_mask, &closed);
	send_bytes(bytes, n);
	sigprocmask(SIG_SETMASK, &closed, NULL);
}
