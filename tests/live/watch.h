/* SPDX-License-Identifier: MIT */
/* Looking at a process: what the tests of threads, stack, sample and top share. */
#ifndef ROCLATCH_TESTS_LIVE_WATCH_H
#define ROCLATCH_TESTS_LIVE_WATCH_H

#include <termios.h>

#include "live.h"

struct target start_watched(const char *root);  /* tests/fixtures/watched.c */
const char *pid_text(pid_t pid);                /* in one of a few buffers */
pid_t thread_named(const struct target *target, const char *name);

/* ---- watch_terminal.c: roclatch on a terminal of its own ---- */

struct screen_test {
	pid_t pid;              /* of roclatch */
	pid_t shell;            /* its parent, in the same session: without one, Ctrl-Z would stop nobody */
	int master, slave;
	char *seen;             /* all that it has sent, with a NUL behind */
	size_t n, room;
	size_t from;            /* where what is waited for is looked for */
	struct termios before;
};

/* A NULL ends the arguments. */
struct screen_test screen_start(unsigned columns, unsigned rows, const char *first, ...) __attribute__((sentinel));
/* Read until the text is there; false after a while. */
bool screen_wait(struct screen_test *test, const char *text);
void screen_forget(struct screen_test *test);   /* what was seen so far is not looked at by screen_wait */
void screen_press(struct screen_test *test, const char *keys);
void screen_size(struct screen_test *test, unsigned columns, unsigned rows);
/* Its exit status, 128 + signal, or -1; all that it has sent is there then. */
int screen_end(struct screen_test *test);
/* The terminal is as it was: its settings, and the screen, the cursor, the lines. */
void screen_is_back(const struct screen_test *test);

/* ---- watch_look.c: roclatch, with all that it says and what it holds while it runs ---- */

struct looked {
	int status;             /* as in struct outcome */
	char *out, *err;        /* all of it, with a NUL behind */
	size_t out_n, err_n;
	unsigned files;         /* descriptors, the most that were seen */
	long peak_kib;
};

/* Words are separated by blanks. */
struct looked look_at(unsigned limit_ms, const char *words, ...) __attribute__((format(printf, 2, 3)));
void looked_free(struct looked *looked);
/* It ended with status 0. */
void looked_well(const struct looked *looked, const char *command);
/* No byte in it that a terminal would obey: printable UTF-8, newlines and tabs. */
void looked_harmless(const struct looked *looked, const char *command);
/* Nobody traces it, none of its threads is stopped, and there are as many as before (0: do not count). */
void not_held(pid_t pid, unsigned threads);

void add_watch_tests(void);
void add_sample_tests(void);
void add_top_tests(void);
void add_hostile_tests(void);
void add_huge_tests(void);
void add_killed_tests(void);

#endif
