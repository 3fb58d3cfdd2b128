/* SPDX-License-Identifier: MIT */
/*
 * From memory to the log: a fixed number of chunks, filled under one lock and
 * written by one thread.  A chunk becomes one block of the log.
 *
 *   ring_lock(); place = ring_take(size); ...; ring_unlock();
 *
 * When no chunk is free the caller waits, as long as the disk moves; a disk that
 * does not, or any error of it, ends the recording and nothing else.
 */
#ifndef ROCLATCH_ROCP_TOOL_RING_H
#define ROCLATCH_ROCP_TOOL_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rocp/log.h"
#include "rocp/tool/futex.h"
#include "rocp/tool_abi.h"

#define RING_CHUNKS 8u
#define RING_CHUNK_SIZE (256u << 10)
#define RING_PERIOD (500 * MS)          /* what is taken is written after it at the latest */
#define RING_STALL (2000 * MS)          /* the wait for RING_CHUNKS chunks in sum, at most: 1 MiB a second */
#define RING_CLOSE (10000 * MS)         /* for a disk that hangs, at stop */

/* The chunk that is being filled; all 0 when nothing is recorded.  Under ring_lock. */
struct ring_fill {
	unsigned char *at, *end;
	uint64_t records;       /* in this chunk */
};
extern struct ring_fill ring_fill;
extern bool ring_expects;       /* between start and stop: what cannot be taken is lost */
extern futex ring_word;         /* the lock */
extern futex ring_alarm;        /* changes when the recording breaks */
extern struct tool_status roclatch_tool_status;

static inline void ring_lock(void) { lock_take(&ring_word); }
static inline void ring_unlock(void) { lock_give(&ring_word); }

/* Starts to write to the open file `fd`, which is the ring's from then on; 0 or an errno. */
int ring_start(int fd, const struct log_head *head);
/* Ends the log in order and waits for it; afterwards nothing of the ring is left. */
void ring_stop(void);
/* Says that it is recorded (state 2), unless that has ended already: then the errno behind it. */
int ring_say_recording(void);
/* What was lost since the last time is told in the log: for one that will have no end. */
void ring_put_lost(void);
/* False: somebody keeps the lock, which is never held for long: a thread that is itself within. */
bool ring_answers(void);
/* For the end of the process, when ring_answers() does not: the thread that has the lock left it for a signal
 * handler that calls exit, and never comes back.  Nothing more is taken; what is in the open chunk is lost. */
void ring_seize(void);
/* What was taken is to be on disk soon. */
void ring_hurry(void);
/* Ends the recording early: why, a clause, and the errno behind it or 0.  Only the first reason counts. */
void ring_break(const char *why, int sys);
bool ring_is_broken(void);
/* After that: no more will be lost, so that the log's end can say how much was. */
void ring_settle(void);
/* Around a fork.  The SDK has threads again in the child before we hear of it: the lock is held until the child
 * is told that the parent's log is not its own. */
void ring_before_fork(void);
void ring_after_fork(void);
void ring_forked(void);

/* Under the lock.  Room for a record of n bytes (a multiple of 8, at most LOG_RECORD_MOST), or NULL: nothing
 * is recorded now.  May give the lock away for a while. */
void *ring_next(size_t n);
static inline void *ring_take(size_t n)
{
	if (n > (size_t)(ring_fill.end - ring_fill.at))
		return ring_next(n);
	void *place = ring_fill.at;
	ring_fill.at += n;
	return place;
}

/* Takes and gives the lock itself: a record that is ready.  False: not taken. */
bool ring_put(const void *record);

#endif
