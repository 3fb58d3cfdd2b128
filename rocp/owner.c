/* SPDX-License-Identifier: MIT */
#include "rocp/owner.h"

#include <errno.h>
#include <grp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fsuid.h>
#include <unistd.h>

#include "rocp/loadable_rights.h"

int owner_read(struct owner *owner, const struct target *target, struct err *err)
{
	struct rights rights;
	if (rights_read(&rights, target, err) < 0)
		return -1;
	*owner = (struct owner){ .uid = rights.uid, .gid = rights.gid };
	owner->groups = rights.groups < OWNER_GROUPS ? rights.groups : OWNER_GROUPS;
	if (owner->groups)
		memcpy(owner->group, rights.group, owner->groups * sizeof *owner->group);
	rights_free(&rights);
	return 0;
}

static int remember(struct owner_before *before, struct err *err)
{
	int n = getgroups(0, NULL);
	before->group = n < 0 ? NULL : calloc((size_t)n + 1, sizeof *before->group);
	before->groups = before->group ? getgroups(n, before->group) : -1;
	if (before->groups >= 0)
		return 0;
	free(before->group);
	return err_set(err, ERR_FAILED, errno, "our own groups cannot be read");
}

int owner_become(const struct owner *owner, struct owner_before *before, struct err *err)
{
	*before = (struct owner_before){ .changed = false };
	if (geteuid() != 0 || (owner->uid == 0 && owner->gid == 0))
		return 0;
	if (remember(before, err) < 0)
		return -1;
	if (setgroups(owner->groups, owner->group) < 0) {
		int sys = errno;
		free(before->group);
		return err_set(err, ERR_FAILED, sys, "files cannot be written as user %u", (unsigned)owner->uid);
	}
	before->changed = true;
	before->gid = (gid_t)setfsgid(owner->gid);
	before->uid = (uid_t)setfsuid(owner->uid);
	/* these two do not tell whether they worked; an id that cannot be changes nothing */
	if ((gid_t)setfsgid((gid_t)-1) == owner->gid && (uid_t)setfsuid((uid_t)-1) == owner->uid)
		return 0;
	owner_return(before);
	return err_set(err, ERR_FAILED, EPERM, "files cannot be written as user %u", (unsigned)owner->uid);
}

int owner_check(const struct target *target, struct err *err)
{
	struct owner owner;
	struct owner_before before;
	if (owner_read(&owner, target, err) < 0)
		return -1;
	if (owner_become(&owner, &before, err) < 0) {
		if (err)
			err->code = ERR_NOT_POSSIBLE;
		return err_remedy(err, "run roclatch as user %u, or give it CAP_SETUID and CAP_SETGID", (unsigned)owner.uid);
	}
	owner_return(&before);
	return 0;
}

void owner_return(struct owner_before *before)
{
	if (!before->changed)
		return;
	setfsuid(before->uid);
	setfsgid(before->gid);
	setgroups((size_t)before->groups, before->group);
	free(before->group);
	before->changed = false;
}
