/* SPDX-License-Identifier: MIT */
/*
 * A page of text for a terminal, made anew for each look; only lines that have changed are sent.
 * Whatever is put on it, nothing but printable characters and our own styles reaches the terminal, and
 * no line is wider than the window.
 */
#ifndef ROCLATCH_BIN_SCREEN_H
#define ROCLATCH_BIN_SCREEN_H

#include <stdbool.h>
#include <stddef.h>

#define SCREEN_COLUMNS_MAX 1000u
#define SCREEN_ROWS_MAX 500u

enum style { STYLE_PLAIN, STYLE_BOLD, STYLE_DIM, STYLE_REVERSE };

struct screen {
	unsigned columns, rows;
	unsigned row, column;   /* where the next text goes */
	size_t room;            /* bytes of a line */
	char *lines, *shown;    /* rows of them: being made, and on the terminal */
	size_t *used, *shown_used;
	char *bytes;            /* to be sent */
	bool fresh;             /* nothing of ours is on the terminal */
};

/* For a window of this size (kept within limits); all is to be sent anew.  -1: no memory. */
int screen_resize(struct screen *screen, unsigned columns, unsigned rows);
void screen_free(struct screen *screen);

void screen_begin(struct screen *screen);
/* Go to the begin of a line; what lies below the window is not kept. */
void screen_line(struct screen *screen, unsigned row);
void screen_style(struct screen *screen, enum style style);
void screen_text(struct screen *screen, const char *text);
void screen_format(struct screen *screen, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Text in a column of that width, cut or filled up; a negative width: to its right edge. */
void screen_cell(struct screen *screen, int width, const char *text);
/* Blanks up to the right edge of the window. */
void screen_fill(struct screen *screen);
/* What is to be sent now. */
size_t screen_end(struct screen *screen, const char **bytes);

#endif
