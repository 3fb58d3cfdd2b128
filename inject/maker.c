/* SPDX-License-Identifier: MIT */
/* Run steps on the borrowed thread, and catch the thread that they make. */
#include <asm/unistd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>

#include "inject/run.h"

#define LOCK_LIMIT_NS 400000000ull
#define MAKING_LIMIT_NS 10000000000ull  /* on a machine so crowded that the thread gets no CPU */

/* The thread that we trace beside the borrowed one. */
static pid_t find_child(struct run *run)
{
	pid_t *tids = NULL, found = 0;
	size_t n = 0;
	if (proc_threads(run->images->target->pid, &tids, &n, NULL) < 0)
		return 0;
	for (size_t i = n; i-- > 0 && !found;) {
		struct proc_status status;
		if (tids[i] != run->borrow.thread.tid &&
		    proc_status(run->images->target->pid, tids[i], &status, NULL) == 0 &&
		    status.tracer == thread_tracer())
			found = tids[i];
	}
	free(tids);
	return found;
}

/* The fresh thread is born: it may go on and make the call. */
static int catch_child(struct run *run, pid_t tid, struct err *err)
{
	if (!tid)
		tid = find_child(run);
	if (!tid) {
		run->unknown = true;
		return err_set(err, ERR_FAILED, 0, "the fresh thread cannot be found");
	}
	run->fresh = (struct thread){ .tid = tid, .state = THREAD_RUNNING };
	thread_wait(&run->fresh, now_ns() + MAKING_LIMIT_NS);
	bool stopped = run->fresh.state == THREAD_GROUP_STOP;   /* born into a stop of the whole process */
	if (!stopped && run->fresh.state != THREAD_STOPPED)
		return err_set(err, ERR_FAILED, 0, "the fresh thread %d did not come up", tid);
	run->call->report.fresh = tid;
	uint32_t go = 1;
	struct memory *memory = &run->images->target->memory;
	if (thread_follow(&run->fresh, false, err) < 0)
		return -1;
	/* pthread_create may have a lock now: it is not cut off by one refusal */
	if (memory_write(memory, run->region.mailbox, &go, sizeof go, NULL) < 0 &&
	    memory_write(memory, run->region.mailbox, &go, sizeof go, err) < 0)
		return -1;
	run->go_ns = now_ns();
	return thread_resume(&run->fresh, stopped ? PTRACE_LISTEN : PTRACE_CONT, 0, err);
}

/* Is it at the marker behind its last step? */
static bool at_marker(struct run *run)
{
	struct regs regs;
	return thread_regs_get(&run->borrow.thread, &regs, NULL) == 0 &&
	       arch_pc(&regs) == region_code(&run->region, trampoline_marker);
}

/* errno is the thread's own memory: keep it from what our steps do to it.  The
 * first step tells where it is; the trampoline's gettid behind that step is
 * where we look. */
static void keep_errno(struct run *run, raddr mailbox)
{
	struct mailbox seen;
	if (!run->libc.errno_at || run->saved_errno.at || mailbox_read(run, mailbox, &seen, NULL) < 0 ||
	    !seen.step[0].returned)
		return;
	if (memory_read(&run->images->target->memory, seen.step[0].result, &run->saved_errno.value,
			sizeof run->saved_errno.value, NULL) == 0)
		run->saved_errno.at = seen.step[0].result;
}

static void put_errno_back(struct run *run)
{
	int now;
	if (run->saved_errno.at &&
	    memory_read(&run->images->target->memory, run->saved_errno.at, &now, sizeof now, NULL) == 0 &&
	    now != run->saved_errno.value)
		memory_write(&run->images->target->memory, run->saved_errno.at, &run->saved_errno.value,
			     sizeof now, NULL);
}

static int out_of_time(struct run *run, struct err *err)
{
	pid_t tid = run->borrow.thread.tid;
	if (call_stop_signal)
		return err_set(err, ERR_SIGNAL + call_stop_signal, 0,
			       "stopped by a signal while the function ran on thread %d", tid);
	if (run->stuck)
		return err_set(err, ERR_TIMEOUT, 0, "pthread_create waits for a lock on thread %d", tid);
	err_set(err, ERR_TIMEOUT, 0, "the function on thread %d was not done in %u ms and was abandoned",
		tid, run->call->timeout_ms);
	return err_remedy(err, "locks that it had taken stay held; a long function belongs on a fresh thread");
}

/* Does it sleep on a futex that nobody wakes it from? */
static bool waits_for_lock(struct run *run)
{
	struct proc_syscall call;
	return proc_syscall(run->images->target->pid, run->borrow.thread.tid, &call, NULL) == 0 &&
	       !call.running && call.nr == __NR_futex;
}

/* Is there no more time?  pthread_create is not torn apart for that: it takes locks of the C library, and is soon done. */
static bool is_over(const struct run *run, uint64_t begun_ns)
{
	uint64_t now = now_ns();
	return (now >= run->deadline_ns || call_stop_signal) && (!run->making || now > begun_ns + MAKING_LIMIT_NS);
}

/* Wait for the next stop; THREAD_RUNNING when the time is over. */
static void next_stop(struct run *run)
{
	struct thread *thread = &run->borrow.thread;
	uint64_t begun = now_ns(), patience = begun + LOCK_LIMIT_NS;
	for (;;) {
		uint64_t slice = now_ns() + 50000000ull;
		thread_wait(thread, slice < run->deadline_ns || run->making ? slice : run->deadline_ns);
		if (thread->state != THREAD_RUNNING || is_over(run, begun))
			return;
		if (!run->making || run->fresh.tid || now_ns() <= patience || !waits_for_lock(run))
			continue;
		/* To abandon it is safe only while it sleeps for the lock: one that has just been woken
		 * would take the lock, or the wake-up, with it. */
		if (thread_interrupt(thread, NULL) == 0)
			thread_wait(thread, now_ns() + LOCK_LIMIT_NS);
		run->stuck = thread->state == THREAD_STOPPED && borrow_waits_on_futex(&run->borrow);
		if (thread->state != THREAD_RUNNING)
			return;
		patience = now_ns() + LOCK_LIMIT_NS;
	}
}

/* A sleep overwrites what the kernel knows of the thread's own interrupted one. */
static void note_sleep(struct run *run)
{
	struct regs regs;
	long nr;
	if (run->call->on == CALL_ON_BORROWED && run->borrow.how == ARCH_RESTART_BLOCK &&
	    thread_regs_get(&run->borrow.thread, &regs, NULL) == 0 &&
	    arch_entry_nr(run->borrow.thread.tid, &regs, &nr) == 0 &&
	    (nr == __NR_nanosleep || nr == __NR_clock_nanosleep))
		run->borrow.block_lost = true;
}

/* Its registers are its own; the signals that we have blocked would be blocked in it for good. */
void run_let_new_program_go(struct run *run)
{
	struct proc_status status;
	struct thread leader = { .tid = run->images->target->pid, .state = THREAD_RUNNING };
	if (proc_status(leader.tid, leader.tid, &status, NULL) == 0 && status.tracer == thread_tracer() &&
	    thread_stop(&leader, now_ns() + END_LIMIT_NS, NULL) >= 0)
		thread_detach_new(&leader, run->borrow.blocked, run->borrow.mask, NULL);
}

/* Until the marker. */
static int watch_borrowed(struct run *run, raddr mailbox, struct err *err)
{
	struct thread *thread = &run->borrow.thread;
	for (int signo = 0;;) {
		if (thread_resume(thread, PTRACE_SYSCALL, signo, err) < 0)
			return -1;
		next_stop(run);
		signo = 0;
		if (thread->state != THREAD_RUNNING && thread->state != THREAD_GONE && borrow_is_replaced(&run->borrow))
			return err_set(err, ERR_TARGET_EXITED, 0, "process %d became another program (exec) while the function ran",
				       run->images->target->pid);
		switch (thread->state) {
		case THREAD_ENTRY:
			keep_errno(run, mailbox);
			note_sleep(run);
			if (at_marker(run))
				return 0;
			break;
		case THREAD_CLONED:
			if (catch_child(run, thread->child, err) < 0)
				return -1;
			break;
		case THREAD_SIGNAL:
			signo = thread->signo;
			if (borrow_puts_off(&run->borrow) || !crash_is_one(run, thread->tid, signo))
				break;
			crash_note(run, thread->tid, signo);
			run->borrow.swallow = signo;
			return crash_error(run, err);
		case THREAD_GONE:
			run_let_new_program_go(run);
			return err_set(err, ERR_TARGET_EXITED, 0, "thread %d has ended", thread->tid);
		case THREAD_RUNNING:
			return out_of_time(run, err);
		default:
			if (run->stuck)
				return out_of_time(run, err);
			break;
		}
	}
}

int run_on_borrowed(struct run *run, struct call_step *steps, unsigned n, raddr stack,
		    raddr mailbox, bool make, struct err *err)
{
	struct mailbox head = { 0 };
	struct call_step all[MB_STEPS_MAX] = { { .fn = run->libc.errno_at } };
	unsigned first = run->libc.errno_at ? 1 : 0;
	memcpy(all + first, steps, n * sizeof *steps);

	if (borrow_put_frame(&run->borrow, &run->region, &head.frame, err) < 0 ||
	    steps_write(run, all, n + first, mailbox, &head, err) < 0 ||
	    borrow_start(&run->borrow, &run->region, stack, mailbox, run_open_signals(run), err) < 0)
		return -1;
	if (thread_follow(&run->borrow.thread, make, err) < 0)
		return -1;
	run->saved_errno.at = 0;
	run->stuck = false;
	int rc = watch_borrowed(run, mailbox, err);
	put_errno_back(run);
	if (steps_read(run, all, n + first, mailbox, rc < 0 ? NULL : err) < 0)
		return -1;
	memcpy(steps, all + first, n * sizeof *steps);
	return rc;
}
