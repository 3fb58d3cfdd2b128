// SPDX-License-Identifier: MIT
/* roclatch top, by what it sends to a terminal. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "watch.h"

static void show(struct screen_test *test, const char *text)
{
	if (!screen_wait(test, text))
		fail("there was no \"%s\" on the screen but: %s", text, test->seen ? test->seen : "nothing");
}

static struct screen_test start_top(const struct target *target, unsigned columns, unsigned rows)
{
	struct screen_test test = screen_start(columns, rows, "top", pid_text(target->pid), NULL);
	char line[16];

	show(&test, "\033[?1049h");
	show(&test, "TID");
	/* the first look is done: there is a line of the main thread */
	snprintf(line, sizeof(line), "%7d ", (int)target->pid);
	show(&test, line);
	return test;
}

static void quit(struct screen_test *test, int status)
{
	int ended;

	screen_press(test, "q");
	ended = screen_end(test);
	check(ended == status, "roclatch ended with %d and not %d", ended, status);
	screen_is_back(test);
}

static void run_shows(const void *unused)
{
	struct target t = start_watched(NULL);
	struct screen_test test = start_top(&t, 120, 30);

	(void)unused;
	show(&test, "sleeper");
	show(&test, "waiter");
	show(&test, "epoll_");
	show(&test, "nanosleep");
	show(&test, "7 threads");
	show(&test, "x?[2J?]0;y?");
	check(!strstr(test.seen, "\033]0;"), "a thread's name reached the terminal raw");
	quit(&test, 0);
	stop(&t);
}

static void run_keys(const void *unused)
{
	struct target t = start_watched(NULL);
	struct screen_test test = start_top(&t, 120, 30);

	(void)unused;
	show(&test, "s by cpu");
	screen_press(&test, "s");
	show(&test, "s by state");
	screen_press(&test, "r");
	show(&test, "(reversed)");
	screen_press(&test, "p");
	show(&test, "paused");
	screen_press(&test, "h");
	show(&test, "its stack, live");
	screen_forget(&test);
	screen_press(&test, "\033");            /* Esc: back */
	show(&test, "s by state");
	quit(&test, 0);
	stop(&t);
}

/* By name, the sleeper's place is known: poller, reader, sleeper. */
static void run_stack(const void *unused)
{
	struct target t = start_watched(NULL);
	struct screen_test test = start_top(&t, 120, 30);

	(void)unused;
	show(&test, "s by cpu");
	for (int i = 0; i < 4; i++)
		screen_press(&test, "s");
	show(&test, "s by name");
	screen_press(&test, "\033[H\033[B\033[B");
	screen_press(&test, "\r");
	show(&test, "TID ");
	show(&test, "\"sleeper\" sleeping in ");
	show(&test, "watched_inner");
	show(&test, "watched_middle");
	show(&test, "watched_outer");
	screen_forget(&test);
	screen_press(&test, "q");               /* back, and not the end */
	show(&test, "s by name");
	quit(&test, 0);
	stop(&t);
}

static void run_small(const void *unused)
{
	struct target t = start_watched(NULL);
	struct screen_test test = start_top(&t, 20, 5);
	size_t from;

	(void)unused;
	show(&test, "\033[5;1H");
	check(!strstr(test.seen, "\033[6;1H"), "a line below the window was drawn");
	screen_press(&test, "\r");
	show(&test, "Esc back");
	screen_press(&test, "q");
	screen_forget(&test);
	from = test.from;
	screen_size(&test, 3, 1);
	show(&test, "\033[2J\033[1;1H");
	sleep_ms(1000);
	screen_forget(&test);
	check(!strstr(strstr(test.seen + from, "\033[2J\033[1;1H"), "\033[2;1H"), "a line below the window was drawn");
	quit(&test, 0);
	stop(&t);
}

static void run_resize(const void *unused)
{
	struct target t = start_watched(NULL);
	struct screen_test test = start_top(&t, 80, 24);

	(void)unused;
	screen_size(&test, 300, 100);
	show(&test, "\033[100;1H");
	show(&test, "TIME");            /* a column that only a wide window has */
	quit(&test, 0);
	stop(&t);
}

struct by_signal { int signo; int status; };

static void run_signal(const void *with)
{
	const struct by_signal *by = with;
	struct target t = start_watched(NULL);
	struct screen_test test = start_top(&t, 80, 24);
	int status;

	kill(test.pid, by->signo);
	status = screen_end(&test);
	check(status == by->status, "roclatch ended with %d and not %d", status, by->status);
	screen_is_back(&test);
	go_on(&t);
	stop(&t);
}

static bool is_stopped(pid_t pid)
{
	char stat[512] = "";

	for (int i = 0; i < 5000; i++) {
		read_text(stat, sizeof(stat), "/proc/%d/stat", (int)pid);
		if (strstr(stat, ") T "))
			return true;
		sleep_ms(2);
	}
	return false;
}

static void goes_on(struct screen_test *test)
{
	screen_forget(test);
	kill(test->pid, SIGCONT);
	show(test, "\033[?1049h");              /* taken anew */
	show(test, "TID");
}

static void run_suspend(const void *unused)
{
	struct target t = start_watched(NULL);
	struct screen_test test = start_top(&t, 80, 24);

	(void)unused;
	screen_press(&test, "\032");            /* Ctrl-Z */
	check(is_stopped(test.pid), "Ctrl-Z did not stop it");
	screen_forget(&test);
	screen_is_back(&test);
	goes_on(&test);
	kill(test.pid, SIGSTOP);                /* cannot be caught: the terminal stays as it is */
	check(is_stopped(test.pid), "SIGSTOP did not stop it");
	goes_on(&test);
	quit(&test, 0);
	stop(&t);
}

static void run_target_ends(const void *unused)
{
	struct target t = start_watched(NULL);
	struct screen_test test = start_top(&t, 80, 24);
	int status;

	(void)unused;
	kill(t.pid, SIGKILL);
	waitpid(t.pid, NULL, 0);
	status = screen_end(&test);
	check(status == 4, "roclatch ended with %d and not 4", status);
	screen_is_back(&test);
	check(strstr(test.seen, "exited") || strstr(test.seen, "ended"), "it did not say why: %s", test.seen);
}

static void run_no_terminal(const void *unused)
{
	struct target t = start_watched(NULL);
	struct outcome o = roclatch(20000, "top", pid_text(t.pid), NULL);

	(void)unused;
	expect(&o, 2, "");
	expect_said(&o, "is not a terminal");
	stop(&t);
}

static void run_choose(const void *unused)
{
	struct target t = start_watched(NULL);
	struct screen_test test = screen_start(120, 60, "top", NULL);

	(void)unused;
	show(&test, "which process?");
	show(&test, "THREADS");
	quit(&test, 0);
	stop(&t);
}

static void run_crash(const void *unused)
{
	struct target t = start_watched(NULL);
	struct screen_test test = start_top(&t, 80, 24);
	int status;

	(void)unused;
	kill(test.pid, SIGSEGV);
	status = screen_end(&test);
	check(status == 128 + SIGSEGV, "roclatch ended with %d and not by SIGSEGV", status);
	screen_is_back(&test);
	stop(&t);
}

void add_top_tests(void)
{
	static const struct by_signal signals[] = { { SIGINT, 0 }, { SIGTERM, 128 + SIGTERM }, { SIGHUP, 128 + SIGHUP },
						    { SIGQUIT, 128 + SIGQUIT } };

	add(MIXED, run_shows, NULL, "top shows threads, calls and harmless names, and gives the terminal back");
	add(MIXED, run_keys, NULL, "top sorts, reverses, pauses, helps and goes back by keys");
	add(MIXED, run_stack, NULL, "top shows the stack of the chosen thread");
	add(MIXED, run_small, NULL, "top fits windows of 20 x 5 and of 3 x 1");
	add(MIXED, run_resize, NULL, "top follows the size of its window");
	for (unsigned i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		add(MIXED, run_signal, &signals[i], "top gives the terminal back at signal %d", signals[i].signo);
	add(MIXED, run_suspend, NULL, "top gives the terminal back at Ctrl-Z and takes it again");
	add(MIXED, run_target_ends, NULL, "top gives the terminal back when the process ends, and says so");
	add(MIXED, run_crash, NULL, "top gives the terminal back when it crashes");
	add(MIXED, run_no_terminal, NULL, "top without a terminal says so");
	add(MIXED, run_choose, NULL, "top without a process lists processes");
}
