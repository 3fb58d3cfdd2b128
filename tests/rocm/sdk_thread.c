// SPDX-License-Identifier: MIT
/*
 * Stands in for AMD's librocprofiler-sdk.so.1: the threads that deliver buffers.
 * A flush waits for one of them, for ever if somebody keeps that thread stopped.
 */
#include <pthread.h>

#include "sdk.h"

#define THREADS 16
#define WATCHERS 8

/* The first is the one that buffers have unless they are given another. */
static struct thread {
	pthread_t id;
	pthread_mutex_t lock;
	pthread_cond_t change;
	bool running, ending, work;
} threads[THREADS];
static unsigned thread_count = 1;

static struct watcher {
	thread_function *before, *after;
	void *data;
} watchers[WATCHERS];
static unsigned watcher_count;

static void *serve(void *argument)
{
	struct thread *thread = argument;

	pthread_mutex_lock(&thread->lock);
	for (;;) {
		if (thread->work) {
			thread->work = false;
			pthread_mutex_unlock(&thread->lock);
			buffers_of_thread((unsigned)(thread - threads));
			pthread_mutex_lock(&thread->lock);
		} else if (thread->ending) {
			break;
		} else {
			pthread_cond_wait(&thread->change, &thread->lock);
		}
	}
	pthread_mutex_unlock(&thread->lock);
	return NULL;
}

static bool start(struct thread *thread)
{
	for (unsigned i = 0; i < watcher_count; i++)
		if (watchers[i].before)
			watchers[i].before(LIBRARY_ROCPROFILER, watchers[i].data);
	pthread_mutex_init(&thread->lock, NULL);
	pthread_cond_init(&thread->change, NULL);
	thread->running = !pthread_create(&thread->id, NULL, serve, thread);
	for (unsigned i = 0; i < watcher_count; i++)
		if (watchers[i].after)
			watchers[i].after(LIBRARY_ROCPROFILER, watchers[i].data);
	return thread->running;
}

/* A forked child has no such threads until it gets new ones. */
static void start_again(void)
{
	buffers_after_fork();
	for (unsigned i = 0; i < thread_count; i++)
		if (threads[i].running) {
			threads[i].work = true;
			start(&threads[i]);
		}
}

/* When tools are initialised, or earlier if one flushes: for the buffers that were given no other. */
void start_default_thread(void)
{
	if (!threads[0].running && !start(&threads[0]))
		sdk_fatal("no thread", NULL);
}

__attribute__((constructor)) static void watch_forks(void)
{
	pthread_atfork(NULL, NULL, start_again);
}

PUBLIC int rocprofiler_create_callback_thread(struct handle *thread)
{
	if (initializing != -1)
		return SDK_CONFIGURATION_LOCKED;
	if (thread_count == THREADS || !start(&threads[thread_count]))
		return SDK_OUT_OF_RESOURCES;
	thread->handle = thread_count++;
	return SDK_SUCCESS;
}

PUBLIC int rocprofiler_assign_callback_thread(struct handle buffer, struct handle thread)
{
	if (thread.handle >= thread_count)
		return SDK_THREAD_NOT_FOUND;
	return buffer_assign(buffer.handle, (unsigned)thread.handle) ? SDK_SUCCESS : SDK_BUFFER_NOT_FOUND;
}

PUBLIC int rocprofiler_at_internal_thread_create(thread_function *before, thread_function *after, int libraries,
	void *data)
{
	if (initializing != -1)
		return SDK_CONFIGURATION_LOCKED;
	if (!(libraries & LIBRARY_ROCPROFILER))
		return SDK_SUCCESS;
	if (watcher_count == WATCHERS)
		return SDK_OUT_OF_RESOURCES;
	watchers[watcher_count++] = (struct watcher){ before, after, data };
	return SDK_SUCCESS;
}

void wake_thread(unsigned thread)
{
	pthread_mutex_lock(&threads[thread].lock);
	threads[thread].work = true;
	pthread_cond_signal(&threads[thread].change);
	pthread_mutex_unlock(&threads[thread].lock);
}

void end_threads(void)
{
	for (unsigned i = 0; i < thread_count; i++) {
		if (!threads[i].running)
			continue;
		pthread_mutex_lock(&threads[i].lock);
		threads[i].ending = true;
		pthread_cond_broadcast(&threads[i].change);
		pthread_mutex_unlock(&threads[i].lock);
		pthread_join(threads[i].id, NULL);
		threads[i].running = false;
	}
}
