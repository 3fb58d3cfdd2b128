/* SPDX-License-Identifier: MIT */
/* What inject and eject share: a library named by the user, and the target's
 * own functions to load and unload it. */
#ifndef ROCLATCH_BIN_LIBRARY_H
#define ROCLATCH_BIN_LIBRARY_H

#include <limits.h>
#include <sys/stat.h>

#include "bin/command.h"

/* dlfcn.h, the same in glibc and musl on both CPUs */
#define TARGET_RTLD_NOW 2
#define TARGET_RTLD_NOLOAD 4
#define TARGET_RTLD_DLOPEN UINT64_C(0x80000000) /* glibc: for __libc_dlopen_mode */

struct loader {
	raddr open, close, error;       /* dlopen, dlclose; dlerror is 0 where there is none */
	uint64_t flags;                 /* to be added to dlopen's */
};
int loader_find(struct images *images, struct loader *loader, struct err *err);
struct call_step loader_open_step(const struct loader *loader, const char *path, uint64_t flags);

/* As the user named it, made absolute by our current folder. */
int library_absolute(const char *name, char *path, size_t size, struct err *err);
/* The image that is mapped from this file, or NULL.  real is as root_open's. */
struct image *library_loaded(struct images *images, const struct stat *st, const char *real);
/* Is it mapped now?  1, 0, or -1 with err. */
int library_mapped(const struct target *target, const struct image *image, struct err *err);

/* The text that dlerror, whose answer is in the step, points to. */
void library_error_text(struct images *images, const struct call_step *step,
			char *text, size_t size);

#endif
