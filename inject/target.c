/* SPDX-License-Identifier: MIT */
#include "inject/target.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "inject/machine.h"
#include "inject/permission.h"

#define AUXV_LOOKS 25

/* include/linux/sched.h, as /proc/PID/stat shows them */
#define PF_EXITING      0x00000004u
#define PF_IO_WORKER    0x00000010u
#define PF_KTHREAD      0x00200000u

#define LIVING_TRIES 10
#define OTHER_TRIES 2000        /* of a millisecond */
#define STRANGE_LOOKS 3
#define ENDING_LOOKS 150         /* two milliseconds apart */

#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif

void say(const struct say *say, const char *fmt, ...)
{
	char text[1024];
	if (!say || !say->line)
		return;
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	say->line(say->ctx, text);
}

static bool is_dead(const struct proc_stat *stat)
{
	return stat->state == 'Z' || stat->state == 'X' || stat->state == 'x' || stat->flags & PF_EXITING;
}

/* A thread that runs the program's code: the leader, else any. 0 if none. */
pid_t target_living_thread(pid_t pid)
{
	struct proc_stat stat;
	if (proc_stat(pid, 0, &stat, NULL) == 0 && !is_dead(&stat))
		return pid;
	pid_t *tids, found = 0;
	size_t n;
	if (proc_threads(pid, &tids, &n, NULL) < 0)
		return 0;
	for (size_t i = 0; i < n && !found; i++)
		if (proc_stat(pid, tids[i], &stat, NULL) == 0 && !is_dead(&stat) && !(stat.flags & PF_IO_WORKER))
			found = tids[i];
	free(tids);
	return found;
}

static int refuse_missing(pid_t pid, struct err *err)
{
	if (access("/proc/self/status", F_OK) < 0) {
		err_set(err, ERR_NOT_POSSIBLE, 0, "/proc is not mounted here");
		return err_remedy(err, "mount -t proc proc /proc");
	}
	if (pid > 0 && (kill(pid, 0) == 0 || errno == EPERM)) {
		err_set(err, ERR_NOT_POSSIBLE, 0, "process %d is there, but /proc hides it (hidepid)", (int)pid);
		return err_remedy(err, "run roclatch as the owner of the process or as root");
	}
	err_set(err, ERR_NOT_POSSIBLE, 0, "there is no process %d", (int)pid);
	if (err)
		err->lack = LACK_SIGHT;
	return err_remedy(err, "give the id that ps shows in this pid namespace");
}

/* Hold the process: from here on its id cannot come to mean another one unseen. */
static int hold(struct target *target, pid_t pid, struct err *err)
{
	target->pid = pid;
	if (target->pidfd >= 0)
		close(target->pidfd);
	/* fails with EINVAL or ENOENT for a thread, with ENOSYS before Linux 5.3 */
	target->pidfd = pid > 0 ? (int)syscall(SYS_pidfd_open, (long)pid, 0L) : -1;
	if (pid <= 0 || proc_status(pid, 0, &target->status, err) < 0)
		return refuse_missing(pid, err);
	return 0;
}

static int hold_process(struct target *target, pid_t pid, struct err *err)
{
	if (hold(target, pid, err) < 0)
		return -1;
	if (target->status.tgid != pid) {
		say(&target->say, "%d is a thread of process %d", (int)pid, (int)target->status.tgid);
		if (hold(target, target->status.tgid, err) < 0)
			return -1;
	}
	struct proc_stat stat;
	if (proc_stat(target->pid, 0, &stat, err) < 0)
		return refuse_missing(target->pid, err);
	target->start_time = stat.start_time;
	if (!(stat.flags & PF_KTHREAD) && target->pid != getpid())
		return 0;
	if (stat.flags & PF_KTHREAD)
		err_set(err, ERR_NOT_POSSIBLE, 0, "process %d (%s) is a thread of the kernel and runs no program",
			(int)target->pid, target->status.name);
	else
		err_set(err, ERR_NOT_POSSIBLE, 0, "process %d is roclatch itself", (int)target->pid);
	return err_remedy(err, "give the id of a program: roclatch list shows those that use a GPU, ps all of them");
}

/* As a living thread has it, with the ids of the process itself, which hold() has read. */
static int read_status(struct target *target, struct err *err)
{
	struct proc_status status;
	if (proc_status(target->pid, target->live_tid, &status, err) < 0)
		return -1;
	memcpy(status.nspid, target->status.nspid, sizeof status.nspid);
	status.nspid_count = target->status.nspid_count;
	target->status = status;
	return 0;
}

static int refuse_dead(const struct target *target, struct err *err)
{
	const struct proc_status *status = &target->status;
	if (status->state != 'Z')
		return err_set(err, ERR_NOT_POSSIBLE, 0, "process %d (%s) is exiting", (int)target->pid, status->name);
	err_set(err, ERR_NOT_POSSIBLE, 0, "process %d (%s) is a zombie: it has ended, and its parent %d has not asked how",
		(int)target->pid, status->name, (int)status->ppid);
	return err_remedy(err, "give the id of a running process");
}

static int choose_living(struct target *target, struct err *err)
{
	target->live_tid = target_living_thread(target->pid);
	if (!target->live_tid)
		return refuse_dead(target, err);
	if (target->live_tid == target->pid)
		return 0;
	say(&target->say, "the main thread of %d has exited; its memory is read through thread %d",
	    (int)target->pid, (int)target->live_tid);
	if (read_status(target, err) < 0)
		return err_set(err, ERR_TARGET_EXITED, 0, "process %d ended while it was looked at", (int)target->pid);
	return 0;
}

static int refuse_traced(const struct target *target, struct err *err)
{
	pid_t tracer = target->status.tracer;
	struct proc_status other = {.name = "?"};
	if (!tracer) {
		err_set(err, ERR_NOT_POSSIBLE, 0, "process %d (%s) is traced by a process outside of this pid namespace",
			(int)target->pid, target->status.name);
		return err_remedy(err, "end the debugger or strace that runs outside of this container");
	}
	proc_status(tracer, 0, &other, NULL);
	err_set(err, ERR_NOT_POSSIBLE, 0, "process %d (%s) is already traced by process %d (%s)", (int)target->pid,
		target->status.name, (int)tracer, other.name);
	return err_remedy(err, "end %s (%d) or let it detach", other.name, (int)tracer);
}

int target_blame(const struct target *target, struct err *err)
{
	if (!memory_is_gone(&target->memory))
		return -1;
	/* one that ends is without memory for a while before it has ended */
	if (!target_living_thread(target->pid))
		return err_set(err, ERR_TARGET_EXITED, 0, "process %d ended while it was looked at; it is untouched", (int)target->pid);
	err_set(err, ERR_TARGET_EXITED, 0, "process %d became another program (exec) while it was looked at; it is untouched",
		(int)target->pid);
	return err_remedy(err, "run roclatch again");
}

pid_t target_self(const struct target *target)
{
	const struct proc_status *status = &target->status;
	return status->nspid_count ? status->nspid[status->nspid_count - 1] : target->pid;
}

/* Another roclatch, or a program with our code in it, holds a thread for a moment only. */
static void await_other_roclatch(struct target *target)
{
	/* it traces only while it has the lock; it may have ended between our two looks */
	for (int i = 0, strange = 0; i < OTHER_TRIES && strange < STRANGE_LOOKS && target->status.tracer; i++) {
		struct proc_status other;
		bool known = proc_status(target->status.tracer, 0, &other, NULL) < 0 ||
			     !strcmp(other.name, "roclatch") || target_is_locked(target->pid);
		strange = known ? 0 : strange + 1;
		nanosleep(&(struct timespec){0, 1000000}, NULL);
		if (read_status(target, NULL) < 0)
			return;
	}
}

static int refuse_busy(const struct target *target, struct err *err)
{
	const struct proc_status *status = &target->status;
	if (status->tracer || status->state == 't')
		return refuse_traced(target, err);
	if (status->dumps_core) {
		err_set(err, ERR_NOT_POSSIBLE, 0, "process %d (%s) dumps core: a signal has ended it", (int)target->pid, status->name);
		return err_remedy(err, "look at its core file, and give the id of a running process");
	}
	if (status->state == 'T') {
		err_set(err, ERR_NOT_POSSIBLE, 0, "process %d (%s) is stopped by a signal (state T) and could not make a call",
			(int)target->pid, status->name);
		return err_remedy(err, "let it go on: kill -CONT %d", (int)target->pid);
	}
	return 0;
}

static int open_memory(struct target *target, struct err *err)
{
	struct err inner = {0};
	if (memory_open(&target->memory, target->live_tid, &inner) == 0)
		return 0;
	/* opening it asks the kernel the same question as PTRACE_SEIZE does */
	if (inner.sys == EACCES || inner.sys == EPERM)
		return permission_explain(target->pid, target->live_tid, err);
	if (err)
		*err = inner;
	return -1;
}

/* The thread that was chosen may end before its memory is open: then another has it. */
static int open_living(struct target *target, struct err *err)
{
	for (int i = 0; i < LIVING_TRIES; i++) {
		if (choose_living(target, err) < 0)
			return -1;
		if (open_memory(target, err) == 0)
			return 0;
		if (target_living_thread(target->pid) == target->live_tid)
			break;
	}
	return -1;
}

static int read_auxv(struct target *target, struct err *err)
{
	size_t size;
	char *data = proc_read(&size, err, "/proc/%d/task/%d/auxv", (int)target->pid, (int)target->live_tid);
	if (!data)
		return -1;
	int result = size ? auxv_parse(&target->auxv, data, size, err) :
		err_set(err, ERR_TARGET_EXITED, 0, "process %d ended while it was looked at", (int)target->pid);
	free(data);
	return result;
}

static int look_at_program(struct target *target, struct err *err)
{
	/* a program that is just being started has new memory for a moment before it has this */
	int result = read_auxv(target, err);
	for (int i = 0; i < AUXV_LOOKS && result < 0 && target_alive(target); i++) {
		nanosleep(&(struct timespec){ 0, 2000000 }, NULL);
		pid_t living = target_living_thread(target->pid);       /* the one that was chosen may have ended */
		target->live_tid = living ? living : target->live_tid;
		result = read_auxv(target, err);
	}
	if (result < 0)
		return target_blame(target, err);
	target->page = target->auxv.page_size;
	return machine_check(target, err);
}

int target_open(struct target *target, pid_t pid, const struct say *say_to, struct err *err)
{
	*target = (struct target){.pidfd = -1, .memory.fd = -1, .lock = -1};
	if (say_to)
		target->say = *say_to;
	if (hold_process(target, pid, err) < 0 || open_living(target, err) < 0)
		goto failed;
	await_other_roclatch(target);
	if (refuse_busy(target, err) < 0 || look_at_program(target, err) < 0)
		goto failed;
	if (!target_alive(target)) {
		err_set(err, ERR_TARGET_EXITED, 0, "process %d ended while it was looked at", (int)target->pid);
		goto failed;
	}
	return 0;
failed:
	target_close(target);
	return -1;
}

int target_watch(struct target *target, pid_t pid, const struct say *say_to, bool *readable, struct err *err)
{
	*target = (struct target){.pidfd = -1, .memory.fd = -1, .lock = -1};
	if (say_to)
		target->say = *say_to;
	*readable = false;
	if (hold_process(target, pid, err) < 0 || choose_living(target, err) < 0) {
		target_close(target);
		return -1;
	}
	*readable = open_memory(target, err) == 0 && look_at_program(target, err) == 0;
	if (*readable || target_alive(target))
		return 0;
	target_close(target);
	return err_set(err, ERR_TARGET_EXITED, 0, "process %d ended while it was looked at", (int)target->pid);
}

void target_close(struct target *target)
{
	memory_close(&target->memory);
	if (target->pidfd >= 0)
		close(target->pidfd);
	target->pidfd = -1;
}

bool target_alive(const struct target *target)
{
	if (target->pidfd >= 0) {
		/* readable once every thread has exited: pidfd_open(2) */
		struct pollfd end = {.fd = target->pidfd, .events = POLLIN};
		int n;
		do
			n = poll(&end, 1, 0);
		while (n < 0 && errno == EINTR);
		return n == 0;
	}
	struct proc_stat stat;
	return proc_stat(target->pid, 0, &stat, NULL) == 0 && stat.start_time == target->start_time &&
	       target_living_thread(target->pid) != 0;
}

bool target_dumps(const struct target *target)
{
	struct proc_status status;
	return proc_status(target->pid, target->live_tid, &status, NULL) == 0 && status.dumps_core && target_alive(target);
}

bool target_ends(const struct target *target)
{
	for (int i = 0; i < ENDING_LOOKS && target_alive(target) && !target_dumps(target); i++)
		nanosleep(&(struct timespec){ 0, 2000000 }, NULL);
	return !target_alive(target) || target_dumps(target);
}
