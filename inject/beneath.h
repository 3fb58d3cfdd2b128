/* SPDX-License-Identifier: MIT */
/*
 * Paths below a folder that is taken for the root: whatever links and ".." in them
 * say, nothing above it is reached, also while somebody else changes the tree.  By
 * openat2 where the kernel has it (5.6), else name by name, each with a descriptor.
 */
#ifndef ROCLATCH_INJECT_BENEATH_H
#define ROCLATCH_INJECT_BENEATH_H

#include <stddef.h>

/* What is there, of any kind, as an fd that can only be looked at (O_PATH).  real (may be NULL) receives its path
 * without links.  -1 with an errno in *error. */
int beneath(int root, const char *path, char *real, size_t size, int *error);
/* The same as far as the path exists.  Loops and links that lead nowhere are errors still. */
int beneath_nearest(int root, const char *path, char *real, size_t size, int *error);

/* What such an fd stands for, opened for reading: an ordinary file, so that nothing blocks and no device notices; or
 * a folder, to list it.  -1: *error is 0 if it is something else.  The fd given stays open. */
int beneath_file(int fd, int *error);
int beneath_folder(int fd, int *error);

#endif
