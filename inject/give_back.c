/* SPDX-License-Identifier: MIT */
/* The way back of a borrowed thread. */
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>

#include "arch/restart.h"
#include "inject/borrow.h"
#include "inject/timed.h"

#define BACK_LIMIT_NS 2000000000ull
#define SOON_NS 50000000ull

/* Most stop at once.  In a process that dumps core none ever does. */
static void await_stop(struct borrow *borrow, uint64_t deadline)
{
	uint64_t soon = now_ns() + SOON_NS;
	thread_wait(&borrow->thread, soon < deadline ? soon : deadline);
	if (borrow->thread.state == THREAD_RUNNING && soon < deadline && !target_dumps(borrow->images->target))
		thread_wait(&borrow->thread, deadline);
}

/* Bring it to a stop outside of system calls: only there does the kernel take
 * every register (arm64 discards x7 at a system call's stops). */
static int to_plain_stop(struct borrow *borrow, uint64_t deadline, struct err *err)
{
	struct thread *thread = &borrow->thread;
	if (thread->state == THREAD_STOPPED)
		return 0;
	if (thread_interrupt(thread, err) < 0)
		return -1;
	for (;;) {
		if (thread->state == THREAD_RUNNING)
			await_stop(borrow, thread_asked(deadline));
		int signo = 0;
		switch (thread->state) {
		case THREAD_STOPPED:
		case THREAD_GROUP_STOP:
			return 0;
		case THREAD_GONE:
			return err_set(err, ERR_TARGET_EXITED, 0, "thread %d has ended", thread->tid);
		case THREAD_RUNNING:
			return err_set(err, ERR_TIMEOUT, 0, "thread %d does not stop", thread->tid);
		case THREAD_SIGNAL:
			/* what the called code raised ends here; all others are the target's */
			if (borrow_puts_off(borrow) || (thread->signo != borrow->swallow &&
			    !(THREAD_SYNCHRONOUS >> (thread->signo - 1) & 1)))
				signo = thread->signo;
			borrow->swallow = 0;
			break;
		case THREAD_CLONED:
			borrow->child = thread->child;
			break;
		default:
			break;
		}
		if (thread_on_to_stop(thread, signo, err) < 0)
			return -1;
	}
}

int borrow_halt(struct borrow *borrow, struct err *err)
{
	return to_plain_stop(borrow, now_ns() + BACK_LIMIT_NS, err);
}

/* Order matters: until the registers are set, the thread's way leads through
 * rt_sigreturn, which sets the rest again. */
static int restore(struct borrow *borrow, const struct regs *regs, struct err *err)
{
	if (thread_vector_set(&borrow->thread, &borrow->vector, err) < 0 ||
	    thread_mask_set(&borrow->thread, borrow->mask, err) < 0)
		return -1;
	return thread_regs_set(&borrow->thread, regs, err);
}

static bool is_caught(struct borrow *borrow, int signo)
{
	struct proc_status status;
	if (proc_status(borrow->images->target->pid, borrow->thread.tid, &status, NULL) < 0)
		return true;
	return status.sig_caught >> (signo - 1) & 1;
}

/* Will a handler run as soon as it is let go? */
static bool handler_is_due(struct borrow *borrow)
{
	struct proc_status status;
	if (proc_status(borrow->images->target->pid, borrow->thread.tid, &status, NULL) < 0)
		return false;
	return (status.sig_pending | status.shared_pending) & ~borrow->mask & status.sig_caught;
}

/* Does a handler that runs now end the call with EINTR? */
static bool handler_ends_call(const struct borrow *borrow)
{
	return borrow->how == ARCH_RESTART_BLOCK || restart_never_after_handler(borrow->nr);
}

/*
 * A call that answers EINTR to any stop cannot be left at its entry: letting a
 * thread go leaves TIF_SIGPENDING set until it passes through the signal code
 * (kernel/ptrace.c, __ptrace_unlink), and that is such a stop.  So it is let go
 * before its system call instruction.  Where its process has been stopped meanwhile, EINTR is what it would see.
 */
static int repeat(struct borrow *borrow, struct regs *regs, struct err *err)
{
	if (handler_is_due(borrow) || (borrow->how == ARCH_EINTR && borrow->thread.state == THREAD_GROUP_STOP)) {
		arch_answer_eintr(regs);
		if (thread_regs_set(&borrow->thread, regs, err) < 0)
			return -1;
	}
	return thread_detach(&borrow->thread, 0, err);
}

/*
 * Walk the thread into its interrupted call and let it go there: from then on
 * the kernel treats signals as it always does.  A signal that comes first is
 * given as if it had come during the call.  In a stop of the whole process it goes there alone, and stops in its call.
 */
static int reenter(struct borrow *borrow, struct regs *regs, uint64_t deadline, struct err *err)
{
	struct thread *thread = &borrow->thread;
	int signo = 0;
	for (;;) {
		if (thread_resume(thread, PTRACE_SYSCALL, signo, err) < 0)
			return -1;
		thread_wait(thread, deadline);
		signo = 0;
		switch (thread->state) {
		case THREAD_STOPPED:
		case THREAD_GROUP_STOP:
			break;
		case THREAD_RUNNING:
			thread_stop(thread, deadline + BACK_LIMIT_NS, err);
			return thread_detach(thread, 0, err);
		case THREAD_GONE:
			return err_set(err, ERR_TARGET_EXITED, 0, "thread %d has ended", thread->tid);
		case THREAD_SIGNAL:
			signo = thread->signo;
			if (!is_caught(borrow, signo))
				break;
			if (handler_ends_call(borrow)) {
				arch_answer_eintr(regs);
				thread_regs_set(thread, regs, NULL);
			} else if (borrow->was_blocked && restart_asks_handler(borrow->nr, arch_arg(regs, 1))) {
				return borrow_handle(borrow, signo, regs, deadline, err);
			}
			return thread_detach(thread, signo, err);
		default:
			return thread_detach(thread, 0, err);
		}
	}
}

/* The stack below the frame is dead to the program, but it is not ours. */
static void put_back_stack(struct borrow *borrow)
{
	if (borrow->below)
		memory_write(&borrow->images->target->memory, borrow->frame, borrow->below,
			     borrow->frame_size, NULL);
	free(borrow->below);
	borrow->below = NULL;
}

int borrow_give_back(struct borrow *borrow, uint64_t *kept_ns, struct err *err)
{
	uint64_t deadline = now_ns() + BACK_LIMIT_NS;
	struct thread *thread = &borrow->thread;
	bool again = borrow->how == ARCH_EINTR || (borrow->how == ARCH_RESTART_BLOCK && borrow->block_lost);
	bool changed = (borrow->diverted || borrow->how == ARCH_EINTR) && !borrow->restored;
	struct regs regs = borrow->regs;
	int rc = -1;

	if (thread->state == THREAD_FREE || thread->state == THREAD_GONE) {
		err_set(err, ERR_TARGET_EXITED, 0, "thread %d has ended", thread->tid);
		goto out;
	}
	if (again) {
		arch_reissue(&regs, borrow->how, borrow->nr, borrow->arg0);
		uint64_t passed_ns = borrow->slept_ns + now_ns() - borrow->since_ns;
		if (timed_is_rest(&regs, borrow->nr))   /* the kernel has noted it, at the stop */
			passed_ns = now_ns() - borrow->stopped_ns;
		if (borrow->slept_ns && borrow->scratch)
			timed_shorten(&borrow->images->target->memory, &regs, borrow->nr, passed_ns, borrow->scratch);
	}
	if (to_plain_stop(borrow, deadline, err) < 0)
		goto out;
	if (borrow_is_replaced(borrow)) {
		rc = thread_detach_new(thread, borrow->blocked, borrow->mask, err);
		goto out;
	}
	if (changed && restore(borrow, &regs, err) < 0)
		goto out;
	borrow->restored = true;
	put_back_stack(borrow);
	/* such a call never restarts: it has not been made yet, and is not to be cut by our walking it into it */
	bool unmade = borrow->how == ARCH_RESTARTS && restart_always_eintr(borrow->nr) && !arch_kernel_restarts(borrow->how);
	bool as_it_is = !changed || borrow->how == ARCH_NOT_IN_CALL;
	if ((again || unmade) && !as_it_is)
		rc = repeat(borrow, &regs, err);
	else if (as_it_is || arch_kernel_restarts(borrow->how))
		rc = thread_detach(thread, 0, err);
	else
		rc = reenter(borrow, &regs, deadline, err);
out:
	if (rc < 0 && thread_is_killed(thread))
		err_set(err, ERR_TARGET_EXITED, 0, "thread %d has ended", thread->tid);
	if (thread->state == THREAD_FREE || thread->state == THREAD_GONE) {
		borrow->images->target->memory.held = 0;
		free(borrow->below);
		borrow->below = NULL;
	}
	if (kept_ns)
		*kept_ns = now_ns() - borrow->since_ns;
	return rc;
}
