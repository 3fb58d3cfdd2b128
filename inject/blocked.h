/* SPDX-License-Identifier: MIT */
/* What a blocked thread waits for, and what it costs to stop it there. */
#ifndef ROCLATCH_INJECT_BLOCKED_H
#define ROCLATCH_INJECT_BLOCKED_H

#include "inject/pick.h"
#include "inject/target.h"

/* The class of a thread in this system call, with words for people. */
enum pick_class blocked_class(const struct target *target, const struct proc_syscall *call,
			      const char **what);
/* Wait until the thread has gone to sleep anew, until the deadline: a timed call
 * that has just begun can be made again with its whole time.  True if it has. */
bool blocked_anew(const struct target *target, pid_t tid, uint64_t deadline_ns);

#endif
