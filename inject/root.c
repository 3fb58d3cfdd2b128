/* SPDX-License-Identifier: MIT */
#include "inject/root.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "inject/beneath.h"

int root_of(const struct target *target, struct err *err)
{
	char root[64];
	snprintf(root, sizeof root, "/proc/%d/root", (int)target->live_tid);
	int fd = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	return fd >= 0 ? fd : err_set(err, ERR_NOT_POSSIBLE, errno, "open %s", root);
}

static int refuse(const struct target *target, const char *path, int error, const char *wanted, struct err *err)
{
	if (error)
		return err_set(err, ERR_NOT_POSSIBLE, error, "%s, as process %d sees it", path, (int)target->pid);
	return err_set(err, ERR_NOT_POSSIBLE, 0, "%s, as process %d sees it, is not a %s", path, (int)target->pid, wanted);
}

typedef int opens(int fd, int *error);

static int open_as(opens *as, const char *wanted, const struct target *target, const char *path, char *real,
		   size_t real_size, struct err *err)
{
	int root = root_of(target, err), error;
	if (root < 0)
		return -1;
	int there = beneath(root, path, real, real_size, &error), fd = -1;
	close(root);
	if (there >= 0) {
		fd = as(there, &error);
		close(there);
	}
	return fd >= 0 ? fd : refuse(target, path, error, wanted, err);
}

int root_open(const struct target *target, const char *path, char *real, size_t real_size,
	      struct err *err)
{
	return open_as(beneath_file, "regular file", target, path, real, real_size, err);
}

int root_folder(const struct target *target, const char *path, struct err *err)
{
	return open_as(beneath_folder, "folder", target, path, NULL, 0, err);
}

int root_look(const struct target *target, const char *path)
{
	int root = root_of(target, NULL), error, fd = -1;
	if (root >= 0) {
		fd = beneath(root, path, NULL, 0, &error);
		close(root);
	}
	return fd;
}

int root_nearest(const struct target *target, const char *path, char *real, size_t real_size,
		 struct err *err)
{
	int root = root_of(target, err), error;
	if (root < 0)
		return -1;
	int fd = beneath_nearest(root, path, real, real_size, &error);
	close(root);
	return fd >= 0 ? fd : refuse(target, path, error, "", err);
}

const char *root_strip(const struct target *target, const char *path)
{
	char link[64], root[PATH_MAX];
	snprintf(link, sizeof link, "/proc/%d/root", (int)target->live_tid);
	ssize_t length = readlink(link, root, sizeof root - 1);
	if (length <= 1 || strncmp(path, root, (size_t)length) || path[length] != '/')
		return path;
	return path + length;
}
