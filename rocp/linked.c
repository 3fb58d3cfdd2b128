/* SPDX-License-Identifier: MIT */
#include "rocp/linked.h"

#include <stdio.h>

#include "rocp/search.h"

bool linked_name(struct images *images, struct image *image, char *path, size_t size)
{
	char name[PATH_MAX], folder[PATH_MAX] = "";
	if (!images_link_name(images, image, name, sizeof name))
		return false;
	if (name[0] != '/' && search_current(images->target, folder, sizeof folder) < 0)
		return false;
	int length = snprintf(path, size, "%s%s%s", folder, name[0] == '/' ? "" : "/", name);
	return length > 0 && (size_t)length < size;
}
