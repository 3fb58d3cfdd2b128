/* SPDX-License-Identifier: MIT */
#include "trace.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "skip.h"

/* Threads are followed but children are not: a debugger starts some that must not be
 * traced already.  EXITKILL concerns the program alone, which is our only tracee: what it traces
 * itself is let go by the kernel when it dies, and never killed. */
#define TRACE_OPTIONS (PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL | PTRACE_O_TRACEEXEC | PTRACE_O_TRACECLONE)
#define TRACE_THREADS 256

/* musl 1.2.3 does not have them all; linux/ptrace.h cannot be included beside sys/ptrace.h. */
enum { EVENT_EXEC = 4, EVENT_STOP = 128, SYSCALL_ENTRY = 1, SYSCALL_EXIT = 2 };

struct tracer {
	struct trace *t;
	pid_t group;
	bool begun;                     /* execve is over */
	struct { pid_t tid; int error; bool last; } pending[TRACE_THREADS];
};

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void on_tick(int signo)
{
	(void)signo;            /* comes so that waitpid returns */
}

static void tick(unsigned usec)
{
	struct sigaction act = { .sa_handler = on_tick };
	struct itimerval every = { { 0, usec }, { 0, usec } };

	sigaction(SIGALRM, &act, NULL);
	setitimer(ITIMER_REAL, &every, NULL);
}

static _Noreturn void become(char *const argv[], int go, const int said[2], bool show)
{
	int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
	char c;

	/* A group of its own, so that waiting for it leaves our other children alone. */
	setpgid(0, 0);
	dup2(null, 0);
	if (!show) {
		dup2(said[0], 1);
		dup2(said[1], 2);
	}
	if (read(go, &c, 1) == 1)
		execvp(argv[0], argv);
	_exit(127);
}

/* (The tick ends a sleep.) */
static void stall(unsigned us)
{
	for (uint64_t end = now() + us * 1000ull; now() < end;)
		usleep(1000);
}

/* What the thread has to be told when its call ends. */
static void remember(struct tracer *r, pid_t tid, int error, bool last)
{
	for (size_t i = 0; i < TRACE_THREADS; i++)
		if (r->pending[i].tid == 0 || r->pending[i].tid == tid) {
			r->pending[i].tid = tid;
			r->pending[i].error = error;
			r->pending[i].last = last;
			return;
		}
}

static void at_entry(struct tracer *r, pid_t tid, const struct fault_call *call)
{
	struct trace *t = r->t;
	int error = fault_taken_away(call, t->without);
	bool here;

	t->calls++;
	if (call->nr == SYS_ptrace && t->touched == 0)
		t->touched = t->calls;
	here = t->from_touch ? t->touched && t->calls - t->touched + 1 == t->n : t->calls == t->n;
	t->came |= here;
	if (t->touched && t->slow_us)
		usleep(t->slow_us);

	if (t->list) {
		char text[96];

		fault_describe(call, text, sizeof text);
		printf("%lu %s\n", t->calls, text);
	}
	if (here)
		fault_describe(call, t->at, sizeof t->at);
	if (here && t->what == TRACE_STALL)
		stall(t->stall_us);
	if (here && t->what == TRACE_FAIL) {
		error = t->failed_with = t->fail_errno ? t->fail_errno : fault_errno(call, t->round);
		t->hit = error != 0;
	}
	if (error != 0)
		skip_call(tid);
	if (error != 0 || (here && t->what == TRACE_KILL_AFTER))
		remember(r, tid, error, here && t->what == TRACE_KILL_AFTER);
	if (here && t->what == TRACE_KILL_AT) {
		t->hit = true;
		kill(-r->group, SIGKILL);
	} else if (here && t->what == TRACE_KILL_DURING) {
		t->hit = true;
		ptrace(PTRACE_SYSCALL, tid, NULL, NULL);
		usleep(t->delay_us);
		kill(-r->group, SIGKILL);
	}
}

static void at_exit(struct tracer *r, pid_t tid)
{
	for (size_t i = 0; i < TRACE_THREADS && r->pending[i].tid != 0; i++) {
		if (r->pending[i].tid != tid)
			continue;
		if (r->pending[i].error != 0)
			skip_result(tid, -r->pending[i].error);
		if (r->pending[i].last) {
			r->t->hit = true;
			kill(-r->group, SIGKILL);
		}
		r->pending[i].error = 0;
		r->pending[i].last = false;
	}
}

static void on_syscall_stop(struct tracer *r, pid_t tid)
{
	struct __ptrace_syscall_info info;
	struct fault_call call;

	if (ptrace(PTRACE_GET_SYSCALL_INFO, tid, (void *)sizeof info, &info) <= 0)
		return;
	if (info.op == SYSCALL_EXIT) {
		at_exit(r, tid);
	} else if (info.op == SYSCALL_ENTRY && r->begun) {
		call.nr = info.entry.nr;
		memcpy(call.arg, info.entry.args, sizeof call.arg);
		at_entry(r, tid, &call);
	}
}

/* Lets the thread go on from a stop of any kind. */
static void on_stop(struct tracer *r, pid_t tid, int status)
{
	int event = status >> 16, signo = WSTOPSIG(status), pass = 0;

	if (signo == (SIGTRAP | 0x80)) {
		on_syscall_stop(r, tid);
	} else if (event == EVENT_EXEC) {
		r->begun = true;
	} else if (event == EVENT_STOP && signo != SIGTRAP) {
		ptrace(PTRACE_LISTEN, tid, NULL, NULL);
		return;
	} else if (event == 0) {
		pass = signo;
	}
	ptrace(PTRACE_SYSCALL, tid, NULL, (void *)(uintptr_t)pass);
}

static void follow(struct tracer *r, pid_t leader, uint64_t begin)
{
	struct trace *t = r->t;

	for (;;) {
		int status;
		pid_t tid = waitpid(-r->group, &status, __WALL);

		if (tid < 0 && errno != EINTR)
			return;
		if (!t->over_limit && now() - begin > t->limit_ms * 1000000ull) {
			t->over_limit = true;
			kill(-r->group, SIGKILL);
		}
		if (tid < 0)
			continue;
		if (WIFSTOPPED(status)) {
			on_stop(r, tid, status);
		} else if (tid == leader) {
			t->status = status;
			t->wall_ns = now() - begin;
			kill(-r->group, SIGKILL);
		}
	}
}

static void take_text(int fd, char *text, size_t size)
{
	ssize_t n = pread(fd, text, size - 1, 0);

	text[n > 0 ? n : 0] = '\0';
	close(fd);
}

int trace_run(char *const argv[], struct trace *t)
{
	struct tracer r = { .t = t };
	int go[2], said[2] = { memfd_create("stdout", MFD_CLOEXEC), memfd_create("stderr", MFD_CLOEXEC) };
	uint64_t begin;
	pid_t child;

	t->calls = 0;
	t->came = t->hit = t->over_limit = false;
	t->touched = 0;
	t->failed_with = 0;
	t->at[0] = '\0';
	if (said[0] < 0 || said[1] < 0 || pipe2(go, O_CLOEXEC) != 0)
		return -1;
	child = fork();
	if (child == 0)
		become(argv, go[0], said, t->show);
	if (child < 0)
		return -1;
	setpgid(child, child);
	r.group = child;
	if (t->what != TRACE_NOT && ptrace(PTRACE_SEIZE, child, NULL, (void *)(uintptr_t)TRACE_OPTIONS) != 0) {
		kill(child, SIGKILL);
		waitpid(child, NULL, 0);
		return -1;
	}
	tick(20000);
	begin = now();
	if (write(go[1], "g", 1) != 1)
		kill(child, SIGKILL);
	follow(&r, child, begin);
	tick(0);
	take_text(said[0], t->output, sizeof t->output);
	take_text(said[1], t->errors, sizeof t->errors);
	close(go[0]);
	close(go[1]);
	return 0;
}
