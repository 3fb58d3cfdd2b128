// SPDX-License-Identifier: MIT
/* roclatch is killed while it looks: the process is not held. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "watch.h"

/* What was asked to stop a moment ago may be about to go on: the end of its tracer lets it go, but it must get a CPU. */
static void let_settle(const struct target *target)
{
	sleep_ms(slow_machine() ? 300 : 30);
	wait_until(is_free, target, 20000);
}

static void run_killed(const void *with)
{
	struct target t = start_watched(NULL);
	unsigned threads = threads_of(&t), seed = 1;
	bool sample = with != NULL;

	for (unsigned i = 0; i < rounds(80) && !failed(); i++) {
		pid_t pid = sample ? roclatch_start("sample", pid_text(t.pid), "--stacks", "all", "--no-perf", "--rate", "1000", NULL) :
				     roclatch_start("stack", pid_text(t.pid), NULL);

		seed = seed * 1103515245 + 12345;
		usleep((seed >> 8) % (slow_machine() ? 400000 : sample ? 60000 : 20000));
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
		let_settle(&t);
		not_held(t.pid, threads);
	}
	go_on(&t);
	stop(&t);
}

/* ---- at every system call of the process that stops a thread ---- */

struct moment {
	unsigned number;        /* of the system call's begin or end */
	bool whole;             /* roclatch itself is killed, else the process that it has made */
	bool reached;
	pid_t stopper;
};

static pid_t start_traced(pid_t target, pid_t tid)
{
	pid_t pid = fork();

	if (!pid) {
		int null = open("/dev/null", O_RDWR | O_CLOEXEC);

		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (int fd = 0; fd < 3; fd++)
			dup2(null, fd);
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		raise(SIGSTOP);
		execl(options.roclatch, options.roclatch, "stack", pid_text(target), pid_text(tid), (char *)NULL);
		_exit(127);
	}
	require(waitpid(pid, NULL, __WALL) == pid, "wait: %s", strerror(errno));
	require(!ptrace(PTRACE_SETOPTIONS, pid, NULL, (void *)(PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK |
		PTRACE_O_TRACEVFORK)) && !ptrace(PTRACE_CONT, pid, NULL, NULL), "trace: %s", strerror(errno));
	return pid;
}

/* One that is let go may still be at work: its end is near. */
static void await_stopper(pid_t stopper)
{
	char text[512];

	for (unsigned i = 0; i < 10000; i++) {
		const char *state;

		if (!read_text(text, sizeof(text), "/proc/%d/stat", (int)stopper))
			return;
		state = strrchr(text, ')');
		if (state && (state[2] == 'Z' || state[2] == 'X'))
			return;
		sleep_ms(1);
	}
	fail("the process that stops threads did not end");
}

static void end_here(struct moment *moment, pid_t roclatch, pid_t stopper)
{
	moment->reached = true;
	moment->stopper = stopper;
	if (moment->whole) {
		kill(roclatch, SIGKILL);
		ptrace(PTRACE_DETACH, stopper, NULL, NULL);
	} else {
		kill(stopper, SIGKILL);
	}
}

static void go_until(struct moment *moment, pid_t roclatch)
{
	unsigned n = 0;
	int status;
	pid_t who;

	while ((who = waitpid(-1, &status, __WALL)) > 0) {
		int signo = WIFSTOPPED(status) ? WSTOPSIG(status) : 0;

		if (!WIFSTOPPED(status) && who == roclatch)
			break;
		if (!WIFSTOPPED(status) || (moment->reached && who == moment->stopper))
			continue;
		if (signo == (SIGTRAP | 0x80) && n++ == moment->number && !moment->reached) {
			end_here(moment, roclatch, who);
			continue;
		}
		if (signo == SIGSTOP || signo == SIGTRAP || signo == (SIGTRAP | 0x80))
			signo = 0;
		ptrace(who == roclatch ? PTRACE_CONT : PTRACE_SYSCALL, who, NULL, (void *)(intptr_t)signo);
	}
	if (moment->reached)
		await_stopper(moment->stopper);
}

static void run_every_moment(const void *whole)
{
	struct target t = start_watched(NULL);
	unsigned threads = threads_of(&t), least = 10, step = slow_machine() ? 3 : 1;
	struct moment moment = { .reached = true };

	for (unsigned i = 0; moment.reached && i < 400 && !failed(); i += step) {
		moment = (struct moment){ .number = i, .whole = whole != NULL };
		go_until(&moment, start_traced(t.pid, thread_named(&t, "spinner")));
		not_held(t.pid, threads);
		check(moment.reached || i >= least, "there were only %u moments", i);
	}
	check(!moment.reached || failed(), "there was no end of moments");
	go_on(&t);
	stop(&t);
}

void add_killed_tests(void)
{
	add(MIXED, run_killed, NULL, "roclatch killed in the middle of stack leaves no thread stopped or traced");
	add(MIXED, run_killed, "sample", "roclatch killed in the middle of sample leaves no thread stopped or traced");
	add(MIXED, run_every_moment, NULL, "the process that stops a thread, killed at each of its system calls, leaves it going on");
	add(MIXED, run_every_moment, "whole", "roclatch killed at each system call of the process that stops a thread leaves it going on");
}
