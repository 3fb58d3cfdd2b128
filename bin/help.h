/* SPDX-License-Identifier: MIT */
/*
 * Help and man pages, made from the table of commands and those of their options.
 *
 * The text of a command is paragraphs with an empty line between; line ends in them mean nothing.  Where a line that ends
 * with ':' is followed by rows that begin with two blanks, it is a section: "examples:" with a command line in each row, or
 * any other with rows of a word, blanks and what it means (a row that begins with more blanks goes on with the last).
 */
#ifndef ROCLATCH_BIN_HELP_H
#define ROCLATCH_BIN_HELP_H

#include <stdbool.h>
#include <stddef.h>

#include "rocp/request.h"

struct command;

/* All return 0. */
int help_all(void);
int help_command(const struct command *command);
int help_named(const char *command);
/* attach, under a name of upstream's. */
int help_attach(enum request_style style);
int help_version(void);
/* As roff; NULL: of roclatch as a whole. */
int help_man(const struct command *command);

/* Parts that both kinds are made of. */
struct block {
	const char *text;
	size_t length;          /* without the line end */
	const char *rows;       /* of a section; NULL: a paragraph */
};
/* The next block of a text, false at its end. */
bool block_next(const char **text, struct block *block);
bool block_is(const struct block *block, const char *title);

/* Commands by what people do with them: begin with title NULL. */
struct group {
	const char *title;
	size_t title_length, rest;
};
bool group_next(struct group *group);
bool group_has(const struct group *group, const struct command *command);

extern const char help_summary[], help_about[], help_statuses[];

#endif
