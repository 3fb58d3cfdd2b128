/* SPDX-License-Identifier: MIT */
/* What the sampler itself needs: CPU from two durations, memory from two looks while it runs. */
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "watch.h"

#define THREADS 64
#define SHORT_MS 500.0
#define LONG_MS 3000.0
#define ROUNDS 5
#define SETTLED_MS 1000.0       /* since then what grows is not its start */

struct cost { struct figure cpu_percent, kib; double whole_percent, samples, ticks; };     /* kib: for 100 samples */

static double field_kib(pid_t pid, const char *field)
{
	char path[64], line[256];
	double kib = -1;
	FILE *f;

	snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof line, f))
		if (!strncmp(line, field, strlen(field)))
			sscanf(line + strlen(field), "%lf", &kib);
	if (f)
		fclose(f);
	return kib;
}

static bool run_for(const struct tool *tool, pid_t target, double ms, struct ran *ran, double *grown_kib)
{
	uint64_t begun = clock_ns();
	int out;
	pid_t pid = tool_begin(tool, target, &out);
	double early, late;

	wait_ms(ms > SETTLED_MS ? SETTLED_MS : ms);
	early = field_kib(pid, "RssAnon:");
	wait_ms(ms > SETTLED_MS ? ms - SETTLED_MS - 100 : 0);
	late = field_kib(pid, "RssAnon:");
	*grown_kib = late - early;
	program_finish(pid, out, ran);
	ran->wall_ms = (double)(clock_ns() - begun) / 1e6;
	return ran->worked;
}

static bool measure_once(struct tool *tool, char *duration, pid_t target, struct cost *cost, double *cpu_percent,
			 double *kib)
{
	static struct ran ran;
	double cpu, grown, part = (LONG_MS - SETTLED_MS - 100) / LONG_MS;       /* between the two looks at its memory */

	snprintf(duration, 16, "%.0f", SHORT_MS);
	if (!run_for(tool, target, SHORT_MS, &ran, &grown))
		return false;
	cpu = ran.cpu_ms;
	snprintf(duration, 16, "%.0f", LONG_MS);
	if (!run_for(tool, target, LONG_MS, &ran, &grown))
		return false;
	*cpu_percent = 100 * (ran.cpu_ms - cpu) / (LONG_MS - SHORT_MS);
	cost->whole_percent = 100 * ran.cpu_ms / LONG_MS;
	cost->ticks = said_number(ran.said, "\"ticks\":");
	cost->samples = said_number(ran.said, "\"samples\":");
	*kib = grown / (cost->samples * part) * 100;
	return true;
}

static bool measure(struct tool *tool, char *duration, pid_t target, struct cost *cost)
{
	double cpu[ROUNDS], kib[ROUNDS];
	unsigned rounds = times(ROUNDS);

	tools_find(tool, 1);
	for (unsigned i = 0; i < rounds; i++)
		if (!measure_once(tool, duration, target, cost, &cpu[i], &kib[i]))
			return false;
	cost->cpu_percent = mean(cpu, rounds);
	cost->kib = mean(kib, rounds);
	return true;
}

/* CPU time of one short read for each thread, again and again: who looks at all threads does at least that. */
static double floor_percent(pid_t target, double rate)
{
	char path[64], text[512];
	int fd[THREADS];
	unsigned n = 0, ticks = 200;
	glob_t found;
	struct timespec begun, ended;

	snprintf(path, sizeof path, "/proc/%d/task/*/stat", (int)target);
	if (glob(path, 0, NULL, &found))
		return 0;
	for (; n < found.gl_pathc && n < THREADS; n++)
		fd[n] = open(found.gl_pathv[n], O_RDONLY | O_CLOEXEC);
	globfree(&found);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &begun);
	for (unsigned i = 0; i < ticks; i++)
		for (unsigned k = 0; k < n; k++)
			if (pread(fd[k], text, sizeof text, 0) <= 0)
				return 0;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ended);
	while (n)
		close(fd[--n]);
	return 100 * ((double)(ended.tv_sec - begun.tv_sec) + (double)(ended.tv_nsec - begun.tv_nsec) / 1e9) / ticks * rate;
}

static void measure_perf(const char *rate, const char *key, pid_t target)
{
	static struct ran ran;
	double cpu[2], percent[ROUNDS];
	unsigned rounds = times(ROUNDS);
	char seconds[2][16] = { "", "" };

	snprintf(seconds[0], 16, "%.1f", SHORT_MS / 1e3);
	snprintf(seconds[1], 16, "%.1f", LONG_MS / 1e3);
	for (unsigned i = 0; i < rounds; i++) {
		for (unsigned k = 0; k < 2; k++) {
			struct tool perf = { .argv = { "perf", "record", "-q", "-g", "-F", rate, "-o", "/dev/null", "-p", TOOL_PID, "--",
						       "sleep", seconds[k] } };
			const char *words[PROGRAM_WORDS];

			if (!program_find("perf", words))
				return;
			tools_find(&perf, 1);
			if (!tool_run(&perf, target, &ran))
				return (void)printf("%-36s did not work\n", "perf record -g");
			cpu[k] = ran.cpu_ms;
		}
		percent[i] = 100 * (cpu[1] - cpu[0]) / (LONG_MS - SHORT_MS);
	}
	struct figure figure = mean(percent, rounds);
	printf("%-36s %10.3f (perf record -g)\n", "", figure.value);
	figure_say("perf", figure, "%s", key);
}

static void print_cost(const char *name, const char *rate, const char *stacks, const struct watched *watched,
		       const char *key)
{
	char duration[16];
	struct tool tool = { .argv = { "roclatch", "sample", "--json", "--rate", rate, "--stacks", stacks, "--duration-msec",
				       duration, TOOL_PID } };
	struct cost cost = { .ticks = 0 };
	double floor = floor_percent(watched->pid, atof(rate));

	if (!measure(&tool, duration, watched->pid, &cost)) {
		printf("%-36s did not work\n", name);
		return;
	}
	printf("%-36s %10.3f %12.3f %8.0f %9.0f %14.3f %12.3f %10.3f\n", name, cost.cpu_percent.value, cost.whole_percent,
	       cost.ticks, cost.samples, cost.kib.value,
	       cost.cpu_percent.value / 100 * 1e6 / (cost.samples / (LONG_MS / 1e3)), floor);
	figure_say("roclatch", cost.cpu_percent, "cost.%s", key);
	figure_say("floor", exactly(floor), "cost.%s", key);
	figure_say("roclatch", cost.kib, "memory.%s", key);
	char of[64];
	snprintf(of, sizeof of, "cost.%s", key);
	measure_perf(rate, of, watched->pid);
}

void bench_cost(void)
{
	struct watched watched;

	printf("\nthe sampler itself, %u threads looked at, per cent of one CPU; floor: a read for each thread\n", THREADS);
	printf("%-36s %10s %12s %8s %9s %14s %12s %10s\n", "", "CPU %", "with start %", "ticks", "samples", "KiB/100 samples",
	       "us/sample", "floor %");
	if (watched_start(&watched, WATCHED_SLEEPS, THREADS) < 0)
		return;
	print_cost("asleep, 10 Hz", "10", "blocked", &watched, "asleep.10");
	print_cost("asleep, 100 Hz", "100", "blocked", &watched, "asleep.100");
	watched_end(&watched);
	if (watched_start(&watched, WATCHED_COMPUTES, THREADS) < 0)
		return;
	print_cost("computing, 10 Hz", "10", "blocked", &watched, "computing.10");
	print_cost("computing, 100 Hz", "100", "blocked", &watched, "computing.100");
	print_cost("computing, 100 Hz, --stacks all", "100", "all", &watched, "all.100");
	watched_end(&watched);
}
