/* SPDX-License-Identifier: MIT */
/* How long it takes to list 5,000 processes. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "watch.h"

#define PROCESSES 5000
#define RUNS 3

static struct tool tools[] = {
	{ .name = "roclatch list", .argv = { "roclatch", "list" } },
	{ .name = "roclatch list --all", .argv = { "roclatch", "list", "--all" } },
	{ .name = "ps -e", .argv = { "ps", "-e" } },
	{ .name = "ps -eLf", .argv = { "ps", "-eLf" } },
};
enum { TOOLS = sizeof tools / sizeof *tools };

static pid_t children[PROCESSES];

static unsigned fork_many(void)
{
	pid_t parent = getpid();

	for (unsigned i = 0; i < PROCESSES; i++) {
		children[i] = fork();
		if (children[i] < 0)
			return i;
		if (children[i] == 0) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			while (getppid() == parent)
				sleep(1000);
			_exit(0);
		}
	}
	return PROCESSES;
}

static void end_many(unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		kill(children[i], SIGKILL);
	for (unsigned i = 0; i < n; i++)
		waitpid(children[i], NULL, 0);
}

static double measure(const struct tool *tool)
{
	static struct ran ran;
	double wall[RUNS], cpu[RUNS], middle;

	for (unsigned i = 0; i < RUNS; i++) {
		if (!tool_run(tool, 0, &ran)) {
			printf("%-28s did not work\n", tool->name);
			return -1;
		}
		wall[i] = ran.wall_ms;
		cpu[i] = ran.cpu_ms;
	}
	middle = median(wall, RUNS);
	printf("%-28s %12.1f %12.1f %12ld\n", tool->name, middle, median(cpu, RUNS), ran.peak_kib);
	return middle;
}

void bench_list(void)
{
	double wall[TOOLS];
	unsigned n = fork_many();

	printf("\nlisting %u processes more than were here, medians of %u\n", n, RUNS);
	tools_find(tools, TOOLS);
	printf("%-28s %12s %12s %12s\n", "", "wall ms", "CPU ms", "peak KiB");
	for (unsigned i = 0; i < TOOLS; i++)
		wall[i] = tools[i].path[0] ? measure(&tools[i]) : -1;
	if (wall[1] > 0 && wall[2] > 0)
		printf("%-28s %11.2fx\n", "ps -e / roclatch list --all", wall[2] / wall[1]);
	end_many(n);
}
