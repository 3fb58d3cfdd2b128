/* SPDX-License-Identifier: MIT */
#ifndef ROCLATCH_BIN_SAMPLE_H
#define ROCLATCH_BIN_SAMPLE_H

#include "bin/output.h"
#include "bin/watched.h"
#include "inject/watch/profile.h"

/* In a few lines: how often was looked, what the threads did, and where.  Its places must have names. */
void sample_summary(struct output *out, struct watched *watched, const struct profile *profile);

#endif
