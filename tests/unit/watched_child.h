/* SPDX-License-Identifier: MIT */
/* Children whose threads do known things, for tests of inject/watch. */
#ifndef ROCLATCH_TESTS_WATCHED_CHILD_H
#define ROCLATCH_TESTS_WATCHED_CHILD_H

#include <dirent.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/syscall.h>

#include "live_target.h"

/* Memory that a child tells us by. */
struct shared {
	volatile pid_t tid[8];
	volatile int result, error, handled;
	volatile uint64_t count, from_ns, to_ns;
	volatile int go;
};
static struct shared *shared;

static inline pid_t own_tid(void)
{
	return (pid_t)syscall(SYS_gettid);
}

static inline void begin_thread(void *(*body)(void *), void *arg)
{
	pthread_t thread;
	pthread_attr_t attr;
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 32768);
	if (pthread_create(&thread, &attr, body, arg) != 0)
		_exit(97);
	pthread_detach(thread);
}

static inline void *spin(void *slot)
{
	if (slot)
		*(volatile pid_t *)slot = own_tid();
	for (;;)
		shared->count++;
	return NULL;
}

static inline void *sleep_long(void *slot)
{
	if (slot)
		*(volatile pid_t *)slot = own_tid();
	for (;;)
		nap_ms(60000);
	return NULL;
}

/* A crowd of threads of which at most 200 live at a time. */
#define CROWD 2000
static inline void *live_shortly(void *arg)
{
	(void)arg;
	nap_ms(5 + own_tid() % 40);
	__atomic_add_fetch(&shared->count, 1, __ATOMIC_RELAXED);
	return NULL;
}

static inline void come_and_go(void)
{
	for (uint64_t begun = 0; begun < CROWD; begun++) {
		while (begun - shared->count > 200)
			nap_ms(1);
		begin_thread(live_shortly, NULL);
	}
	while (shared->count < CROWD)
		nap_ms(1);
	shared->go = 1;
	for (;;)
		pause();
}

static inline int count_own_fds(void)
{
	int n = 0;
	DIR *folder = opendir("/proc/self/fd");
	while (readdir(folder))
		n++;
	closedir(folder);
	return n;
}

static inline unsigned count_threads(pid_t pid)
{
	struct proc_status status;
	return proc_status(pid, 0, &status, NULL) == 0 ? status.threads : 0;
}

/* The child has its time; what does not come at all is an error. */
#define WAIT_FOR(condition) \
	do { \
		bool come = false; \
		for (int tries = 0; !(come = (condition)) && tries < 20000; tries++) \
			nap_ms(1); \
		TEST_ASSERT_TRUE_MESSAGE(come, "waited in vain: " #condition); \
	} while (0)

#endif
