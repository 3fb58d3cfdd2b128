/* SPDX-License-Identifier: MIT */
/* What is made of recordings, and recording with roclatch's own tool. */
#ifndef ROCLATCH_TESTS_LIVE_ROCM_MADE_H
#define ROCLATCH_TESTS_LIVE_ROCM_MADE_H

#include "rocm.h"

void made_there(const struct app *app, const char *name, bool wanted);  /* a file of its folder */
/* Rows of a table, without its head; -1: there is none.  No cell of those asked for has several lines. */
long made_rows(const struct app *app, const char *name);
/* How many of a kind the SDK has delivered, by its own word. */
long sdk_delivered(const struct app *app, const char *kind);

/* Attach to its folder, name "out"; the tool records when it returns. */
struct run own_record(const struct app *app, const char *more);
void own_wait_for_log(const struct app *app, const char *name);
void own_wait_for_bytes(const struct app *app, const char *name, long bytes);   /* or for long */
struct outcome own_finish(struct run *run);
void own_emit(const struct app *app, const char *order);

/* A folder of ours for --collect, one at a time. */
const char *into_make(void);
void into_forget(void);
void into_remove(const char *path);     /* with all below it */
/* rocm_tool_ends.c: a target with a file system of its own over its folder, which is not to be seen from outside.
 * app.output is its path through /proc from then on; below /tmp it is as the target sees it. */
struct app covered_start(const char *how, unsigned uid);
void covered_end(const struct app *app);        /* go_on, stop, and remove the folder */

#endif
