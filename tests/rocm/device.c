// SPDX-License-Identifier: MIT
/*
 * Stands in for part of AMD's libamdhip64.so.7 and the device below it.  On the null
 * stream work takes the time that the host takes for it.  On others it is done at
 * once, but has a time of its own when it would have run: behind what the stream has
 * to do already, and as long as its size wants.  Who synchronises waits for that.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "device.h"
#include "sdk_abi.h"

#define STREAMS 64
#define LAUNCH_NS 3000
#define COPY_NS 4000
#define COPY_BYTES_PER_NS 24
#define THREADS_PER_NS 10

static struct stream { uint64_t until; bool used; } streams[STREAMS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static __thread struct stand_in_span last;
static unsigned slowness = 1;

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_BOOTTIME, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static unsigned number_of(const struct stream *stream)
{
	return (unsigned)(stream - streams) + 2;
}

static void wait_until(uint64_t time)
{
	struct timespec t = { (time_t)(time / 1000000000u), (long)(time % 1000000000u) };

	while (clock_nanosleep(CLOCK_BOOTTIME, TIMER_ABSTIME, &t, NULL))
		;
}

/* On a stream: when it is this one's turn, and for how long; no two take quite the same time. */
static void take_turn(struct stream *stream, uint64_t delay, uint64_t duration)
{
	uint64_t start = now() + delay;

	pthread_mutex_lock(&lock);
	if (stream->until > start)
		start = stream->until;
	duration = duration * slowness + duration * (start % 997) / 8000;
	stream->until = start + duration;
	pthread_mutex_unlock(&lock);
	last = (struct stand_in_span){ start, start + duration, number_of(stream) };
}

void device_launch(void (*run)(void **), void **arguments, struct dim3 grid, struct dim3 block, void *stream)
{
	uint64_t threads = (uint64_t)grid.x * grid.y * grid.z * block.x * block.y * block.z;

	last = (struct stand_in_span){ .start = now(), .queue = 1 };
	run(arguments);
	last.end = now();
	if (stream)
		take_turn(stream, LAUNCH_NS, 2000 + threads / THREADS_PER_NS);
}

void device_copy(void *to, const void *from, size_t size, void *stream)
{
	last = (struct stand_in_span){ .start = now(), .queue = 1 };
	memcpy(to, from, size);
	last.end = now();
	if (stream)
		take_turn(stream, COPY_NS, 1000 + size / COPY_BYTES_PER_NS);
}

void *device_stream(void)
{
	struct stream *found = NULL;

	pthread_mutex_lock(&lock);
	for (unsigned i = 0; i < STREAMS && !found; i++)
		if (!streams[i].used)
			found = &streams[i];
	if (found)
		found->used = true;
	pthread_mutex_unlock(&lock);
	return found;
}

void device_stream_end(void *stream)
{
	((struct stream *)stream)->used = false;
}

void device_wait(void *stream)
{
	wait_until(stream ? ((struct stream *)stream)->until : stand_in_idle_at());
}

PUBLIC void stand_in_be_slow(unsigned times)
{
	slowness = times;
}

PUBLIC struct stand_in_span stand_in_last_span(void)
{
	return last;
}

PUBLIC uint64_t stand_in_idle_at(void)
{
	uint64_t until = 0;

	pthread_mutex_lock(&lock);
	for (unsigned i = 0; i < STREAMS; i++)
		if (streams[i].until > until)
			until = streams[i].until;
	pthread_mutex_unlock(&lock);
	return until;
}
