/* SPDX-License-Identifier: MIT */
#include "inject/thread.h"

#include <errno.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "inject/proc.h"
#include "inject/quiet.h"

#ifndef PTRACE_GETSIGMASK
#define PTRACE_GETSIGMASK 0x420a
#define PTRACE_SETSIGMASK 0x420b
#endif
#ifndef PTRACE_EVENT_STOP
#define PTRACE_EVENT_STOP 128
#endif
#define GET_RSEQ_CONFIGURATION 0x420f   /* linux/ptrace.h since 5.13 */
#define SYSCALL_STOP (SIGTRAP | 0x80)   /* PTRACE_O_TRACESYSGOOD */
#define LEADER_LOOK_NS 20000000
#define DYING_LOOKS 2000                /* a millisecond apart */
#define GLANCE_LIMIT_NS 10000000000ull
#define ASKED_NS 200000000ull           /* for a stop that was asked for only now */

uint64_t now_ns(void)
{
	struct timespec ts;
	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

bool thread_quiet;

void thread_listen(sigset_t *old)
{
	if (thread_quiet)
		return;
	/* A blocked signal is queued even if its default is to be ignored, but not
	 * if our parent left us SIG_IGN. */
	signal(SIGCHLD, SIG_DFL);
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, old);
}

void thread_unlisten(const sigset_t *old)
{
	if (!thread_quiet)
		sigprocmask(SIG_SETMASK, old, NULL);
}

bool thread_lives(pid_t tid)
{
	struct proc_stat stat;
	return proc_stat(tid, tid, &stat, NULL) == 0 && !strchr("ZX", stat.state);
}

/* (musl's gettid would answer what it knew before copy_stop's clone.) */
pid_t thread_tracer(void)
{
	return (pid_t)syscall(SYS_gettid);
}

/* Giving up on a thread that we hold would strand it, or cut off what it does for us while it has a lock of its C
 * library.  So no refusal is believed at once, nor that one which lives has ended. */
static long ask(int request, pid_t tid, unsigned long addr, void *data)
{
	long rc = ptrace(request, tid, (void *)addr, data);
	int why = errno;
	if (rc < 0 && (why != ESRCH || thread_lives(tid)))
		return ptrace(request, tid, (void *)addr, data);
	errno = why;
	return rc;
}

/* Not so, if an exec gave its id to another. */
static bool is_traced(pid_t tid)
{
	struct proc_status status;
	return proc_status(tid, tid, &status, NULL) == 0 && status.tracer == thread_tracer();
}

/* Then none of its threads stops any more, and none has ended before the core is written. */
static bool dumps_core(pid_t tid)
{
	struct proc_status status;
	return proc_status(tid, tid, &status, NULL) == 0 && status.dumps_core;
}

/* A thread that is being killed is neither stopped nor dead for a moment.  (Long, where others have the CPUs.)  Dead, it is
 * waited for, unless it is the main one and others are still there. */
static bool dies(struct thread *thread)
{
	for (int i = 0; i < DYING_LOOKS; i++) {
		int status;
		bool lived = thread_lives(thread->tid);
		pid_t pid = waitpid(thread->tid, &status, __WALL | WNOHANG);
		if (pid == thread->tid && !WIFSTOPPED(status)) {
			thread->killed = WIFSIGNALED(status);
			return true;
		}
		if (pid < 0 || (lived && !is_traced(thread->tid)))
			return !thread_lives(thread->tid);
		if (!lived || dumps_core(thread->tid))
			return true;
		nanosleep(&(struct timespec){ 0, 1000000 }, NULL);
	}
	return false;
}

/* ptrace answers ESRCH: the thread has ended, or is not where we thought. */
static int gone(struct thread *thread, struct err *err)
{
	if (!dies(thread))
		return err_set(err, ERR_FAILED, ESRCH, "trace thread %d", thread->tid);
	thread->state = THREAD_GONE;
	return err_set(err, ERR_TARGET_EXITED, 0, "thread %d has ended", thread->tid);
}

bool thread_is_killed(struct thread *thread)
{
	uint64_t mask;
	bool held = thread->state != THREAD_FREE && thread->state != THREAD_RUNNING && thread->state != THREAD_GONE;
	if (held && ask(PTRACE_GETSIGMASK, thread->tid, sizeof mask, &mask) < 0 && errno == ESRCH)
		gone(thread, NULL);
	return thread->state == THREAD_GONE;
}

int thread_seize(struct thread *thread, pid_t tid, struct err *err)
{
	*thread = (struct thread){ .tid = tid };
	if (ask(PTRACE_SEIZE, tid, 0, (void *)(long)PTRACE_O_TRACESYSGOOD) == 0) {
		thread->state = THREAD_RUNNING;
		return 0;
	}
	if (errno == ESRCH)
		return gone(thread, err);
	return err_set(err, ERR_NOT_POSSIBLE, errno, "trace thread %d", tid);
}

int thread_follow(struct thread *thread, bool clones, struct err *err)
{
	long options = PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEEXEC | (clones ? PTRACE_O_TRACECLONE : 0);
	if (ask(PTRACE_SETOPTIONS, thread->tid, 0, (void *)options) < 0)
		return err_set(err, ERR_FAILED, errno, "follow what thread %d makes", thread->tid);
	return 0;
}

int thread_interrupt(struct thread *thread, struct err *err)
{
	if (ask(PTRACE_INTERRUPT, thread->tid, 0, NULL) == 0)
		return 0;
	if (errno == ESRCH)
		return gone(thread, err);
	return err_set(err, ERR_FAILED, errno, "interrupt thread %d", thread->tid);
}

int thread_resume(struct thread *thread, int request, int signo, struct err *err)
{
	if (ask(request, thread->tid, 0, (void *)(long)signo) < 0) {
		if (errno == ESRCH)
			return gone(thread, err);
		return err_set(err, ERR_FAILED, errno, "resume thread %d", thread->tid);
	}
	thread->state = THREAD_RUNNING;
	if (request == PTRACE_CONT)
		thread->in_syscall = false;
	return 0;
}

static bool is_stop_signal(int signo)
{
	return signo == SIGSTOP || signo == SIGTSTP || signo == SIGTTIN || signo == SIGTTOU;
}

static enum thread_state classify(struct thread *thread, int status)
{
	thread->killed = WIFSIGNALED(status);
	if (!WIFSTOPPED(status))
		return THREAD_GONE;
	int signo = WSTOPSIG(status), event = status >> 16;
	thread->signo = signo;
	if (event == PTRACE_EVENT_STOP)
		return is_stop_signal(signo) ? THREAD_GROUP_STOP : THREAD_STOPPED;
	if (event == PTRACE_EVENT_EXEC)
		return THREAD_EXECED;
	if (event == PTRACE_EVENT_CLONE) {
		unsigned long child = 0;
		ask(PTRACE_GETEVENTMSG, thread->tid, 0, &child);
		thread->child = (pid_t)child;
		return THREAD_CLONED;
	}
	if (signo == SYSCALL_STOP) {
		thread->in_syscall = !thread->in_syscall;
		return thread->in_syscall ? THREAD_ENTRY : THREAD_EXIT;
	}
	return THREAD_SIGNAL;
}

/* The end of a main thread is not reported before all others have been waited
 * for, and one of these may be traced by us, too. */
static bool is_dead_leader(const struct thread *thread)
{
	struct proc_status status;
	return proc_status(thread->tid, thread->tid, &status, NULL) == 0 && status.tgid == thread->tid &&
	       strchr("ZX", status.state);
}

/* ECHILD: it has ended, or was lost to an exec. */
static bool is_lost(const struct thread *thread)
{
	struct proc_status status;
	return errno == ECHILD && (proc_status(thread->tid, thread->tid, &status, NULL) < 0 || status.tracer != thread_tracer());
}

enum thread_state thread_wait(struct thread *thread, uint64_t deadline_ns)
{
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	uint64_t nap = QUIET_FIRST_NS;
	for (bool told = false;;) {
		int status;
		pid_t pid = waitpid(thread->tid, &status, __WALL | WNOHANG);
		if (pid == 0 && thread_quiet && thread->state == THREAD_RUNNING &&
		    quiet_missed_stop(thread->tid, &status))
			pid = thread->tid;
		if (pid == thread->tid)
			return thread->state = classify(thread, status);
		if ((pid < 0 && is_lost(thread)) || (told && is_dead_leader(thread)))
			return thread->state = THREAD_GONE;
		uint64_t now = now_ns();
		if (now >= deadline_ns)
			return thread->state;
		if (pid < 0)    /* refused, which is not believed at once */
			continue;
		uint64_t left = deadline_ns - now;
		if (thread_quiet) {
			told = quiet_nap(&nap, left);
			continue;
		}
		/* the signal of a main thread's end may have come while another was waited for, with that one's */
		bool slice = left >= LEADER_LOOK_NS;
		struct timespec ts = { 0, slice ? LEADER_LOOK_NS : (long)left };
		told = sigtimedwait(&set, NULL, &ts) == SIGCHLD || slice;
	}
}

/* Any other stop that comes first takes the interruption with it (kernel/signal.c, ptrace_stop: "any trap clears pending
 * STOP trap"), and the thread would run on, a diverted one as far as its way back.  Asked for in a stop, it stays. */
int thread_on_to_stop(struct thread *thread, int signo, struct err *err)
{
	if (thread_interrupt(thread, err) < 0)
		return -1;
	return thread_resume(thread, PTRACE_CONT, signo, err);
}

uint64_t thread_asked(uint64_t deadline_ns)
{
	uint64_t least = now_ns() + ASKED_NS;
	return deadline_ns > least ? deadline_ns : least;
}

static int stop(struct thread *thread, uint64_t deadline_ns, bool patiently, struct err *err)
{
	if (thread->state == THREAD_STOPPED)
		return 0;
	if (thread_interrupt(thread, err) < 0)
		return -1;
	for (;;) {
		int signo = 0;
		if (thread->state == THREAD_RUNNING)
			thread_wait(thread, patiently ? thread_asked(deadline_ns) : deadline_ns);
		switch (thread->state) {
		case THREAD_STOPPED:
			return 0;
		case THREAD_GROUP_STOP:
			return 1;
		case THREAD_GONE:
			return gone(thread, err);
		case THREAD_RUNNING:
			return err_set(err, ERR_TIMEOUT, 0, "thread %d does not stop", thread->tid);
		case THREAD_SIGNAL:
			signo = thread->signo;
			break;
		default:
			break;
		}
		if (thread_on_to_stop(thread, signo, err) < 0)
			return -1;
	}
}

int thread_stop(struct thread *thread, uint64_t deadline_ns, struct err *err)
{
	return stop(thread, deadline_ns, false, err);
}

int thread_stop_patiently(struct thread *thread, uint64_t deadline_ns, struct err *err)
{
	return stop(thread, deadline_ns, true, err);
}

bool thread_signal_is_sent(const struct thread *thread, pid_t self)
{
	siginfo_t info = { 0 };
	if (ask(PTRACE_GETSIGINFO, thread->tid, 0, &info) < 0 || info.si_code > 0)
		return false;
	bool tells_sender = info.si_code == SI_USER || info.si_code == SI_QUEUE || info.si_code == SI_TKILL;
	return !self || !tells_sender || info.si_pid != self;
}

int thread_detach(struct thread *thread, int signo, struct err *err)
{
	if (thread->state == THREAD_FREE || thread->state == THREAD_GONE)
		return 0;
	if (ask(PTRACE_DETACH, thread->tid, 0, (void *)(long)signo) < 0) {
		if (errno == ESRCH)
			return gone(thread, err);
		return err_set(err, ERR_FAILED, errno, "let thread %d go", thread->tid);
	}
	thread->state = THREAD_FREE;
	return 0;
}

int thread_mask_get(const struct thread *thread, uint64_t *mask, struct err *err)
{
	if (ask(PTRACE_GETSIGMASK, thread->tid, sizeof *mask, mask) < 0)
		return err_set(err, ERR_FAILED, errno, "read the signal mask of thread %d", thread->tid);
	return 0;
}

int thread_mask_set(const struct thread *thread, uint64_t mask, struct err *err)
{
	if (ask(PTRACE_SETSIGMASK, thread->tid, sizeof mask, &mask) < 0)
		return err_set(err, ERR_FAILED, errno, "set the signal mask of thread %d", thread->tid);
	return 0;
}

int thread_detach_new(struct thread *thread, const uint64_t ours[2], uint64_t own, struct err *err)
{
	const uint64_t never = 1ull << (SIGKILL - 1) | 1ull << (SIGSTOP - 1);   /* are blocked */
	uint64_t mask;
	if (thread_mask_get(thread, &mask, NULL) == 0 && mask &&
	    ((mask | never) == (ours[0] | never) || (mask | never) == (ours[1] | never)))
		thread_mask_set(thread, own, NULL);
	return thread_detach(thread, 0, err);
}

int thread_rseq(const struct thread *thread, struct thread_rseq *rseq)
{
	*rseq = (struct thread_rseq){ 0 };
	if (ask(GET_RSEQ_CONFIGURATION, thread->tid, sizeof *rseq, rseq) < 0)
		return -1;
	return rseq->area != 0;
}

int thread_regs_get(const struct thread *thread, struct regs *regs, struct err *err)
{
	if (arch_regs_get(thread->tid, regs) == 0 ||
	    (thread_lives(thread->tid) && arch_regs_get(thread->tid, regs) == 0))
		return 0;
	return err_set(err, ERR_FAILED, errno, "read the registers of thread %d", thread->tid);
}

int thread_regs_set(const struct thread *thread, const struct regs *regs, struct err *err)
{
	if (arch_regs_set(thread->tid, regs) == 0 ||
	    (thread_lives(thread->tid) && arch_regs_set(thread->tid, regs) == 0))
		return 0;
	return err_set(err, ERR_FAILED, errno, "set the registers of thread %d", thread->tid);
}

int thread_vector_set(const struct thread *thread, const struct vector_state *state, struct err *err)
{
	if (arch_vector_set(thread->tid, state) == 0 ||
	    (thread_lives(thread->tid) && arch_vector_set(thread->tid, state) == 0))
		return 0;
	return err_set(err, ERR_FAILED, errno, "put back the vector registers of thread %d", thread->tid);
}

int thread_glance(pid_t tid, struct regs *regs)
{
	struct thread thread;
	struct err ignored;
	if (thread_seize(&thread, tid, &ignored) < 0)
		return -1;
	/* asked to stop, it cannot be let go before it has: it would stop later, and stay so as long as we live */
	int rc = thread_stop(&thread, now_ns() + GLANCE_LIMIT_NS, &ignored);
	if (rc >= 0)
		rc = thread_regs_get(&thread, regs, &ignored);
	thread_detach(&thread, 0, &ignored);
	return rc;
}
