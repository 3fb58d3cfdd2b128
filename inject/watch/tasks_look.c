/* SPDX-License-Identifier: MIT */
#include "inject/watch/tasks_look.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "inject/cursor.h"

#define TEXT 1024               /* of stat: 52 numbers and a name */
#define TEXT_STATUS 16384
#define ASK_SHARE 2             /* of the looks since it was blocked, that part may pass until it is asked again */
#define CHARGE_NS 10000000u     /* the longest time between two charges of a running thread (100 in a second) */

static void close_kept(struct tasks *tasks, int *fd)
{
	if (*fd < 0)
		return;
	close(*fd);
	*fd = -1;
	tasks->fds--;
}

void task_close(struct tasks *tasks, struct task *task)
{
	close_kept(tasks, &task->fd_sched);
	close_kept(tasks, &task->fd_call);
	close_kept(tasks, &task->fd_stat);
}

/* Others need descriptors, too: keep half as many. */
static void keep_fewer(struct tasks *tasks)
{
	tasks->fds_max = tasks->fds / 2;
	for (size_t i = tasks->n; i-- > 0 && tasks->fds > tasks->fds_max;)
		task_close(tasks, &tasks->v[i]);
}

static int open_file(struct tasks *tasks, pid_t tid, const char *name)
{
	char path[48];
	snprintf(path, sizeof path, "%d/%s", (int)tid, name);
	int fd = (int)syscall(SYS_openat, tasks->dir, path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0 || (errno != EMFILE && errno != ENFILE) || !tasks->fds)
		return fd;
	keep_fewer(tasks);
	return (int)syscall(SYS_openat, tasks->dir, path, O_RDONLY | O_CLOEXEC);
}

static ssize_t read_fd(int fd, char *text, size_t size)
{
	ssize_t n;
	do
		n = pread(fd, text, size - 1, 0);
	while (n < 0 && errno == EINTR);
	if (n >= 0)
		text[n] = '\0';
	return n;
}

/* A file that is not kept open. */
static ssize_t read_once(struct tasks *tasks, pid_t tid, const char *name, char *text, size_t size)
{
	int fd = open_file(tasks, tid, name);
	if (fd < 0)
		return -1;
	ssize_t n = read_fd(fd, text, size);
	int saved = errno;
	close(fd);
	errno = saved;
	return n;
}

/* One that is, if there is room for its descriptor. */
static ssize_t read_kept(struct tasks *tasks, int *kept, pid_t tid, const char *name, char *text, size_t size)
{
	if (*kept < 0 && tasks->fds < tasks->fds_max) {
		int fd = open_file(tasks, tid, name);
		if (fd < 0)
			return -1;
		*kept = fd;
		tasks->fds++;
	}
	return *kept >= 0 ? read_fd(*kept, text, size) : read_once(tasks, tid, name, text, size);
}

/* "run_ns delay_ns switches" (fs/proc/base.c, proc_pid_schedstat) */
static int parse_sched(const char *text, size_t size, struct task_ran *ran)
{
	struct cursor c = { text, text + size };
	if (!cursor_number(&c, 10, &ran->run_ns))
		return -1;
	cursor_blanks(&c);
	if (!cursor_number(&c, 10, &ran->wait_ns))
		return -1;
	cursor_blanks(&c);
	return cursor_number(&c, 10, &ran->switches) ? 0 : -1;
}

/* Kernels that do not count say "0 0 0"; we have certainly been put on a CPU. */
bool task_sched_counts(void)
{
	char text[128];
	struct task_ran ran;
	int fd = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	ssize_t n = read_fd(fd, text, sizeof text);
	close(fd);
	return n > 0 && parse_sched(text, (size_t)n, &ran) == 0 && ran.switches > 0;
}

static uint64_t number_behind(const char *text, const char *key)
{
	const char *found = strstr(text, key);
	return found ? strtoull(found + strlen(key), NULL, 10) : 0;
}

/* Where schedstat does not count: times from stat, in ticks, and the switches that status tells. */
static int ran_by_status(struct tasks *tasks, pid_t tid, struct task_ran *ran)
{
	char text[TEXT_STATUS];
	struct proc_stat stat;
	ssize_t n = read_once(tasks, tid, "stat", text, sizeof text);
	if (n < 0 || stat_parse(&stat, text, (size_t)n, NULL) < 0)
		return -1;
	n = read_once(tasks, tid, "status", text, sizeof text);
	if (n < 0)
		return -1;
	ran->wait_ns = 0;
	ran->run_ns = (stat.utime + stat.stime) * (1000000000u / (uint64_t)sysconf(_SC_CLK_TCK));
	ran->switches = number_behind(text, "\nvoluntary_ctxt_switches:") +
			number_behind(text, "\nnonvoluntary_ctxt_switches:");
	return 0;
}

int task_ran(struct tasks *tasks, struct task *task, struct task_ran *ran)
{
	char text[128];
	if (!tasks->sched_known)
		return ran_by_status(tasks, task->tid, ran);
	ssize_t n = read_kept(tasks, &task->fd_sched, task->tid, "schedstat", text, sizeof text);
	return n < 0 ? -1 : parse_sched(text, (size_t)n, ran);
}

static enum task_state state_of(char letter)
{
	switch (letter) {
	case 'R':
		return TASK_RUNNING;
	case 'D': case 'K': case 'P': case 'W':
		return TASK_WAITING;
	case 'T': case 't':
		return TASK_STOPPED;
	case 'X': case 'x': case 'Z':
		return TASK_GONE;
	default:
		return TASK_SLEEPING;   /* S, I */
	}
}

/* The name is what people see: no byte of it may steer their terminal. */
static void set_name(struct task *task, const char *from, size_t size)
{
	if (size > sizeof task->name - 1)
		size = sizeof task->name - 1;
	for (size_t i = 0; i < size; i++)
		task->name[i] = (char)((unsigned char)from[i] < ' ' || from[i] == 0x7f ? '?' : from[i]);
	task->name[size] = '\0';
}

static bool has_ended(int error)
{
	return error == ESRCH || error == ENOENT;
}

/* Its letter and, as that stands beside, its name, which may have changed. */
static int look_at_stat(struct tasks *tasks, struct task *task)
{
	char text[TEXT];
	ssize_t n = read_kept(tasks, &task->fd_stat, task->tid, "stat", text, sizeof text);
	if (n < 0)
		return -1;
	const char *open_bracket = memchr(text, '(', (size_t)n), *close_bracket = strrchr(text, ')');
	if (!open_bracket || !close_bracket || close_bracket < open_bracket || close_bracket + 2 >= text + n)
		return -1;
	set_name(task, open_bracket + 1, (size_t)(close_bracket - open_bracket - 1));
	task->letter = close_bracket[2];
	return 0;
}

/* 1 known, 0 not to be had, -1 the thread has ended. */
static int look_at_call(struct tasks *tasks, struct task *task)
{
	char text[256];
	if (tasks->calls_refused)
		return 0;
	ssize_t n = read_kept(tasks, &task->fd_call, task->tid, "syscall", text, sizeof text);
	if (n >= 0)
		return syscall_parse(&task->call, text, (size_t)n, NULL) == 0;
	if (has_ended(errno))
		return -1;
	if (errno == EPERM || errno == EACCES)
		tasks->calls_refused = true;
	return 0;
}

static void set_gone(struct tasks *tasks, struct task *task)
{
	task->state = TASK_GONE;
	task->changed = true;
	task->call_known = false;
	/* a leader that has ended stays in the folder until all others have */
	if (task->tid != tasks->pid)
		tasks->some_gone = true;
}

/* It has run or is new: what does it do now? */
static void look_closer(struct tasks *tasks, struct task *task, uint64_t now)
{
	enum task_state before = task->state;
	int known = look_at_call(tasks, task);
	bool runs = known == 1 && task->call.running;
	if (known < 0 || ((!runs || task->is_new) && look_at_stat(tasks, task) < 0)) {
		set_gone(tasks, task);
		return;
	}
	if (runs)
		task->letter = 'R';
	task->state = state_of(task->letter);
	task->call_known = known == 1 && !runs && task->state != TASK_RUNNING;
	if (task->state == TASK_GONE)
		set_gone(tasks, task);
	/* one that waits anew, even for the same, is not where it was */
	if (task->is_new || task->state != before || task->state != TASK_RUNNING)
		task->since_ns = now;
}

/* Blocked when last seen, and not put on a CPU since. */
static void look_whether_woken(struct tasks *tasks, struct task *task, uint64_t now)
{
	if (++task->still < task->ask_at)
		return;
	task->ask_at = task->still + 1 + task->still / ASK_SHARE;
	int known = look_at_call(tasks, task);
	if (known < 0 || (tasks->calls_refused && look_at_stat(tasks, task) < 0)) {
		set_gone(tasks, task);
		return;
	}
	if (known == 1 ? !task->call.running : task->letter != 'R')
		return;
	task->letter = 'R';
	task->state = TASK_RUNNING;
	task->woken = true;
	task->call_known = false;
	task->since_ns = now;
}

/* Two looks find it running: was there time in between that it neither ran nor waited for a CPU? */
static bool ran_through(const struct tasks *tasks, const struct task *task, const struct task_ran *ran)
{
	uint64_t told = ran->run_ns - task->run_ns + ran->wait_ns - task->wait_ns;
	return ran->switches == task->switches || told + CHARGE_NS >= tasks->elapsed_ns;
}

/* A thread on a CPU is charged at the scheduler's own ticks only, and when it leaves the CPU: one that ran and
 * was not charged may have run since, but it still runs or waits for its next turn. */
void task_look(struct tasks *tasks, struct task *task, uint64_t now)
{
	struct task_ran ran;
	task->changed = task->is_new;
	if (task_ran(tasks, task, &ran) < 0) {
		if (has_ended(errno))
			set_gone(tasks, task);
		return;
	}
	task->run_before_ns = task->is_new ? ran.run_ns : task->run_ns;
	bool moved = task->is_new || ran.run_ns != task->run_ns || ran.switches != task->switches;
	bool through = !task->is_new && task->state == TASK_RUNNING && !task->woken && ran_through(tasks, task, &ran);
	bool came = !task->is_new && (task->state != TASK_RUNNING || task->woken) && ran.switches != task->switches;
	task->woken_ns = came ? ran.wait_ns - task->wait_ns : 0;
	task->run_ns = ran.run_ns;
	task->wait_ns = ran.wait_ns;
	task->switches = ran.switches;
	if (moved) {
		task->woken = false;
		task->still = task->ask_at = 0;
		look_closer(tasks, task, now);
	} else if (task->state != TASK_RUNNING) {
		look_whether_woken(tasks, task, now);
	}
	task->changed = task->changed || moved || (task->state == TASK_RUNNING && !task->woken);
	task->runs_on = through && task->state == TASK_RUNNING;
}

bool task_stood_still(struct tasks *tasks, struct task *task)
{
	struct task_ran ran;
	return task_ran(tasks, task, &ran) == 0 && ran.run_ns == task->run_ns && ran.switches == task->switches;
}
