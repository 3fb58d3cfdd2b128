/* SPDX-License-Identifier: MIT */
/*
 * One thread that we trace, as a state machine over ptrace(2).  Seized, never
 * attached: seizing sends no signal and changes nothing.
 */
#ifndef ROCLATCH_INJECT_THREAD_H
#define ROCLATCH_INJECT_THREAD_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "arch/arch.h"
#include "elf/err.h"

enum thread_state {
	THREAD_FREE,            /* not traced by us */
	THREAD_RUNNING,
	THREAD_STOPPED,         /* PTRACE_EVENT_STOP: by our interrupt, or new-born */
	THREAD_ENTRY,           /* at the entry of a system call */
	THREAD_EXIT,            /* at the exit of a system call */
	THREAD_CLONED,          /* has just made thread `child` */
	THREAD_SIGNAL,          /* about to be given signal `signo` */
	THREAD_EXECED,          /* about to begin another program, as the main thread of its process */
	THREAD_GROUP_STOP,      /* stopped with its process by SIGSTOP or the like */
	THREAD_GONE,
};

struct thread {
	pid_t tid;
	enum thread_state state;
	bool in_syscall;        /* between a reported entry and its exit */
	int signo;
	pid_t child;
	bool killed;            /* it is THREAD_GONE by a signal: its process dies */
};

uint64_t now_ns(void);

/* Does the thread exist and live?  Asks /proc, whatever ptrace said. */
bool thread_lives(pid_t tid);

/* The tracer that /proc tells where we trace: this thread, which the kernel names and not our process. */
pid_t thread_tracer(void);

/* Set once, before anything else, by a library that works in somebody else's program: no
 * disposition and no mask is changed, no signal is taken; see inject/quiet.h. */
extern bool thread_quiet;

/* Block SIGCHLD, by which the kernel tells us of stops, and put it back. */
void thread_listen(sigset_t *old);
void thread_unlisten(const sigset_t *old);

/* Was one that we hold killed?  It is waited for then, without which the exec that did it would not go on. */
bool thread_is_killed(struct thread *thread);
/* 0, or -1: ERR_NOT_POSSIBLE (may not be traced), ERR_TARGET_EXITED. */
int thread_seize(struct thread *thread, pid_t tid, struct err *err);
/* Trace the threads that it makes from now on, or no longer; and stop it where an exec is done, which then must
 * be waited for under the id of its process.  It must be stopped. */
int thread_follow(struct thread *thread, bool clones, struct err *err);
/* Ask it to stop; it will be THREAD_STOPPED at the next wait. */
int thread_interrupt(struct thread *thread, struct err *err);
/* Let it run: PTRACE_CONT, PTRACE_SYSCALL or PTRACE_LISTEN, with a signal or 0. */
int thread_resume(struct thread *thread, int request, int signo, struct err *err);
/* Wait for its next stop until the deadline; returns the state, which is
 * THREAD_RUNNING if the time is over. */
enum thread_state thread_wait(struct thread *thread, uint64_t deadline_ns);
/* The deadline for what a thread was asked for just now: if we got no CPU until then, it must still have a moment to do it. */
uint64_t thread_asked(uint64_t deadline_ns);
/* Interrupt if it runs, and wait until it is THREAD_STOPPED, giving it the
 * signals that it meets on the way.  0, 1 when it is in a group stop, or -1 (ERR_TIMEOUT, ERR_TARGET_EXITED). */
int thread_stop(struct thread *thread, uint64_t deadline_ns, struct err *err);
/* The same, with thread_asked: for one that is worth more than the time. */
int thread_stop_patiently(struct thread *thread, uint64_t deadline_ns, struct err *err);
/* From another stop to the one that was asked for. */
int thread_on_to_stop(struct thread *thread, int signo, struct err *err);
/* At THREAD_SIGNAL: did somebody send it, and not the CPU or the kernel raise it for what the code did?  One that
 * `self`, a process as its own pid namespace numbers it, has sent does not count (0: it does). */
bool thread_signal_is_sent(const struct thread *thread, pid_t self);
/* Let it go, giving it signo (0: none).  It must be stopped. */
int thread_detach(struct thread *thread, int signo, struct err *err);

/* Stop a thread for an instant to see its registers.  0, or -1. */
int thread_glance(pid_t tid, struct regs *regs);

/* The registers of a stopped thread. */
int thread_regs_get(const struct thread *thread, struct regs *regs, struct err *err);
int thread_regs_set(const struct thread *thread, const struct regs *regs, struct err *err);
int thread_vector_set(const struct thread *thread, const struct vector_state *state, struct err *err);
/* The signal mask of a stopped thread. */
int thread_mask_get(const struct thread *thread, uint64_t *mask, struct err *err);
int thread_mask_set(const struct thread *thread, uint64_t mask, struct err *err);
/* Let one go that has made an exec, which keeps the mask: if that is still one of `ours` (0: none), it gets `own`.
 * It must be stopped. */
int thread_detach_new(struct thread *thread, const uint64_t ours[2], uint64_t own, struct err *err);

/* Its registered area of restartable sequences: 1, 0 none, or -1 when the kernel
 * is older than 5.13 and does not tell. */
struct thread_rseq { uint64_t area; uint32_t size, signature, flags, pad; };
int thread_rseq(const struct thread *thread, struct thread_rseq *rseq);

/* Signals that the CPU or the kernel raises for what code does; blocking them
 * would kill the process when they come. */
#define THREAD_SYNCHRONOUS ((uint64_t)(1ull << (SIGSEGV - 1) | 1ull << (SIGBUS - 1) | \
	1ull << (SIGILL - 1) | 1ull << (SIGFPE - 1) | 1ull << (SIGTRAP - 1) | 1ull << (SIGSYS - 1)))
/* Those and SIGABRT are left open while a function runs: abort() raises it once
 * without a lock, and if that comes back, takes one that fork() needs. */
#define THREAD_CRASHES (THREAD_SYNCHRONOUS | 1ull << (SIGABRT - 1))
/* Ignored unless they are caught.  Blocked, one of these is kept for the others instead
 * of being dropped, and wakes one of them out of its system call for nothing. */
#define THREAD_IGNORED ((uint64_t)(1ull << (SIGCHLD - 1) | 1ull << (SIGCONT - 1) | \
	1ull << (SIGURG - 1) | 1ull << (SIGWINCH - 1)))

#endif
