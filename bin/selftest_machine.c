/* SPDX-License-Identifier: MIT */
/* roclatch selftest: where it runs, and what of it works without a GPU. */
#include <fcntl.h>
#include <limits.h>
#include <linux/capability.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "bin/selftest.h"
#include "elf/file.h"
#include "inject/permission.h"
#include "rocp/advice.h"
#include "rocp/surroundings.h"

#define OLDEST_MAJOR 4          /* kernels that are tried, see docs/leave-no-trace.md */
#define OLDEST_MINOR 18
#define ASLEEP_LOOKS 3
#define ASLEEP_MS 10000

static void tell_place(struct step *step)
{
	struct surroundings here;
	char text[448];
	surroundings_look(&here, "/proc", "", environ);
	surroundings_text(&here, text, sizeof text);
	/* without ids and names */
	step_fact(step, "place: %s", here.kind == ON_METAL ? text : surroundings_name(here.kind));
}

void step_machine(struct selftest *selftest, struct step *step)
{
	struct permission us;
	struct utsname system;
	struct err *err = &step->err;
	(void)selftest;
	uname(&system);
	permission_look(&us, getpid(), getpid(), PERMISSION_YAMA);
	tell_place(step);
	step_fact(step, "rights: user %s, CAP_SYS_PTRACE %s, seccomp %d", geteuid() ? "ordinary" : "root",
		  us.us.cap_effective >> CAP_SYS_PTRACE & 1 ? "yes" : "no", us.us.seccomp);
	step_fact(step, us.yama < 0 ? "yama: none" : "yama: ptrace_scope %d", us.yama);
	step_fact(step, "security modules: %s", us.modules[0] ? us.modules : "unknown");
	char *minor;
	unsigned long major = strtoul(system.release, &minor, 10);
	if (major < OLDEST_MAJOR || (major == OLDEST_MAJOR && strtoul(minor + 1, NULL, 10) < OLDEST_MINOR)) {
		err_set(err, ERR_NOT_POSSIBLE, 0, "kernel %s is older than 4.18, and nothing was tried with such", system.release);
		step_no(step);
	} else if (us.filtered) {
		err_set(err, ERR_NOT_POSSIBLE, 0, "a seccomp filter on roclatch forbids ptrace");
		err->lack = LACK_FILTER;
		surroundings_advise(getpid(), err);
		step_no(step);
	} else if (us.yama == 3) {
		err_set(err, ERR_NOT_POSSIBLE, 0, "kernel.yama.ptrace_scope is 3: nobody may trace, until the next boot");
		err_remedy(err, "boot with kernel.yama.ptrace_scope = 1 in /etc/sysctl.d");
		step_no(step);
	} else {
		step_yes(step, "Linux %s, %s, pages of %ld bytes", system.release, system.machine, sysconf(_SC_PAGESIZE));
	}
}

/* A program without a dynamic loader has no C library that could be called. */
static bool is_dynamic(const char *path)
{
	struct elf_file file;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	bool dynamic = fd >= 0 && elf_file_open(&file, fd, NULL) == 0 && file.image.has_interp;
	if (fd >= 0)
		close(fd);
	return dynamic;
}

/* sleep has come through its loader, and sleeps. */
static bool falls_asleep(struct child *child)
{
	struct proc_stat stat;
	unsigned asleep = 0;
	for (unsigned ms = 0; asleep < ASLEEP_LOOKS && ms < ASLEEP_MS && child_lives(child) && pause_ms(20); ms += 20)
		asleep = proc_stat(child->pid, 0, &stat, NULL) == 0 && stat.state == 'S' ? asleep + 1 : 0;
	return asleep == ASLEEP_LOOKS;
}

static int call_and_look(struct selftest *selftest, struct step *step, pid_t target)
{
	struct err *err = &step->err;
	struct proc_status after;
	char pid[16];
	int status;
	snprintf(pid, sizeof pid, "%d", (int)target);
	const struct node *said = ask(selftest, &status, err, "call", pid, "libc", "getpid", "--json", NULL);
	if (status == ERR_NOT_POSSIBLE) /* before glibc 2.34 such a program can make no thread */
		said = ask(selftest, &status, err, "call", pid, "libc", "getpid", "--on", "borrowed", "--json", NULL);
	if (status)
		return err_wrap(err, "call getpid in it");
	if (strcmp(answer_text(said, "result"), pid) || answer(answer(said, "left"), "0"))
		return err_set(err, ERR_CALLED_CODE, 0, "getpid in it answered %s and not %s, or something was left behind",
			       answer_text(said, "result"), pid);
	said = answer(said, "call");
	step_fact(step, "call: on a %s thread; its own was borrowed for %.1f ms", answer_text(said, "on"),
		  strtod(answer_text(said, "borrowed_ns"), NULL) / 1e6);
	said = ask(selftest, &status, err, "stack", pid, "--json", NULL);
	const struct node *frame = answer(answer(answer(answer(said, "threads"), "0"), "frames"), "0");
	if (status || !frame)
		return status ? err_wrap(err, "take its stack") : err_set(err, ERR_FAILED, 0, "its stack has no frame");
	step_fact(step, "stack: in %s of %s", answer_text(frame, "function"), answer_text(frame, "module"));
	said = ask(selftest, &status, err, "sample", pid, "--duration-msec", "500", "-f", "json", NULL);
	if (status || !strtoul(answer_text(said, "samples"), NULL, 10))
		return status ? err_wrap(err, "sample it") : err_set(err, ERR_FAILED, 0, "sampling saw nothing of it");
	step_fact(step, "sample: %s samples", answer_text(said, "samples"));
	if (proc_status(target, 0, &after, err) < 0)
		return -1;
	if (after.threads != 1 || after.tracer || after.state != 'S')
		return err_set(err, ERR_RESIDUE, 0, "it has %u threads, tracer %d and state %c now", after.threads, (int)after.tracer,
			       after.state);
	return 0;
}

void step_core(struct selftest *selftest, struct step *step)
{
	char path[PATH_MAX];
	const char *const words[] = { path, "600", NULL };
	struct child child = { 0 };
	struct err *err = &step->err;
	if (!rocm_program("sleep", path, sizeof path) || !is_dynamic(path)) {
		step_not_here(step, "no program is here to try it with",
			      "run it where the program sleep is, and is linked to a C library");
		return;
	}
	int rc = child_start(&child, words, 0, err);
	if (rc == 0 && !falls_asleep(&child))
		rc = call_stop_signal ? stopped(err) : err_set(err, ERR_FAILED, 0, "sleep does not sleep");
	else if (rc == 0)
		rc = call_and_look(selftest, step, child.pid);
	child_end(&child);
	if (rc < 0)
		step_no(step);
	else
		step_yes(step, "a function was called in a process, its stack taken, samples too, and nothing was left behind");
}
