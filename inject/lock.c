/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "inject/target.h"
#include "inject/thread.h"

static int open_lock(pid_t pid, char path[32])
{
	snprintf(path, 32, "/proc/%d", (int)pid);
	return open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

bool target_is_locked(pid_t pid)
{
	char path[32];
	int fd = open_lock(pid, path);
	bool locked = fd >= 0 && flock(fd, LOCK_SH | LOCK_NB) < 0 && errno == EWOULDBLOCK;
	if (fd >= 0)
		close(fd);
	return locked;
}

int target_lock(struct target *target, uint64_t deadline_ns, struct err *err)
{
	char path[32];
	target->lock = open_lock(target->pid, path);
	if (target->lock < 0)
		return err_set(err, ERR_FAILED, errno, "open %s", path);
	while (flock(target->lock, LOCK_EX | LOCK_NB) < 0) {
		if (errno != EWOULDBLOCK && errno != EINTR)
			return 0;       /* no locks here: then the tracers tell */
		if (now_ns() >= deadline_ns) {
			target_unlock(target);
			err_set(err, ERR_TIMEOUT, 0, "another roclatch is at work on process %d", (int)target->pid);
			return err_remedy(err, "wait for it, or allow more time with --timeout-msec");
		}
		nanosleep(&(struct timespec){ 0, 1000000 }, NULL);
	}
	return 0;
}

void target_unlock(struct target *target)
{
	/* closing is not enough if a child that was forked meanwhile has it, too */
	if (target->lock >= 0) {
		flock(target->lock, LOCK_UN);
		close(target->lock);
	}
	target->lock = -1;
}
