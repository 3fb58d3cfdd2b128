/* SPDX-License-Identifier: MIT */
/*
 * attach_cost ROCLATCH FOLDER ROOT SCRATCH: what attach and detach cost, on the real register, with the stand-ins for SDK,
 * runtimes and tool below ROOT.  FOLDER holds libbeat.so, whose threads beat beside those of the program, and stop; SCRATCH
 * is for what the tool writes.  Each run has a process of its own, as the first attach is the one that loads SDK and tool.
 */
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "beat_target.h"
#include "measure.h"

#define RUNS_MAX 60
#define WORDS 16
#define LISTENER "rocp-bg-attach\n"

enum step { FIRST, DETACH, AGAIN, STEPS };
static const char *const step_name[STEPS] = { "attach.first", "detach", "attach.again" };

struct who {
	const char *name, *program;
	const char *attach[WORDS], *detach[WORDS];      /* behind the program's name; PID and TID stand for the target's */
	bool calls;             /* bench_attach and bench_detach: that they were called tells that it worked, not its exit status */
	unsigned runs;
	/* answered */
	bool there;
	double wall[STEPS][RUNS_MAX], gap[STEPS][RUNS_MAX];
	struct figure wall_ms[STEPS], gap_ms[STEPS];
	bool worked;
};

static struct { char root[PATH_MAX], libraries[PATH_MAX + 8], beat[PATH_MAX + 16], tool[PATH_MAX + 64], scratch[PATH_MAX]; } place;

/* As by hand; what it says is nobody's affair. */
static void become(int fd, const void *unused)
{
	char number[16];
	int null = open("/dev/null", O_RDWR);

	(void)unused;
	snprintf(number, sizeof number, "%d", fd);
	if (dup2(null, 0) < 0 || dup2(null, 1) < 0 || dup2(null, 2) < 0 || chdir(place.root) != 0)
		return;
	close(3);
	close(4);
	setenv("BENCH_BEAT", number, 1);
	setenv("BENCH_OUTPUT", place.scratch, 1);
	setenv("BENCH_TOOL", place.tool, 1);
	setenv("LD_PRELOAD", place.beat, 1);
	setenv("LD_LIBRARY_PATH", place.libraries, 1);
	setenv("ROCP_TOOL_ATTACH", "1", 1);
	execl("./rocm-app", "rocm-app", "ready", "threads=1", (char *)NULL);
}

/* The thread that is there for attachers; 0: it has not come. */
static pid_t listener(pid_t pid)
{
	char path[300], name[32];
	struct dirent *entry;
	pid_t found = 0;

	snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
	DIR *dir = opendir(path);
	while (dir && !found && (entry = readdir(dir)) != NULL) {
		snprintf(path, sizeof path, "/proc/%d/task/%s/comm", (int)pid, entry->d_name);
		FILE *f = fopen(path, "re");
		if (f && fgets(name, sizeof name, f) && !strcmp(name, LISTENER))
			found = atoi(entry->d_name);
		if (f)
			fclose(f);
	}
	if (dir)
		closedir(dir);
	return found;
}

/* It names itself a moment after HSA was used. */
static pid_t await_listener(pid_t pid)
{
	pid_t found = 0;

	for (unsigned i = 0; i < 2000 && !(found = listener(pid)); i++)
		wait_ms(5);
	return found;
}

static bool do_step(struct who *who, const struct target *target, pid_t tid, enum step step, unsigned run)
{
	static struct ran ran;
	const char *const *words = step == DETACH ? who->detach : who->attach;
	const char *argv[PROGRAM_WORDS + WORDS + 1];
	unsigned n = program_find(who->program, argv);
	char pid[16], thread[16];
	double first, others;
	uint64_t calls = target->shown->calls;

	snprintf(pid, sizeof pid, "%d", (int)target->pid);
	snprintf(thread, sizeof thread, "%d", (int)tid);
	for (unsigned i = 0; i < WORDS && words[i]; i++)
		argv[n++] = !strcmp(words[i], "PID") ? pid : !strcmp(words[i], "TID") ? thread : words[i];
	argv[n] = NULL;
	gaps_forget(target);
	wait_ms(3);
	bool worked = program_run(argv, &ran);
	wait_ms(3);
	gaps_read(target, &first, &others);
	who->wall[step][run] = ran.wall_ms;
	who->gap[step][run] = first > others ? first : others;
	worked = who->calls ? target->shown->calls == calls + 1 && kill(target->pid, 0) == 0 : worked;
	if (!worked)
		fprintf(stderr, "attach_cost: %s did not work (%s), status %d: %.300s\n", who->name, step_name[step], ran.status, ran.said);
	return worked;
}

static bool run_once(struct who *who, unsigned run)
{
	struct target target;

	if (target_start(&target, become, NULL) != 0) {
		fprintf(stderr, "attach_cost: cannot start %s/rocm-app\n", place.root);
		return false;
	}
	pid_t tid = await_listener(target.pid);
	bool good = tid > 0;
	for (enum step step = FIRST; good && step < STEPS; step++)
		good = do_step(who, &target, tid, step, run);
	target_end(&target);
	return good;
}

static void measure(struct who *who)
{
	const char *argv[PROGRAM_WORDS];
	unsigned runs = times(who->runs);

	who->there = program_find(who->program, argv) && access(argv[0], X_OK) == 0;
	who->worked = who->there && run_once(who, 0);   /* warms the page cache */
	for (unsigned i = 0; who->worked && i < runs; i++)
		who->worked = run_once(who, i);
	for (enum step step = FIRST; who->worked && step < STEPS; step++) {
		who->wall_ms[step] = middle(who->wall[step], runs);
		who->gap_ms[step] = middle(who->gap[step], runs);
		printf("%-12s %-14s %9.2f %14.3f %6u\n", step == FIRST ? who->name : "", step_name[step], who->wall_ms[step].value,
		       who->gap_ms[step].value, runs);
	}
	if (!who->worked)
		printf("%-12s %s\n", who->name, who->there ? "did not work" : "not installed");
}

static void say(const struct who *nothing, const struct who *stop, const struct who *const *others, unsigned n)
{
	for (enum step step = FIRST; step < STEPS; step++) {
		figure_say("floor", stop->wall_ms[step], "%s.wall", step_name[step]);
		figure_say("floor", nothing->gap_ms[step], "%s.gap", step_name[step]);
		for (unsigned i = 0; i < n; i++) {
			if (!others[i]->worked)
				continue;
			figure_say(others[i]->name, others[i]->wall_ms[step], "%s.wall", step_name[step]);
			figure_say(others[i]->name, others[i]->gap_ms[step], "%s.gap", step_name[step]);
		}
	}
}

static int measure_all(const char *roclatch, const char *stop_program)
{
	static struct who nothing = { .name = "nothing", .program = "true", .runs = 30 };
	static struct who stop = { .name = "a stop", .runs = 30, .attach = { "TID" }, .detach = { "TID" } };
	static struct who ours = { .name = "roclatch", .runs = 30, .detach = { "detach", "-p", "PID" },
		.attach = { "attach", "-p", "PID", "--kernel-trace", "-d", place.scratch, "-t", place.tool, "--keep" } };
	static struct who gdb = { .name = "gdb", .program = "gdb", .calls = true, .runs = 10,
		.attach = { "-nx", "-batch", "-iex", "set debuginfod enabled off", "-p", "PID", "-ex", "call (int)bench_attach()" },
		.detach = { "-nx", "-batch", "-iex", "set debuginfod enabled off", "-p", "PID", "-ex",
			"call (int)bench_detach()" } };
	struct who *const all[] = { &nothing, &stop, &ours, &gdb };

	stop.program = stop_program;
	ours.program = roclatch;
	printf("\n%-12s %-14s %9s %14s %6s\n", "medians", "", "wall ms", "longest gap ms", "runs");
	for (unsigned i = 0; i < sizeof all / sizeof *all; i++)
		measure(all[i]);
	if (!nothing.worked || !stop.worked || !ours.worked)
		return 1;
	say(&nothing, &stop, (const struct who *const[]){ &ours, &gdb }, 2);
	return 0;
}

int main(int argc, char **argv)
{
	char roclatch[PATH_MAX], folder[PATH_MAX], stop[PATH_MAX + 16];

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (argc != 5) {
		fputs("usage: attach_cost ROCLATCH FOLDER ROOT SCRATCH\n", stderr);
		return 2;
	}
	if (!realpath(argv[1], roclatch) || !realpath(argv[2], folder) || !realpath(argv[3], place.root) ||
	    !realpath(argv[4], place.scratch)) {
		perror("attach_cost");
		return 1;
	}
	snprintf(stop, sizeof stop, "%s/stop", folder);
	snprintf(place.libraries, sizeof place.libraries, "%s/lib", place.root);  /* in full: gdb takes the names as they are */
	snprintf(place.beat, sizeof place.beat, "%s/libbeat.so", folder);
	snprintf(place.tool, sizeof place.tool, "%s/lib/rocprofiler-sdk/librocprofiler-sdk-tool.so", place.root);
	return measure_all(roclatch, stop);
}
