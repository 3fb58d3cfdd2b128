/* SPDX-License-Identifier: MIT */
/* The C library among the images, and what only it tells. */
#ifndef ROCLATCH_INJECT_LIBC_H
#define ROCLATCH_INJECT_LIBC_H

#include "inject/images.h"

/* The kind as file names tell it; cheap. */
enum libc_kind libc_kind_by_names(struct images *images);

/* The image that is first in the list of a dynamic loader: the program.  NULL
 * if `loader` is no loader or has not begun. */
struct image *libc_first_linked(struct images *images, struct image *loader);

/* What is behind the last slash. */
const char *libc_basename(const char *path);

/* Find the version in the library's own text, given all its read-only bytes.
 * Pure: `text` is searched for glibc's banner or musl's number. */
bool libc_version_in(enum libc_kind kind, const char *text, size_t size, char *version, size_t version_size);

#endif
