/* SPDX-License-Identifier: MIT */
/* The loader's own list of what it has loaded, and the names it has loaded it by. */
#ifndef ROCLATCH_ROCP_LINKED_H
#define ROCLATCH_ROCP_LINKED_H

#include "inject/images.h"

/* The path by which the target's loader opened the image: symbolic links are still in it, unlike in
 * maps; made absolute by the target's current folder.  False if there is no such list or name. */
bool linked_name(struct images *images, struct image *image, char *path, size_t size);

#endif
