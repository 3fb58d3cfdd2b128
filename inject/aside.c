/* SPDX-License-Identifier: MIT */
#include "inject/aside.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>

#define STACK_SIZE (1u << 20)

struct job {
	aside_work *work;
	void *ctx;
};

static void *run(void *with)
{
	struct job *job = with;
	job->work(job->ctx);
	return NULL;
}

/* Signals that are sent go to the program's own threads; those of a crash stay where they belong. */
static void open_for_crashes_only(sigset_t *set)
{
	static const int crashes[] = { SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGSYS, SIGABRT };
	sigfillset(set);
	for (size_t i = 0; i < sizeof crashes / sizeof *crashes; i++)
		sigdelset(set, crashes[i]);
}

int aside_start(pthread_t *thread, void *(*work)(void *ctx), void *ctx)
{
	pthread_attr_t attributes;
	sigset_t blocked, before;
	int failure = pthread_attr_init(&attributes);
	if (failure)
		return failure;
	open_for_crashes_only(&blocked);
	pthread_attr_setstacksize(&attributes, STACK_SIZE);
	pthread_sigmask(SIG_SETMASK, &blocked, &before);
	failure = pthread_create(thread, &attributes, work, ctx);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attributes);
	return failure;
}

void aside_run(aside_work *work, void *ctx)
{
	int error = errno, cancel;
	pthread_t thread;
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
	struct job *job = malloc(sizeof *job);
	if (job)
		*job = (struct job){ work, ctx };
	if (job && aside_start(&thread, run, job) == 0)
		pthread_join(thread, NULL);
	else
		work(ctx);
	free(job);
	pthread_setcancelstate(cancel, NULL);
	errno = error;
}
