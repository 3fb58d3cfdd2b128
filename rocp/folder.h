/* SPDX-License-Identifier: MIT */
/* Folders of ours, made with those above them. */
#ifndef ROCLATCH_ROCP_FOLDER_H
#define ROCLATCH_ROCP_FOLDER_H

#include <sys/types.h>

/* Those above the last part of a path.  0, or the errno of the first that is not there and cannot be made. */
int folders_above(const char *path, mode_t mode);
/* Those and the folder itself, open; -1 with errno, as above. */
int folder_make(const char *path, mode_t mode);

#endif
