/* SPDX-License-Identifier: MIT */
/*
 * call_cost ROCLATCH FOLDER: what a call costs, beside other tools in the same run.  FOLDER holds small and large, builds of
 * beat.c without and with 192 libraries, and stop.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "call_tool.h"

enum { NOTHING, STOP, FRESH, BORROWED, GDB, LLDB, EU_STACK, TOOLS };

static void become(int fd, const void *program)
{
	char number[16];

	snprintf(number, sizeof number, "%d", fd);
	execl(program, program, number, (char *)NULL);
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

static void print_tool(const struct tool *t)
{
	if (!t->there || !t->worked) {
		printf("%-20s  %s%s\n", t->name, t->there ? "did not work: " : "not installed", t->said);
		return;
	}
	printf("%-20s %9.2f %14.3f %14.3f %13lu %10.0f %6u\n", t->name, t->wall_ms.value, t->borrowed_ms.value,
	       t->others_ms.value, t->system_calls, t->size_kib, t->wall_ms.runs);
}

static void say(const struct tool *t, const char *who, const char *key)
{
	if (!t->worked)
		return;
	figure_say(who, t->wall_ms, "%s.wall", key);
	figure_say(who, t->borrowed_ms, "%s.gap", key);
	figure_say(who, exactly((double)t->system_calls), "%s.calls", key);
}

/* The others are not touched, so nothing at all is what they are compared with. */
static void say_others(const struct tool *t, const char *who, const char *key)
{
	if (t->worked)
		figure_say(who, t->others_ms, "%s.others", key);
}

static void say_all(const struct tool *tool, const char *size)
{
	static const struct { unsigned which; const char *who; } peers[] = {
		{ GDB, "gdb" }, { LLDB, "lldb" }, { EU_STACK, "eu-stack" },
	};
	if (tool[GDB].worked)
		figure_say("gdb", exactly(tool[GDB].size_kib), "size.program");
	figure_say("roclatch", exactly(tool[FRESH].size_kib), "size.program");
	for (unsigned way = FRESH; way <= BORROWED; way++) {
		char key[64];

		snprintf(key, sizeof key, "call.%s.%s", size, way == FRESH ? "fresh" : "borrowed");
		say(&tool[way], "roclatch", key);
		say(&tool[STOP], "floor", key);
		say_others(&tool[way], "roclatch", key);
		say_others(&tool[NOTHING], "floor", key);
		for (unsigned i = 0; i < sizeof peers / sizeof *peers; i++) {
			say(&tool[peers[i].which], peers[i].who, key);
			say_others(&tool[peers[i].which], peers[i].who, key);
		}
	}
}

static int measure(const char *roclatch, const char *folder, const char *size)
{
	char program[4096], stop[4096];
	struct tool tool[TOOLS] = {
		{ .name = "nothing (true)", .program = "true", .runs = 60 },
		{ .name = "a stop", .program = stop, .argv = { "TID" }, .runs = 60 },
		{ .name = "roclatch fresh", .program = roclatch, .calls = true, .runs = 60, .argv = { "call",
			"--on", "fresh", "--thread", "TID", "PID", "exe", "bench_call", "1" } },
		{ .name = "roclatch borrowed", .program = roclatch, .calls = true, .runs = 60, .argv = { "call",
			"--on", "borrowed", "--thread", "TID", "PID", "exe", "bench_call", "1" } },
		{ .name = "gdb", .program = "gdb", .peer = true, .calls = true, .runs = 15, .argv = { "-nx", "-batch", "-iex",
			"set debuginfod enabled off", "-p", "PID", "-ex", "call (int)bench_call(1)" } },
		{ .name = "lldb", .program = "lldb", .peer = true, .calls = true, .runs = 10, .argv = { "--no-lldbinit", "--batch",
			"-p", "PID", "-o", "expression (int)bench_call(1)" } },
		{ .name = "eu-stack (looks only)", .program = "eu-stack", .peer = true, .runs = 15, .argv = { "-p", "PID" } },
	};
	struct target target;
	int bad = 0;

	snprintf(program, sizeof program, "%s/%s", folder, size);
	snprintf(stop, sizeof stop, "%s/stop", folder);
	if (target_start(&target, become, program) != 0) {
		fprintf(stderr, "call_cost: cannot start %s\n", program);
		return 1;
	}
	printf("\n%s target: %u libraries, %u threads that beat%s\n", size, libraries(target.pid), BEAT_THREADS,
	       target.shown->fifo ? "" : " (without real-time priority: gaps are the scheduler's too)");
	printf("%-20s %9s %14s %14s %13s %10s %6s\n", "medians", "wall ms", "borrowed's gap", "others' gap ms",
	       "system calls", "size KiB", "runs");
	for (unsigned i = 0; i < TOOLS; i++) {
		tool_measure(&tool[i], &target);
		print_tool(&tool[i]);
		bad += tool[i].there && !tool[i].worked && i <= BORROWED;
	}
	say_all(tool, size);
	target_end(&target);
	return bad;
}

int main(int argc, char **argv)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (argc != 3) {
		fputs("usage: call_cost ROCLATCH FOLDER\n", stderr);
		return 2;
	}
	return measure(argv[1], argv[2], "small") + measure(argv[1], argv[2], "large") != 0;
}
