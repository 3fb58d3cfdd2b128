/* SPDX-License-Identifier: MIT */
/*
 * Files as the target sees them, below /proc/PID/root.  All of it is the target's to
 * make and to change: nothing outside its root is reached (inject/beneath.h).
 */
#ifndef ROCLATCH_INJECT_ROOT_H
#define ROCLATCH_INJECT_ROOT_H

#include "inject/target.h"

/* Its root, to be looked at only (O_PATH).  An fd, or -1 (ERR_NOT_POSSIBLE). */
int root_of(const struct target *target, struct err *err);

/* Open an absolute path of the target for reading: a regular file only, so
 * that nothing blocks.  real (may be NULL) receives the path without symbolic
 * links, still as the target sees it.  An fd, or -1 (ERR_NOT_POSSIBLE). */
int root_open(const struct target *target, const char *path, char *real, size_t real_size,
	      struct err *err);
/* A folder, to be listed.  An fd, or -1 (ERR_NOT_POSSIBLE). */
int root_folder(const struct target *target, const char *path, struct err *err);
/* What is there, of any kind, to be looked at only.  -1: nothing. */
int root_look(const struct target *target, const char *path);

/* Follow an absolute path of the target as far as it exists: what is there, of any
 * kind, as an fd that can only be looked at (O_PATH), and in real its path without
 * symbolic links.  -1 (ERR_NOT_POSSIBLE) for loops and links that lead nowhere. */
int root_nearest(const struct target *target, const char *path, char *real, size_t real_size,
		 struct err *err);

/* A path from the target's maps, which the kernel writes as we see it, as the
 * target sees it: differs for a target in a chroot. */
const char *root_strip(const struct target *target, const char *path);

#endif
