/* SPDX-License-Identifier: MIT */
/* A child whose stacks are copied. */
#ifndef ROCLATCH_TESTS_UNIT_COPIED_H
#define ROCLATCH_TESTS_UNIT_COPIED_H

#include "inject/watch/copy.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/mman.h>

#include "arch/arch.h"
#include "inject/thread.h"
#include "watched_child.h"

#define PATIENCE 2000000000u    /* ns */

static struct stack_copy copy;
static int doorbell[2];

void setUp(void)
{
	shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	TEST_ASSERT_EQUAL(0, copy_init(&copy, COPY_SMALL));
	TEST_ASSERT_EQUAL(0, pipe(doorbell));
	memset(&err, 0, sizeof err);
}

void tearDown(void)
{
	if (target.pid)
		close_target();
	memset(&target, 0, sizeof target);
	copy_free(&copy);
	close(doorbell[0]);
	close(doorbell[1]);
	munmap(shared, sizeof *shared);
}

static inline raddr end_by_maps(void *ctx, raddr sp)
{
	const struct mapping *m = maps_at(&images.maps, sp);
	(void)ctx;
	return m ? m->end : 0;
}

static inline int outside(copy_end *end)
{
	return copy_outside(&copy, &target.memory, target.pid, target.pid, end, NULL, &err);
}

static inline int stop(uint64_t wait_ns)
{
	return copy_stop(&copy, &target.memory, target.pid, target.pid, wait_ns, end_by_maps, NULL, &err);
}

static inline const char *in_copy(const volatile void *there)
{
	raddr addr = at(there);
	return addr >= copy.low && addr - copy.low < copy.size ? (const char *)copy.bytes + (addr - copy.low) : NULL;
}

/* Wait for the bell with something on the stack that can be told. */
static inline void wait_for_bell(void)
{
	volatile char mark[] = "this is on the stack";
	char byte;
	shared->from_ns = at(mark);
	for (;; shared->count++)
		if (read(doorbell[0], &byte, 1) != 1)
			_exit(2);
}

static inline void ring_bell(void)
{
	TEST_ASSERT_EQUAL(1, write(doorbell[1], "x", 1));
}

static inline void start(void (*body)(void))
{
	open_target(child_run(body));
}

static inline void start_waiting(void)
{
	pid_t pid = child_run(wait_for_bell);
	wait_blocked(pid, pid, SYS_read);
	open_target(pid);
}

static inline void start_spinning(void (*body)(void))
{
	start(body);
	WAIT_FOR(shared->count);
}

static inline void spin_alone(void) { spin(NULL); }

#endif
