/* SPDX-License-Identifier: MIT */
#include "bin/lib/ring.h"

#include <stdlib.h>
#include <string.h>

int ring_init(struct ring *ring, size_t room)
{
	*ring = (struct ring){ .room = room };
	pthread_mutex_init(&ring->lock, NULL);
	ring->v = room ? calloc(room, sizeof *ring->v) : NULL;
	return room && !ring->v ? -1 : 0;
}

void ring_free(struct ring *ring)
{
	free(ring->v);
	pthread_mutex_destroy(&ring->lock);
}

/* One piece up to the ring's end. */
static size_t put(struct ring *ring, const struct roclatch_sample *samples, size_t n)
{
	size_t piece = ring->room - ring->next < n ? ring->room - ring->next : n;
	memcpy(ring->v + ring->next, samples, piece * sizeof *samples);
	ring->next = (ring->next + piece) % ring->room;
	ring->n = ring->n + piece < ring->room ? ring->n + piece : ring->room;
	return piece;
}

void ring_add(struct ring *ring, const struct roclatch_sample *samples, size_t n)
{
	if (!ring->room)
		return;
	pthread_mutex_lock(&ring->lock);
	if (n > ring->room) {
		samples += n - ring->room;
		n = ring->room;
	}
	for (size_t done = 0; done < n;)
		done += put(ring, samples + done, n - done);
	pthread_mutex_unlock(&ring->lock);
}

size_t ring_last(struct ring *ring, struct roclatch_sample *samples, size_t n)
{
	if (!ring->room)
		return 0;
	pthread_mutex_lock(&ring->lock);
	if (n > ring->n)
		n = ring->n;
	size_t first = (ring->next + ring->room - n) % ring->room;
	size_t piece = ring->room - first < n ? ring->room - first : n;
	if (piece)
		memcpy(samples, ring->v + first, piece * sizeof *samples);
	if (n > piece)
		memcpy(samples + piece, ring->v, (n - piece) * sizeof *samples);
	pthread_mutex_unlock(&ring->lock);
	return n;
}
