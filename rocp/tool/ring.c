/* SPDX-License-Identifier: MIT */
#include "rocp/tool/ring.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "rocp/tool/ring_own.h"
#include "rocp/tool/thread.h"

struct ring_fill ring_fill;
bool ring_expects;
futex ring_word, ring_alarm, ring_filled, ring_freed;
struct ring *ring_current;
bool ring_seized;
static uint64_t lost_told;

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
	while (ring_current && !ring_current->closed && n <= RING_CHUNK_SIZE - sizeof(struct log_block)) {
		if (ring_current->has_chunk && n <= (size_t)(ring_fill.end - ring_fill.at)) {
			ring_fill.at += n;
			return ring_fill.at - n;
		}
		if (ring_current->has_chunk) {
			ring_seal(ring_current);
			futex_change(&ring_filled);
		}
		if (ring_current->filling - ring_current->written < RING_CHUNKS)
			open_chunk(ring_current);
		else if (stalls(ring_current))
			ring_break_locked(ring_current, "the disk is too slow", 0);
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
	if (ring_current)
		ring_break_locked(ring_current, why, sys);
	ring_unlock();
}

bool ring_is_broken(void)
{
	ring_lock();
	bool broken = ring_current && ring_current->broken;
	ring_unlock();
	return broken;
}

void ring_settle(void)
{
	ring_lock();
	if (ring_current) {
		ring_current->settled = true;
		futex_change(&ring_filled);
	}
	ring_unlock();
}

void ring_hurry(void)
{
	ring_lock();
	if (ring_current && !ring_current->closed) {
		ring_current->hurry = true;
		futex_change(&ring_filled);
	}
	ring_unlock();
}

int ring_say_recording(void)
{
	int sys = 0;
	ring_lock();
	if (!ring_current || ring_current->broken)
		sys = roclatch_tool_status.sys ? roclatch_tool_status.sys : EIO;
	else
		roclatch_tool_status.state = 2;
	ring_unlock();
	return sys;
}

void ring_put_lost(void)
{
	static const char why[] = "the SDK dropped them, or they were of an unknown form";
	const size_t size = sizeof(struct log_lost) + (sizeof why + 7) / 8 * 8;
	ring_lock();
	struct log_lost *record = roclatch_tool_status.lost > lost_told ? ring_take(size) : NULL;
	if (record) {
		memset(record, 0, size);
		record->frame = (struct log_frame){ .size = (uint32_t)size, .type = LOG_LOST };
		record->records = roclatch_tool_status.lost - lost_told;
		memcpy(record->why, why, sizeof why);
		lost_told = roclatch_tool_status.lost;
	}
	ring_unlock();
}

static int started(struct ring *r)
{
	int sys = thread_start(&r->thread, ring_writer, r);
	if (sys)
		return sys;
	ring_lock();
	ring_current = r;
	ring_expects = true;
	lost_told = 0;
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
	struct ring *r = ring_current;
	if (!r) {
		ring_unlock();
		return;
	}
	r->settled = true;
	close_locked(r);
	bool ended = writer_ended(r);
	pthread_t thread = r->thread;
	ring_current = NULL;
	ring_expects = false;
	ring_unlock();
	if (!ended) {
		thread_abandon(thread);
		return;
	}
	thread_join(thread);
	if (!ring_seized)
		munmap(r, RING_SIZE);
}
