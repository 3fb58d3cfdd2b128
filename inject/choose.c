/* SPDX-License-Identifier: MIT */
/* Choose the thread to borrow, stop it, and give it back. */
#include <asm/unistd.h>
#include <errno.h>
#include <linux/sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "inject/blocked.h"
#include "inject/permission.h"
#include "inject/run.h"
#include "inject/seccomp.h"
#include "inject/timed.h"

#define REFUSALS_MAX 64
#define SHORT_NS 100000000ull
#define NAP_MAX_NS 500000ull    /* a thread that waits for a child may do so no longer */
#define STOPPED_NAP_NS 1000000
#define BORROWED_CALLS 6        /* of those in seccomp_allows */

/* Has the program never made a thread?  With the first one glibc sets up its own signal and, it may be, malloc. */
static bool is_first_thread(const struct run *run)
{
	return run->images->target->libc == LIBC_GLIBC && !(run->caught_before >> 31 & 7);
}

/* Every system call that we make in the target, on either thread, and those that the C
 * library makes for a thread that begins or ends. */
static int seccomp_allows(struct run *run, pid_t tid, struct err *err)
{
	const uint64_t thread_flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD |
				      CLONE_SYSVSEM | CLONE_SETTLS | CLONE_PARENT_SETTID |
				      CLONE_CHILD_CLEARTID;
	/* glibc ends the process if the thread that makes another has rseq and the new one cannot */
	struct thread_rseq rseq;
	const bool without_rseq = thread_rseq(&run->borrow.thread, &rseq) == 0;
	struct seccomp_call calls[] = {
		{ .nr = __NR_mmap, .what = "mmap",
		  .args = { 0, REGION_SIZE, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
			    (uint64_t)-1, 0 } },
		{ .nr = __NR_mprotect, .what = "mprotect", .args = { 0, REGION_SIZE, PROT_READ | PROT_WRITE } },
		{ .nr = __NR_munmap, .what = "munmap", .args = { 0, REGION_SIZE } },
		{ .nr = __NR_rt_sigreturn, .what = "rt_sigreturn" },
		{ .nr = __NR_getpid, .what = "getpid" },
		{ .nr = __NR_gettid, .what = "gettid" },
		/* so far for a borrowed thread */
		{ .nr = __NR_clone3, .what = "clone3", .args = { 0, 88 }, .may_fail = true },
		{ .nr = __NR_clone, .what = "clone", .args = { thread_flags } },
		{ .nr = __NR_rseq, .what = "rseq", .args = { 0, 32 }, .may_fail = without_rseq },
		{ .nr = __NR_rt_sigprocmask, .what = "rt_sigprocmask", .args = { SIG_SETMASK, 0, 0, 8 } },
		{ .nr = __NR_rt_sigtimedwait, .what = "rt_sigtimedwait", .args = { 0, 0, 0, 8 } },
		{ .nr = __NR_set_robust_list, .what = "set_robust_list", .args = { 0, 24 } },
		{ .nr = __NR_set_tid_address, .what = "set_tid_address" },
		{ .nr = __NR_exit, .what = "exit" },
		/* so far for any fresh one */
		{ .nr = 0 }, { .nr = 0 }, { .nr = 0 }, { .nr = 0 },
	};
	size_t all = sizeof calls / sizeof calls[0] - 4;
	if (is_first_thread(run)) {
		calls[all++] = (struct seccomp_call){ .nr = __NR_rt_sigaction, .what = "rt_sigaction", .args = { 33, 0, 0, 8 },
						      .may_fail = true };
		calls[all++] = (struct seccomp_call){ .nr = __NR_getrandom, .what = "getrandom", .args = { 0, 8, 1 },
						      .may_fail = true };
		calls[all++] = (struct seccomp_call){ .nr = __NR_brk, .what = "brk", .may_fail = true };
	}
	if (run->call->makes)
		calls[all++] = (struct seccomp_call){ .nr = run->call->makes, .what = "a system call of the function",
						      .may_fail = true };
	for (size_t i = 0; i < all; i++)
		calls[i].pc = run->gadgets.syscall + ARCH_SYSCALL_SIZE;
	if (seccomp_check(tid, ARCH_AUDIT, calls, run->call->on == CALL_ON_BORROWED ? BORROWED_CALLS : all, err) == 0)
		return 0;
	if (run->call->trust_seccomp && err->sys) {
		say(&run->images->target->say, "seccomp: %s; going on, as asked", err->text);
		return 0;
	}
	return -1;
}

/*
 * A timed call that any stop cuts is made again for the time that remains.  Where
 * that is short or cannot be told, let the call end first and take the next one,
 * which has just begun.  False: not before the limit.
 */
static bool await_new_call(struct run *run, pid_t tid)
{
	struct target *target = run->images->target;
	struct proc_syscall call;
	uint64_t slept, whole, now = now_ns();
	if (proc_syscall(target->pid, tid, &call, NULL) == 0 && !call.running &&
	    timed_length(&target->memory, call.nr, call.args, &whole) && timed_slept(tid, &slept) == 0 &&
	    slept + SHORT_NS < whole)
		return true;
	return blocked_anew(target, tid, now < run->deadline_ns ? now + (run->deadline_ns - now) * 9 / 10 : now);
}

/* Still in the wrapper of the call in which it was seen blocked? */
static bool is_unmoved(const struct borrow *borrow, const struct candidate *candidate)
{
	return candidate->class != PICK_RUNNING && arch_sp(&borrow->regs) == candidate->sp &&
	       arch_pc(&borrow->regs) - (candidate->pc - 32) < 64;
}

/* Stop one candidate and look at it once more, now that it cannot move. */
static int try_candidate(struct run *run, const struct candidate *candidate, struct err *err)
{
	struct borrow *borrow = &run->borrow;
	const struct say *out = &run->images->target->say;
	if (candidate->class == PICK_REPEATED_TIMED && !await_new_call(run, candidate->tid)) {
		err_set(err, ERR_NOT_POSSIBLE, 0, "it waits in a timed call that would end late");
		return 1;
	}
	if (candidate->class == PICK_RUNNING && pick_sees_blocked(&run->pick, candidate->tid)) {
		err_set(err, ERR_NOT_POSSIBLE, 0, "it is blocked now and then");
		return 1;
	}
	int rc = borrow_begin(borrow, run->images, &run->gadgets, candidate->tid,
			      pick_seen(&run->pick, candidate->tid), run->call->on == CALL_ON_BORROWED, run->deadline_ns, err);
	if (rc) {
		say(out, "thread %d: %s", candidate->tid, err->text);
		return rc;
	}
	bool blocked = borrow->how != ARCH_NOT_IN_CALL;
	bool unmoved = is_unmoved(borrow, candidate);
	const char *objection = unmoved ? NULL :
		pick_objection(&run->pick, candidate->tid, arch_pc(&borrow->regs), arch_sp(&borrow->regs),
			       blocked ? candidate->class : PICK_RUNNING);
	if (objection && !run->call->thread) {
		say(out, "thread %d will not do just now: %s", candidate->tid, objection);
		err_set(err, ERR_NOT_POSSIBLE, 0, "%s", objection);
		run_give_back(run, NULL);
		return 1;
	}
	struct proc_status status;
	if (proc_status(run->images->target->pid, candidate->tid, &status, NULL) == 0 && status.seccomp > 0 &&
	    seccomp_allows(run, candidate->tid, err) < 0) {
		run_give_back(run, NULL);
		return -1;
	}
	run->call->report.borrowed = candidate->tid;
	memcpy(run->call->report.why_borrowed, candidate->why, sizeof candidate->why);
	say(out, "borrowed thread %d: %s", candidate->tid, candidate->why);
	return 0;
}

bool run_is_stopped(const struct run *run)
{
	struct proc_stat stat;
	const struct target *target = run->images->target;
	return proc_stat(target->pid, target->live_tid, &stat, NULL) == 0 && stat.state == 'T';
}

static int nobody(struct run *run, struct err *err, const char *last)
{
	if (!target_alive(run->images->target))
		return err_set(err, ERR_TARGET_EXITED, 0, "process %d has ended", run->images->target->pid);
	if (run_is_stopped(run)) {
		err_set(err, ERR_TIMEOUT, 0, "process %d is stopped, and did not go on in %u ms; nothing was called in it",
			run->images->target->pid, run->call->timeout_ms);
		return err_remedy(err, "continue it: kill -CONT %d", run->images->target->pid);
	}
	err_set(err, ERR_TIMEOUT, 0, "no thread could be borrowed in %u ms%s%s; the target is untouched",
		run->call->timeout_ms, last[0] ? "; last: " : "", last);
	return err_remedy(err, "allow more time with --timeout-msec, or choose a thread with --thread");
}

/* Threads that allocate all the time are hardly ever found outside of the C library, and looking at
 * them takes long; meanwhile one may be blocked for a moment, unseen.  So after each turn of stopping
 * those that run, all are only watched, for as long as that took. */
static void watch_after(struct run *run, uint64_t since_ns)
{
	for (size_t i = 0; i < run->pick.n; i++)
		if (run->pick.v[i].class == PICK_RUNNING) {
			pick_watch(&run->pick, now_ns() - since_ns);
			return;
		}
}

void run_await_continue(const struct run *run)
{
	while (run_is_stopped(run) && now_ns() < run->deadline_ns && !call_stop_signal)
		nanosleep(&(struct timespec){ 0, STOPPED_NAP_NS }, NULL);
}

int run_borrow(struct run *run, struct err *err)
{
	char last[200] = "every thread is in a call that cannot be interrupted";
	unsigned refusals = 0;
	for (uint64_t nap = 100000;; nap = nap * 3 / 2 < NAP_MAX_NS ? nap * 3 / 2 : NAP_MAX_NS) {
		run_await_continue(run);
		if (memory_is_gone(&run->images->target->memory))       /* another program has no thread that would do */
			return target_blame(run->images->target, err);
		if (pick_candidates(&run->pick, run->call->thread, run->call->prefer, err) < 0)
			return -1;
		uint64_t since = now_ns();
		for (size_t i = 0; i < run->pick.n; i++) {
			struct err why = { 0 };
			int rc = try_candidate(run, &run->pick.v[i], &why);
			if (rc <= 0) {
				if (rc < 0 && err)
					*err = why;
				return rc;
			}
			snprintf(last, sizeof last, "%.150s", why.text);
			/* target_open found that we may: a single EPERM is a thread at its end */
			if ((why.sys == EPERM || why.sys == ENOSYS) && ++refusals == REFUSALS_MAX) {
				if (err)
					*err = why;
				return permission_of_filter(run->images->target->pid, err);
			}
			if (call_stop_signal || run_is_stopped(run))
				break;
		}
		watch_after(run, since);
		if (call_stop_signal)
			return err_set(err, ERR_SIGNAL + call_stop_signal, 0, "stopped before anything was done");
		if (now_ns() + nap >= run->deadline_ns || !target_alive(run->images->target))
			return nobody(run, err, last);
		nanosleep(&(struct timespec){ 0, (long)nap }, NULL);
	}
}

int run_give_back(struct run *run, struct err *err)
{
	uint64_t kept_ns = 0;
	int rc = borrow_give_back(&run->borrow, &kept_ns, err);
	for (int tries = 0; rc < 0 && tries < 3 && thread_lives(run->borrow.thread.tid); tries++)
		rc = borrow_give_back(&run->borrow, &kept_ns, err);
	run->stranded = rc < 0 && thread_lives(run->borrow.thread.tid);
	struct call_report *report = &run->call->report;
	report->remote_syscalls += run->borrow.syscalls;
	if (kept_ns > report->borrowed_ns)
		report->borrowed_ns = kept_ns;
	return rc;
}
