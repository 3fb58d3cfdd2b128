/* SPDX-License-Identifier: MIT */
/*
 * What a target may do with files, by the kernel's plain rules (fs/namei.c:
 * generic_permission): file system ids, groups, mode bits, and the two
 * capabilities that override them, which count for files whose owner and group
 * the target's user namespace knows.  Access control lists and security
 * modules are not asked.
 */
#ifndef ROCLATCH_ROCP_LOADABLE_RIGHTS_H
#define ROCLATCH_ROCP_LOADABLE_RIGHTS_H

#include <limits.h>
#include <sys/stat.h>

#include "inject/target.h"

#define ID_RANGES_MAX 340       /* the kernel allows no more, user_namespaces(7) */

struct id_ranges {
	size_t n;
	struct { uint32_t first, count; } v[ID_RANGES_MAX];
};

struct rights {
	uid_t uid;
	gid_t gid;
	gid_t *group;
	size_t groups;
	bool dac_override, dac_read_search;
	bool same_user_ns;      /* as ours: every id is known there */
	struct id_ranges uids, gids;
};

int rights_read(struct rights *rights, const struct target *target, struct err *err);
void rights_free(struct rights *rights);

/* want: R_OK, W_OK, X_OK together. */
bool rights_allow(const struct rights *rights, const struct stat *st, int want);

/* Would the target reach and open a path without symbolic links?  0, or EACCES, or what else stat says;
 * `where` receives the folder or file that is closed to it. */
int rights_open(const struct rights *rights, const struct target *target, const char *real, int want,
		char *where, size_t where_size);

#endif
