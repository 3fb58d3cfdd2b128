/* SPDX-License-Identifier: MIT */
/* Who has /dev/kfd open. */
#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "rocp/runtimes.h"

#define KFD_DEVICE "/dev/kfd"
#define INITIAL_PIDS "pid:[4026531836]"         /* PROC_PID_INIT_INO, include/linux/proc_ns.h */

static bool link_is(const char *path, const char *text)
{
	char link[64];
	ssize_t length = readlink(path, link, sizeof link);
	return length == (ssize_t)strlen(text) && !memcmp(link, text, (size_t)length);
}

static bool is_initial(const char *proc)
{
	char path[PATH_MAX];
	snprintf(path, sizeof path, "%s/self/ns/pid", proc);
	return link_is(path, INITIAL_PIDS);
}

void kfd_users_list(struct kfd_users *users, const char *system, const char *proc)
{
	char path[PATH_MAX];
	*users = (struct kfd_users){ .how = KFD_NOBODY };
	if (access(system, F_OK) < 0 && access(KFD_DEVICE, F_OK) < 0)
		return;
	/* a folder for each process: drivers/gpu/drm/amd/amdkfd/kfd_process.c, kfd_create_process_sysfs */
	snprintf(path, sizeof path, "%s/proc", system);
	users->how = is_initial(proc) && pids_list(&users->pids, path, NULL) == 0 ? KFD_TOLD : KFD_LOOK;
}

/* False also where they may not be looked at. */
static bool has_open(const char *proc, pid_t pid)
{
	char path[PATH_MAX], entry_path[PATH_MAX + NAME_MAX + 2];
	bool found = false;
	snprintf(path, sizeof path, "%s/%d/fd", proc, (int)pid);
	DIR *folder = opendir(path);
	if (!folder)
		return false;
	for (struct dirent *entry; !found && (entry = readdir(folder)) != NULL;) {
		snprintf(entry_path, sizeof entry_path, "%s/%s", path, entry->d_name);
		found = entry->d_name[0] != '.' && link_is(entry_path, KFD_DEVICE);
	}
	closedir(folder);
	return found;
}

bool kfd_users_have(const struct kfd_users *users, const char *proc, pid_t pid)
{
	if (users->how == KFD_TOLD)
		return pids_have(&users->pids, pid);
	return users->how == KFD_LOOK && has_open(proc, pid);
}

void kfd_users_free(struct kfd_users *users)
{
	pids_free(&users->pids);
}
