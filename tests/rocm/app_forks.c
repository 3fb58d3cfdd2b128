// SPDX-License-Identifier: MIT
/* Stands in for a program that uses ROCm: children that are forked while every thread is traced. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app.h"
#include "runtime.h"

#define CALLS 20
#define CHILD_MS 20000

static void (*push)(const char *), (*pop)(void);
static atomic_bool enough;

static void *emit(void *unused)
{
	char answer[ANSWER];

	while (!atomic_load(&enough))
		app_tell_sdk("emit-for 200 8", answer);
	return unused;
}

static void call_and_exit(void)
{
	for (unsigned i = 0; i < CALLS; i++) {
		void *memory = NULL;

		push("in the child");
		if (hipMalloc(&memory, 64) || hipFree(memory))
			_exit(1);
		pop();
	}
	exit(0);
}

/* Where each of its threads stands, for whoever wants to know why it does not end. */
static void tell(pid_t child)
{
	static const char *const facts[] = { "comm", "syscall", "wchan", "schedstat" };
	char path[64], text[256];

	for (pid_t tid = child; tid < child + 8; tid++)
		for (unsigned i = 0; i < sizeof facts / sizeof *facts; i++) {
			snprintf(path, sizeof path, "/proc/%d/task/%d/%s", child, tid, facts[i]);
			FILE *file = fopen(path, "r");
			if (file && fgets(text, sizeof text, file))
				fprintf(stderr, "child %d, thread %d: %s: %s\n", child, tid, facts[i], text);
			if (file)
				fclose(file);
		}
}

static bool ends_well(pid_t child)
{
	int status = -1;

	for (unsigned ms = 0; ms < CHILD_MS; ms++) {
		if (waitpid(child, &status, WNOHANG) == child)
			return !status;
		usleep(1000);
	}
	tell(child);
	kill(child, SIGKILL);
	waitpid(child, &status, 0);
	return false;
}

unsigned app_forks(unsigned n)
{
	pthread_t thread;
	unsigned well = 0;

	*(void **)&push = dlsym(RTLD_DEFAULT, "sdk_marker_push");
	*(void **)&pop = dlsym(RTLD_DEFAULT, "sdk_marker_pop");
	atomic_store(&enough, false);
	if (!push || !pop || pthread_create(&thread, NULL, emit, NULL))
		return 0;
	usleep(20000);
	for (unsigned i = 0; i < n; i++) {
		pid_t child = fork();

		if (!child)
			call_and_exit();
		if (!ends_well(child))
			break;          /* the next will not fare better */
		well++;
	}
	atomic_store(&enough, true);
	pthread_join(thread, NULL);
	return well;
}
