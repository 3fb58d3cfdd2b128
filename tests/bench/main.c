/* SPDX-License-Identifier: MIT */
/*
 * bench ROCLATCH SMALL LARGE: the table that ./build.sh bench prints.
 * SMALL and LARGE are builds of beat.c without and with 192 libraries.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tool.h"

enum { NOTHING, FRESH, BORROWED, GDB, LLDB, EU_STACK, TOOLS };

static int target_start(struct target *target, const char *program)
{
	int fd = memfd_create("beat", 0);
	char number[16];

	if (fd < 0 || ftruncate(fd, (off_t)sizeof *target->shown) != 0)
		return -1;
	target->shown = mmap(NULL, sizeof *target->shown, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (target->shown == MAP_FAILED)
		return -1;
	snprintf(number, sizeof number, "%d", fd);
	target->pid = fork();
	if (target->pid == 0) {
		execl(program, program, number, (char *)NULL);
		_exit(127);
	}
	close(fd);
	for (unsigned i = 0; i < 2000 && target->shown->ready < BEAT_THREADS; i++)
		usleep(5000);
	return target->shown->ready == BEAT_THREADS ? 0 : -1;
}

static void target_end(struct target *target)
{
	kill(target->pid, SIGKILL);
	waitpid(target->pid, NULL, 0);
	munmap(target->shown, sizeof *target->shown);
}

static unsigned libraries(pid_t pid)
{
	char path[64], line[1024], last[1024] = "";
	unsigned n = 0;
	FILE *f;

	snprintf(path, sizeof path, "/proc/%d/maps", (int)pid);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof line, f)) {
		const char *name = strchr(line, '/');

		if (name && strstr(name, ".so") && strcmp(name, last) != 0) {
			snprintf(last, sizeof last, "%s", name);
			n++;
		}
	}
	if (f)
		fclose(f);
	return n;
}

static void print_tool(const struct tool *t, bool baseline)
{
	char calls[24] = "-", size[24] = "-";

	if (!t->there || !t->worked) {
		printf("%-20s  %s%s\n", t->name, t->there ? "did not work: " : "not installed", t->said);
		return;
	}
	if (!baseline) {
		snprintf(calls, sizeof calls, "%lu", t->system_calls);
		snprintf(size, sizeof size, "%.0f", t->size_kib);
	}
	printf("%-20s %9.2f %14.3f %14.3f %13s %10s %6u\n", t->name, t->wall_ms, t->borrowed_ms, t->others_ms,
	       calls, size, t->runs);
}

static void print_ratio(const struct tool *gdb, const struct tool *ours)
{
	if (gdb->worked && ours->worked)
		printf("gdb / %-14s %8.0fx %13.0fx %13.0fx %12.0fx %9.0fx\n", ours->name, gdb->wall_ms / ours->wall_ms,
		       gdb->borrowed_ms / ours->borrowed_ms, gdb->others_ms / ours->others_ms,
		       (double)gdb->system_calls / (double)ours->system_calls, gdb->size_kib / ours->size_kib);
}

static void expect(const char *what, double is, double limit, bool at_least)
{
	printf("%-58s %10.2f  %s\n", what, is, (at_least ? is >= limit : is <= limit) ? "yes" : "NO");
}

static void print_expected(const struct tool *tool, double pause_ratio)
{
	const struct tool *fresh = &tool[FRESH], *borrowed = &tool[BORROWED], *gdb = &tool[GDB];
	char text[64];

	if (!fresh->worked || !borrowed->worked)
		return;
	expect("expected: wall at most 5 ms", fresh->wall_ms, 5, false);
	expect("expected: borrowed thread under 1 ms, call on a fresh one", fresh->borrowed_ms, 1, false);
	expect("expected: borrowed thread under 1 ms, call on itself", borrowed->borrowed_ms, 1, false);
	expect("expected: other threads at most twice the baseline", fresh->others_ms / tool[NOTHING].others_ms, 2, false);
	snprintf(text, sizeof text, "expected: at least %.0f times less pause than gdb", pause_ratio);
	if (gdb->worked)
		expect(text, gdb->borrowed_ms / fresh->borrowed_ms, pause_ratio, true);
}

static int measure(const char *roclatch, const char *program, const char *size, double pause_ratio)
{
	struct tool tool[TOOLS] = {
		{ .name = "nothing (true)", .program = "true", .argv = { "true" }, .runs = 30 },
		{ .name = "roclatch fresh", .program = roclatch, .calls = true, .runs = 30, .argv = { "roclatch", "call",
			"--on", "fresh", "--thread", "TID", "PID", "exe", "bench_call", "1" } },
		{ .name = "roclatch borrowed", .program = roclatch, .calls = true, .runs = 30, .argv = { "roclatch", "call",
			"--on", "borrowed", "--thread", "TID", "PID", "exe", "bench_call", "1" } },
		{ .name = "gdb", .program = "gdb", .calls = true, .runs = 10, .argv = { "gdb", "-nx", "-batch", "-p", "PID",
			"-ex", "call (int)bench_call(1)" } },
		{ .name = "lldb", .program = "lldb", .calls = true, .runs = 10, .argv = { "lldb", "--no-lldbinit", "--batch",
			"-p", "PID", "-o", "expression (int)bench_call(1)" } },
		{ .name = "eu-stack (looks only)", .program = "eu-stack", .runs = 10, .argv = { "eu-stack", "-p", "PID" } },
	};
	struct target target;
	int bad = 0;

	if (target_start(&target, program) != 0) {
		fprintf(stderr, "bench: cannot start %s\n", program);
		return 1;
	}
	printf("\n%s target: %u libraries, %u threads that beat%s\n", size, libraries(target.pid), BEAT_THREADS,
	       target.shown->fifo ? "" : " (without real-time priority: gaps are the scheduler's too)");
	printf("%-20s %9s %14s %14s %13s %10s %6s\n", "medians", "wall ms", "borrowed's gap", "others' gap ms",
	       "system calls", "size KiB", "runs");
	for (unsigned i = 0; i < TOOLS; i++) {
		tool_measure(&tool[i], &target);
		print_tool(&tool[i], i == NOTHING);
		bad += tool[i].there && !tool[i].worked && i <= BORROWED;
	}
	print_ratio(&tool[GDB], &tool[FRESH]);
	print_ratio(&tool[GDB], &tool[BORROWED]);
	print_expected(tool, pause_ratio);
	target_end(&target);
	return bad;
}

int main(int argc, char **argv)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (argc != 4) {
		fputs("usage: bench ROCLATCH SMALL LARGE\n", stderr);
		return 2;
	}
	return measure(argv[1], argv[2], "small", 60) + measure(argv[1], argv[3], "large", 400) != 0;
}
