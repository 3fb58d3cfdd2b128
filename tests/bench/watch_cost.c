/* SPDX-License-Identifier: MIT */
/* What the sampler itself needs: CPU from two durations, memory from two looks while it runs. */
#include <stdio.h>
#include <string.h>

#include "watch.h"

#define THREADS 64
#define SHORT_MS 500.0
#define LONG_MS 3000.0
#define SETTLED_MS 1000.0       /* since then what grows is not its start */

struct cost { double cpu_percent, whole_percent, grown_kib, samples, ticks; };

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
	tool_finish(pid, out, ran);
	ran->wall_ms = (double)(clock_ns() - begun) / 1e6;
	return ran->worked;
}

static bool measure(const char *rate, const char *stacks, pid_t target, struct cost *cost)
{
	static struct ran ran;
	char duration[16];
	struct tool tool = { .argv = { "roclatch", "sample", "--json", "--rate", rate, "--stacks", stacks, "--duration-msec",
				       duration, TOOL_PID } };
	double cpu, nothing;

	tools_find(&tool, 1);
	snprintf(duration, sizeof duration, "%.0f", SHORT_MS);
	if (!run_for(&tool, target, SHORT_MS, &ran, &nothing))
		return false;
	cpu = ran.cpu_ms;
	snprintf(duration, sizeof duration, "%.0f", LONG_MS);
	if (!run_for(&tool, target, LONG_MS, &ran, &cost->grown_kib))
		return false;
	cost->cpu_percent = 100 * (ran.cpu_ms - cpu) / (LONG_MS - SHORT_MS);
	cost->whole_percent = 100 * ran.cpu_ms / LONG_MS;
	cost->ticks = said_number(ran.said, "\"ticks\":");
	cost->samples = said_number(ran.said, "\"samples\":");
	return true;
}

static struct cost print_cost(const char *name, const char *rate, const char *stacks, const struct watched *watched)
{
	struct cost cost = { 0 };
	double part = (LONG_MS - SETTLED_MS - 100) / LONG_MS;     /* between the two looks at its memory */

	if (!measure(rate, stacks, watched->pid, &cost)) {
		printf("%-36s did not work\n", name);
		return cost;
	}
	printf("%-36s %10.3f %12.3f %8.0f %9.0f %12.0f %14.3f %12.3f\n", name, cost.cpu_percent, cost.whole_percent, cost.ticks,
	       cost.samples, cost.grown_kib, cost.grown_kib / (cost.samples * part) * 100,
	       cost.cpu_percent / 100 * 1e6 / (cost.samples / (LONG_MS / 1e3)));
	return cost;
}

void bench_cost(void)
{
	struct watched watched;
	struct cost slow, fast;

	printf("\nthe sampler itself, %u threads looked at, per cent of one CPU\n", THREADS);
	printf("%-36s %10s %12s %8s %9s %12s %14s %12s\n", "", "CPU %", "with start %", "ticks", "samples", "grown KiB",
	       "KiB/100 samples", "us/sample");
	if (watched_start(&watched, WATCHED_SLEEPS, THREADS) < 0)
		return;
	slow = print_cost("asleep, 10 Hz", "10", "blocked", &watched);
	fast = print_cost("asleep, 100 Hz", "100", "blocked", &watched);
	watched_end(&watched);
	expected("expected: at 10 Hz at most 0.25 % of a CPU", slow.cpu_percent, 0.25);
	expected("expected: at 100 Hz at most 2.5 % of a CPU", fast.cpu_percent, 2.5);
	if (watched_start(&watched, WATCHED_COMPUTES, THREADS) < 0)
		return;
	print_cost("computing, 10 Hz", "10", "blocked", &watched);
	print_cost("computing, 100 Hz", "100", "blocked", &watched);
	print_cost("computing, 100 Hz, --stacks all", "100", "all", &watched);
	watched_end(&watched);
}
