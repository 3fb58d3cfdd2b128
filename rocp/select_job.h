/* SPDX-License-Identifier: MIT */
/* Whose work is a process: that of a control group or of a Slurm job?  A part of select.c. */
#ifndef ROCLATCH_ROCP_SELECT_JOB_H
#define ROCLATCH_ROCP_SELECT_JOB_H

#include <stdbool.h>
#include <sys/types.h>

/* Is it in the group or in one below?  The path is one of PROC/PID/cgroup, or one below /sys/fs/cgroup. */
bool select_in_cgroup(const char *proc, pid_t pid, const char *path);
/* JOB or JOB.STEP: by the variables that it was started with, or by its control group; where we are a task of Slurm, on our
 * node alone. */
bool select_in_slurm_job(const char *proc, pid_t pid, const char *job);
/* Is it a part of Slurm itself, or a roclatch?  They belong to a job and are not its work. */
bool select_is_helper(const char *proc, pid_t pid);

#endif
