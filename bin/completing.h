/* SPDX-License-Identifier: MIT */
#ifndef ROCLATCH_BIN_COMPLETING_H
#define ROCLATCH_BIN_COMPLETING_H

#include "elf/err.h"

/*
 * Print what can stand in place of the last of these n words of a command line,
 * which is behind the program's name: a line each, with a tab and what it means
 * behind it where that is known.  ":files" and ":folders" are for the shell to
 * fill in.  0, or -1 with err.
 */
int complete_words(char **word, int n, struct err *err);

#endif
