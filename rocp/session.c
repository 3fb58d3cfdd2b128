/* SPDX-License-Identifier: MIT */
#include "rocp/session.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

/* One who only asks, as roclatch list does again and again, has it for an instant (session_is_held). */
#define LOCK_TRIES 50

/* target_lock has /proc/PID itself. */
static int open_task(const struct target *target, struct err *err)
{
	char path[32];
	snprintf(path, sizeof path, "/proc/%d/task", (int)target->pid);
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		err_set(err, errno == ENOENT ? ERR_TARGET_EXITED : ERR_FAILED, errno, "open %s", path);
	return fd;
}

int session_lock(const struct target *target, struct err *err)
{
	int fd = open_task(target, err);
	if (fd < 0)
		return -1;
	for (int i = 0; i < LOCK_TRIES; i++) {
		if (flock(fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK)
			return fd;      /* where there are no locks, there is nobody to tell from */
		nanosleep(&(struct timespec){ 0, 2000000 }, NULL);
	}
	close(fd);
	err_set(err, ERR_NOT_POSSIBLE, 0, "another roclatch has process %d attached", (int)target->pid);
	return err_remedy(err, "end that one first");
}

void session_unlock(int fd)
{
	/* closing is not enough if a child that was forked meanwhile has it, too */
	flock(fd, LOCK_UN);
	close(fd);
}

bool session_is_held(const struct target *target)
{
	int fd = open_task(target, NULL);
	if (fd < 0)
		return false;
	bool held = flock(fd, LOCK_SH | LOCK_NB) < 0 && errno == EWOULDBLOCK;
	close(fd);
	return held;
}
