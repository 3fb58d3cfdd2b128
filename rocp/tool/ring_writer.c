/* SPDX-License-Identifier: MIT */
/* The thread that writes.  All signals are blocked in it: a write beyond RLIMIT_FSIZE raises SIGXFSZ, which
 * would end the target. */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>

#include "rocp/tool/ring_own.h"

#define SETTLED_WITHIN (3000 * MS)

static void stop(struct ring *ring, const char *why, int sys)
{
	ring_lock();
	ring_break_locked(ring, why, sys);
	ring_unlock();
}

/* Is the file still ours and still there?  The target may have closed every descriptor it has. */
static int look(struct ring *ring)
{
	struct stat file;
	if (fstat(ring->fd, &file) < 0 || file.st_dev != ring->dev || file.st_ino != ring->ino) {
		ring->fd = -1;
		stop(ring, "the process has closed the log's file descriptor", EBADF);
		return -1;
	}
	if (!file.st_nlink) {
		stop(ring, "the log was removed", ENOENT);
		return -1;
	}
	return 0;
}

/* A part of the block is there: the log is to be as before, if it is still ours; else the reader finds the torn end. */
static void take_back(struct ring *ring)
{
	if (look(ring) == 0 && ftruncate(ring->fd, (off_t)ring->size) < 0)
		return;
}

/* All of it, or the log is as before.  The descriptor's number may be another file's between two writes. */
static int put(struct ring *ring, const void *data, size_t n)
{
	size_t done = 0;
	while (done < n) {
		if (look(ring) < 0)
			return -1;
		ssize_t now = write(ring->fd, (const char *)data + done, n - done);
		if (now < 0 && errno == EINTR)
			continue;
		if (now <= 0) {
			int sys = now < 0 ? errno : ENOSPC;
			char why[128];
			if (done)
				take_back(ring);
			snprintf(why, sizeof why, "the log cannot be written: %s", strerror(sys));
			stop(ring, why, sys);
			return -1;
		}
		done += (size_t)now;
	}
	ring->size += n;
	if (!ring->abandoned)
		roclatch_tool_status.bytes = ring->size;
	return 0;
}

/* The payload lies behind room for the block's head. */
static int put_block(struct ring *ring, unsigned char *chunk, size_t used)
{
	struct log_block *block = (struct log_block *)chunk;
	*block = (struct log_block){ .magic = LOG_BLOCK_MAGIC, .size = (uint32_t)(used - sizeof *block),
		.number = ring->blocks, .time = now_by(CLOCK_BOOTTIME),
		.check = log_check(block + 1, used - sizeof *block) };
	if (put(ring, chunk, used) < 0)
		return -1;
	ring->blocks++;
	return 0;
}

/* The number of a chunk that is to be written, sealed if need be.  False: none. */
static bool next_chunk(struct ring *ring, uint64_t *number)
{
	ring_lock();
	bool due = ring->hurry || now_by(CLOCK_MONOTONIC) - ring->last >= RING_PERIOD;
	if (ring->written == ring->filling && ring->has_chunk && due &&
	    ring_fill.at > ring_chunk(ring, ring->filling) + sizeof(struct log_block))
		ring_seal(ring);
	bool found = ring->written < ring->filling;
	if (!found)
		ring->hurry = false;
	*number = ring->written;
	ring_unlock();
	return found;
}

static void chunk_done(struct ring *ring, uint64_t number, bool whole)
{
	ring_lock();
	uint64_t records = ring->chunk[number % RING_CHUNKS].records;
	if (whole)
		ring->records += records;
	else if (!ring->abandoned)
		roclatch_tool_status.lost += records;
	ring->last = now_by(CLOCK_MONOTONIC);
	ring->written++;
	futex_change(&ring_freed);
	ring_unlock();
}

static void write_chunks(struct ring *ring, bool *good)
{
	uint64_t number;
	while (next_chunk(ring, &number)) {
		unsigned i = number % RING_CHUNKS;
		if (ring->chunk[i].used > sizeof(struct log_block))
			*good = *good && put_block(ring, ring_chunk(ring, number), ring->chunk[i].used) == 0;
		chunk_done(ring, number, *good);
	}
}

/* The last words.  They are tried on a disk that was full, too. */
static void put_end(struct ring *ring)
{
	_Alignas(8) unsigned char chunk[sizeof(struct log_block) + sizeof(struct log_end) + sizeof roclatch_tool_status.why] = { 0 };
	struct log_end *end = (struct log_end *)(chunk + sizeof(struct log_block));
	const char *why = roclatch_tool_status.why;
	size_t length = strnlen(why, sizeof roclatch_tool_status.why - 1);
	end->frame = (struct log_frame){ .size = (uint32_t)(sizeof *end + (length + 8) / 8 * 8), .type = LOG_END };
	end->time = now_by(CLOCK_BOOTTIME);
	end->records = ring->records;
	end->lost = roclatch_tool_status.lost;
	memcpy(end->why, why, length);
	put_block(ring, chunk, sizeof(struct log_block) + end->frame.size);
}

/* What is on its way when a recording breaks is still to be counted as lost. */
static void await_settled(struct ring *ring)
{
	uint64_t until = now_by(CLOCK_MONOTONIC) + SETTLED_WITHIN;
	for (;;) {
		uint32_t seen = atomic_load(&ring_filled);
		uint64_t now = now_by(CLOCK_MONOTONIC);
		ring_lock();
		bool settled = ring->settled || !ring->broken;
		ring_unlock();
		if (settled || now >= until)
			return;
		futex_wait(&ring_filled, seen, until - now);
	}
}

/* -1 when it was left behind: the ring is then ours to give back. */
static int say_ended(struct ring *ring)
{
	ring_lock();
	ring->ended = true;
	bool abandoned = ring->abandoned;
	futex_change(&ring_freed);
	ring_unlock();
	return abandoned ? -1 : 0;
}

void *ring_writer(void *argument)
{
	struct ring *ring = argument;
	prctl(PR_SET_NAME, "roclatch-writer");
	ring->last = now_by(CLOCK_MONOTONIC);
	bool good = put(ring, &ring->head, sizeof ring->head) == 0, closed = false;
	while (!closed) {
		uint32_t seen = atomic_load(&ring_filled);
		ring_lock();
		closed = ring->closed;
		ring_unlock();
		write_chunks(ring, &good);
		if (!closed)
			futex_wait(&ring_filled, seen, RING_PERIOD);
		if (good && !closed)
			look(ring);
	}
	await_settled(ring);
	if (ring->fd >= 0 && ring->size)
		put_end(ring);
	if (ring->fd >= 0)
		close(ring->fd);
	if (say_ended(ring) < 0)
		munmap(ring, RING_SIZE);
	return NULL;
}
