/* SPDX-License-Identifier: MIT */
#include "measure.h"

#include <fcntl.h>
#include <glob.h>
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

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

unsigned times(unsigned often)
{
	if (!getenv("BENCH_QUICK"))
		return often;
	return often < 20 ? often < 3 ? often : 3 : often / 5;
}

static int upwards(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

struct figure middle(double *values, unsigned n)
{
	/* ranks between which the true median lies in 95 of 100 cases: the binomial distribution, as a normal one */
	double reach = 0.98 * sqrt(n);
	long low = lround(floor((n - 1) / 2.0 - reach)), high = lround(ceil((n - 1) / 2.0 + reach));

	qsort(values, n, sizeof *values, upwards);
	low = low < 0 ? 0 : low;
	high = high >= (long)n ? (long)n - 1 : high;
	return (struct figure){ (values[(n - 1) / 2] + values[n / 2]) / 2, (values[high] - values[low]) / 2, n };
}

struct figure mean(const double *values, unsigned n)
{
	struct figure result = { .runs = n };
	double squares = 0;

	for (unsigned i = 0; i < n; i++)
		result.value += values[i] / n;
	for (unsigned i = 0; i < n; i++)
		squares += (values[i] - result.value) * (values[i] - result.value);
	result.error = n > 1 ? 2 * sqrt(squares / (n - 1) / n) : fabs(result.value);
	return result;
}

struct figure exactly(double value)
{
	return (struct figure){ value, 0, 1 };
}

void figure_say(const char *who, struct figure figure, const char *key, ...)
{
	const char *path = getenv("BENCH_FIGURES");
	FILE *to = path ? fopen(path, "ae") : stdout;
	va_list words;

	if (!to)
		return perror(path);
	fputs("@figure ", to);
	va_start(words, key);
	vfprintf(to, key, words);
	va_end(words);
	fprintf(to, " %s %.6g %.3g %u\n", who, figure.value, figure.error, figure.runs);
	if (to != stdout)
		fclose(to);
}

static bool find_in_path(const char *name, char *path, size_t size)
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

unsigned program_find(const char *name, const char *words[PROGRAM_WORDS])
{
	const char *peers = getenv("BENCH_PEERS");
	char path[4096];
	glob_t found;

	if (strchr(name, '/') || find_in_path(name, path, sizeof path)) {
		words[0] = strdup(strchr(name, '/') ? name : path);
		return access(words[0], X_OK) == 0;
	}
	snprintf(path, sizeof path, "%s/%s", peers ? peers : ".", name);
	if (!peers || access(path, X_OK))
		return 0;
	words[3] = strdup(path);
	snprintf(path, sizeof path, "%s/lib", peers);
	words[2] = strdup(path);
	snprintf(path, sizeof path, "%s/lib/ld-linux-*", peers);
	if (glob(path, 0, NULL, &found))
		return 0;
	words[0] = strdup(found.gl_pathv[0]);
	words[1] = "--library-path";
	globfree(&found);
	return 4;
}

pid_t program_begin(const char *const argv[], int *out)
{
	pid_t pid;

	if (out)
		*out = memfd_create("said", MFD_CLOEXEC);
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

bool program_finish(pid_t pid, int out, struct ran *ran)
{
	struct rusage used;
	int status;
	ssize_t n = 0;

	ran->worked = false;
	ran->status = -1;
	if (pid < 0 || wait4(pid, &status, 0, &used) != pid)
		return false;
	ran->cpu_ms = (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1e3 +
		      (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e3;
	ran->peak_kib = (double)used.ru_maxrss;
	if (out >= 0) {
		n = pread(out, ran->said, sizeof ran->said - 1, 0);
		close(out);
	}
	ran->said[n > 0 ? n : 0] = 0;
	ran->status = WIFEXITED(status) ? WEXITSTATUS(status) : 128;
	ran->worked = ran->status == 0;
	return ran->worked;
}

bool program_run(const char *const argv[], struct ran *ran)
{
	uint64_t begun = clock_ns();
	int out;
	pid_t pid = program_begin(argv, &out);
	bool worked = program_finish(pid, out, ran);

	ran->wall_ms = (double)(clock_ns() - begun) / 1e6;
	return worked;
}
