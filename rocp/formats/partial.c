/* SPDX-License-Identifier: MIT */
/* A file that is not whole yet.  Whoever writes it has it locked, and the kernel drops the lock of one that is killed: what
 * is not locked is in nobody's use.  Only the holder of the lock removes or renames the file, so that one name is never
 * pulled away under two that look at it.  Where files cannot be locked, what is there stays there. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/fsuid.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "rocp/formats/file.h"

#define NO_REPLACE 1            /* RENAME_NOREPLACE of linux/fs.h */
#define TRIES 100               /* others may make and remove it meanwhile */

static bool partial_name(const char *path, char name[PATH_MAX])
{
	if (snprintf(name, PATH_MAX, "%s" FILE_PARTIAL, path) < PATH_MAX)
		return true;
	errno = ENAMETOOLONG;
	return false;
}

/* Is the file still what the name stands for? */
static bool is_named(int fd, const char *name)
{
	struct stat ours, there;
	return fstat(fd, &ours) == 0 && lstat(name, &there) == 0 && ours.st_dev == there.st_dev && ours.st_ino == there.st_ino;
}

/* Lock what we have just made, before somebody takes it for stale.  If one has, it is theirs to remove. */
static bool keep(int fd, const char *name)
{
	if ((flock(fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) && is_named(fd, name))
		return true;
	close(fd);
	return false;
}

/* Remove what one that was killed has left: an ordinary file of ours that nobody has locked. */
static bool clear_stale(const char *name)
{
	struct stat st;
	if (lstat(name, &st) < 0)
		return errno == ENOENT;
	if (!S_ISREG(st.st_mode) || st.st_uid != (uid_t)setfsuid((uid_t)-1))    /* which changes nothing and answers who we are */
		return false;
	int fd = open(name, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT;
	bool cleared = flock(fd, LOCK_EX | LOCK_NB) == 0 && (!is_named(fd, name) || unlink(name) == 0);
	close(fd);
	return cleared;
}

static int refuse_taken(const char *path, const char *name, struct err *err)
{
	if (access(path, F_OK) == 0) {
		err_set(err, ERR_FAILED, EEXIST, "cannot make %s", path);
		return err_remedy(err, "nothing is written over: choose another name, or take that file away");
	}
	err_set(err, ERR_FAILED, EEXIST, "cannot make %s, as there is %s", path, name);
	return err_remedy(err, "wait for the roclatch that writes it; if there is none, remove the " FILE_PARTIAL " file or choose another name");
}

int partial_create(const char *path, struct err *err)
{
	char name[PATH_MAX];
	if (!partial_name(path, name))
		return err_set(err, ERR_FAILED, errno, "cannot make %s", path);
	for (int i = 0; i < TRIES && access(path, F_OK) < 0; i++) {
		int fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
		if (fd < 0 && errno != EEXIST)
			return err_set(err, ERR_FAILED, errno, "cannot make %s", path);
		if (fd < 0 && !clear_stale(name))
			break;
		if (fd < 0 || !keep(fd, name))
			continue;
		/* the one before may have been published between our look and its going */
		if (access(path, F_OK) < 0)
			return fd;
		partial_remove(path, fd);
	}
	return refuse_taken(path, name, err);
}

/* Never over another, also on file systems and kernels that cannot do that at once. */
static int rename_new(const char *from, const char *to)
{
	if (syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, NO_REPLACE) == 0)
		return 0;
	if (errno != EINVAL && errno != ENOSYS)
		return -1;
	if (link(from, to) == 0)
		return unlink(from);
	if (errno == EEXIST)
		return -1;
	if (access(to, F_OK) == 0) {
		errno = EEXIST;
		return -1;
	}
	return rename(from, to);
}

/* Some file systems tell only at a close that there was no room; the lock is to hold until the file has its name. */
static int close_copy(int fd)
{
	int copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	return copy < 0 ? 0 : close(copy);
}

int partial_publish(const char *path, int fd, struct err *err)
{
	char name[PATH_MAX];
	int sys = close_copy(fd) < 0 ? errno : 0;
	bool written = !sys;
	if (written && !partial_name(path, name))
		sys = errno;
	else if (written && !is_named(fd, name))
		sys = EEXIST;
	else if (written && rename_new(name, path) < 0)
		sys = errno;
	if (!sys) {
		close(fd);
		return 0;
	}
	partial_remove(path, fd);
	return err_set(err, ERR_FAILED, sys, "%s could not be %s and was removed", path, written ? "given its name" : "written");
}

void partial_remove(const char *path, int fd)
{
	char name[PATH_MAX];
	if (partial_name(path, name) && is_named(fd, name))
		unlink(name);
	close(fd);
}
