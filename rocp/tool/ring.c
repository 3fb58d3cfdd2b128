/* SPDX-License-Identifier: MIT */
#include "rocp/tool/ring.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "rocp/tool/ring_own.h"
#include "rocp/tool/thread.h"

#define FORK_WAIT (200 * MS)

struct ring_fill ring_fill;
bool ring_expects;
futex ring_word, ring_alarm, ring_filled, ring_freed;
static struct ring *ring;

__attribute__((visibility("default"), used)) struct tool_status roclatch_tool_status = {
	.magic = TOOL_STATUS_MAGIC, .version = 1, .size = sizeof(struct tool_status),
};

void ring_seal(struct ring *r)
{
	unsigned i = r->filling % RING_CHUNKS;
	r->chunk[i].used = (uint32_t)(ring_fill.at - ring_chunk(r, r->filling));
	r->chunk[i].records = ring_fill.records;
	r->filling++;
	r->has_chunk = false;
	memset(&ring_fill, 0, sizeof ring_fill);
}

static void open_chunk(struct ring *r)
{
	unsigned char *chunk = ring_chunk(r, r->filling);
	ring_fill = (struct ring_fill){ .at = chunk + sizeof(struct log_block), .end = chunk + RING_CHUNK_SIZE };
	r->has_chunk = true;
	r->stall[r->filling % RING_CHUNKS] = r->stalled_since ? now_by(CLOCK_MONOTONIC) - r->stalled_since : 0;
	r->stalled_since = 0;
}

static bool stalls(struct ring *r)
{
	uint64_t now = now_by(CLOCK_MONOTONIC), sum = 0;
	if (!r->stalled_since)
		r->stalled_since = now;
	for (unsigned i = 0; i < RING_CHUNKS; i++)
		sum += r->stall[i];
	/* the chunk that is waited for replaces the oldest */
	return sum - r->stall[r->filling % RING_CHUNKS] + (now - r->stalled_since) >= RING_STALL;
}

static void wait_for_room(void)
{
	uint32_t seen = atomic_load(&ring_freed);
	ring_unlock();
	futex_wait(&ring_freed, seen, 100 * MS);
	ring_lock();
}

void *ring_next(size_t n)
{
	while (ring && !ring->closed && n <= RING_CHUNK_SIZE - sizeof(struct log_block)) {
		if (ring->has_chunk && n <= (size_t)(ring_fill.end - ring_fill.at)) {
			ring_fill.at += n;
			return ring_fill.at - n;
		}
		if (ring->has_chunk) {
			ring_seal(ring);
			futex_change(&ring_filled);
		}
		if (ring->filling - ring->written < RING_CHUNKS)
			open_chunk(ring);
		else if (stalls(ring))
			ring_break_locked(ring, "the disk is too slow", 0);
		else
			wait_for_room();
	}
	return NULL;
}

bool ring_put(const void *record)
{
	const struct log_frame *frame = record;
	ring_lock();
	void *place = ring_take(frame->size);
	if (place)
		memcpy(place, record, frame->size);
	ring_unlock();
	return place;
}

/* No more is taken; what was taken stays for the writer. */
static void close_locked(struct ring *r)
{
	if (r->has_chunk)
		ring_seal(r);
	r->closed = true;
	futex_change(&ring_filled);
	futex_change(&ring_freed);
}

void ring_break_locked(struct ring *r, const char *why, int sys)
{
	if (r->broken || r->abandoned)
		return;
	r->broken = true;
	snprintf(roclatch_tool_status.why, sizeof roclatch_tool_status.why, "%s", why);
	roclatch_tool_status.sys = sys;
	roclatch_tool_status.state = 3;
	if (!r->closed)
		close_locked(r);
	futex_change(&ring_alarm);
}

void ring_break(const char *why, int sys)
{
	ring_lock();
	if (ring)
		ring_break_locked(ring, why, sys);
	ring_unlock();
}

bool ring_is_broken(void)
{
	ring_lock();
	bool broken = ring && ring->broken;
	ring_unlock();
	return broken;
}

void ring_settle(void)
{
	ring_lock();
	if (ring) {
		ring->settled = true;
		futex_change(&ring_filled);
	}
	ring_unlock();
}

void ring_hurry(void)
{
	ring_lock();
	if (ring && !ring->closed) {
		ring->hurry = true;
		futex_change(&ring_filled);
	}
	ring_unlock();
}

static int started(struct ring *r)
{
	int sys = thread_start(&r->thread, ring_writer, r);
	if (sys)
		return sys;
	ring_lock();
	ring = r;
	ring_expects = true;
	ring_unlock();
	return 0;
}

int ring_start(int fd, const struct log_head *head)
{
	struct stat file;
	int sys = 0;
	struct ring *r = mmap(NULL, RING_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (r == MAP_FAILED)
		return errno;
	if (fstat(fd, &file) < 0) {
		sys = errno;
	} else {
		r->head = *head;
		r->fd = fd;
		r->dev = file.st_dev;
		r->ino = file.st_ino;
		sys = started(r);
	}
	if (sys)
		munmap(r, RING_SIZE);
	return sys;
}

/* True when the writer has ended; else it keeps the ring and gives it back if it ever can. */
static bool writer_ended(struct ring *r)
{
	uint64_t until = now_by(CLOCK_MONOTONIC) + RING_CLOSE;
	for (;;) {
		uint32_t seen = atomic_load(&ring_freed);
		uint64_t now = now_by(CLOCK_MONOTONIC);
		if (r->ended)
			return true;
		if (now >= until)
			break;
		ring_unlock();
		futex_wait(&ring_freed, seen, until - now);
		ring_lock();
	}
	r->abandoned = true;
	for (uint64_t i = r->written; i < r->filling; i++)
		roclatch_tool_status.lost += r->chunk[i % RING_CHUNKS].records;
	if (!roclatch_tool_status.why[0])
		snprintf(roclatch_tool_status.why, sizeof roclatch_tool_status.why, "the disk hangs");
	return false;
}

void ring_stop(void)
{
	ring_lock();
	struct ring *r = ring;
	if (!r) {
		ring_unlock();
		return;
	}
	r->settled = true;
	close_locked(r);
	bool ended = writer_ended(r);
	pthread_t thread = r->thread;
	ring = NULL;
	ring_expects = false;
	ring_unlock();
	if (!ended) {
		thread_abandon(thread);
		return;
	}
	thread_join(thread);
	munmap(r, RING_SIZE);
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
	struct ring *r = ring;
	ring = NULL;
	ring_expects = false;
	memset(&ring_fill, 0, sizeof ring_fill);
	if (r)
		close_if_ours(r);
	if (r && fork_has_lock)
		munmap(r, RING_SIZE);   /* else somebody may be in it */
	atomic_store(&ring_word, 0);
	futex_wake(&ring_word);
}
