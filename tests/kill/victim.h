/* SPDX-License-Identifier: MIT */
/*
 * What a victim shows to the driver: one page, shared through a descriptor that
 * the victim inherits.  Looking at it disturbs nothing.
 */
#ifndef ROCLATCH_TESTS_KILL_VICTIM_H
#define ROCLATCH_TESTS_KILL_VICTIM_H

#include <stdatomic.h>
#include <stdint.h>

#define VICTIM_BLOCK_NS 10000000ull     /* how long each blocking call takes */

enum victim_kind {
	VICTIM_BEAT,            /* the main thread: 1 ms naps, feeds the pipe */
	VICTIM_SPIN,            /* computes on every register and checks the result */
	VICTIM_NANOSLEEP,
	VICTIM_FUTEX,           /* with a timeout */
	VICTIM_PPOLL,
	VICTIM_READ,            /* on a pipe */
	VICTIM_EPOLL,           /* any stop ends it with EINTR: never to be chosen */
	VICTIM_KINDS,
};

static const char *const victim_kind_name[VICTIM_KINDS] = {
	"heartbeat", "spin", "nanosleep", "futex", "ppoll", "read", "epoll_wait",
};

struct victim_thread {
	_Atomic int32_t tid;            /* 0: no such thread in this victim */
	_Atomic int32_t last_errno;
	_Atomic uint64_t rounds;
	_Atomic uint64_t wrong;         /* a register, a byte, a result or the mask differs */
	_Atomic uint64_t eintr;
	_Atomic uint64_t early;
};

struct victim {
	_Atomic uint32_t ready;
	_Atomic uint32_t rest;          /* set by the driver: do not spin while it only waits */
	_Atomic uint64_t begun, done;   /* calls of victim_bump, _slow and _busy */
	struct victim_thread thread[VICTIM_KINDS];
};

#endif
