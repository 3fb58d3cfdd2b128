/* SPDX-License-Identifier: MIT */
/*
 * watch --roclatch PATH [--pairs N] [PART...]: what watching costs.  PARTs are gaps, slowdown, cost, list,
 * stacks, wait; all without one.  More pairs tell a smaller slow-down.  Beside eu-stack, gdb, perf and ps where they are
 * installed; table.awk judges.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "watch.h"

static const struct part { const char *name; void (*run)(void); } parts[] = {
	{ "gaps", bench_gaps }, { "slowdown", bench_slowdown }, { "cost", bench_cost },
	{ "list", bench_list }, { "stacks", bench_stacks }, { "wait", bench_wait },
};

static bool is_wanted(const char *name, char **wanted)
{
	if (!*wanted)
		return true;
	for (; *wanted; wanted++)
		if (!strcmp(*wanted, name))
			return true;
	return false;
}

static void print_machine(void)
{
	struct utsname name;
	double load[3] = { 0 };

	uname(&name);
	getloadavg(load, 3);
	printf("watching: %ld CPUs, Linux %s %s, load %.2f\n", sysconf(_SC_NPROCESSORS_ONLN), name.release, name.machine, load[0]);
	if (load[0] > 1)
		printf("(others are at work on this machine: the figures are theirs, too)\n");
}

int main(int argc, char **argv)
{
	uint64_t begun = clock_ns();

	if (argc > 1 && !strcmp(argv[1], "--be"))
		return watched_main(argv + 2);
	if (argc < 3 || strcmp(argv[1], "--roclatch")) {
		fputs("usage: watch --roclatch PATH [--pairs N] [gaps|slowdown|cost|list|stacks|wait...]\n", stderr);
		return 2;
	}
	roclatch = realpath(argv[2], NULL);
	if (!roclatch) {
		perror(argv[2]);
		return 1;
	}
	argv += 3;
	if (argv[0] && argv[1] && !strcmp(argv[0], "--pairs")) {
		bench_pairs = (unsigned)strtoul(argv[1], NULL, 10);
		argv += 2;
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	print_machine();
	for (unsigned i = 0; i < sizeof parts / sizeof *parts; i++)
		if (is_wanted(parts[i].name, argv))
			parts[i].run();
	printf("\nmeasured in %.0f s\n", (double)(clock_ns() - begun) / 1e9);
	return 0;
}
