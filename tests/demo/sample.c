/* SPDX-License-Identifier: MIT */
/*
 * The sample of the demo: four threads with a heartbeat each, functions to be
 * called, and a line five times a second: heartbeats so far, and the longest
 * pause between two of one thread since the last line, in microseconds.
 */
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define WORKERS 4

static struct {
	_Atomic uint64_t beats, longest_ns;
} worker[WORKERS];

static uint64_t now_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void *work(void *arg)
{
	size_t me = (size_t)(uintptr_t)arg;
	char *volatile scratch = malloc(100);   /* as threads do: it has an arena now */
	free(scratch);
	for (uint64_t last = now_ns();;) {
		poll(NULL, 0, 1);
		uint64_t now = now_ns();
		if (now - last > worker[me].longest_ns)
			worker[me].longest_ns = now - last;
		last = now;
		worker[me].beats++;
	}
	return NULL;
}

/* For roclatch to call. */
long sample_multiply(long a, long b);
uint64_t sample_beats(void);
uint64_t sample_length(const char *text);

long sample_multiply(long a, long b)
{
	return a * b;
}

uint64_t sample_beats(void)
{
	uint64_t sum = 0;
	for (size_t i = 0; i < WORKERS; i++)
		sum += worker[i].beats;
	return sum;
}

uint64_t sample_length(const char *text)
{
	uint64_t length = 0;
	while (text[length])
		length++;
	return length;
}

int main(void)
{
	pthread_t thread;
	for (uintptr_t i = 0; i < WORKERS; i++)
		if (pthread_create(&thread, NULL, work, (void *)i))
			return 1;
	for (int line = 0; line < 300; line++) {
		uint64_t longest = 0;
		poll(NULL, 0, 200);
		for (size_t i = 0; i < WORKERS; i++) {
			uint64_t its = atomic_exchange(&worker[i].longest_ns, 0);
			longest = its > longest ? its : longest;
		}
		printf("%llu %llu\n", (unsigned long long)sample_beats(),
		       (unsigned long long)longest / 1000);
		fflush(stdout);
	}
	return 0;
}
