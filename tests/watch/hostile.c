// SPDX-License-Identifier: MIT
/*
 * hostile WHAT [N]: a process that is hard to look at.
 *   threads N     as many threads, asleep        mappings N   as many mappings
 *   names         threads, comm and program are called what a terminal would obey
 *   loops         frame pointers that lead to themselves; built without unwind tables, so that they are followed
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "record.h"

#define FRAME __attribute__((noinline, noclone))
#define HOSTILE "\033]0;owned\007\n\xff\xfe\xc2\x9b" "2J\r\\\"%s"

extern char **environ;
static struct record *record;

static void rest(void)
{
	while (!atomic_load(&record->stop))
		nanosleep(&(struct timespec){ .tv_nsec = 50000000 }, NULL);
}

static void *sleeps(void *name)
{
	if (name)
		prctl(PR_SET_NAME, name);
	atomic_fetch_add(&record->started, 1);
	for (;;)
		nanosleep(&(struct timespec){ .tv_sec = 100000 }, NULL);
	return NULL;
}

static int begin(void *(*work)(void *), void *with)
{
	pthread_attr_t small;
	pthread_t thread;

	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, PTHREAD_STACK_MIN);
	int rc = pthread_create(&thread, &small, work, with);
	pthread_attr_destroy(&small);
	return rc;
}

/* As many as there can be; how many is told. */
static void have_threads(uint32_t n)
{
	uint32_t i;

	for (i = 0; i < n && begin(sleeps, NULL) == 0; i++)
		;
	while (atomic_load(&record->started) < i)
		nanosleep(&(struct timespec){ .tv_nsec = 5000000 }, NULL);
}

/* Every second page is another kind, so that neighbours stay two. */
static void have_mappings(uint32_t n)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *all = mmap(NULL, n * page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	uint32_t i;

	for (i = 1; all != MAP_FAILED && i < n && mprotect(all + i * page, page, PROT_NONE) == 0; i += 2)
		;
	atomic_store(&record->started, i);
}

/* A program of that name, which has no place in any folder. */
static void become_hostile(char **argv)
{
	int self = open("/proc/self/exe", O_RDONLY | O_CLOEXEC), copy = memfd_create(HOSTILE, MFD_CLOEXEC);
	char buffer[65536];
	ssize_t n;

	while ((n = read(self, buffer, sizeof buffer)) > 0)
		if (write(copy, buffer, (size_t)n) != n)
			_exit(1);
	argv[1][0] = 'N';
	fexecve(copy, argv, environ);
	_exit(1);
}

static void have_names(void)
{
	static char names[][16] = { "\033[2J\033]0;y\007", "a\nb\rc\bd\x7f", "\xff\xfe\x80\xc0\xaf", "\xc2\x9b" "31m\xe2\x80\xae", "\\\"',:{}[]%s%n\t", "" };

	for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
		begin(sleeps, names[i]);
	while (atomic_load(&record->started) < sizeof names / sizeof *names)
		nanosleep(&(struct timespec){ .tv_nsec = 5000000 }, NULL);
	prctl(PR_SET_NAME, "\033[31m\n\xff(x) S 1 ");
}

/* A frame record is {caller's frame pointer, return address} on both CPUs. */
FRAME static void loop_and(void (*work)(void))
{
	void *volatile *mine = __builtin_frame_address(0);
	void *saved = mine[0];

	mine[0] = (void *)mine;
	work();
	mine[0] = saved;
}

static void waits(void)
{
	atomic_fetch_add(&record->started, 1);
	for (;;)
		nanosleep(&(struct timespec){ .tv_sec = 100000 }, NULL);
}

static void spins(void)
{
	atomic_fetch_add(&record->started, 1);
	while (!atomic_load(&record->stop))
		atomic_fetch_add(&record->spins, 1);
}

static void *loops(void *work)
{
	loop_and((void (*)(void))work);
	return NULL;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	uint32_t n = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : 0;

	record = mmap(NULL, sizeof *record, PROT_READ | PROT_WRITE, MAP_SHARED, RECORD_FD, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (record == MAP_FAILED)
		return 1;
	if (!strcmp(what, "threads")) {
		have_threads(n);
	} else if (!strcmp(what, "mappings")) {
		have_mappings(n);
	} else if (!strcmp(what, "names")) {
		become_hostile(argv);
	} else if (!strcmp(what, "Names")) {
		have_names();
	} else {
		begin(loops, (void *)waits);
		begin(loops, (void *)spins);
		while (atomic_load(&record->started) < 2)
			nanosleep(&(struct timespec){ .tv_nsec = 5000000 }, NULL);
	}
	atomic_store(&record->ready, 1);
	rest();
	_exit(42);
}
