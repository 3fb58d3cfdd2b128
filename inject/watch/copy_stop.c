/* SPDX-License-Identifier: MIT */
/*
 * Copies by a stop.  A thread that was asked to stop and has not yet cannot be let go by asking again;
 * only the end of its tracer does that (kernel/ptrace.c, exit_ptrace).  So the tracer is a process of its
 * own for each stop, which shares our memory while we stand still (CLONE_VM | CLONE_VFORK).  It has
 * children, SIGCHLD and a mask of its own, so that ours are not touched either.
 */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "arch/arch.h"
#include "arch/restart.h"
#include "inject/blocked.h"
#include "inject/thread.h"
#include "inject/watch/copy_window.h"

#define ATTRIBUTES 8            /* words that sched_getattr(2) fills: 56 bytes in its second version */

struct stop {
	struct stack_copy *copy;
	struct memory *memory;
	pid_t pid, tid;
	uint64_t wait_ns;
	copy_end *end;
	void *ctx;
	struct err *err;
	int rc;
};

/* May a thread that is blocked in this call be stopped without its noticing?  In no call it waits for
 * memory, or has met a signal since it is traced. */
static bool is_harmless(pid_t pid, const struct proc_syscall *call)
{
	const char *what;
	if (call->running || call->nr < 0)
		return true;
#ifdef SYS_pidfd_open
	struct target target = { .pid = pid, .pidfd = (int)syscall(SYS_pidfd_open, pid, 0) };
#else
	struct target target = { .pid = pid, .pidfd = -1 };
#endif
	enum pick_class class = blocked_class(&target, call, &what);
	/* without a look at the socket, it may have a time limit */
	bool blind = target.pidfd < 0 && restart_may_repeat(call->nr);
	if (target.pidfd >= 0)
		close(target.pidfd);
	return !blind && (class == PICK_EXACT || class == PICK_FUTEX);
}

/* A signal that is about to be handled: then EINTR is the call's right answer. */
static bool signal_comes(const struct stop *stop)
{
	struct proc_status status;
	if (proc_status(stop->pid, stop->tid, &status, NULL) < 0)
		return true;
	return (status.sig_pending | status.shared_pending) & ~status.sig_blocked;
}

/* It ran when we looked, and was in a call that answers EINTR to any stop when it stopped: it makes the
 * call again.  (On aarch64 the first argument is lost then, and nothing can be done.) */
static void mend_call(const struct stop *stop, const struct thread *thread, const struct regs *regs)
{
	uint8_t code[ARCH_CODE_BEFORE + ARCH_CODE_BEHIND];
	const struct arch_seen unseen = { .blocked = false };
	struct regs again = *regs;
	long nr;
	if (memory_read(stop->memory, arch_pc(regs) - ARCH_CODE_BEFORE, code, sizeof code, NULL) < 0)
		return;
	if (arch_interrupted(regs, code + ARCH_CODE_BEFORE, &unseen, &nr) != ARCH_EINTR || signal_comes(stop))
		return;
	arch_reissue(&again, ARCH_EINTR, nr, arch_arg(regs, 0));
	thread_regs_set(thread, &again, NULL);
}

static int copy_stopped(const struct stop *stop, struct thread *thread)
{
	struct stack_copy *copy = stop->copy;
	struct regs regs;
	uint64_t since = now_ns();
	if (thread_regs_get(thread, &regs, stop->err) < 0)
		return -1;
	copy->tid = stop->tid;
	copy->way = COPY_STOP;
	copy->regs.known = 0;
	arch_unwind_regs(&regs, &copy->regs);
	int rc = copy_window(copy, stop->memory, arch_sp(&regs), stop->end, stop->ctx, stop->err);
	mend_call(stop, thread, &regs);
	thread_detach(thread, 0, NULL);
	copy->stopped_ns = now_ns() - since;
	return rc < 0 ? -1 : 1;
}

static int seize_and_copy(const struct stop *stop)
{
	struct thread thread;
	struct proc_syscall *call = &stop->copy->call;
	struct err why = { 0 };
	if (thread_seize(&thread, stop->tid, stop->err) < 0)
		return -1;
	/* as late as can be: what is blocked now has not been woken by us */
	if (proc_syscall(stop->pid, stop->tid, call, stop->err) < 0)
		return -1;
	if ((stop->copy->running_only && !call->running) || !is_harmless(stop->pid, call))
		return 0;
	int rc = thread_stop(&thread, now_ns() + stop->wait_ns, &why);
	if (rc == 0)
		return copy_stopped(stop, &thread);
	if (rc == 1) {
		thread_detach(&thread, 0, NULL);        /* it stays stopped with its process */
		return 0;
	}
	if (why.code == ERR_TIMEOUT)
		return 0;
	if (stop->err)
		*stop->err = why;
	return -1;
}

static int stopper(void *arg)
{
	struct stop *stop = arg;
	sigset_t old;
	thread_listen(&old);
	stop->rc = seize_and_copy(stop);
	return 0;
}

/* So that the stopper begins at once, and nobody takes the CPU from it while the thread stands still.  Not ours to insist
 * on.  (musl's sched_setscheduler does nothing.) */
static bool come_first(uint64_t as_before[ATTRIBUTES])
{
	const struct sched_param first = { .sched_priority = 1 };
	return syscall(SYS_sched_getattr, 0, as_before, ATTRIBUTES * sizeof *as_before, 0) == 0 &&
	       syscall(SYS_sched_setscheduler, 0, SCHED_FIFO, &first) == 0;
}

int copy_stop(struct stack_copy *copy, struct memory *memory, pid_t pid, pid_t tid, uint64_t wait_ns,
	      copy_end *end, void *ctx, struct err *err)
{
	struct stop stop = { copy, memory, pid, tid, wait_ns, end, ctx, err, -2 };
	uint64_t as_before[ATTRIBUTES] = { 0 };
	sigset_t all, old;
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &old);
	bool first = come_first(as_before);
	int child = clone(stopper, copy->bytes + copy->room + COPY_STOP_STACK,
			  CLONE_VM | CLONE_VFORK | CLONE_FILES | CLONE_FS, &stop);
	int failed = errno;
	if (child > 0)
		while (waitpid(child, NULL, __WALL) < 0 && errno == EINTR)
			;
	if (first)
		syscall(SYS_sched_setattr, 0, as_before, 0);
	sigprocmask(SIG_SETMASK, &old, NULL);
	if (child < 0)
		return err_set(err, ERR_FAILED, failed, "make the process that stops thread %d", (int)tid);
	if (stop.rc == -2)
		return err_set(err, ERR_FAILED, 0, "the process that stops thread %d was ended", (int)tid);
	return stop.rc;
}
