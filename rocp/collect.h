/* SPDX-License-Identifier: MIT */
/*
 * What a tool wrote in the target's file system, fetched into a folder of ours.
 * Everything there is the target's to change while it is read: only ordinary files
 * of its user are taken, beneath its root, never more than there is room for, and
 * links are not followed.
 */
#ifndef ROCLATCH_ROCP_COLLECT_H
#define ROCLATCH_ROCP_COLLECT_H

#include <limits.h>
#include <sys/stat.h>

#include "inject/target.h"
#include "rocp/owner.h"

#define COLLECT_PART ".part"    /* behind the name of what is not whole yet */
#define COLLECT_SEEN 128

/* Where a tool writes, held from before the attach, so that it is found when the target is gone. */
struct written {
	int root;               /* the target's; -1: nothing is held */
	int mounts;             /* its mount namespace, which else ends with its last process; -1 */
	struct owner owner;     /* whose the files must be */
	pid_t pid;
	char output[PATH_MAX];  /* what they are called, up to _results.db and the like, as the target sees it */
	unsigned names;         /* so many at the end of that are the output's own: 2 of .../HOST/PID */
	/* those that were there before; more than that are taken for new */
	struct { uint64_t name, inode; int64_t size, changed_ns; } seen[COLLECT_SEEN];
	size_t n_seen;
};

/* Does the target see another file system than we do, at least where its output is to be? */
bool collect_is_needed(const struct target *target, const char *output);
/* 0, or -1 with err.  look: what is there already is not the tool's of this time. */
int written_hold(struct written *written, const struct target *target, const char *output, unsigned names, bool look,
		 struct err *err);
void written_close(struct written *written);

struct collection {
	int into;               /* our folder, see collect_into */
	/* may be NULL: how far it is, after each piece; true to stop */
	bool (*progress)(void *ctx, const char *file, uint64_t done, uint64_t size);
	void *ctx;
	/* what came of it */
	size_t files;           /* that are there now, */
	size_t before;          /* those of them that were fetched by an earlier run, */
	size_t same;            /* and that lie in our folder themselves, as the target sees it too: nothing is copied */
	uint64_t bytes, resumed;        /* of them all; and had already, from an earlier run */
	size_t refused;         /* files that were not taken, or not whole; err has the first */
	bool stopped;           /* by progress */
	char names[8192];       /* of the files below the folder, a line each, as many as fit; no control characters */
	char notes[1024];       /* a line each */
};

/* Our folder, made with those above it where they are not there.  An fd, or -1. */
int collect_into(const char *folder, struct err *err);
/* All that was written.  0, also if that is nothing; -1 with err if something could not be had, or not whole: the
 * rest is. */
int collect_written(struct collection *collection, const struct written *written, struct err *err);
/* One file, open for reading, as `name` below the folder.  A part of it from an earlier run is continued.  Nothing is
 * written over: another file of that name gets a number behind its own. */
int collect_file(struct collection *collection, int fd, const struct stat *st, const char *name, struct err *err);
/* True, and told: what `name` leads to below the folder is that very file. */
bool collect_is_here(struct collection *collection, const struct stat *st, const char *name);

#endif
