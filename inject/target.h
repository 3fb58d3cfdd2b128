/* SPDX-License-Identifier: MIT */
/*
 * The target: one process, opened so that it cannot become another one (pidfd,
 * or start time on old kernels), and what must be known of it before it is
 * touched.  Opening reads only.
 */
#ifndef ROCLATCH_INJECT_TARGET_H
#define ROCLATCH_INJECT_TARGET_H

#include "inject/memory.h"
#include "inject/proc.h"

enum libc_kind { LIBC_NONE, LIBC_GLIBC, LIBC_MUSL, LIBC_BIONIC };

/* Where explanations go (--verbose).  line may be NULL. */
struct say {
	void (*line)(void *ctx, const char *text);
	void *ctx;
};
void say(const struct say *say, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

struct target {
	pid_t pid;
	int pidfd;              /* -1 on kernels without pidfd_open */
	uint64_t start_time;
	pid_t live_tid;         /* the leader, or another thread if the leader has exited */
	struct memory memory;
	struct auxv auxv;
	size_t page;
	struct proc_status status;
	enum libc_kind libc;    /* told by images_open, and closer by images_libc */
	char libc_version[32];  /* "2.36", "1.2.3", or ""; told by images_libc */
	struct say say;
	int lock;               /* see target_lock; -1 */
};

/* Open and look.  Fails with ERR_NOT_POSSIBLE, reason and remedy, for what can
 * never work: no such process, kernel thread, zombie, another CPU or 32-bit or
 * x32 (named), no permission (which rule: uid, dumpable, Yama, capabilities in
 * the target's user namespace), already traced (by whom), group-stopped.
 * ERR_FAILED for what broke.  Nothing in the target changes. */
int target_open(struct target *target, pid_t pid, const struct say *say, struct err *err);
/* To look at it only: one that is stopped or traced will do, too.  Where its memory may not be read, or is
 * of another CPU, *readable is false and err says why; its threads can be looked at all the same.  -1: as above. */
int target_watch(struct target *target, pid_t pid, const struct say *say, bool *readable, struct err *err);
void target_close(struct target *target);

/* Is it still the same, living process?  Uses the pidfd, or the start time. */
bool target_alive(const struct target *target);
/* Is it gone, or soon?  exit() and deadly signals take a moment until the last thread is; a core may take long. */
bool target_ends(const struct target *target);
/* Does it dump core?  It is there meanwhile, with all that it had, and none of its threads runs or stops any more. */
bool target_dumps(const struct target *target);

/* After a failure: if its memory is gone, that is why, whatever err says by now.  Always -1. */
int target_blame(const struct target *target, struct err *err);

/* Its id in its own pid namespace: as it calls itself. */
pid_t target_self(const struct target *target);

/* One roclatch at a time works on a process: others wait.  The kernel drops the lock
 * when we die.  0, or -1 with ERR_TIMEOUT. */
int target_lock(struct target *target, uint64_t deadline_ns, struct err *err);
void target_unlock(struct target *target);
/* Is one at work on it now? */
bool target_is_locked(pid_t pid);

/* One of its threads that has not ended, the main one if that lives; 0 if none. */
pid_t target_living_thread(pid_t pid);

/* Read its mappings anew.  (By live_tid, as a zombie leader's are empty.) */
int target_maps(const struct target *target, struct maps *maps, struct err *err);
/* At least all mappings that are not as they were then. */
int target_maps_since(const struct target *target, const struct maps *then, struct maps *changed, struct err *err);

#endif
