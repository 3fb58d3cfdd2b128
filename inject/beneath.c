/* SPDX-License-Identifier: MIT */
#include "inject/beneath.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define LINKS_MAX 40    /* as the kernel's, include/linux/namei.h */
#define DEPTH_MAX 200   /* folders below one another, each an open descriptor */

#ifndef SYS_openat2     /* a C library of before Linux 5.6; the number is the same on every CPU */
#define SYS_openat2 437
#endif

#define LOOK (O_PATH | O_NOFOLLOW | O_CLOEXEC)

/* Where we are is held by descriptors: ".." goes back to the one before, wherever that lies by now. */
struct walk {
	int fd[DEPTH_MAX + 1];  /* the root, then each folder on the way; the last may be of any kind */
	size_t depth;
	bool in_folder;         /* is the last one a folder? */
	char done[PATH_MAX];    /* without links, begins with '/' or is "" */
	char left[PATH_MAX];    /* what is still to be followed */
	unsigned links;
	size_t behind;          /* how much of what is left stands behind the last link of the path */
};

/* Cut the first name off what is left; false when nothing is. */
static bool next_name(struct walk *walk, char *name, size_t size)
{
	size_t start = strspn(walk->left, "/");
	size_t length = strcspn(walk->left + start, "/");
	if (!length || length >= size)
		return false;
	memcpy(name, walk->left + start, length);
	name[length] = '\0';
	memmove(walk->left, walk->left + start + length, strlen(walk->left + start + length) + 1);
	return true;
}

static void leave(struct walk *walk)
{
	if (!walk->depth)
		return;
	close(walk->fd[walk->depth--]);
	*strrchr(walk->done, '/') = '\0';
	walk->in_folder = true;
}

/* Put what a link says before what is left. */
static int follow(struct walk *walk, const char *says)
{
	char left[PATH_MAX];
	size_t n = strlen(says), behind = strlen(walk->left);
	if (++walk->links > LINKS_MAX)
		return ELOOP;
	if (n + behind >= sizeof left)
		return ENAMETOOLONG;
	if (walk->links == 1 || behind < walk->behind)
		walk->behind = behind;
	memcpy(left, says, n);  /* NOLINT(bugprone-not-null-terminated-result): the NUL is that of what is left */
	memcpy(left + n, walk->left, behind + 1);
	memcpy(walk->left, left, n + behind + 1);
	while (says[0] == '/' && walk->depth)
		leave(walk);
	return 0;
}

static int take(struct walk *walk, const char *name, int fd)
{
	char says[PATH_MAX];
	struct stat st;
	size_t used = strlen(walk->done);
	if (fstat(fd, &st) < 0)
		return errno;
	if (S_ISLNK(st.st_mode)) {
		ssize_t length = readlinkat(fd, "", says, sizeof says - 1);
		if (length < 0)
			return errno;
		says[length] = '\0';
		close(fd);
		return follow(walk, says);
	}
	if (walk->depth == DEPTH_MAX || used + 1 + strlen(name) >= sizeof walk->done)
		return ENAMETOOLONG;
	snprintf(walk->done + used, sizeof walk->done - used, "/%s", name);
	walk->fd[++walk->depth] = fd;
	walk->in_folder = S_ISDIR(st.st_mode);
	return 0;
}

static int enter(struct walk *walk, const char *name)
{
	if (!walk->in_folder)
		return ENOTDIR;
	if (!strcmp(name, "..")) {
		leave(walk);
		return 0;
	}
	if (!strcmp(name, "."))
		return 0;
	int fd = openat(walk->fd[walk->depth], name, LOOK);
	if (fd < 0)
		return errno;
	unsigned links = walk->links;
	int error = take(walk, name, fd);
	if (error && walk->links == links)
		close(fd);
	return error;
}

/* 0 or an errno.  What is left then tells how far it came. */
static int resolve(struct walk *walk, int root, const char *path)
{
	char name[NAME_MAX + 1];
	*walk = (struct walk){ .fd = { root }, .in_folder = true };
	if (strlen(path) >= sizeof walk->left)
		return ENAMETOOLONG;
	memcpy(walk->left, path, strlen(path) + 1);
	while (next_name(walk, name, sizeof name)) {
		int error = enter(walk, name);
		if (error)
			return error;
	}
	if (walk->left[strspn(walk->left, "/")])
		return ENAMETOOLONG;
	return walk->left[0] && !walk->in_folder ? ENOTDIR : 0;
}

/* The descriptor where the walk stands; the others are closed. */
static int finish(struct walk *walk, int failure, char *real, size_t size, int *error)
{
	int fd = -1;
	*error = failure;
	if (!failure) {
		fd = walk->depth ? walk->fd[walk->depth--] : openat(walk->fd[0], ".", LOOK | O_DIRECTORY);
		*error = fd < 0 ? errno : 0;
	}
	if (fd >= 0 && real)
		snprintf(real, size, "%s", walk->done[0] ? walk->done : "/");
	while (walk->depth)
		close(walk->fd[walk->depth--]);
	return fd;
}

/* What is missing is what a link says, so that nobody can make it under this path. */
static bool dangles(const struct walk *walk)
{
	return walk->links && strlen(walk->left) >= walk->behind;
}

int beneath_nearest(int root, const char *path, char *real, size_t size, int *error)
{
	struct walk walk;
	int failure = resolve(&walk, root, path);
	if ((failure == ENOENT && !dangles(&walk)) || failure == ENOTDIR)
		failure = 0;
	return finish(&walk, failure, real, size, error);
}

static bool path_of(int fd, char path[PATH_MAX])
{
	char link[64];
	snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
	ssize_t length = readlink(link, path, PATH_MAX - 1);
	path[length > 0 ? length : 0] = '\0';
	return length > 0 && length < PATH_MAX - 1;
}

/* The kernel's own word; false where that does not lie below the root's, as it was moved or removed. */
static bool real_path(int root, int fd, char *real, size_t size)
{
	char top[PATH_MAX], path[PATH_MAX];
	struct stat st;
	if (fstat(fd, &st) < 0 || !st.st_nlink || !path_of(root, top) || !path_of(fd, path))
		return false;
	size_t n = strcmp(top, "/") ? strlen(top) : 0;
	if (strncmp(path, top, n) || (path[n] && path[n] != '/'))
		return false;
	return snprintf(real, size, "%s", path[n] ? path + n : "/") < (int)size;
}

/* A kernel or a filter that does not know it, a tree that was changed meanwhile; ELOOP is also what links of
 * /proc get, which are only text to the walk by hand. */
static bool is_for_hand(int failure)
{
	return failure == ENOSYS || failure == EPERM || failure == EINVAL || failure == E2BIG || failure == EAGAIN ||
	       failure == ELOOP;
}

int beneath(int root, const char *path, char *real, size_t size, int *error)
{
	struct walk walk;
	const struct open_how how = { .flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS };
	int fd = (int)syscall(SYS_openat2, root, path[0] ? path : ".", &how, sizeof how);
	*error = fd < 0 ? errno : 0;
	if (fd >= 0 && (!real || real_path(root, fd, real, size)))
		return fd;
	if (fd >= 0)
		close(fd);
	else if (!is_for_hand(*error))
		return -1;
	return finish(&walk, resolve(&walk, root, path), real, size, error);
}

static int reopen(int fd, mode_t kind, int flags, int *error)
{
	char path[64];
	struct stat st;
	*error = fstat(fd, &st) < 0 ? errno : 0;
	if (*error || (st.st_mode & S_IFMT) != kind)
		return -1;
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	/* O_NONBLOCK: a lease on it (fcntl(2)) would be waited for */
	int opened = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | flags);
	*error = opened < 0 ? errno : 0;
	return opened;
}

int beneath_file(int fd, int *error)
{
	return reopen(fd, S_IFREG, 0, error);
}

int beneath_folder(int fd, int *error)
{
	return reopen(fd, S_IFDIR, O_DIRECTORY, error);
}
