/* SPDX-License-Identifier: MIT */
/*
 * What a tool wrote in the target's file system, fetched into a folder of ours.
 * Everything there is the target's to change while it is read: only ordinary files
 * of its user are taken, beneath its root, with a limit, and links are not followed
 * out of it.
 */
#ifndef ROCLATCH_ROCP_COLLECT_H
#define ROCLATCH_ROCP_COLLECT_H

#include "inject/target.h"
#include "rocp/owner.h"

struct collection {
	const char *into;       /* our folder, made if it is not there */
	uint64_t limit;         /* bytes of one file; 0: as many as there is room for */
	/* may be NULL: how far it is, several times a second; true to stop */
	bool (*progress)(void *ctx, const char *file, uint64_t done, uint64_t size);
	void *ctx;
	/* what came of it */
	size_t files;
	uint64_t bytes, resumed;        /* fetched now; there already from an earlier run */
};

/* Is the target's root another one than ours?  Then what it writes is fetched unless --collect says where to. */
bool collect_is_needed(const struct target *target);
/* One file of the target by its absolute path there, open already as fd where the target may be gone; as `name`
 * below the folder.  A partial file is continued.  0, or -1 with err. */
int collect_file(struct collection *collection, int fd, const char *name, const struct owner *owner, struct err *err);

#endif
