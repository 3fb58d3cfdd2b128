/* SPDX-License-Identifier: MIT */
#include "inject/root.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LINKS_MAX 40    /* as the kernel's, include/linux/namei.h */

struct walk {
	int root;
	char done[PATH_MAX];    /* without links, begins with '/' or is "" */
	char left[PATH_MAX];    /* what is still to be followed */
	unsigned links;
	size_t behind;          /* how much of what is left stands behind the last link of the path */
};

static const char *relative(const char *done)
{
	return done[0] ? done + 1 : ".";
}

/* Cut the first name off what is left; false when nothing is. */
static bool next_name(struct walk *walk, char *name, size_t size)
{
	size_t start = strspn(walk->left, "/");
	size_t length = strcspn(walk->left + start, "/");
	if (!length || length >= size)
		return false;
	memcpy(name, walk->left + start, length);
	name[length] = '\0';
	memmove(walk->left, walk->left + start + length,
		strlen(walk->left + start + length) + 1);
	return true;
}

/* Put what a link says before what is left. */
static int follow(struct walk *walk, const char *says)
{
	char left[PATH_MAX];
	if (++walk->links > LINKS_MAX)
		return ELOOP;
	if (strlen(says) + strlen(walk->left) >= sizeof left)
		return ENAMETOOLONG;
	if (walk->links == 1 || strlen(walk->left) < walk->behind)
		walk->behind = strlen(walk->left);
	memcpy(left, says, strlen(says));
	memcpy(left + strlen(says), walk->left, strlen(walk->left) + 1);
	memcpy(walk->left, left, strlen(left) + 1);
	if (says[0] == '/')
		walk->done[0] = '\0';
	return 0;
}

static int enter(struct walk *walk, const char *name)
{
	size_t used = strlen(walk->done);
	if (!strcmp(name, "."))
		return 0;
	if (!strcmp(name, "..")) {
		char *slash = strrchr(walk->done, '/');
		if (slash)
			*slash = '\0';
		return 0;
	}
	if (used + 1 + strlen(name) >= sizeof walk->done)
		return ENAMETOOLONG;
	snprintf(walk->done + used, sizeof walk->done - used, "/%s", name);

	char says[PATH_MAX];
	ssize_t length = readlinkat(walk->root, relative(walk->done), says, sizeof says - 1);
	if (length < 0)
		return errno == EINVAL ? 0 : errno;     /* EINVAL: not a link */
	says[length] = '\0';
	walk->done[used] = '\0';
	return follow(walk, says);
}

/* 0 or an errno. */
static int resolve(struct walk *walk, const char *path)
{
	char name[NAME_MAX + 1];
	if (strlen(path) >= sizeof walk->left)
		return ENAMETOOLONG;
	memcpy(walk->left, path, strlen(path) + 1);
	while (next_name(walk, name, sizeof name)) {
		int error = enter(walk, name);
		if (error)
			return error;
	}
	return walk->left[strspn(walk->left, "/")] ? ENAMETOOLONG : 0;
}

static int open_regular(const struct walk *walk, int *error)
{
	struct stat st;
	int fd = openat(walk->root, relative(walk->done),
			O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW);
	*error = fd < 0 ? errno : 0;
	if (fd >= 0 && (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))) {
		close(fd);
		*error = 0;
		return -1;
	}
	return fd;
}

static int open_root(struct walk *walk, const struct target *target, struct err *err)
{
	char root[64];
	*walk = (struct walk){ .links = 0 };
	snprintf(root, sizeof root, "/proc/%d/root", (int)target->live_tid);
	walk->root = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (walk->root < 0)
		return err_set(err, ERR_NOT_POSSIBLE, errno, "open %s", root);
	return 0;
}

int root_open(const struct target *target, const char *path, char *real, size_t real_size,
	      struct err *err)
{
	struct walk walk;
	if (open_root(&walk, target, err) < 0)
		return -1;

	int fd = -1, error = resolve(&walk, path);
	if (!error)
		fd = open_regular(&walk, &error);
	close(walk.root);
	if (fd < 0 && error)
		return err_set(err, ERR_NOT_POSSIBLE, error, "%s, as process %d sees it",
			       path, (int)target->pid);
	if (fd < 0)
		return err_set(err, ERR_NOT_POSSIBLE, 0, "%s, as process %d sees it, is not a regular file",
			       path, (int)target->pid);
	if (real)
		snprintf(real, real_size, "%s", walk.done[0] ? walk.done : "/");
	return fd;
}

/* What is missing is what a link says, so that nobody can make it under this path. */
static bool dangles(const struct walk *walk)
{
	return walk->links && strlen(walk->left) >= walk->behind;
}

int root_nearest(const struct target *target, const char *path, char *real, size_t real_size,
		 struct err *err)
{
	struct walk walk;
	if (open_root(&walk, target, err) < 0)
		return -1;
	int fd = -1, error = resolve(&walk, path);
	if ((error == ENOENT && !dangles(&walk)) || error == ENOTDIR) {
		*strrchr(walk.done, '/') = '\0';
		error = 0;
	}
	if (!error) {
		fd = openat(walk.root, relative(walk.done), O_PATH | O_NOFOLLOW | O_CLOEXEC);
		error = fd < 0 ? errno : 0;
	}
	close(walk.root);
	if (fd < 0)
		return err_set(err, ERR_NOT_POSSIBLE, error, "%s, as process %d sees it", path, (int)target->pid);
	snprintf(real, real_size, "%s", walk.done[0] ? walk.done : "/");
	return fd;
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
