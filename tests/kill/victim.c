/* SPDX-License-Identifier: MIT */
/*
 * victim spinning|blocked FD: a program that notices when it is harmed.
 *
 * FD is the page of victim.h.  System calls are made raw and their results are
 * judged as they come: no library hides an EINTR.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "spin.h"
#include "victim.h"

/* Now and then who spins sleeps, for a hundredth of the time: Linux 6.18 may give one that never does all of a CPU, for minutes. */
#define ROUNDS_AWAKE 64
#define NAP_US 100

static struct victim *shown;
static int feed[2];
static __thread uint64_t local = 0x10ca1;       /* another TLS base shows as another value */

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* The functions to be called from outside. */
long victim_bump(long n)
{
	shown->begun++;
	shown->done++;
	return n + 1;
}

long victim_slow(long n)
{
	struct timespec t = { 0, 50000000 };

	shown->begun++;
	while (syscall(SYS_nanosleep, &t, &t) != 0)
		;
	shown->done++;
	return n + 1;
}

/* The same without a system call that sleeps. */
long victim_busy(long n)
{
	uint64_t end = now() + 20000000;

	shown->begun++;
	while (now() < end)
		;
	shown->done++;
	return n + 1;
}

/* Each thread has a mask of its own, so that one that was changed shows. */
static uint64_t set_mask(enum victim_kind kind)
{
	uint64_t mask = 1ull << (SIGUSR1 - 1) | 1ull << (SIGRTMIN + (int)kind - 1);

	syscall(SYS_rt_sigprocmask, SIG_SETMASK, &mask, NULL, 8);
	return mask;
}

static bool same_self(uint64_t mask)
{
	uint64_t is = 0;

	syscall(SYS_rt_sigprocmask, SIG_BLOCK, NULL, &is, 8);
	return is == mask && local == 0x10ca1;
}

static void spin_start(struct spin *s, uint64_t loops)
{
	memset(s, 0, sizeof *s);
	s->loops = loops;
	s->control = spin_control();
	s->wide = spin_wide();
	for (unsigned i = 0; i < 32; i++)
		s->general[i] = 0x9e3779b97f4a7c15u * (i + 1);
	for (unsigned i = 0; i < 32; i++)
		for (unsigned k = 0; k < 8; k++)
			s->vector[i][k] = 0xd1b54a32d192ed03u * (i * 8 + k + 1);
	for (unsigned i = 14; i < 32; i += i == 15 ? 15 : 1)
		for (unsigned k = 0; k < 8; k++)
			memcpy(&s->vector[i][k], &(double){ 1.0 / (i + k + 3) }, 8);
}

static void *spin(void *arg)
{
	struct victim_thread *me = arg;
	static struct spin want, got;
	uint64_t mask = set_mask(VICTIM_SPIN), loops = 1000, begin;

	/* Long enough that most interruptions fall into the loop: about 0.2 ms. */
	begin = now();
	spin_start(&want, loops);
	spin_round(&want);
	loops = loops * 200000 / (now() - begin + 1) + 100;
	spin_start(&want, loops);
	spin_round(&want);
	for (me->tid = gettid();; me->rounds++) {
		while (shown->rest)
			usleep(2000);
		if (me->rounds % ROUNDS_AWAKE == 0)
			usleep(NAP_US);
		spin_start(&got, loops);
		spin_round(&got);
		if (memcmp(&got, &want, sizeof got) != 0 || !same_self(mask))
			me->wrong++;
	}
	return NULL;
}

static long block(enum victim_kind kind, int epfd, unsigned char *byte)
{
	struct timespec t = { 0, VICTIM_BLOCK_NS };
	struct epoll_event event;
	static uint32_t word;

	switch (kind) {
	case VICTIM_NANOSLEEP:
		return syscall(SYS_nanosleep, &t, NULL);
	case VICTIM_FUTEX:
		return syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, &t, NULL, 0);
	case VICTIM_PPOLL:
		return syscall(SYS_ppoll, NULL, 0, &t, NULL, 8);
	case VICTIM_READ:
		return syscall(SYS_read, feed[0], byte, 1);
	case VICTIM_EPOLL:
		return syscall(SYS_epoll_pwait, epfd, &event, 1, (int)(VICTIM_BLOCK_NS / 1000000), NULL, 8);
	default:
		abort();
	}
}

/* What an undisturbed call of that kind answers. */
static bool as_expected(enum victim_kind kind, long result, int error, unsigned char byte, uint64_t round)
{
	switch (kind) {
	case VICTIM_FUTEX:
		return result == -1 && error == ETIMEDOUT;
	case VICTIM_READ:
		return result == 1 && byte == (unsigned char)round;
	default:
		return result == 0;
	}
}

static void *blocked(void *arg)
{
	struct victim_thread *me = arg;
	enum victim_kind kind = (enum victim_kind)(me - shown->thread);
	uint64_t mask = set_mask(kind);
	int epfd = epoll_create1(EPOLL_CLOEXEC);

	for (me->tid = gettid();; me->rounds++) {
		unsigned char byte = 0;
		uint64_t begin = now();
		long result = block(kind, epfd, &byte);
		int error = result == -1 ? errno : 0;
		uint64_t took = now() - begin;

		me->last_errno = error;
		if (error == EINTR)
			me->eintr++;
		else if (!as_expected(kind, result, error, byte, me->rounds) || !same_self(mask))
			me->wrong++;
		else if (kind != VICTIM_READ && took < VICTIM_BLOCK_NS)
			me->early++;
	}
	return NULL;
}

static void heartbeat(struct victim_thread *me)
{
	uint64_t mask = set_mask(VICTIM_BEAT);
	unsigned char byte = 0;

	me->tid = gettid();
	shown->ready = 1;
	for (;; me->rounds++) {
		struct timespec t = { 0, 1000000 };

		if (syscall(SYS_nanosleep, &t, NULL) != 0)
			me->eintr++;
		if (!same_self(mask))
			me->wrong++;
		if (me->rounds % 10 == 0 && shown->thread[VICTIM_READ].tid != 0 && write(feed[1], &byte, 1) == 1)
			byte++;
	}
}

static void begin(void *(*run)(void *), enum victim_kind kind)
{
	struct victim_thread *t = &shown->thread[kind];
	pthread_t id;

	if (pthread_create(&id, NULL, run, t) != 0)
		abort();
	while (t->tid == 0)
		usleep(100);
}

int main(int argc, char **argv)
{
	int fd = argc == 3 ? atoi(argv[2]) : -1;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	shown = mmap(NULL, sizeof *shown, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (shown == MAP_FAILED || pipe(feed) != 0)
		return 2;
	close(fd);
	if (strcmp(argv[1], "spinning") == 0)
		begin(spin, VICTIM_SPIN);
	else
		for (enum victim_kind kind = VICTIM_NANOSLEEP; kind <= VICTIM_EPOLL; kind++)
			begin(blocked, kind);
	heartbeat(&shown->thread[VICTIM_BEAT]);
	return 0;
}
