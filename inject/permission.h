/* SPDX-License-Identifier: MIT */
/*
 * Which rule forbids us to trace a process?  The kernel only says EPERM; the
 * rules are those of kernel/ptrace.c:__ptrace_may_access, commoncap.c and Yama,
 * told here in the kernel's order so that the user hears the one that bites.
 */
#ifndef ROCLATCH_INJECT_PERMISSION_H
#define ROCLATCH_INJECT_PERMISSION_H

#include "inject/proc.h"

struct permission {
	pid_t pid;
	struct proc_status us, them;
	int same_user_ns;       /* 1 yes, 0 no, -1 not to be seen */
	int dumpable;           /* as above */
	int yama;               /* kernel.yama.ptrace_scope; -1: no Yama */
	bool descendant;        /* it is a child of ours, of any depth */
	bool filtered;          /* a seccomp filter on us forbids ptrace */
	char modules[128];      /* /sys/kernel/security/lsm, or "" */
	char label[128];        /* what a security module calls it, or "" */
};

#define PERMISSION_YAMA "/proc/sys/kernel/yama/ptrace_scope"

/* Look at us, at the process and at the system.  tid: a live thread of it.
 * What cannot be seen is left as "not told"; never fails. */
void permission_look(struct permission *permission, pid_t pid, pid_t tid, const char *yama_path);

/* Say which rule says no, with a remedy.  ERR_NOT_POSSIBLE; always -1. */
int permission_refuse(const struct permission *permission, struct err *err);

/* Does a seccomp filter on us, whose status this is, forbid ptrace? */
bool permission_filtered(const struct proc_status *us);

/* If that is so, say it in place of what err says.  Always -1. */
int permission_of_filter(pid_t pid, struct err *err);

/* Both, for a caller whom the kernel answered EPERM or EACCES. */
int permission_explain(pid_t pid, pid_t tid, struct err *err);

#endif
