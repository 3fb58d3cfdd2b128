// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "state.h"

#include <dirent.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report.h"

extern char **environ;

static unsigned entries(const char *path)
{
	unsigned n = 0;
	DIR *dir = opendir(path);

	while (dir && readdir(dir))
		n++;
	if (dir)
		closedir(dir);
	return n;
}

static char *join_environment(void)
{
	size_t size = 1, used = 0;

	for (char **at = environ; *at; at++)
		size += strlen(*at) + 1;
	char *text = calloc(1, size);
	for (char **at = environ; *at; at++)
		used += (size_t)sprintf(text + used, "%s\n", *at);
	return text;
}

struct state look(void)
{
	struct state state;
	sigset_t mask;

	memset(&state, 0, sizeof(state));
	for (int i = 1; i < SIGNALS; i++) {
		struct sigaction action;

		if (sigaction(i, NULL, &action))
			continue;
		state.action[i].handler = (void *)(uintptr_t)action.sa_handler;
		state.action[i].flags = action.sa_flags;
	}
	pthread_sigmask(SIG_SETMASK, NULL, &mask);
	memcpy(state.mask, &mask, KERNEL_MASK);
	state.files = entries("/proc/self/fd");
	state.threads = entries("/proc/self/task");
	state.priority = getpriority(PRIO_PROCESS, 0);
	state.environment = join_environment();
	if (!getcwd(state.folder, sizeof(state.folder)))
		state.folder[0] = 0;
	state.umask = umask(022);
	umask(state.umask);
	return state;
}

void expect_same(struct state *before, struct state *after)
{
	/* a thread that was joined can still be seen for a moment */
	for (int i = 0; i < 200 && after->threads > before->threads; i++) {
		usleep(10000);
		after->threads = entries("/proc/self/task");
	}
	for (int i = 1; i < SIGNALS; i++)
		check(before->action[i].handler == after->action[i].handler && before->action[i].flags == after->action[i].flags,
		      "signal %d is handled otherwise", i);
	check(!memcmp(before->mask, after->mask, KERNEL_MASK), "the signal mask has changed");
	equal(before->files, after->files);
	equal(before->threads, after->threads);
	equal(before->priority, after->priority);
	equal(before->umask, after->umask);
	check(!strcmp(before->environment, after->environment), "the environment has changed");
	check(!strcmp(before->folder, after->folder), "the folder has changed");
	free(before->environment);
	free(after->environment);
}
