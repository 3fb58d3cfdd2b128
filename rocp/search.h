/* SPDX-License-Identifier: MIT */
/*
 * Where a target's loader looks for a library that is asked for by a bare name:
 * the rules of ld.so(8) for glibc, of ldso/dynlink.c for musl.  Not looked into:
 * subfolders for special CPUs (glibc-hwcaps, tls, haswell), --library-path of a
 * loader that was started by hand, and what LD_AUDIT modules answer.
 */
#ifndef ROCLATCH_ROCP_SEARCH_H
#define ROCLATCH_ROCP_SEARCH_H

#include <limits.h>

#include "elf/cache.h"
#include "inject/images.h"

struct search {
	const struct target *target;
	enum libc_kind libc;
	uint16_t machine;
	bool secure;            /* AT_SECURE: set-uid or file capabilities */
	char folder[PATH_MAX];  /* the current one, as the target sees it */
	char *library_path;     /* LD_LIBRARY_PATH at its start, or NULL */
	char *system;           /* the loader's own folders, a ':' between */
	char lib[PATH_MAX];     /* what $LIB stands for; relative */
	char cache_path[PATH_MAX];
	char *cache_bytes;
	struct ld_cache cache;  /* without entries if there is none */
	char *program_origin;   /* the folder of the program, or NULL: loaders learn it from /proc, which may not be there */
};

/* One who asks: the library that needs another, then the one that needed it, up to the program. */
struct asker {
	const char *rpath, *runpath;    /* may be NULL */
	const char *origin;             /* the folder that it lies in */
	bool no_default;                /* DF_1_NODEFLIB */
};

/* A place where the file could be.  1 it is taken, 0 look further, -1 the search ends with err. */
typedef int search_try(void *ctx, const char *path, struct err *err);

int search_open(struct search *search, struct images *images, struct err *err);
void search_close(struct search *search);

/* 1 taken, 0 nowhere, -1 with err. */
int search_name(const struct search *search, const struct asker *asker, size_t askers, const char *name,
		search_try *try, void *ctx, struct err *err);

/* Put one element of a path list into words: tokens ($ORIGIN, ${LIB}, $PLATFORM) replaced, relative to the
 * current folder.  False: the loader passes it over. */
bool search_expand(const struct search *search, const char *origin, const char *element, size_t length,
		   char *path, size_t size);

/* The folder that a path lies in. */
void search_parent(const char *path, char *folder, size_t size);

/* The current folder of a target as it sees it, "" for its root.  0, or -1 (errno). */
int search_current(const struct target *target, char *path, size_t size);

/* The folders that glibc's loader was built with and where its cache is: read from
 * its own text (pure).  `folders` receives a list with ':', cache a path; false:
 * not found there. */
bool search_system_in(const char *text, size_t size, char *folders, size_t folders_size,
		      char *cache, size_t cache_size);

#endif
