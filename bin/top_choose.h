/* SPDX-License-Identifier: MIT */
#ifndef ROCLATCH_BIN_TOP_CHOOSE_H
#define ROCLATCH_BIN_TOP_CHOOSE_H

#include <stdint.h>

#include "elf/err.h"

/* A process from a list on the terminal.  1; 0: the user quits; -1 with err. */
int top_choose(uint64_t *pid, struct err *err);

#endif
