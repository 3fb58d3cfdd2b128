/* SPDX-License-Identifier: MIT */
/* A folder with the tool in it, made and removed with the ids of the target, by descriptors alone. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "inject/root.h"
#include "rocp/staged_parts.h"

/* The same for every roclatch, wherever that runs, and for no other process, also if folders are shared. */
static void name_folder(const struct target *target, char *name, size_t size)
{
	char path[48];
	struct stat st = { 0 };
	snprintf(path, sizeof path, "/proc/%d/ns/pid", (int)target->live_tid);
	if (stat(path, &st) < 0)
		st.st_ino = 0;
	snprintf(name, size, "%s%d-%llx-%llx", &STAGED_FOLDER[1], (int)target_self(target), (unsigned long long)st.st_ino,
		 (unsigned long long)target->start_time);
}

/* A folder by a path that has no links in it, as the target sees it. */
static int open_folder(const struct target *target, const char *path)
{
	char real[PATH_MAX];
	int fd = root_nearest(target, path, real, sizeof real, NULL);
	if (fd >= 0 && strcmp(real, path)) {
		close(fd);
		return -1;
	}
	return fd;
}

/* Of the owner alone: what others have put there by that name is none of ours.  true: it is not there, or is gone now. */
static bool remove_folder(int parent, const char *name, const struct owner *owner)
{
	struct owner_before before;
	struct stat st;
	if (fstatat(parent, name, &st, AT_SYMLINK_NOFOLLOW) < 0 || !S_ISDIR(st.st_mode) || st.st_uid != owner->uid)
		return true;
	if (owner_become(owner, &before, NULL) < 0)
		return false;
	int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *list = fd >= 0 ? fdopendir(fd) : NULL;
	for (struct dirent *entry; list && (entry = readdir(list)) != NULL;)
		unlinkat(fd, entry->d_name, 0);         /* . and .. cannot be */
	if (list)
		closedir(list);
	else if (fd >= 0)
		close(fd);
	bool gone = unlinkat(parent, name, AT_REMOVEDIR) == 0 || errno == ENOENT;
	owner_return(&before);
	return gone;
}

static int make_one(int folder, const char *name, int source)
{
	int fd = openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
	if (fd < 0)
		return -1;
	int rc = fchmod(fd, 0644) < 0 ? -1 : staging_copy(source, fd);
	return close(fd) < 0 ? -1 : rc;
}

/* With the target's ids: a file in a folder of its own, which nobody else can write to. */
static int make_all(const struct staged *staged, const struct staging *staging)
{
	struct stat st;
	if (mkdirat(staged->folder, staged->name, 0755) < 0)
		return -1;
	int fd = openat(staged->folder, staged->name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), rc = -1;
	if (fd >= 0 && fstat(fd, &st) == 0 && st.st_uid == staged->owner.uid) {
		rc = fchmod(fd, 0755);
	} else {
		/* we are somebody else, and cannot be the owner */
		unlinkat(staged->folder, staged->name, AT_REMOVEDIR);
		errno = EPERM;
	}
	for (size_t i = 0; rc == 0 && i < staging->n; i++)
		rc = make_one(fd, staging->v[i].name, staging->v[i].source);
	if (fd >= 0) {
		int sys = errno;
		close(fd);
		errno = sys;
	}
	return rc;
}

int staged_file_make(struct attachment *attachment, struct staging *staging, struct err *err)
{
	struct staged *staged = &attachment->staged;
	const struct target *target = &attachment->target;
	const char *folder = attachment->preflight.place.folder;
	struct owner_before before;
	name_folder(target, staged->name, sizeof staged->name);
	if (owner_read(&staged->owner, target, err) < 0)
		return -1;
	staged->folder = open_folder(target, folder);
	if (staged->folder < 0)
		return err_set(err, ERR_FAILED, 0, "%s of process %d cannot be opened", folder, (int)target->pid);
	if (!remove_folder(staged->folder, staged->name, &staged->owner) || owner_become(&staged->owner, &before, err) < 0)
		return err && err->code ? -1 : err_set(err, ERR_FAILED, 0, "%s/%s is in the way", folder, staged->name);
	int rc = make_all(staged, staging), sys = errno;
	owner_return(&before);
	if (rc < 0) {
		remove_folder(staged->folder, staged->name, &staged->owner);
		return err_set(err, ERR_FAILED, sys, "the tool cannot be written to %s/%s of process %d", folder, staged->name,
			       (int)target->pid);
	}
	for (size_t i = 0; i < staging->n; i++)
		if (snprintf(staging->v[i].string, sizeof staging->v[i].string, "%s/%s/%s", strcmp(folder, "/") ? folder : "",
			     staged->name, staging->v[i].name) >= (int)sizeof staging->v[i].string)
			return err_set(err, ERR_FAILED, ENAMETOOLONG, "%s", folder);
	return 0;
}

/* The folder above the one that the tool's path names, if that is one of ours. */
static bool folder_of_tool(const struct attachment *attachment, const char *name, char *folder)
{
	const char *tool = attachment->view.tool_path, *at = tool && tool[0] == '/' ? strstr(tool, name) : NULL;
	return at && at > tool && at[-1] == '/' &&
	       snprintf(folder, PATH_MAX, "%.*s", at - 1 > tool ? (int)(at - 1 - tool) : 1, tool) < PATH_MAX;
}

int staged_file_clear(struct attachment *attachment, struct err *err)
{
	char folder[PATH_MAX], name[sizeof attachment->staged.name];
	struct owner owner;
	const struct target *target = &attachment->target;
	bool gone = true, more = true;
	name_folder(target, name, sizeof name);
	if (owner_read(&owner, target, NULL) < 0)
		return 0;       /* it has ended: staged_close */
	if (attachment->staged.folder >= 0)
		gone = remove_folder(attachment->staged.folder, name, &owner);
	for (unsigned i = 0; more; i++) {
		if (i == 0 && !folder_of_tool(attachment, name, folder))
			continue;
		if (i)
			more = stage_folder(target, env_get(&attachment->view.environment, "TMPDIR"), i - 1, folder, sizeof folder);
		int fd = more && folder[0] ? open_folder(target, folder) : -1;
		if (fd >= 0 && !remove_folder(fd, name, &owner))
			gone = false;
		if (fd >= 0)
			close(fd);
	}
	return gone ? 0 : err_set(err, ERR_RESIDUE, 0, "the folder %s of process %d, which held the tool, cannot be removed", name,
				  (int)target->pid);
}

void staged_close(struct staged *staged, bool gone)
{
	if (staged->folder < 0)
		return;
	if (gone)
		remove_folder(staged->folder, staged->name, &staged->owner);
	close(staged->folder);
	staged->folder = -1;
}
