/* SPDX-License-Identifier: MIT */
/* The last samples, for whoever asks, while more come. */
#ifndef ROCLATCH_BIN_LIB_RING_H
#define ROCLATCH_BIN_LIB_RING_H

#include <pthread.h>

#include "bin/lib/roclatch.h"

struct ring {
	pthread_mutex_t lock;
	struct roclatch_sample *v;
	size_t room, n;         /* room 0: it keeps none */
	size_t next;            /* where the next one goes */
};

/* -1: no memory. */
int ring_init(struct ring *ring, size_t room);
void ring_free(struct ring *ring);
void ring_add(struct ring *ring, const struct roclatch_sample *samples, size_t n);
/* At most n, the oldest of them first; how many. */
size_t ring_last(struct ring *ring, struct roclatch_sample *samples, size_t n);

#endif
