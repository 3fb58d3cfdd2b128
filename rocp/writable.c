/* SPDX-License-Identifier: MIT */
/* May a target make files in a folder?  Nothing is tried: what the kernel would say is worked out. */
#include <errno.h>
#include <linux/capability.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "inject/root.h"
#include "rocp/loadable.h"
#include "rocp/loadable_rights.h"
#include "rocp/search.h"

#define OTHER_FOLDER "choose another output folder (-d)"

static int current_folder(const struct target *target, char *path, size_t size, struct err *err)
{
	char link[64];
	struct stat st;
	snprintf(link, sizeof link, "/proc/%d/cwd", (int)target->live_tid);
	if (stat(link, &st) < 0 || search_current(target, path, size) < 0)
		return err_set(err, ERR_NOT_POSSIBLE, errno, "the current folder of process %d", (int)target->pid);
	if (st.st_nlink == 0) {
		err_set(err, ERR_NOT_POSSIBLE, 0, "the current folder of process %d has been removed", (int)target->pid);
		return err_remedy(err, "give the output folder as an absolute path");
	}
	return 0;
}

/* The folder as an absolute path, up to the first part that only the tool can fill in (%pid%, {host}). */
static int plain_part(const struct target *target, const char *folder, char *path, size_t size, struct err *err)
{
	size_t used = 0, length = strcspn(folder, "%{");
	path[0] = '\0';
	if (folder[length])
		while (length && folder[length - 1] != '/')
			length--;
	if (folder[0] != '/') {
		if (current_folder(target, path, size - 1, err) < 0)
			return -1;
		used = strlen(path);
		path[used++] = '/';
	}
	if (length >= size - used)
		return err_set(err, ERR_NOT_POSSIBLE, ENAMETOOLONG, "the output folder %.100s", folder);
	memcpy(path + used, folder, length);
	path[used + length] = '\0';
	return 0;
}

static int check_rights(const struct target *target, const char *real, const struct stat *st, struct err *err)
{
	struct rights rights;
	char where[PATH_MAX];
	if (rights_read(&rights, target, err) < 0)
		return -1;
	int error = rights_open(&rights, target, real, W_OK | X_OK, where, sizeof where);
	rights_free(&rights);
	if (!error)
		return 0;
	if (strcmp(where, real)) {
		err_set(err, ERR_NOT_POSSIBLE, error, "user %u (group %u) of process %d may not enter %s", rights.uid,
			rights.gid, (int)target->pid, where);
		return err_remedy(err, OTHER_FOLDER ", or open this one for that user: chmod a+x");
	}
	err_set(err, ERR_NOT_POSSIBLE, error, "user %u (group %u) of process %d may not make files in %s (owner %u, group "
		"%u, mode %03o)", rights.uid, rights.gid, (int)target->pid, real, st->st_uid, st->st_gid,
		(unsigned)st->st_mode & 07777);
	return err_remedy(err, OTHER_FOLDER ", or give this one to that user: chown %u %.160s", rights.uid, real);
}

/* Folders of the kernel's own, whose mode says nothing to root. */
static bool is_kernels_own(int fd)
{
	struct statfs fs;
	return fstatfs(fd, &fs) == 0 && (fs.f_type == PROC_SUPER_MAGIC || fs.f_type == SYSFS_MAGIC);
}

static int check_room(const struct target *target, int fd, const char *real, struct err *err)
{
	struct statvfs vfs;
	if (is_kernels_own(fd)) {
		err_set(err, ERR_NOT_POSSIBLE, 0, "no files can be made in %s, as process %d sees it", real, (int)target->pid);
		return err_remedy(err, OTHER_FOLDER);
	}
	if (fstatvfs(fd, &vfs) < 0)
		return 0;
	if (vfs.f_flag & ST_RDONLY) {
		err_set(err, ERR_NOT_POSSIBLE, EROFS, "process %d sees %s", (int)target->pid, real);
		return err_remedy(err, OTHER_FOLDER " on a file system that is mounted read-write");
	}
	bool all_blocks = target->status.cap_effective >> CAP_SYS_RESOURCE & 1;
	bool full = vfs.f_blocks && (all_blocks ? vfs.f_bfree : vfs.f_bavail) == 0;
	bool no_inodes = vfs.f_files && vfs.f_ffree == 0;
	if (!full && !no_inodes)
		return 0;
	err_set(err, ERR_NOT_POSSIBLE, ENOSPC, "the file system of %s%s", real, full ? "" : " has no inodes left");
	return err_remedy(err, OTHER_FOLDER ", or make room: df %s%.160s", full ? "" : "-i ", real);
}

int writable_check(const struct target *target, const char *folder, struct err *err)
{
	char path[PATH_MAX], real[PATH_MAX];
	struct stat st;
	if (plain_part(target, folder, path, sizeof path, err) < 0)
		return -1;
	int fd = root_nearest(target, path, real, sizeof real, err);
	if (fd < 0)
		return err_remedy(err, OTHER_FOLDER);
	int answer = -1;
	if (fstat(fd, &st) < 0) {
		err_set(err, ERR_FAILED, errno, "fstat %s", real);
	} else if (!S_ISDIR(st.st_mode)) {
		err_set(err, ERR_NOT_POSSIBLE, ENOTDIR, "%s, as process %d sees it", real, (int)target->pid);
		err_remedy(err, OTHER_FOLDER ", or take that file away");
	} else {
		answer = check_room(target, fd, real, err);
		if (answer == 0)
			answer = check_rights(target, real, &st, err);
	}
	close(fd);
	return answer;
}
