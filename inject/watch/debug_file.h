/* SPDX-License-Identifier: MIT */
/*
 * Debug files by build id, laid out as in /usr/lib/debug: FOLDER/.build-id/ab/cdef.debug, or without
 * ".debug" the unstripped file itself.  A file is taken only if its own build id is the one asked for.
 * Build ids are lower-case hex here.
 */
#ifndef ROCLATCH_INJECT_WATCH_DEBUG_FILE_H
#define ROCLATCH_INJECT_WATCH_DEBUG_FILE_H

#include <stdbool.h>
#include <stddef.h>

#define DEBUG_FOLDER "/usr/lib/debug"

/* False: the id is none ("" or a single byte), or the path does not fit. */
bool debug_file_path(const char *folder, const char *id, const char *ending, char *path, size_t size);
/* A regular file, or -1. */
int debug_file_open_plain(const char *path);
/* Has the file behind fd this build id? */
bool debug_file_has_id(int fd, const char *id);
/* The file for `id` below one of our folders: an fd, and its path; -1 if there is none. */
int debug_file_open(const char *folder, const char *id, char *path, size_t size);

#endif
