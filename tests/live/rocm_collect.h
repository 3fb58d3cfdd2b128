/* SPDX-License-Identifier: MIT */
/* Output that is fetched: a target in a root of its own, and what arrives in our folder. */
#ifndef ROCLATCH_TESTS_LIVE_ROCM_COLLECT_H
#define ROCLATCH_TESTS_LIVE_ROCM_COLLECT_H

#include "rocm_made.h"

#define NOBODY 65534
#define SECRET "nobody outside is to read this"

/* Where a file of the output is to be below our folder; two live at a time. */
const char *fetched(const struct app *app, const char *into, const char *name);
bool is_there(const char *path);        /* an ordinary file */
/* Files in our folder, how many stays in `files`; fails if one of them has the secret in it. */
unsigned count(const char *into);
extern unsigned files;

/* Of user NOBODY in a chroot; its folder is seen from outside, too. */
struct app start_in_root(void);
const char *inside(const struct app *app);      /* that folder as it sees it */
const char *at(const struct app *app, const char *name);        /* a file in it, as we see it; two live at a time */
struct run attach_in_root(const struct app *app, const char *into);

void add_rocm_collect_trap_tests(void);

#endif
