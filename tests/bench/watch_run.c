/* SPDX-License-Identifier: MIT */
/* Running the tools, and what is counted of them. */
#include <fcntl.h>
#include <glob.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "watch.h"

const char *roclatch;

uint64_t clock_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

void wait_ms(double ms)
{
	struct timespec t = { (time_t)(ms / 1e3), (long)(ms * 1e6) % 1000000000 };

	nanosleep(&t, NULL);
}

static int upwards(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

double median(double *values, unsigned n)
{
	qsort(values, n, sizeof *values, upwards);
	return n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

void expected(const char *what, double is, double limit)
{
	printf("%-66s %10.3f  %s\n", what, is, is <= limit ? "yes" : "NO");
}

static bool look_in_path(const char *name, char *path, size_t size)
{
	char folders[4096];

	snprintf(folders, sizeof folders, "%s", getenv("PATH") ? getenv("PATH") : "/usr/bin:/bin");
	for (char *folder = strtok(folders, ":"); folder; folder = strtok(NULL, ":")) {
		snprintf(path, size, "%s/%s", folder, name);
		if (access(path, X_OK) == 0)
			return true;
	}
	return false;
}

/* The tests' eu-stack, which has a system of its own beside this program: its loader runs it. */
static bool look_beside(struct tool *tool)
{
	static char loader[512], libraries[512];
	char here[256], pattern[300];
	ssize_t n = readlink("/proc/self/exe", here, sizeof here - 1);
	glob_t found;

	if (n < 0 || strcmp(tool->argv[0], "eu-stack"))
		return false;
	here[n] = 0;
	*strrchr(here, '/') = 0;
	snprintf(tool->path, sizeof tool->path, "%s/watch/peer/eu-stack", here);
	snprintf(pattern, sizeof pattern, "%s/watch/peer/lib/ld-linux-*", here);
	if (access(tool->path, X_OK) || glob(pattern, 0, NULL, &found))
		return false;
	snprintf(loader, sizeof loader, "%s", found.gl_pathv[0]);
	globfree(&found);
	snprintf(libraries, sizeof libraries, "%s/watch/peer/lib", here);
	memmove(tool->argv + 4, tool->argv + 1, (TOOL_WORDS - 5) * sizeof *tool->argv);
	tool->argv[0] = loader;
	tool->argv[1] = "--library-path";
	tool->argv[2] = libraries;
	tool->argv[3] = tool->path;
	return true;
}

void tools_find(struct tool *tools, unsigned n)
{
	for (struct tool *tool = tools; tool < tools + n; tool++) {
		if (!tool->argv[0])
			continue;
		if (!strcmp(tool->argv[0], "roclatch"))
			snprintf(tool->path, sizeof tool->path, "%s", roclatch);
		else if (!look_in_path(tool->argv[0], tool->path, sizeof tool->path) && !look_beside(tool))
			tool->path[0] = 0;
		if (!tool->path[0])
			printf("%s is not installed\n", tool->argv[0]);
		else if (!strchr(tool->argv[0], '/'))
			tool->argv[0] = tool->path;
	}
}

pid_t tool_begin(const struct tool *tool, pid_t target, int *out)
{
	const char *argv[TOOL_WORDS];
	char number[16];
	pid_t pid;

	if (out)
		*out = memfd_create("said", MFD_CLOEXEC);
	snprintf(number, sizeof number, "%d", (int)target);
	for (unsigned i = 0; i < TOOL_WORDS; i++)
		argv[i] = tool->argv[i] && !strcmp(tool->argv[i], TOOL_PID) ? number : tool->argv[i];
	pid = fork();
	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	int null = open("/dev/null", O_RDWR);
	dup2(null, 0);
	dup2(out ? *out : null, 1);
	dup2(null, 2);
	execv(argv[0], (char *const *)argv);
	_exit(127);
}

bool tool_finish(pid_t pid, int out, struct ran *ran)
{
	struct rusage used;
	int status;
	ssize_t n = 0;

	if (pid < 0 || wait4(pid, &status, 0, &used) != pid)
		return false;
	ran->cpu_ms = (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1e3 +
		      (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e3;
	ran->peak_kib = used.ru_maxrss;
	if (out >= 0) {
		n = pread(out, ran->said, sizeof ran->said - 1, 0);
		close(out);
	}
	ran->said[n > 0 ? n : 0] = 0;
	ran->worked = WIFEXITED(status) && WEXITSTATUS(status) == 0;
	return ran->worked;
}

bool tool_run(const struct tool *tool, pid_t target, struct ran *ran)
{
	uint64_t begun = clock_ns();
	int out;
	pid_t pid = tool_begin(tool, target, &out);
	bool worked = tool_finish(pid, out, ran);

	ran->wall_ms = (double)(clock_ns() - begun) / 1e6;
	return worked;
}

double said_number(const char *said, const char *key)
{
	const char *at = strstr(said, key);

	return at ? strtod(at + strlen(key), NULL) : -1;
}
