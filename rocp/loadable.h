/* SPDX-License-Identifier: MIT */
/*
 * Would the target's own loader load this library?  Asked of the files as the
 * target sees them, as an SDK or a tool that cannot be loaded aborts the target.
 */
#ifndef ROCLATCH_ROCP_LOADABLE_H
#define ROCLATCH_ROCP_LOADABLE_H

#include <limits.h>

#include "inject/images.h"

struct loadable {
	char path[PATH_MAX];    /* the file, as the target sees it, without symbolic links */
	bool loaded;            /* that file, or its soname, is mapped already */
};

/*
 * name is a path or a bare name, which is searched for as dlopen does: what is
 * loaded by that name, LD_LIBRARY_PATH as the process was started with, DT_RUNPATH
 * of the program, /etc/ld.so.cache, the default folders.  Checked for it and for
 * all that it needs and that is not loaded: file there and readable for the
 * target's user, shared library of the right CPU, no executable stack, every
 * DT_NEEDED found, every symbol version that is needed (GLIBC_2.38, CXXABI_...)
 * defined by the library that is loaded or would be.  0, or -1 with
 * ERR_NOT_POSSIBLE: which file lacks what, who needs it, and the remedy.
 *
 * Not checked: functions that are missing without a version (RTLD_NOW fails at
 * them, RTLD_LAZY at the first call), room for thread-local variables in the
 * static block, constructors that fail, shadow stacks, access control lists and
 * security modules.  Refused though some loaders would take it: an executable
 * stack, a program linked as PIE, a second C library, parts of another glibc,
 * glibc's libraries in a process with musl.  Copies that dlmopen has loaded count as loaded.
 */
int loadable_check(struct images *images, const char *name, struct loadable *found, struct err *err);
/* The same when code of another image calls dlopen (NULL: the program): its DT_RPATH or DT_RUNPATH count then. */
int loadable_check_from(struct images *images, struct image *from, const char *name, struct loadable *found,
			struct err *err);
/* The same of a file of ours that is yet to be brought there: it is taken as it is, and what it needs is looked for
 * in the target.  path is for messages; origin is the folder that it will have there. */
struct given { const char *path, *origin; int fd; };
int loadable_check_given(struct images *images, struct image *from, const struct given *given, struct err *err);

/* May the target make files in this folder (as it sees it; relative: below its current one), or make
 * the folder?  By its user and group ids, capabilities and the folder's mode; a read-only file system is
 * seen.  0, or -1 with ERR_NOT_POSSIBLE, reason and remedy. */
int writable_check(const struct target *target, const char *folder, struct err *err);

#endif
