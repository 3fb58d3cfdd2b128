// SPDX-License-Identifier: MIT
/*
 * shares: threads that spend measured shares of their time in known functions and blocked in known system calls.
 * What a call takes of a CPU, and the time that a thread waits for one, it is in the call still, but runs as its kernel
 * sees it: "running".
 * shares TIMES: each stretch is so many times as long, for a machine on which a system call takes long.
 * For each line on stdin the times so far are printed, in nanoseconds, a line for each: "THREAD WHAT NS WAITED", where
 * WAITED is how long the thread waited for a CPU when it was woken in that call: "running" has it.
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

static uint64_t times = 1;

enum what { WORK_A, WORK_B, WORK_C, NANOSLEEP, FUTEX, READ, RUNNING, WHATS };
static const char *const names[] = { "work_a", "work_b", "work_c", "clock_nanosleep", "futex", "read", "running" };

struct ready { uint64_t ran, waited; };         /* on a CPU; ready, without one */
struct actor { const char *name; uint64_t spent[WHATS], waited[WHATS], last; struct ready before; int sched; };
static struct actor actors[] = { { .name = "mixes" }, { .name = "waits" }, { .name = "reads" } };
#define ACTORS (sizeof actors / sizeof *actors)

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec t;
	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static uint64_t now(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

/* All that has passed since the last call was spent so. */
static void spent(struct actor *actor, enum what what)
{
	uint64_t t = now();
	__atomic_add_fetch(&actor->spent[what], t - actor->last, __ATOMIC_RELAXED);
	actor->last = t;
}

/* How long it has been ready to run so far. */
static struct ready ready(const struct actor *actor)
{
	char text[128] = "", *second;
	if (pread(actor->sched, text, sizeof text - 1, 0) < 0)
		perror("schedstat");
	strtoull(text, &second, 10);
	return (struct ready){ clock_ns(CLOCK_THREAD_CPUTIME_ID), strtoull(second, NULL, 10) };
}

static void blocks(struct actor *actor)
{
	actor->before = ready(actor);
	spent(actor, RUNNING);
}

/* The same as spent, less the time that it ran meanwhile. */
static void blocked(struct actor *actor, enum what what)
{
	uint64_t before = actor->last;
	spent(actor, what);
	uint64_t whole = actor->last - before;
	struct ready after = ready(actor);
	uint64_t waited = after.waited - actor->before.waited, ran = after.ran - actor->before.ran + waited;
	ran = ran < whole ? ran : whole;
	__atomic_sub_fetch(&actor->spent[what], ran, __ATOMIC_RELAXED);
	__atomic_add_fetch(&actor->spent[RUNNING], ran, __ATOMIC_RELAXED);
	__atomic_add_fetch(&actor->waited[what], waited < ran ? waited : ran, __ATOMIC_RELAXED);
	spent(actor, RUNNING);
}

static volatile uint64_t sink;
static void burn(uint64_t ns)
{
	for (uint64_t end = now() + times * ns; now() < end;)
		for (int i = 0; i < 2000; i++)
			sink = sink * 3 + 1;
}

FRAME void work_a(struct actor *actor) { burn(5 * MS + 130000); spent(actor, WORK_A); }
FRAME void work_b(struct actor *actor) { burn(3 * MS + 170000); spent(actor, WORK_B); }
FRAME void work_c(struct actor *actor) { burn(1 * MS + 190000); spent(actor, WORK_C); }

FRAME void sleeps(struct actor *actor, uint64_t ns)
{
	struct timespec t = { 0, (long)(times * ns) };
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
	ns = times * ns + (uint64_t)until.tv_nsec;
	until.tv_sec += (time_t)(ns / 1000000000);
	until.tv_nsec = (long)(ns % 1000000000);
	pthread_mutex_lock(&mutex);
	pthread_cond_timedwait(&never, &mutex, &until);
	pthread_mutex_unlock(&mutex);
	blocked(actor, FUTEX);
}

FRAME void reads(struct actor *actor, int fd, uint64_t ns)
{
	struct itimerspec once = { .it_value = { 0, (long)(times * ns) } };
	uint64_t ticks;
	blocks(actor);
	timerfd_settime(fd, 0, &once, NULL);
	if (read(fd, &ticks, sizeof ticks) != sizeof ticks)
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

static void tell(const struct actor *actor)
{
	for (int what = 0; what < WHATS; what++)
		printf("%s %s %llu %llu\n", actor->name, names[what],
		       (unsigned long long)__atomic_load_n(&actor->spent[what], __ATOMIC_RELAXED),
		       (unsigned long long)__atomic_load_n(&actor->waited[what], __ATOMIC_RELAXED));
}

int main(int argc, char **argv)
{
	char line[64];
	if (argc > 1)
		times = strtoull(argv[1], NULL, 10);
	for (size_t i = 0; i < ACTORS; i++) {
		pthread_t thread;
		if (pthread_create(&thread, NULL, act, &actors[i]))
			return 1;
	}
	while (fgets(line, sizeof line, stdin)) {
		for (size_t i = 0; i < ACTORS; i++)
			tell(&actors[i]);
		printf("end\n");
		fflush(stdout);
	}
	return 0;
}
