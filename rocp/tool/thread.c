/* SPDX-License-Identifier: MIT */
#include "rocp/tool/thread.h"

#include <errno.h>
#include <signal.h>

#include "rocp/tool/weak.h"

#define STACK_SIZE (1u << 20)           /* the target's thread-local variables lie in it, too */

int thread_start(pthread_t *thread, void *(*run)(void *), void *argument)
{
	sigset_t all, before;
	pthread_attr_t small;
	int sys;
	if (!pthread_create || !pthread_attr_setstacksize)
		return ENOSYS;
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &before);        /* of this thread alone, and of what it starts */
	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, STACK_SIZE);
	sys = pthread_create(thread, &small, run, argument);
	if (sys == EINVAL)      /* they may be larger than that */
		sys = pthread_create(thread, NULL, run, argument);
	pthread_attr_destroy(&small);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return sys;
}

void thread_join(pthread_t thread)
{
	if (pthread_join)
		pthread_join(thread, NULL);
}

void thread_abandon(pthread_t thread)
{
	if (pthread_detach)
		pthread_detach(thread);
}
