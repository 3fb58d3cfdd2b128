/* SPDX-License-Identifier: MIT */
/*
 * Work inside of a program that is not ours, on a thread of our own: with a stack that is large
 * enough, no signal handler of the program on it, and a priority that is nobody else's; whatever it
 * traces is let go with it.
 */
#ifndef ROCLATCH_INJECT_ASIDE_H
#define ROCLATCH_INJECT_ASIDE_H

#include <pthread.h>
#include <stdbool.h>

typedef void aside_work(void *ctx);

/*
 * Done when it returns; on the caller's own thread if there can be no other.  The caller's errno
 * stays, and it cannot be cancelled meanwhile.  ctx must not be on the caller's stack: a signal
 * handler of the program may leave by longjmp.
 */
void aside_run(aside_work *work, void *ctx);

/* The same without waiting for the end, for pthread_join.  An errno if there can be no thread. */
int aside_start(pthread_t *thread, void *(*work)(void *ctx), void *ctx);

#endif
