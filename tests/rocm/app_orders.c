// SPDX-License-Identifier: MIT
/* Stands in for a program that uses ROCm: what it is told to do; see app.h. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "app.h"
#include "runtime.h"

#define READY_MS 10000

/* Goes on computing with HIP, on its only thread, until its parent ends. */
static void go_on_alone(void)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;) {
		void *memory = NULL;

		if (app_uses_hip() && (hipMalloc(&memory, 64) || hipFree(memory)))
			_exit(1);
		usleep(2000);
	}
}

/* With a record and a socket of its own; the other end stays open in the parent. */
static void become_anew(int record, int socket, bool plain)
{
	char name[] = "rocm-app", state[] = "ready", workers[] = "threads=1";
	char *argv[] = { name, state, workers, NULL };

	if (dup2(record, RECORD_FD) < 0 || dup2(socket, WAKE_FD) < 0)
		_exit(120);
	if (plain)
		unsetenv("ROCP_TOOL_ATTACH");
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	execve("./rocm-app", argv, environ);
	_exit(121);
}

static int child_anew(bool plain)
{
	int memory = memfd_create("record", MFD_CLOEXEC), pair[2] = { -1, -1 }, pid = -1;
	struct record *record;

	if (memory < 0 || ftruncate(memory, sizeof(*record)) || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair))
		return -1;
	record = mmap(NULL, sizeof(*record), PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0);
	if (record == MAP_FAILED)
		return -1;
	pid = fork();
	if (!pid)
		become_anew(memory, pair[1], plain);
	for (unsigned ms = 0; pid > 0 && !atomic_load(&record->ready) && ms < READY_MS; ms++)
		usleep(1000);
	if (!atomic_load(&record->ready))
		return -1;
	close(pair[1]);
	return pid;
}

int app_child(bool exec, bool plain)
{
	int pid;

	if (exec)
		return child_anew(plain);
	pid = fork();
	if (!pid)
		go_on_alone();
	return pid;
}

static void obey_children(const char *line, char *answer)
{
	int pid = app_child(strcmp(line, "fork"), !strcmp(line, "exec-plain"));

	snprintf(answer, ANSWER - 1, "%d", pid);
}

void app_obey(char *line, char *answer)
{
	const char *value;
	char *equal;

	if (!strncmp(line, "env ", 4)) {
		value = getenv(line + 4);
		snprintf(answer, ANSWER - 1, "%s", value ? value : "(null)");
	} else if (!strncmp(line, "set ", 4) && (equal = strchr(line, '='))) {
		*equal = 0;
		snprintf(answer, ANSWER - 1, "%d", setenv(line + 4, equal + 1, 1));
	} else if (!strncmp(line, "unset ", 6)) {
		snprintf(answer, ANSWER - 1, "%d", unsetenv(line + 6));
	} else if (!strcmp(line, "fork") || !strcmp(line, "exec") || !strcmp(line, "exec-plain")) {
		obey_children(line, answer);
	} else if (!strcmp(line, "become")) {
		if (write(WAKE_FD, "0\n", 2) == 2)
			become_anew(RECORD_FD, WAKE_FD, false);
	} else if (!strncmp(line, "forks ", 6)) {
		snprintf(answer, ANSWER - 1, "%u", app_forks((unsigned)atoi(line + 6)));
	} else if (!strncmp(line, "load ", 5)) {
		snprintf(answer, ANSWER - 1, "%s", dlopen(line + 5, RTLD_LAZY | RTLD_LOCAL) ? "0" : dlerror());
	} else if (!strncmp(line, "exit ", 5)) {
		exit(atoi(line + 5));
	} else if (!strcmp(line, "init")) {
		strcpy(answer, "0");
	} else if (!app_work(line, answer)) {
		app_register(line, answer);
	}
}
