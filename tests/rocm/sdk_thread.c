// SPDX-License-Identifier: MIT
/*
 * Stands in for AMD's librocprofiler-sdk.so.1: the thread that delivers buffers.
 * A flush waits for it, for ever if somebody keeps that thread stopped.
 */
#include <pthread.h>
#include <stdatomic.h>

#include "sdk.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t change = PTHREAD_COND_INITIALIZER;
static unsigned asked, done;
static bool ending, running;
static pthread_t deliverer;
static _Atomic uint64_t buffers;

static void *deliver(void *unused)
{
	pthread_mutex_lock(&lock);
	while (!ending) {
		if (asked == done) {
			pthread_cond_wait(&change, &lock);
			continue;
		}
		done = asked;
		pthread_cond_broadcast(&change);
	}
	pthread_mutex_unlock(&lock);
	return unused;
}

PUBLIC int rocprofiler_create_callback_thread(struct handle *thread)
{
	if (initializing != -1)
		return SDK_CONFIGURATION_LOCKED;
	if (!running && pthread_create(&deliverer, NULL, deliver, NULL))
		return SDK_OUT_OF_RESOURCES;
	running = true;
	thread->handle = 1;
	return SDK_SUCCESS;
}

PUBLIC int rocprofiler_create_buffer(struct handle context, size_t size, size_t watermark, int policy, void *callback,
	void *data, struct handle *buffer)
{
	(void)callback, (void)data;
	if (initializing != -1)
		return SDK_CONFIGURATION_LOCKED;
	if (!context.handle || context.handle > context_count || !size || watermark > size || policy < 0 || policy > 2)
		return SDK_INVALID_ARGUMENT;
	buffer->handle = ++buffers;
	return SDK_SUCCESS;
}

PUBLIC int rocprofiler_assign_callback_thread(struct handle buffer, struct handle thread)
{
	return !buffer.handle || buffer.handle > buffers || thread.handle != 1 ? SDK_INVALID_ARGUMENT : SDK_SUCCESS;
}

PUBLIC int rocprofiler_flush_buffer(struct handle buffer)
{
	unsigned mine;

	if (!buffer.handle || buffer.handle > buffers || !running)
		return SDK_BUFFER_NOT_FOUND;
	pthread_mutex_lock(&lock);
	mine = ++asked;
	pthread_cond_broadcast(&change);
	while ((int)(done - mine) < 0)
		pthread_cond_wait(&change, &lock);
	pthread_mutex_unlock(&lock);
	return SDK_SUCCESS;
}

void end_threads(void)
{
	if (!running)
		return;
	pthread_mutex_lock(&lock);
	ending = true;
	pthread_cond_broadcast(&change);
	pthread_mutex_unlock(&lock);
	pthread_join(deliverer, NULL);
	running = false;
}
