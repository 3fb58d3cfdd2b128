/* SPDX-License-Identifier: MIT */
/*
 * Command-line options from tables: what an option is called, what it takes,
 * where its value goes and what the help says, each said once.
 *
 * Options may stand before, between and behind operands; "--" ends them.
 * "--name value", "--name=value", "-n value", "-nvalue".  A word such as "-5"
 * is an operand: no option has a digit as its letter.
 */
#ifndef ROCLATCH_BIN_OPTIONS_H
#define ROCLATCH_BIN_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "elf/err.h"

enum option_kind {
	OPTION_FLAG,            /* bool */
	OPTION_NUMBER,          /* uint64_t, from min to max */
	OPTION_TIME,            /* uint64_t in milliseconds, from min to max: "5000", "10s", "500ms", "2m" */
	OPTION_TEXT,            /* const char * */
	OPTION_CHOICE,          /* unsigned: the place of the word in "a|b|c" */
	OPTION_LIST,            /* struct option_list: each time that it is given */
};

#define OPTION_LIST_MAX 32
struct option_list { const char *v[OPTION_LIST_MAX]; size_t n; };

struct option {
	const char *name;       /* without the dashes; NULL ends a table */
	char letter;            /* 0: none */
	enum option_kind kind;
	size_t offset;          /* of the value, in what the group's base points to */
	const char *value;      /* "N" in the help; "a|b|c" for a choice */
	uint64_t min, max;      /* of a number or a time */
	const char *help;       /* may have several lines */
};

/* Options that belong together.  An array of groups ends with options NULL. */
struct option_group {
	const char *title;
	const struct option *options;
	size_t base;            /* added to every offset */
};

/* What all commands take: the first members of whatever their options are read into. */
struct general { bool help, version, json, verbose; };
extern const struct option general_options[];

/*
 * Read argv[0..argc), put values into the struct at `into`, and move the
 * operands to the front of argv.  Returns how many these are, or -1 with
 * ERR_USAGE.
 */
int options_parse(const struct option_group *groups, void *into, int argc, char **argv,
		  struct err *err);

/* Where in argv the first operand stands (argc if there is none), or -1. */
int options_first_operand(const struct option_group *groups, int argc, char **argv,
			  struct err *err);

/* Decimal or 0x hex, the whole of the text, no sign, no blanks, 64 bits. */
bool options_number(const char *text, uint64_t *value);

#endif
