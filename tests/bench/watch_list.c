/* SPDX-License-Identifier: MIT */
/* How long it takes to list 5,000 processes. */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "watch.h"

#define PROCESSES 5000
#define RUNS 15

static struct tool tools[] = {
	{ .name = "roclatch list", .argv = { "roclatch", "list" } },
	{ .name = "roclatch list --all", .argv = { "roclatch", "list", "--all" } },
	{ .name = "ps -e", .who = "ps", .argv = { "ps", "-e" } },
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

static struct figure measure(const struct tool *tool)
{
	static struct ran ran;
	double wall[RUNS], cpu[RUNS];
	unsigned runs = times(RUNS);
	struct figure figure;

	for (unsigned i = 0; i < runs; i++) {
		if (!tool_run(tool, 0, &ran)) {
			printf("%-28s did not work\n", tool->name);
			return (struct figure){ 0 };
		}
		wall[i] = ran.wall_ms;
		cpu[i] = ran.cpu_ms;
	}
	figure = middle(wall, runs);
	printf("%-28s %12.1f %12.1f %12.0f\n", tool->name, figure.value, middle(cpu, runs).value, ran.peak_kib);
	return figure;
}

/* One short read of each process. */
static struct figure measure_floor(void)
{
	double wall[RUNS];
	unsigned runs = times(RUNS);

	for (unsigned i = 0; i < runs; i++) {
		uint64_t begun = clock_ns();
		DIR *proc = opendir("/proc");
		struct dirent *entry;
		char path[300], text[512];

		while (proc && (entry = readdir(proc))) {
			snprintf(path, sizeof path, "%s/stat", entry->d_name);
			int fd = *entry->d_name >= '1' && *entry->d_name <= '9' ? openat(dirfd(proc), path, O_RDONLY | O_CLOEXEC) : -1;

			if (fd >= 0 && read(fd, text, sizeof text) >= 0)
				close(fd);
		}
		closedir(proc);
		wall[i] = (double)(clock_ns() - begun) / 1e6;
	}
	struct figure figure = middle(wall, runs);
	printf("%-28s %12.1f\n", "one read of each", figure.value);
	return figure;
}

void bench_list(void)
{
	struct figure figure[TOOLS] = { { 0 } }, floor;
	unsigned n = fork_many();

	printf("\nlisting %u processes more than were here, medians of %u\n", n, times(RUNS));
	tools_find(tools, TOOLS);
	printf("%-28s %12s %12s %12s\n", "", "wall ms", "CPU ms", "peak KiB");
	for (unsigned i = 0; i < TOOLS; i++)
		if (tools[i].there)
			figure[i] = measure(&tools[i]);
	floor = measure_floor();
	end_many(n);
	for (unsigned i = 0; i < 2; i++) {
		figure_say("roclatch", figure[i], i ? "list.all" : "list.gpu");
		figure_say("floor", floor, i ? "list.all" : "list.gpu");
		if (figure[2].runs)
			figure_say("ps", figure[2], i ? "list.all" : "list.gpu");
	}
}
