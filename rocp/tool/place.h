/* SPDX-License-Identifier: MIT */
/* Where the log lies. */
#ifndef ROCLATCH_ROCP_TOOL_PLACE_H
#define ROCLATCH_ROCP_TOOL_PLACE_H

#include <stdbool.h>
#include <stddef.h>

/* Makes a new file after the environment's word (TOOL_LOG_VARIABLE) and gives its path.
 * A descriptor, or the negative of an errno; `path` then says what could not be made. */
int place_open(char *path, size_t size);
/* Removes the file that was made last, if it still has that path.  False: it could not be. */
bool place_remove(const char *path);

#endif
