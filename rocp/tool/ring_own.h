/* SPDX-License-Identifier: MIT */
/* What ring.c and ring_writer.c share. */
#ifndef ROCLATCH_ROCP_TOOL_RING_OWN_H
#define ROCLATCH_ROCP_TOOL_RING_OWN_H

#include <pthread.h>
#include <sys/types.h>

#include "rocp/tool/ring.h"

/* Lies before its chunks, in one mapping.  Under ring_lock but for what is the writer's own. */
struct ring {
	uint64_t filling, written;      /* numbers of chunks; those between wait for the writer */
	bool has_chunk;                 /* `filling` is open in ring_fill */
	bool closed;                    /* nothing more is taken */
	bool broken;                    /* for the reason in roclatch_tool_status */
	bool settled;                   /* the sum of what was lost is known */
	bool hurry, ended, abandoned;
	uint64_t stalled_since;         /* 0: nobody waits */
	uint64_t stall[RING_CHUNKS];    /* how long the last chunks had to be waited for */
	struct { uint32_t used; uint64_t records; } chunk[RING_CHUNKS];
	pthread_t thread;
	/* the writer's own */
	struct log_head head;
	int fd;
	dev_t dev;
	ino_t ino;
	uint64_t blocks, size, records; /* that are whole in the log */
	uint64_t last;                  /* when a chunk was written */
};
#define RING_HEAD_SIZE 4096u
_Static_assert(sizeof(struct ring) <= RING_HEAD_SIZE, "a page");
#define RING_SIZE (RING_HEAD_SIZE + RING_CHUNKS * RING_CHUNK_SIZE)

extern struct ring *ring_current;        /* NULL: nothing is recorded.  Under ring_lock */
extern bool ring_seized;        /* somebody may be in it for ever */
extern futex ring_filled;       /* changes when there is something to write */
extern futex ring_freed;        /* changes when there may be room, or the writer has ended */

static inline unsigned char *ring_chunk(struct ring *ring, uint64_t number)
{
	return (unsigned char *)ring + RING_HEAD_SIZE + number % RING_CHUNKS * RING_CHUNK_SIZE;
}

void ring_seal(struct ring *ring);              /* under the lock */
void ring_break_locked(struct ring *ring, const char *why, int sys);
void *ring_writer(void *ring);

#endif
