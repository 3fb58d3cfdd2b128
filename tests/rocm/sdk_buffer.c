// SPDX-License-Identifier: MIT
/*
 * Stands in for AMD's librocprofiler-sdk.so.1: buffers.  A lossless one has two
 * halves; when both are full the thread that has a record waits.  Another kind
 * loses it, and does not count that.  As upstream, a flag is set while a record is
 * put in and from a flush until all is delivered, and a forked child keeps it: who
 * wants the buffer there waits for ever if a thread of the parent had it.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sdk.h"
#include "truth.h"

#define BUFFERS 64
#define SMALLEST 32             /* of the records; so many headers there may be */

struct half {
	unsigned char *memory;
	struct record_header *headers, **list;
	size_t used, n;
};

struct buffer {
	struct handle context;
	size_t size, watermark;
	int policy;
	buffer_function *callback;
	void *data;
	unsigned thread;
	bool destroyed;
	atomic_flag taken;              /* by who puts in, or for who delivers */
	pthread_mutex_t lock;
	pthread_cond_t change;
	struct half half[2];
	unsigned filling;
	bool handed;                    /* the other half, or the only one, is the callback thread's */
	uint64_t turns, delivered;      /* how often it was, and came back */
};

static struct buffer buffers[BUFFERS];
static _Atomic unsigned buffer_count;
static _Atomic uint64_t drops;          /* that the next callback is told of */

static struct buffer *find(uint64_t handle)
{
	uint64_t i = handle - BUFFER_BASE;

	return i < buffer_count && !buffers[i].destroyed ? &buffers[i] : NULL;
}

bool buffer_exists(uint64_t handle)
{
	return find(handle);
}

static bool make_half(struct half *half, size_t size)
{
	size_t most = size / SMALLEST + 1;

	half->memory = malloc(size);
	half->headers = calloc(most, sizeof(*half->headers));
	half->list = calloc(most, sizeof(*half->list));
	for (size_t i = 0; half->list && i < most; i++)
		half->list[i] = &half->headers[i];
	return half->memory && half->headers && half->list;
}

PUBLIC int rocprofiler_create_buffer(struct handle context, size_t size, size_t watermark, int policy,
	buffer_function *callback, void *data, struct handle *buffer)
{
	struct buffer *made = &buffers[buffer_count];

	if (initializing != -1)
		return SDK_CONFIGURATION_LOCKED;
	if (!find_context(context) || !size || watermark > size || policy < 0 || policy > POLICY_LOSSLESS)
		return SDK_INVALID_ARGUMENT;
	if (find(buffer->handle))
		return SDK_SERVICE_ALREADY_CONFIGURED;
	if (buffer_count == BUFFERS || !make_half(&made->half[0], size) ||
	    (policy == POLICY_LOSSLESS && !make_half(&made->half[1], size)))
		return SDK_OUT_OF_RESOURCES;
	made->context = context;
	made->size = size;
	made->watermark = watermark;
	made->policy = policy;
	made->callback = callback;
	made->data = data;
	pthread_mutex_init(&made->lock, NULL);
	pthread_cond_init(&made->change, NULL);
	buffer->handle = BUFFER_BASE + buffer_count++;
	return SDK_SUCCESS;
}

bool buffer_assign(uint64_t handle, unsigned thread)
{
	struct buffer *buffer = find(handle);

	if (buffer)
		buffer->thread = thread;
	return buffer;
}

/* With the lock held and nothing handed over. */
static uint64_t hand_over(struct buffer *buffer)
{
	buffer->handed = true;
	if (buffer->policy == POLICY_LOSSLESS)
		buffer->filling ^= 1;
	return ++buffer->turns;
}

static void add(struct half *half, uint32_t category, uint32_t kind, const void *payload, size_t size)
{
	struct record_header *header = &half->headers[half->n++];

	header->category = category;
	header->kind = kind;
	header->payload = memcpy(half->memory + half->used, payload, size);
	half->used += size;
}

static void take(struct buffer *buffer)
{
	while (atomic_flag_test_and_set(&buffer->taken))
		usleep(10);
}

static bool is_delivered(struct buffer *buffer)
{
	bool handed;

	pthread_mutex_lock(&buffer->lock);
	handed = buffer->handed;
	pthread_mutex_unlock(&buffer->lock);
	return handed;
}

/* It stays taken until all is delivered. */
static int flush(struct buffer *buffer, bool wait)
{
	uint64_t turn;

	if (wait)
		take(buffer);
	else if (atomic_flag_test_and_set(&buffer->taken))
		return SDK_BUFFER_BUSY;
	pthread_mutex_lock(&buffer->lock);
	turn = hand_over(buffer);
	wake_thread(buffer->thread);
	while (wait && buffer->delivered < turn)
		pthread_cond_wait(&buffer->change, &buffer->lock);
	pthread_mutex_unlock(&buffer->lock);
	return SDK_SUCCESS;
}

bool buffer_put(uint64_t handle, uint32_t category, uint32_t kind, const void *payload, size_t size)
{
	struct buffer *buffer = find(handle);
	bool put = false, due;

	if (!buffer || size > buffer->size)
		return false;
	for (;;) {
		struct half *half;

		if (buffer->policy != POLICY_LOSSLESS && is_delivered(buffer))
			return false;
		take(buffer);
		half = &buffer->half[buffer->filling];
		put = half->used + size <= buffer->size;
		if (put)
			add(half, category, kind, payload, size);
		due = half->used >= buffer->watermark;
		atomic_flag_clear(&buffer->taken);
		if (put || buffer->policy != POLICY_LOSSLESS)
			break;
		flush(buffer, true);
	}
	if (due)
		flush(buffer, false);
	return put;
}

/* What a tool keeps of a payload is overwritten when its callback has returned. */
static void deliver(struct buffer *buffer, struct half *half)
{
	struct handle handle = { (uint64_t)(buffer - buffers) + BUFFER_BASE };

	if (half->n && buffer->callback) {
		truth_records(buffer->context, half->list, half->n);
		buffer->callback(buffer->context, handle, half->list, half->n, buffer->data, atomic_exchange(&drops, 0));
	}
	memset(half->memory, 0xdb, half->used);
	half->used = half->n = 0;
}

void buffers_of_thread(unsigned thread)
{
	for (unsigned i = 0; i < buffer_count; i++) {
		struct buffer *buffer = &buffers[i];
		bool mine;

		pthread_mutex_lock(&buffer->lock);
		mine = buffer->handed && buffer->thread == thread;
		pthread_mutex_unlock(&buffer->lock);
		if (!mine)
			continue;
		deliver(buffer, &buffer->half[buffer->policy == POLICY_LOSSLESS ? buffer->filling ^ 1 : 0]);
		pthread_mutex_lock(&buffer->lock);
		buffer->handed = false;
		buffer->delivered++;
		atomic_flag_clear(&buffer->taken);
		pthread_cond_broadcast(&buffer->change);
		pthread_mutex_unlock(&buffer->lock);
	}
}

PUBLIC int rocprofiler_flush_buffer(struct handle handle)
{
	struct buffer *buffer = find(handle.handle);
	int finalized;

	rocprofiler_is_finalized(&finalized);
	if (finalized > 0)
		return SDK_FINALIZED;
	if (!buffer)
		return SDK_BUFFER_NOT_FOUND;
	if (!buffer->thread)
		start_default_thread();
	return flush(buffer, true);
}

void buffers_drop(uint64_t n)
{
	drops = n;
}

PUBLIC int rocprofiler_destroy_buffer(struct handle handle)
{
	struct buffer *buffer = find(handle.handle);

	if (!buffer)
		return SDK_BUFFER_NOT_FOUND;
	if (buffer->handed)
		return SDK_BUFFER_BUSY;
	buffer->destroyed = true;
	return SDK_SUCCESS;
}

bool buffers_want_default_thread(void)
{
	bool want = false;

	for (unsigned i = 0; i < buffer_count; i++)
		want |= !buffers[i].thread;
	return want;
}

/* The threads that wait and deliver are gone, and what was handed to them is nobody's; `taken` stays as it was. */
void buffers_after_fork(void)
{
	for (unsigned i = 0; i < buffer_count; i++) {
		buffers[i].handed = false;
		buffers[i].delivered = buffers[i].turns;
		pthread_mutex_init(&buffers[i].lock, NULL);
		pthread_cond_init(&buffers[i].change, NULL);
	}
}
