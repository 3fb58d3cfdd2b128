/* SPDX-License-Identifier: MIT */
/* Locks that are not given back: in a forked child, and at an exit in a signal handler. */
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "rocp/tool/ring_own.h"

#define FORK_WAIT (200 * MS)
#define ANSWERS_WITHIN (2000 * MS)

bool ring_answers(void)
{
	if (!lock_try(&ring_word, ANSWERS_WITHIN))
		return false;
	ring_unlock();
	return true;
}

void ring_seize(void)
{
	ring_seized = true;
	roclatch_tool_status.lost += ring_fill.records;
	memset(&ring_fill, 0, sizeof ring_fill);
	if (ring_current) {
		ring_current->has_chunk = false;
		ring_current->closed = true;
	}
	atomic_store(&ring_word, 0);
	futex_wake(&ring_word);
	futex_change(&ring_filled);
	futex_change(&ring_freed);
}

/* A signal handler may fork on a thread that has the lock: then the fork goes on without. */
static __thread bool fork_has_lock;

void ring_before_fork(void)
{
	fork_has_lock = lock_try(&ring_word, FORK_WAIT);
}

void ring_after_fork(void)
{
	if (fork_has_lock)
		ring_unlock();
}

/* Its number may be another file's by now. */
static void close_if_ours(const struct ring *r)
{
	struct stat file;
	if (r->fd >= 0 && !fstat(r->fd, &file) && file.st_dev == r->dev && file.st_ino == r->ino)
		close(r->fd);
}

void ring_forked(void)
{
	struct ring *r = ring_current;
	ring_current = NULL;
	ring_expects = false;
	memset(&ring_fill, 0, sizeof ring_fill);
	if (r)
		close_if_ours(r);
	if (r && fork_has_lock)
		munmap(r, RING_SIZE);   /* else somebody may be in it */
	atomic_store(&ring_word, 0);
	futex_wake(&ring_word);
}
