/* SPDX-License-Identifier: MIT */
/* roclatch selftest: a program to attach to: one that is named, or rocp/sample.hip. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bin/selftest.h"
#include "inject/proc.h"
#include "inject/thread.h"
#include "rocp/arena.h"
#include "rocp/container.h"
#include "rocp/formats/file.h"

#define COMPILE_MS 180000
#define READY_MS 20000          /* ROCm is initialised, on machines with many GPUs too */

extern const char sample_hip[];         /* rocp/sample_hip.S */

uint64_t program_count(const struct selftest *selftest)
{
	static const char says[] = "launched ";
	char line[64];
	child_last(&selftest->program, says, line, sizeof line);
	return selftest->sample && line[0] ? strtoull(line + sizeof says - 1, NULL, 10) : 0;
}

void program_end(struct selftest *selftest)
{
	child_end(&selftest->program);
	if (!selftest->settings->pid)
		selftest->pid = 0;
}

static int ended(struct selftest *selftest, struct err *err)
{
	char line[256] = "";
	if (selftest->sample)   /* what a program of the user says is the user's */
		child_last(&selftest->program, "", line, sizeof line);
	return err_set(err, ERR_TARGET_EXITED, 0, "the program has ended with status %d%s%s", selftest->program.status,
		       line[0] ? ": " : "", line);
}

/* Which process it is, and that a tool can be attached to it: if not otherwise then late. */
static int await(struct selftest *selftest, const char *mark, struct err *err)
{
	char pid[16];
	const char *by = mark ? "--env" : "-p", *whom = mark ? mark : pid;
	uint64_t deadline = now_ns() + READY_MS * UINT64_C(1000000);
	int status;
	const struct node *said;
	snprintf(pid, sizeof pid, "%d", (int)selftest->settings->pid);
	do {
		if (call_stop_signal)
			return stopped(err);
		if (mark && !child_lives(&selftest->program))
			return ended(selftest, err);
		said = ask(selftest, &status, err, "wait", by, whom, "--timeout", "1s", "--json", NULL);
	} while (status == ERR_TIMEOUT && now_ns() < deadline);
	selftest->late = status == ERR_TIMEOUT;
	if (selftest->late)
		said = ask(selftest, &status, err, "wait", by, whom, "--late", "--timeout", "1s", "--json", NULL);
	if (status == ERR_TIMEOUT)
		err->code = ERR_NOT_POSSIBLE;
	if (status)
		return err_wrap(err, "no tool can be attached to the program");
	selftest->pid = (pid_t)strtol(answer_text(answer(said, "pids"), "0"), NULL, 10);
	return 0;
}

/* What a tool writes is looked for where we are. */
static int is_here(pid_t pid, struct err *err)
{
	struct container container;
	struct place ours;
	place_ours(&ours, "/proc");
	container_of(&container, &ours, "/proc", pid);
	if (!container.kind)
		return 0;
	err_set(err, ERR_NOT_POSSIBLE, 0, "the program is in another place (%s)", container.kind);
	return err_remedy(err, "run roclatch selftest there, beside the program");
}

int program_start(struct selftest *selftest, struct err *err)
{
	const char *const words[] = { "/bin/sh", "-c", selftest->command, NULL };
	const char *const sample[] = { selftest->command, NULL };
	if (selftest->pid)
		return 0;
	bool ours = !selftest->settings->pid;
	snprintf(selftest->mark, sizeof selftest->mark, "ROCLATCH_SELFTEST=%d", (int)getpid());
	selftest->program.mark = selftest->mark;
	if (ours && child_start(&selftest->program, selftest->sample ? sample : words, CHILD_ATTACHABLE, err) < 0)
		return -1;
	int rc = await(selftest, ours ? selftest->mark : NULL, err);
	if (rc == 0)
		rc = is_here(selftest->pid, err);
	if (rc < 0)
		program_end(selftest);
	return rc;
}

static int compile(struct selftest *selftest, struct step *step, const char *hipcc)
{
	char source[PATH_MAX], program[PATH_MAX], arch[96], line[256];
	struct err *err = &step->err;
	struct file file;
	struct child child = { 0 };
	snprintf(source, sizeof source, "%s/sample.hip", selftest->folder);
	snprintf(program, sizeof program, "%s/sample", selftest->folder);
	snprintf(arch, sizeof arch, "--offload-arch=%s", selftest->gfx);
	const char *const words[] = { hipcc, "-O2", "-o", program, source, selftest->gfx[0] ? arch : NULL, NULL };
	if (file_create(&file, source, "", err) < 0)
		return -1;
	file_text(&file, sample_hip);
	uint64_t began = now_ns();
	if (file_finish(&file, err) < 0 || child_start(&child, words, 0, err) < 0)
		return -1;
	uint64_t limit = selftest->settings->timeout_msec;
	int status = child_wait(&child, limit ? (unsigned)limit : COMPILE_MS, err);
	child_last(&child, "", line, sizeof line);
	child_end(&child);
	if (status < 0) {
		err_wrap(err, "hipcc");
		return err->code == ERR_TIMEOUT ? err_remedy(err, "give it longer by --timeout-msec, or name another by --hipcc") : -1;
	}
	if (status || access(program, X_OK) < 0)
		return err_set(err, ERR_FAILED, 0, "hipcc %s (status %d)%s%s", status ? "failed" : "made no program", status,
			       line[0] ? ": " : "", line);
	step_fact(step, "compiled in %.1f s", (double)(now_ns() - began) / 1e9);
	selftest->command = arena_print(&selftest->arena, err, "%s", program);
	selftest->sample = true;
	return selftest->command ? 0 : -1;
}

/* 1: there is one, or its process; 0: none, as the step says; -1 with err */
static int choose(struct selftest *selftest, struct step *step)
{
	const struct settings *settings = selftest->settings;
	char hipcc[PATH_MAX];
	selftest->command = settings->program;
	if (settings->pid || settings->program)
		return 1;
	bool found = settings->hipcc || rocm_program("hipcc", hipcc, sizeof hipcc);
	if (!selftest->gpu && !settings->hipcc) {
		step_not_here(step, "there is no GPU for a program to run on",
			      "run it on a machine with an AMD GPU; or name a program that uses ROCm by --program or -p");
		return 0;
	}
	if (!found) {
		step_not_here(step, "hipcc is not here, to compile the sample program with",
			      "install hipcc (packages hipcc and hip-dev), or name it by --hipcc, or a program by --program");
		return 0;
	}
	return compile(selftest, step, settings->hipcc ? settings->hipcc : hipcc) < 0 ? -1 : 1;
}

void step_program(struct selftest *selftest, struct step *step)
{
	int chosen = choose(selftest, step);
	if (chosen == 0)
		return;
	if (chosen < 0 || program_start(selftest, &step->err) < 0) {
		selftest->command = NULL;
		step_no(step);
		return;
	}
	step_yes(step, "%s runs, and can be attached%s", selftest->sample ? "the sample program" : "the program",
		 selftest->late ? ", but late only" : "");
}
