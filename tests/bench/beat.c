/* SPDX-License-Identifier: MIT */
/*
 * Threads that look at the clock all the time and keep the longest gap between
 * two looks.
 *
 * Between looks they nap, for 20 microseconds at real-time priority: with fewer
 * cores than threads, spinning would measure how the scheduler shares the cores.
 */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "beat.h"

static struct beat *shown;

int bench_call(int n)
{
	shown->calls++;
	return n + 1;
}

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

void *beat(void *arg)
{
	unsigned i = (unsigned)(uintptr_t)arg;
	struct sched_param first = { .sched_priority = 10 };
	struct timespec nap = { 0, 20000 };
	uint64_t last;

	if (sched_setscheduler(0, SCHED_FIFO, &first) == 0)
		shown->fifo = 1;
	prctl(PR_SET_TIMERSLACK, 1);
	shown->thread[i].tid = gettid();
	shown->ready++;
	for (last = now();;) {
		uint64_t t;

		nanosleep(&nap, NULL);
		t = now();
		if (t - last > shown->thread[i].longest_ns)
			shown->thread[i].longest_ns = t - last;
		last = t;
	}
	return NULL;
}

int beat_begin(int fd, unsigned first)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	shown = mmap(NULL, sizeof *shown, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (shown == MAP_FAILED)
		return -1;
	close(fd);
	for (uintptr_t i = first; i < BEAT_THREADS; i++) {
		pthread_t id;

		if (pthread_create(&id, NULL, beat, (void *)i) != 0)
			return -1;
	}
	return 0;
}
