/* SPDX-License-Identifier: MIT */
/* One thread, looked at through its files in /proc/PID/task. */
#ifndef ROCLATCH_INJECT_WATCH_TASKS_LOOK_H
#define ROCLATCH_INJECT_WATCH_TASKS_LOOK_H

#include "inject/watch/tasks.h"

/* What tells whether a thread has run. */
struct task_ran {
	uint64_t run_ns, wait_ns, switches;
};

/* Bring it up to date: one read if it has not run, seldom a second. */
void task_look(struct tasks *tasks, struct task *task, uint64_t now);
/* Ask what it has run so far: 0, or -1 with errno. */
int task_ran(struct tasks *tasks, struct task *task, struct task_ran *ran);
/* Is there schedstat, and does this kernel count in it? */
bool task_sched_counts(void);
void task_close(struct tasks *tasks, struct task *task);

#endif
