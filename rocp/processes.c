/* SPDX-License-Identifier: MIT */
#include "rocp/processes.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "inject/call.h"
#include "inject/cursor.h"
#include "inject/thread.h"

#define PF_KTHREAD 0x00200000u  /* include/linux/sched.h */

static uint64_t since_boot_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_BOOTTIME, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static int no_memory(struct err *err)
{
	return err_set(err, ERR_FAILED, ENOMEM, "list the processes");
}

static void forget(struct process *v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(v[i].attachable);
	free(v);
}

/* The same process at the look before; both lists are in order of ids. */
static const struct process *find_before(const struct processes *processes, const struct process *process, size_t *at)
{
	while (*at < processes->n_before && processes->before[*at].stat.pid < process->stat.pid)
		(*at)++;
	const struct process *found = *at < processes->n_before ? &processes->before[*at] : NULL;
	return found && found->stat.pid == process->stat.pid && found->stat.start_time == process->stat.start_time ?
	       found : NULL;
}

/* False: it is gone, or a thread of the kernel. */
static bool read_stat(const struct processes *processes, pid_t pid, struct process *process)
{
	char text[1024];
	*process = (struct process){ 0 };
	ssize_t n = proc_read_into(text, sizeof text, "%s/%d/stat", processes->proc, (int)pid);
	process->at_ns = now_ns();
	return n > 0 && stat_parse(&process->stat, text, (size_t)n, NULL) == 0 && process->stat.pid == pid &&
	       !(process->stat.flags & PF_KTHREAD);
}

/* False: it is gone. */
static bool find_runtimes(const struct processes *processes, const struct kfd_users *kfd, struct process *process,
			  const struct process *before)
{
	pid_t pid = process->stat.pid;
	if (before && before->stat.faults == process->stat.faults && !before->unread) {
		process->runtimes = before->runtimes;
		process->runtimes.set &= ~(unsigned)RUNTIME_KFD;
	} else if (runtimes_mapped(&process->runtimes, processes->proc, pid) < 0) {
		process->unread = errno == EACCES || errno == EPERM;
		if (!process->unread)
			return false;
	}
	if (kfd_users_have(kfd, processes->proc, pid))
		process->runtimes.set |= RUNTIME_KFD;
	return true;
}

static double percent(uint64_t ticks, uint64_t ns)
{
	return ns ? (double)ticks * (1e9 / (double)sysconf(_SC_CLK_TCK)) * 100 / (double)ns : 0;
}

static void measure(struct process *process, const struct process *before)
{
	const struct proc_stat *stat = &process->stat;
	uint64_t used = stat->utime + stat->stime;
	process->since_look = before && process->at_ns > before->at_ns;
	if (process->since_look) {
		uint64_t then = before->stat.utime + before->stat.stime;
		process->cpu_percent = percent(used > then ? used - then : 0, process->at_ns - before->at_ns);
		return;
	}
	uint64_t tick = 1000000000u / (uint64_t)sysconf(_SC_CLK_TCK);
	uint64_t now = since_boot_ns(), start = stat->start_time * tick, age = now > start ? now - start : 0;
	/* a tick at least: it may have been started and have run within one */
	process->cpu_percent = percent(used, age > tick ? age : tick);
}

/* False: it is gone. */
static bool read_details(struct processes *processes, struct process *process)
{
	struct proc_status status;
	char text[16384];
	pid_t pid = process->stat.pid;
	ssize_t n = proc_read_into(text, sizeof text, "%s/%d/status", processes->proc, (int)pid);
	if (n <= 0 || status_parse(&status, text, (size_t)n, NULL) < 0)
		return false;
	process->uid = status.uid[1];
	process->user = users_name(&processes->users, process->uid);
	process->inside = status.nspid_count ? status.nspid[status.nspid_count - 1] : pid;
	container_of(&process->container, &processes->ours, processes->proc, pid);
	return true;
}

/* 1, 0 if it is gone, -1 with err. */
static int ask(struct process *process, struct err *err)
{
	struct err inner = { .code = ERR_NONE };
	process->attachable = calloc(1, sizeof *process->attachable);
	if (!process->attachable)
		return no_memory(err);
	if (attachable_ask(process->attachable, process->stat.pid, process->stat.start_time, &inner) < 0) {
		if (inner.sys != ENOMEM)
			return 0;
		*err = inner;
		return -1;
	}
	const char *version = process->attachable->register_version;
	if (version[0])
		snprintf(process->runtimes.register_version, sizeof process->runtimes.register_version, "%s", version);
	return 1;
}

/* 1, 0 if it is not to be listed, -1 with err. */
static int look_at(struct processes *processes, const struct kfd_users *kfd, pid_t pid, size_t *at, struct err *err)
{
	struct process *process = &processes->v[processes->n];
	if (call_stop_signal)
		return err_set(err, (enum err_code)(ERR_SIGNAL + call_stop_signal), 0, "stopped by a signal");
	if (!read_stat(processes, pid, process))
		return 0;
	const struct process *before = find_before(processes, process, at);
	if (!find_runtimes(processes, kfd, process, before))
		return 0;
	bool gpu = process->runtimes.set & RUNTIME_GPU;
	process->shown = gpu || processes->all;
	if (!process->shown)
		return 1;
	if (!read_details(processes, process))
		return 0;
	measure(process, before);
	if (!gpu || !processes->ask)
		return 1;
	int rc = ask(process, err);
	if (rc <= 0) {
		free(process->attachable);
		process->attachable = NULL;
	}
	return rc;
}

static int look_at_all(struct processes *processes, const struct pids *pids, struct err *err)
{
	struct kfd_users kfd;
	size_t at = 0;
	int rc = 0;
	processes->v = calloc(pids->n + 1, sizeof *processes->v);
	if (!processes->v)
		return no_memory(err);
	kfd_users_list(&kfd, processes->kfd, processes->proc);
	for (size_t i = 0; i < pids->n && rc >= 0; i++) {
		rc = look_at(processes, &kfd, pids->v[i], &at, err);
		if (rc <= 0)
			continue;
		processes->unread += processes->v[processes->n].unread;
		processes->n++;
	}
	kfd_users_free(&kfd);
	return rc < 0 ? -1 : 0;
}

/* "proc /proc proc rw,hidepid=2 0 0", which matters if it keeps the first process from us */
static bool is_hidden(const char *proc)
{
	char first[256], where[4200];
	size_t size;
	bool hides = false;
	if (proc_read_into(first, sizeof first, "%s/1/stat", proc) > 0)
		return false;
	char *text = proc_read(&size, NULL, "%s/self/mounts", proc);
	int length = snprintf(where, sizeof where, " %s proc ", proc);
	struct cursor rest = { text, text ? text + size : text };
	while (cursor_more(&rest)) {
		struct cursor line = cursor_line(&rest);
		const char *options = memmem(line.at, (size_t)(line.end - line.at), where, (size_t)length);
		if (options)
			hides = memmem(options, (size_t)(line.end - options), "hidepid=", 8) != NULL;
	}
	free(text);
	return hides;
}

static void begin_look(struct processes *processes)
{
	if (!processes->began) {
		users_read(&processes->users, processes->passwd);
		place_ours(&processes->ours, processes->proc);
	}
	processes->began = true;
	forget(processes->before, processes->n_before);
	processes->before = processes->v;
	processes->n_before = processes->n;
	processes->v = NULL;
	processes->n = processes->rows = processes->unread = 0;
}

int processes_look(struct processes *processes, struct err *err)
{
	struct pids pids;
	begin_look(processes);
	processes->hidden = is_hidden(processes->proc);
	if (pids_list(&pids, processes->proc, err) < 0)
		return -1;
	int rc = look_at_all(processes, &pids, err);
	pids_free(&pids);
	return rc < 0 ? rc : processes_order(processes, err);
}

void processes_free(struct processes *processes)
{
	forget(processes->before, processes->n_before);
	forget(processes->v, processes->n);
	free(processes->row);
	users_free(&processes->users);
	processes->before = processes->v = NULL;
	processes->row = NULL;
	processes->n = processes->n_before = processes->rows = 0;
	processes->began = false;
}
