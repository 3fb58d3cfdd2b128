/* SPDX-License-Identifier: MIT */
/* Which files of a folder have which build id, for folders that are not laid out by build id. */
#ifndef ROCLATCH_INJECT_WATCH_DEBUG_FOLDER_H
#define ROCLATCH_INJECT_WATCH_DEBUG_FOLDER_H

#include <stdbool.h>
#include <stddef.h>

#include "elf/err.h"

#define DEBUG_FOLDER_MOST 10000 /* entries that are looked at in all folders together */

struct debug_folder {
	struct debug_entry { char *path, *id; } *v;
	size_t n, room;
	size_t looked;
	bool cut;               /* there are more than were looked at */
};

/* Look through a folder and those below it; links are not followed, and what cannot be read is
 * passed over.  -1: no memory. */
int debug_folder_scan(struct debug_folder *folder, const char *path, struct err *err);
void debug_folder_free(struct debug_folder *folder);

#endif
