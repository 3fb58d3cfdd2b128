/* SPDX-License-Identifier: MIT */
/* Where the target's loader took an image from, in its own words. */
#ifndef ROCLATCH_ROCP_LINKED_H
#define ROCLATCH_ROCP_LINKED_H

#include "inject/images.h"

/* images_link_name, made absolute by the target's current folder as libraries do that look beside
 * themselves; symbolic links are still in it, unlike in maps.  False if the loader does not tell. */
bool linked_name(struct images *images, struct image *image, char *path, size_t size);

#endif
