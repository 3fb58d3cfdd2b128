/* SPDX-License-Identifier: MIT */
/*
 * The threads of a process, followed from tick to tick by reading /proc alone.  What a tick costs is
 * one read of a few bytes for a thread that has not run since the last (its count of switches stands
 * still), so that many thousands can be followed; descriptors are kept for the first few hundred only.
 * That a blocked one was woken and waits for a CPU shows in another file, which is read the more seldom
 * the longer the thread has been blocked.
 */
#ifndef ROCLATCH_INJECT_WATCH_TASKS_H
#define ROCLATCH_INJECT_WATCH_TASKS_H

#include "inject/proc.h"

#define TASKS_FDS_MAX 512       /* descriptors that are kept open, up to three for a thread */

enum task_state {
	TASK_RUNNING,           /* on a CPU or waiting for one */
	TASK_SLEEPING,          /* blocked, can be interrupted */
	TASK_WAITING,           /* blocked in the kernel, not to be interrupted (D) */
	TASK_STOPPED,           /* stopped or traced */
	TASK_GONE,              /* it has exited */
};
#define TASK_STATES 5
const char *task_state_text(enum task_state state);     /* "running", "sleeping", "waiting", "stopped", "gone" */

struct task {
	pid_t tid;
	char name[32];
	enum task_state state;
	char letter;            /* as in /proc/TID/stat */
	struct proc_syscall call;       /* valid while blocked */
	bool call_known;        /* false: may not be read (another user's), or runs */
	uint64_t since_ns;      /* CLOCK_MONOTONIC when this state and call were first seen */
	uint64_t run_ns;        /* CPU time so far (schedstat) */
	uint64_t run_before_ns; /* at the tick before */
	uint64_t wait_ns;       /* time so far that it was ready to run and waited for a CPU */
	uint64_t woken_ns;      /* if it was blocked and has come to a CPU since the tick before: how long it waited for that */
	uint64_t switches;      /* how often it was put on a CPU */
	bool changed;           /* it has run since the tick before, or is new */
	bool is_new;
	bool woken;             /* running, but not on a CPU yet since it was seen blocked: its stack is still the same */
	bool runs_on;           /* running at the tick before, too, and not blocked meanwhile as far as is told */
	uint32_t still, ask_at; /* looks since it last ran; at which of them it is asked whether it was woken */
	int fd_sched, fd_call, fd_stat; /* kept open, or -1 */
	void *user;             /* of the caller; NULL in a new one */
};

struct tasks {
	pid_t pid;
	int dir;                /* /proc/PID/task */
	struct task *v;         /* in order of tid */
	size_t n, room;
	unsigned fds, fds_max;  /* that are kept open */
	uint64_t tick_ns;       /* CLOCK_MONOTONIC of the last tick */
	uint64_t elapsed_ns;    /* from the tick before to that one */
	bool sched_known;       /* this kernel has schedstat; false: stat and status are read each time */
	bool calls_refused;     /* system calls may not be read; asked again with each list */
	unsigned long links;    /* of the folder, before it was listed: they count threads */
	bool links_count;
	bool some_gone;         /* found out by the last tick */
	uint64_t listed_ns;
	void (*gone)(void *ctx, struct task *task);     /* may be NULL: before one is dropped */
	void *ctx;
};

/* 0, or -1: ERR_NOT_POSSIBLE (no such process), ERR_FAILED. */
int tasks_open(struct tasks *tasks, pid_t pid, struct err *err);
void tasks_close(struct tasks *tasks);
/* Look at all of them once: who is new, who is gone, what each does.  The folder is read anew only
 * if `list` (it costs most); otherwise only known threads are looked at.  0, or -1 (ERR_TARGET_EXITED). */
int tasks_tick(struct tasks *tasks, bool list, struct err *err);
/* May there be others than those that are known?  Much cheaper than the list: a birth shows in
 * the folder's count, a death (which might hide one) in the tick before. */
bool tasks_may_differ(const struct tasks *tasks);
/* Has it not run since the tick?  What was read of it meanwhile is of one instant then. */
bool task_stood_still(struct tasks *tasks, struct task *task);
/* For reports: the kernel's wait channel ("futex_wait_queue"), "" if it is not told. */
void task_wait_channel(pid_t pid, pid_t tid, char *text, size_t size);
/* "futex", "read", ..., or "syscall 999". */
const char *task_syscall_name(long nr, char *buf, size_t size);

#endif
