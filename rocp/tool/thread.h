/* SPDX-License-Identifier: MIT */
/* Threads of ours in the target: no signal of the target is ever handled on them. */
#ifndef ROCLATCH_ROCP_TOOL_THREAD_H
#define ROCLATCH_ROCP_TOOL_THREAD_H

#include <pthread.h>

int thread_start(pthread_t *thread, void *(*run)(void *), void *argument);      /* 0 or an errno */
void thread_join(pthread_t thread);
void thread_abandon(pthread_t thread);

#endif
