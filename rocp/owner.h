/* SPDX-License-Identifier: MIT */
/*
 * Files in the target's folder belong to its user, as if the process had written
 * them; and a folder of somebody else is no way to make root write elsewhere.
 */
#ifndef ROCLATCH_ROCP_OWNER_H
#define ROCLATCH_ROCP_OWNER_H

#include "inject/target.h"

#define OWNER_GROUPS 256        /* more are left out */

struct owner {
	uid_t uid;
	gid_t gid;
	gid_t group[OWNER_GROUPS];
	size_t groups;
};

/* With which ids the target makes and opens files.  They are the kernel's word: what lies in its folder is not
 * asked. */
int owner_read(struct owner *owner, const struct target *target, struct err *err);

struct owner_before { bool changed; uid_t uid; gid_t gid; gid_t *group; int groups; };
/* Root makes, opens and removes files as the owner from now on; whoever else stays what he is.  Must be ended
 * with owner_return unless it fails. */
int owner_become(const struct owner *owner, struct owner_before *before, struct err *err);
void owner_return(struct owner_before *before);
/* Would that work?  0, or -1 with ERR_NOT_POSSIBLE and a remedy. */
int owner_check(const struct target *target, struct err *err);

#endif
