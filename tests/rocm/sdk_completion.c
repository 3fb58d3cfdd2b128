// SPDX-License-Identifier: MIT
/*
 * Stands in for AMD's librocprofiler-sdk.so.1: what is told when a kernel has ended.
 * Upstream does that on a thread of HSA's, not on the one that launched the kernel.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "sdk.h"
#include "truth.h"

struct job {
	struct job *next;
	unsigned context;
	struct dispatch_counting_service_data data;
	uint64_t user;
	size_t n;
	struct counter_record records[];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t change = PTHREAD_COND_INITIALIZER;
static struct job *first, **last = &first;
static bool running, ending, working;
static pthread_t thread;

static void tell(struct job *job)
{
	const struct counting *counting = &contexts[job->context].counting;

	truth_counted(CONTEXT(job->context), &job->data, job->records, job->n);
	counting->take(job->data, job->records, job->n, job->user, counting->take_data);
	free(job);
}

static void *serve(void *unused)
{
	pthread_mutex_lock(&lock);
	while (first || !ending) {
		struct job *job = first;

		if (!job) {
			pthread_cond_wait(&change, &lock);
			continue;
		}
		first = job->next;
		if (!first)
			last = &first;
		working = true;
		pthread_mutex_unlock(&lock);
		tell(job);
		pthread_mutex_lock(&lock);
		working = false;
		pthread_cond_broadcast(&change);
	}
	pthread_mutex_unlock(&lock);
	return unused;
}

static void start(void)
{
	running = !pthread_create(&thread, NULL, serve, NULL);
	if (!running)
		sdk_fatal("no thread", NULL);
}

/* The parent's kernels end in the parent. */
static void start_again(void)
{
	pthread_mutex_init(&lock, NULL);
	pthread_cond_init(&change, NULL);
	first = NULL;
	last = &first;
	working = false;
	if (running)
		start();
}

void completion_start(void)
{
	if (running)
		return;
	pthread_atfork(NULL, NULL, start_again);
	start();
}

void completion_add(unsigned context, const struct dispatch_counting_service_data *data,
	const struct counter_record *records, size_t n, uint64_t user)
{
	struct job *job = malloc(sizeof(*job) + n * sizeof(*records));

	if (!job)
		sdk_fatal("no memory", NULL);
	*job = (struct job){ .context = context, .data = *data, .user = user, .n = n };
	memcpy(job->records, records, n * sizeof(*records));
	pthread_mutex_lock(&lock);
	*last = job;
	last = &job->next;
	pthread_cond_broadcast(&change);
	pthread_mutex_unlock(&lock);
}

void completion_wait(void)
{
	pthread_mutex_lock(&lock);
	while (running && !pthread_equal(thread, pthread_self()) && (first || working))
		pthread_cond_wait(&change, &lock);
	pthread_mutex_unlock(&lock);
}

void completion_end(void)
{
	if (!running)
		return;
	pthread_mutex_lock(&lock);
	ending = true;
	pthread_cond_broadcast(&change);
	pthread_mutex_unlock(&lock);
	pthread_join(thread, NULL);
	running = false;
}
