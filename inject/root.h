/* SPDX-License-Identifier: MIT */
/*
 * Files as the target sees them, below /proc/PID/root.  The kernel follows
 * absolute symbolic links there to our root, not to the target's; here they
 * are followed by hand (openat2 could, but only since Linux 5.6).
 */
#ifndef ROCLATCH_INJECT_ROOT_H
#define ROCLATCH_INJECT_ROOT_H

#include "inject/target.h"

/* Open an absolute path of the target for reading: a regular file only, so
 * that nothing blocks.  real (may be NULL) receives the path without symbolic
 * links, still as the target sees it.  An fd, or -1 (ERR_NOT_POSSIBLE). */
int root_open(const struct target *target, const char *path, char *real, size_t real_size,
	      struct err *err);

/* Follow an absolute path of the target as far as it exists: what is there, of any
 * kind, as an fd that can only be looked at (O_PATH), and in real its path without
 * symbolic links.  -1 (ERR_NOT_POSSIBLE) for loops and links that lead nowhere. */
int root_nearest(const struct target *target, const char *path, char *real, size_t real_size,
		 struct err *err);

/* A path from the target's maps, which the kernel writes as we see it, as the
 * target sees it: differs for a target in a chroot. */
const char *root_strip(const struct target *target, const char *path);

#endif
