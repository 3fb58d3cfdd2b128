// SPDX-License-Identifier: MIT
/*
 * shares: threads that spend measured shares of their time in known functions and blocked in known system calls.
 * One that was woken and waits for a CPU is in the call still, but runs as its kernel sees it: "running".
 * For each line on stdin the times so far are printed, in nanoseconds: "THREAD WHAT NS ..." a line for each.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#define FRAME __attribute__((noinline, noclone))
#define MS 1000000

enum what { WORK_A, WORK_B, WORK_C, NANOSLEEP, FUTEX, READ, RUNNING, WHATS };
static const char *const names[] = { "work_a", "work_b", "work_c", "clock_nanosleep", "futex", "read", "running" };

struct actor { const char *name; uint64_t spent[WHATS], last, waited; int sched; };
static struct actor actors[] = { { .name = "mixes" }, { .name = "waits" }, { .name = "reads" } };

static uint64_t now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* All that has passed since the last call was spent so. */
static void spent(struct actor *actor, enum what what)
{
	uint64_t t = now();
	__atomic_add_fetch(&actor->spent[what], t - actor->last, __ATOMIC_RELAXED);
	actor->last = t;
}

/* How long it has been ready to run and not on a CPU so far. */
static uint64_t waited(const struct actor *actor)
{
	char text[128] = "", *second;
	if (pread(actor->sched, text, sizeof text - 1, 0) < 0)
		perror("schedstat");
	strtoull(text, &second, 10);
	return strtoull(second, NULL, 10);
}

static void blocks(struct actor *actor)
{
	actor->waited = waited(actor);
	spent(actor, RUNNING);
}

/* The same as spent, less the time that it waited for a CPU meanwhile. */
static void blocked(struct actor *actor, enum what what)
{
	uint64_t before = actor->last;
	spent(actor, what);
	uint64_t whole = actor->last - before, ready = waited(actor) - actor->waited;
	ready = ready < whole ? ready : whole;
	__atomic_sub_fetch(&actor->spent[what], ready, __ATOMIC_RELAXED);
	__atomic_add_fetch(&actor->spent[RUNNING], ready, __ATOMIC_RELAXED);
	spent(actor, RUNNING);
}

static volatile uint64_t sink;
static void burn(uint64_t ns)
{
	for (uint64_t end = now() + ns; now() < end;)
		for (int i = 0; i < 2000; i++)
			sink = sink * 3 + 1;
}

FRAME void work_a(struct actor *actor) { burn(5 * MS + 130000); spent(actor, WORK_A); }
FRAME void work_b(struct actor *actor) { burn(3 * MS + 170000); spent(actor, WORK_B); }
FRAME void work_c(struct actor *actor) { burn(1 * MS + 190000); spent(actor, WORK_C); }

FRAME void sleeps(struct actor *actor, long ns)
{
	struct timespec t = { 0, ns };
	blocks(actor);
	nanosleep(&t, NULL);
	blocked(actor, NANOSLEEP);
}

FRAME void waits(struct actor *actor, uint64_t ns)
{
	static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
	static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
	struct timespec until;
	blocks(actor);
	clock_gettime(CLOCK_REALTIME, &until);
	ns += (uint64_t)until.tv_nsec;
	until.tv_sec += (time_t)(ns / 1000000000);
	until.tv_nsec = (long)(ns % 1000000000);
	pthread_mutex_lock(&mutex);
	pthread_cond_timedwait(&never, &mutex, &until);
	pthread_mutex_unlock(&mutex);
	blocked(actor, FUTEX);
}

FRAME void reads(struct actor *actor, int fd, long ns)
{
	struct itimerspec once = { .it_value = { 0, ns } };
	uint64_t times;
	blocks(actor);
	timerfd_settime(fd, 0, &once, NULL);
	if (read(fd, &times, sizeof times) != sizeof times)
		perror("read");
	blocked(actor, READ);
}

static void *act(void *with)
{
	struct actor *actor = with;
	int fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
	actor->sched = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
	prctl(PR_SET_NAME, actor->name);
	actor->last = now();
	for (;;) {
		if (actor == &actors[0]) {
			work_a(actor);
			work_b(actor);
			sleeps(actor, 2 * MS + 110000);
		} else if (actor == &actors[1]) {
			waits(actor, 7 * MS + 230000);
			sleeps(actor, 3 * MS + 310000);
		} else {
			reads(actor, fd, 9 * MS + 70000);
			work_c(actor);
		}
	}
	return NULL;
}

int main(void)
{
	char line[64];
	for (size_t i = 0; i < sizeof actors / sizeof *actors; i++) {
		pthread_t thread;
		if (pthread_create(&thread, NULL, act, &actors[i]))
			return 1;
	}
	while (fgets(line, sizeof line, stdin)) {
		for (size_t i = 0; i < sizeof actors / sizeof *actors; i++)
			for (int what = 0; what < WHATS; what++)
				printf("%s %s %llu\n", actors[i].name, names[what],
				       (unsigned long long)__atomic_load_n(&actors[i].spent[what], __ATOMIC_RELAXED));
		printf("end\n");
		fflush(stdout);
	}
	return 0;
}
