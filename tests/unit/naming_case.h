/* SPDX-License-Identifier: MIT */
/* A child that is named, for tests of inject/watch/naming.h. */
#ifndef ROCLATCH_TESTS_NAMING_CASE_H
#define ROCLATCH_TESTS_NAMING_CASE_H

#include <sys/mman.h>
#include <sys/stat.h>

#include "inject/watch/naming.h"
#include "live_target.h"

static struct naming *naming;
static struct frame_name name;
static struct { char *base, *code; } *shared;  /* where the child has mapped a library, and code of its own */

static inline void make_code(void)
{
	shared->code = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static inline void look_at(void (*prepare)(void), const char *const *dirs, bool no_files)
{
	open_target(child_start(prepare));
	naming = naming_open(&images, &(struct naming_options){ .debug_dirs = dirs, .no_files = no_files }, &err);
	TEST_ASSERT_NOT_NULL_MESSAGE(naming, err.text);
}

static inline void share(void)
{
	shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
}

#endif
