/* SPDX-License-Identifier: MIT */
/* rocprof-compute's sets and blocks of hardware counters, for each GPU. */
#ifndef ROCLATCH_ROCP_SETS_H
#define ROCLATCH_ROCP_SETS_H

#include "rocp/arena.h"

/* The counters of a "set" or "block" on a GPU, added behind those in words, each once.  ERR_USAGE names
 * what is known. */
int sets_counters(void **arena, const char *kind, const char *name, const char *arch, struct words *words,
		  struct err *err);

/* Do they fit into one pass?  ERR_USAGE names those that do not, by hardware block. */
int sets_one_pass(const struct words *words, struct err *err);

#endif
