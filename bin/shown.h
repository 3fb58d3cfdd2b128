/* SPDX-License-Identifier: MIT */
/*
 * Options as people see them, one after the other, from the tables that the
 * command line is read by: help, man pages and completion are made of this.
 */
#ifndef ROCLATCH_BIN_SHOWN_H
#define ROCLATCH_BIN_SHOWN_H

#include "bin/options.h"
#include "rocp/request.h"

struct shown {
	const char *title;      /* of a group that begins here, or NULL */
	const char *name, *second;      /* without dashes; second may be NULL */
	const char *value;      /* NULL: takes none */
	const char *help;
	char letter;            /* 0: none */
	bool yes_no;            /* may be followed by yes or no */
	bool several;           /* takes all words up to the next option */
	bool commas;            /* its value may be several with ',' between */
};

/* Where one is in a table.  groups NULL: the options of an attachment, under this name. */
struct showing {
	const struct option_group *groups;
	enum request_style style;
	unsigned group, place;
};

bool shown_next(struct showing *showing, struct shown *shown);
/* All of them with their help, in lines of less than 80 characters. */
void shown_help(struct showing showing, FILE *out);

/* Text as one paragraph whose lines begin at this column; the first line is there already. */
void wrap(FILE *out, int column, const char *text, size_t length);

#endif
