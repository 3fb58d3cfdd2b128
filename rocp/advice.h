/* SPDX-License-Identifier: MIT */
/* What to do about a right that is lacking, for the place where roclatch runs. */
#ifndef ROCLATCH_ROCP_ADVICE_H
#define ROCLATCH_ROCP_ADVICE_H

#include <sys/types.h>

#include "elf/err.h"

/* Where err says that a right is lacking: look where we are and at the process, and give the remedy for that
 * place.  Always -1. */
int surroundings_advise(pid_t pid, struct err *err);

/* Rights by a set-uid bit or file capabilities would let every user into every process: refused.
 * 0, or -1 with what to grant instead. */
int surroundings_unprivileged(struct err *err);

#endif
