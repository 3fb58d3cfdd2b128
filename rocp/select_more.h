/* SPDX-License-Identifier: MIT */
/* Further ways to name a process; a part of select.c. */
#ifndef ROCLATCH_ROCP_SELECT_MORE_H
#define ROCLATCH_ROCP_SELECT_MORE_H

#include <stdbool.h>
#include <sys/types.h>

#include "elf/err.h"

/* The number in the first line of a file, as the path leads there for us.  -1: ERR_FAILED if the file, or the number in
 * it, may yet come; ERR_NOT_POSSIBLE if this is no ordinary file, or may not be read. */
int select_pid_file(const char *path, pid_t *pid, struct err *err);

/* Was the process started with this variable, NAME=VALUE to the letter or NAME of any value?  false, too, if it may not
 * be read. */
bool select_has_variable(const char *proc, pid_t pid, const char *wanted);

#endif
