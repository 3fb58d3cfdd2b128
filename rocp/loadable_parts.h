/* SPDX-License-Identifier: MIT */
/* All that one dlopen would bring into a target: the library and what it needs, as the loader would find it. */
#ifndef ROCLATCH_ROCP_LOADABLE_PARTS_H
#define ROCLATCH_ROCP_LOADABLE_PARTS_H

#include "elf/needed.h"
#include "rocp/loadable.h"
#include "rocp/loadable_rights.h"
#include "rocp/search.h"

#define MEMBERS_MAX 512
#define ANSWERS_MAX 16384
#define NOBODY SIZE_MAX

/* A file that would be loaded. */
struct member {
	char *path;             /* as the loader finds it */
	char *origin;           /* its folder: $ORIGIN */
	char *real;             /* without symbolic links */
	char soname[ELF_NAME_MAX];
	bool no_default;        /* DF_1_NODEFLIB */
	dev_t dev;
	ino_t ino;
	struct elf_needs needs;
	size_t by;              /* the member that needs it; NOBODY: it was asked for */
};

/* Who answers to a name: an image that is loaded, or a member. */
struct answer {
	char *name;
	struct image *image;    /* NULL: the member */
	size_t member;
};

struct closure {
	struct images *images;
	struct image *from, *program;   /* whose code calls dlopen */
	char from_origin[PATH_MAX];
	struct search search;
	struct rights rights;
	const struct given *given;      /* what is asked for, if it is not there yet */
	struct member *v;       /* room for MEMBERS_MAX; breadth first */
	size_t n;
	struct answer *answer;
	size_t answers;
	struct elf_needs *loaded;       /* of each image, where loaded_read */
	bool *loaded_read;
	char passed_over[512];  /* what the search saw and did not take, and why */
};

/* What an image in the target says of itself, read once; NULL if it cannot be read. */
const struct elf_needs *closure_needs(struct closure *closure, const struct image *image);

/* The image that the loader takes for the name without any search; NULL if none. */
struct image *closure_loaded(struct closure *closure, const char *name);

/* Who answers to the name for that member (NOBODY: the caller of dlopen)?  Found
 * files become members.  0, or -1 with err. */
int closure_resolve(struct closure *closure, const char *name, size_t by, struct answer *answer, struct err *err);
/* The answer given before, or NULL. */
const struct answer *closure_answer(const struct closure *closure, const char *name);

/* Look at one file.  named: by its path, so that it must do; else 0 is told for
 * what a search passes over.  1 with answer, 0, or -1 with err. */
int closure_try(struct closure *closure, const char *path, bool named, size_t by, struct answer *answer,
		struct err *err);

/* Is every version that a member needs defined?  0, or -1 with err. */
int closure_versions(struct closure *closure, struct err *err);

/* " (needed by libtool.so)", or "" */
const char *closure_needed_by(const struct closure *closure, size_t by, char *text, size_t size);

#endif
