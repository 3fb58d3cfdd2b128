/* SPDX-License-Identifier: MIT */
/*
 * A target that does not see roclatch's own tool.  It lives in a root of its own: parts of root-rocm in a file system
 * in memory, with its own /proc and /tmp, which is gone with it.
 */
#ifndef ROCLATCH_TESTS_LIVE_ROCM_WORLD_H
#define ROCLATCH_TESTS_LIVE_ROCM_WORLD_H

#include "rocm.h"

struct world {
	bool no_proc, read_only, noexec, without_memfd, own_pids, late;
	unsigned uid, files;
	const char *stage;      /* further words for roclatch */
	const char *seen;       /* in its maps while the tool is attached */
};

/* Its /out is the folder for what the tool writes; app.output leads there from outside. */
struct app world_start(const struct world *with);
/* Its descriptors and what they are, a line each; two live at a time. */
char *world_descriptors(const struct app *app);
/* The folder of ours in one that the target sees; "": none. */
const char *world_folder(const struct app *app, const char *place);
/* Nothing of ours is there but the library, and the descriptors are those of before. */
void world_as_before(const struct app *app, const char *descriptors, const char *when);

#endif
