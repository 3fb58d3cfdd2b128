/* SPDX-License-Identifier: MIT */
/*
 * The terminal, taken for a page that is drawn again and again: the alternate screen, keys as they are
 * pressed.  It is given back as it was on every way out: the end, signals to stop, Ctrl-Z (and taken
 * again when we go on), and when we crash.
 */
#ifndef ROCLATCH_BIN_TERMINAL_H
#define ROCLATCH_BIN_TERMINAL_H

#include <stdint.h>

#include "bin/keys.h"
#include "bin/screen.h"
#include "elf/err.h"

/* What terminal_wait answers where it is no key. */
enum terminal_news {
	TERMINAL_TIME = -1,     /* it is due */
	TERMINAL_RESIZED = -2,  /* to be drawn anew */
	TERMINAL_STOP = -3,     /* a signal asks us to end, or the terminal is gone: terminal_stopped */
	TERMINAL_READY = -4,    /* the descriptor that was given can be read */
};

struct terminal {
	struct screen screen;
	struct keys keys;
};

/* -1: ERR_USAGE, stdin and stdout are no terminal, or one that cannot do it. */
int terminal_check(struct err *err);
/* One at a time. */
int terminal_open(struct terminal *terminal, struct err *err);
void terminal_close(struct terminal *terminal);

/* A key, or one of terminal_news.  fd: -1, or what else is waited for; until_ns: CLOCK_MONOTONIC. */
int terminal_wait(struct terminal *terminal, int fd, uint64_t until_ns);
/* Send what has changed on the screen. */
void terminal_show(struct terminal *terminal);
/* After TERMINAL_STOP: 0 if that is how a person quits (Ctrl-C), else -1 with ERR_SIGNAL + n. */
int terminal_stopped(struct err *err);

#endif
