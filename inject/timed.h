/* SPDX-License-Identifier: MIT */
/*
 * Timed calls that must be made again, because they answer EINTR to any stop or
 * because what ran on their thread made the kernel forget where they were: with
 * the time that remains of theirs.  The kernel does not tell when a call began, but
 * the scheduler tells when its thread last ran (/proc/TID/sched).
 */
#ifndef ROCLATCH_INJECT_TIMED_H
#define ROCLATCH_INJECT_TIMED_H

#include "arch/arch.h"
#include "inject/target.h"

/* How long the blocked thread has slept.  -1 if this kernel does not tell. */
int timed_slept(pid_t tid, uint64_t *ns);
/* How long the call was to last, from its arguments.  False: it has no limit, or
 * one that is not in its arguments (a socket's SO_RCVTIMEO). */
bool timed_length(struct memory *memory, long nr, const uint64_t args[6], uint64_t *ns);
/* Does the call have the rest of its time put where its time stands, as many loops around a sleep do?  The kernel has
 * done that when it was stopped (kernel/time/hrtimer.c, nanosleep_copyout). */
bool timed_is_rest(const struct regs *regs, long nr);
/* Make the call in `regs` shorter by what has passed.  A time in memory is written
 * anew to `scratch` (16 bytes), as the program's own must not change. */
void timed_shorten(struct memory *memory, struct regs *regs, long nr, uint64_t slept_ns, raddr scratch);

#endif
