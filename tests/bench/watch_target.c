/* SPDX-License-Identifier: MIT */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "watch.h"

#define NAP_NS 20000

static struct shown *shown;
static enum watched_kind kind;

bool watched_spins(void)
{
	cpu_set_t mine;

	/* two are left for those who look and for the kernel's own work */
	return sched_getaffinity(0, sizeof mine, &mine) == 0 && CPU_COUNT(&mine) >= 10;
}

/* With fewer CPUs than threads, spinning would measure how the scheduler shares them: then real-time priority and naps. */
static void beat(unsigned i)
{
	struct sched_param first = { .sched_priority = 10 };
	struct timespec nap = { 0, NAP_NS };
	bool spins = watched_spins();
	uint64_t last;

	if (!spins)
		sched_setscheduler(0, SCHED_FIFO, &first);
	prctl(PR_SET_TIMERSLACK, 1);
	for (last = clock_ns(); shown->ready;) {
		uint64_t t;

		if (!spins)
			nanosleep(&nap, NULL);
		t = clock_ns();
		if (t - last > shown->thread[i].longest_ns)
			shown->thread[i].longest_ns = t - last;
		last = t;
	}
}

static void compute(unsigned i)
{
	for (uint64_t x = i; shown->ready;) {
		for (int k = 0; k < 1000; k++)
			x = x * 6364136223846793005u + 1442695040888963407u;
		atomic_store_explicit(&shown->thread[i].work, shown->thread[i].work + 1 + (x == 0), memory_order_relaxed);
	}
}

/* What follows the call keeps it from being a jump. */
static __attribute__((noinline, noclone)) unsigned descend(unsigned i, unsigned depth)
{
	if (depth)
		return descend(i, depth - 1) + 1;
	shown->ready++;
	if (kind == WATCHED_BEATS)
		beat(i);
	else if (kind == WATCHED_COMPUTES)
		compute(i);
	while (shown->ready)
		nanosleep(&(struct timespec){ .tv_sec = 100000 }, NULL);
	return 0;
}

static void *work(void *arg)
{
	descend((unsigned)(uintptr_t)arg, WATCHED_DEPTH);
	return NULL;
}

/* KIND THREADS FD */
int watched_main(char **argv)
{
	unsigned threads = (unsigned)atoi(argv[1]);

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	kind = (enum watched_kind)atoi(argv[0]);
	shown = mmap(NULL, sizeof *shown, PROT_READ | PROT_WRITE, MAP_SHARED, atoi(argv[2]), 0);
	if (shown == MAP_FAILED)
		return 2;
	for (uintptr_t i = 1; i < threads; i++) {
		pthread_t id;

		if (pthread_create(&id, NULL, work, (void *)i) != 0)
			return 2;
	}
	work(NULL);
	return 0;
}

int watched_start(struct watched *watched, enum watched_kind what, unsigned threads)
{
	int fd = memfd_create("shown", 0);
	char text[3][16];

	watched->threads = threads;
	if (fd < 0 || ftruncate(fd, (off_t)sizeof *watched->shown) != 0)
		return -1;
	watched->shown = mmap(NULL, sizeof *watched->shown, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (watched->shown == MAP_FAILED)
		return -1;
	snprintf(text[0], sizeof text[0], "%d", (int)what);
	snprintf(text[1], sizeof text[1], "%u", threads);
	snprintf(text[2], sizeof text[2], "%d", fd);
	watched->pid = fork();
	if (watched->pid == 0) {
		execl("/proc/self/exe", "bench-watched", "--be", text[0], text[1], text[2], (char *)NULL);
		_exit(127);
	}
	close(fd);
	for (unsigned i = 0; i < 4000 && watched->shown->ready < threads; i++)
		wait_ms(5);
	wait_ms(100);
	if (watched->shown->ready == threads)
		return 0;
	fprintf(stderr, "watch: cannot start a process to look at\n");
	watched_end(watched);
	return -1;
}

void watched_end(struct watched *watched)
{
	kill(watched->pid, SIGKILL);
	waitpid(watched->pid, NULL, 0);
	munmap(watched->shown, sizeof *watched->shown);
}

uint64_t watched_work(const struct watched *watched)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < watched->threads; i++)
		sum += watched->shown->thread[i].work;
	return sum;
}

void watched_forget(struct watched *watched)
{
	for (unsigned i = 0; i < watched->threads; i++)
		watched->shown->thread[i].longest_ns = 0;
}

double watched_gap_us(const struct watched *watched)
{
	uint64_t longest = 0;

	for (unsigned i = 0; i < watched->threads; i++)
		if (watched->shown->thread[i].longest_ns > longest)
			longest = watched->shown->thread[i].longest_ns;
	return (double)longest / 1e3;
}
