// SPDX-License-Identifier: MIT
/* Targets that are stopped, before a call or at any moment of it, and one that is traced already. */
#include <dirent.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "watch.h"

static bool all_stopped(const struct target *target)
{
	char path[64];
	struct dirent *entry;
	bool all = true;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)target->pid);
	dir = opendir(path);
	while (dir && (entry = readdir(dir)))
		if (entry->d_name[0] != '.' && state_of(target, atoi(entry->d_name)) != 'T')
			all = false;
	if (dir)
		closedir(dir);
	return all;
}

static void run_stopped(const void *on)
{
	struct target t = start(&(struct start){ .state = "spinning", .settings = "threads=2" });
	struct snapshot before, after;
	struct outcome o;

	kill(t.pid, SIGSTOP);
	require(wait_until(all_stopped, &t, 3000), "the target did not stop");
	sleep_ms(20);
	before = look(&t, 0);
	o = call(&t, on, "called_sum", "1 2 3 4 5 6");
	check((o.status == 0 && !strcmp(o.out, "91\n")) || o.status == 3, "roclatch ended with %d: %s", o.status, o.err);
	sleep_ms(50);
	after = look(&t, 0);
	compare(&before, &after, 0);
	check(all_stopped(&t), "the target no longer is stopped");
	kill(t.pid, SIGCONT);
	go_on(&t);
	stop(&t);
}

static bool first_stopped(const struct target *target)
{
	return state_of(target, target->tid) == 'T';
}

/* Sent while the call is under way, a stop takes effect, and its end too. */
static void run_stop_meanwhile(const void *unused)
{
	struct target t = start(&(struct start){ .state = "spinning", .settings = "threads=2" });
	char pid[16];
	pid_t injector;
	int status;

	(void)unused;
	snprintf(pid, sizeof(pid), "%d", (int)t.pid);
	unsigned alone = threads_of(&t);
	injector = roclatch_start("call", pid, "libcalled.so", "called_sleep", "500", NULL);
	for (unsigned i = 0; i < patient(500) && threads_of(&t) == alone; i++)
		sleep_ms(10);
	kill(t.pid, SIGSTOP);
	check(wait_until(first_stopped, &t, 3000), "SIGSTOP during the call had no effect; state %c", state_of(&t, t.tid));
	sleep_ms(100);
	check(state_of(&t, t.tid) == 'T', "the stop did not last");
	kill(t.pid, SIGCONT);
	go_on(&t);
	waitpid(injector, &status, 0);
	check(WIFEXITED(status) && !WEXITSTATUS(status), "roclatch ended with %#x", status);
	go_on(&t);
	stop(&t);
}

/* Nobody continues it: that is told, with the remedy, and once it goes on the thread of the call ends by itself. */
static void run_stop_for_good(const void *unused)
{
	struct target t = start(&(struct start){ .state = "spinning", .settings = "threads=2" });
	struct snapshot before = look(&t, 0), after;
	unsigned alone = threads_of(&t);
	struct outcome o;
	pid_t stopper;

	(void)unused;
	stopper = fork();
	if (!stopper) {
		for (int i = 0; i < 5000 && threads_of(&t) == alone; i++)
			sleep_ms(1);
		kill(t.pid, SIGSTOP);
		_exit(0);
	}
	o = roclatch(60000, "call", "--timeout-msec", slow_machine() ? "8000" : "1000", pid_text(t.pid), "libcalled.so", "called_sleep",
		"200", NULL);
	waitpid(stopper, NULL, 0);
	expect(&o, 6, NULL);
	expect_said(&o, "stopped");
	expect_said(&o, "kill -CONT");
	check(!strstr(o.err, "which made the call"), "what is left is told twice: %s", o.err);
	/* a thread that is let go passes through the kernel on its way back into the stop */
	check(wait_until(all_stopped, &t, 3000), "the target no longer is stopped");
	kill(t.pid, SIGCONT);
	for (int i = 0; i < 5000 && threads_of(&t) != alone; i++)
		sleep_ms(1);
	check(threads_of(&t) == alone, "the thread of the call did not end");
	o = call(&t, "fresh", "called_sum", "1 2 3 4 5 6");
	expect(&o, 0, "91\n");
	after = look(&t, 0);
	compare(&before, &after, 0);
	go_on(&t);
	stop(&t);
}

/* Another tracer holds the target for as long as this child lives. */
static pid_t trace(pid_t pid)
{
	pid_t tracer = fork();

	if (tracer)
		return tracer;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (ptrace(0x4206 /* PTRACE_SEIZE */, pid, NULL, NULL))
		_exit(1);
	for (;;)
		pause();
}

static bool is_traced(const struct target *target)
{
	char text[4096];

	read_text(text, sizeof(text), "/proc/%d/status", (int)target->pid);
	return strstr(text, "TracerPid:") && !strstr(text, "TracerPid:\t0\n");
}

static void run_traced(const void *unused)
{
	struct target t = start(&(struct start){ .state = "spinning" });
	pid_t tracer = trace(t.pid);
	struct snapshot before, after;
	struct outcome o;

	(void)unused;
	require(wait_until(is_traced, &t, 3000), "cannot trace the target");
	before = look(&t, 0);
	o = call(&t, "fresh", "called_sum", "1 2 3 4 5 6");
	expect(&o, 3, NULL);
	expect_said(&o, "trace");
	after = look(&t, 0);
	compare(&before, &after, 0);
	go_on(&t);
	kill(tracer, SIGKILL);
	waitpid(tracer, NULL, 0);
	o = call(&t, "fresh", "called_sum", "1 2 3 4 5 6");
	expect(&o, 0, "91\n");
	stop(&t);
}

/* Ctrl-Z: roclatch stops, but not with a thread of the target in its hands. */
static void run_suspended(const void *unused)
{
	struct target t = start(&(struct start){ .state = "spinning" });
	pid_t injector = roclatch_start("call", "--on", "borrowed", "--thread", pid_text(t.tid), pid_text(t.pid), "libcalled.so",
		"called_compute", "300", NULL);
	int status;

	(void)unused;
	check(wait_until(is_traced, &t, 10000), "the thread was not borrowed");
	kill(injector, SIGTSTP);
	sleep_ms(400);
	check(wait_until(is_free, &t, 10000), "the thread is held as long as roclatch is stopped");
	go_on(&t);
	kill(injector, SIGCONT);
	waitpid(injector, &status, 0);
	check(WIFEXITED(status) && !WEXITSTATUS(status), "roclatch ended with %#x", status);
	stop(&t);
}

/* What the target's parent, which is this process, sees next: a wait status, or 0. */
static int parent_sees(const struct target *t, unsigned ms)
{
	int status;

	for (int64_t end = now_ns() + ms * INT64_C(1000000);; usleep(20)) {
		if (waitpid(t->pid, &status, WUNTRACED | WCONTINUED | WNOHANG) == t->pid)
			return status;
		if (now_ns() >= end)
			return 0;
	}
}

static void run_parent(const void *on)
{
	const unsigned steps = rounds(60);
	struct target t = start(&(struct start){ .state = "spinning", .settings = "threads=2" });
	struct outcome o = call(&t, on, "called_sum", "1 2 3 4 5 6");

	for (unsigned i = 0; i < steps && !failed(); i++) {
		int status;
		pid_t injector = roclatch_start("call", "--on", on, "--thread", pid_text(t.tid), pid_text(t.pid), "libcalled.so",
			"called_sum", "1", NULL);

		usleep((useconds_t)(o.ns * i / steps / 1000));
		kill(t.pid, SIGSTOP);
		status = parent_sees(&t, 20000);
		check(WIFSTOPPED(status) && WSTOPSIG(status) == SIGSTOP, "%u of %u: its parent saw %#x and no stop", i, steps, status);
		usleep(100 * (i % 5));
		status = parent_sees(&t, 0);
		check(!status, "%u of %u: its parent saw %#x besides", i, steps, status);
		kill(t.pid, SIGCONT);
		status = parent_sees(&t, 20000);
		check(WIFCONTINUED(status), "%u of %u: its parent saw %#x and not that it goes on", i, steps, status);
		waitpid(injector, &status, 0);
		check(WIFEXITED(status) && (!WEXITSTATUS(status) || WEXITSTATUS(status) == 3), "roclatch ended with %#x", status);
		status = parent_sees(&t, 0);
		check(!status, "%u of %u: its parent saw %#x at last", i, steps, status);
		go_on(&t);
	}
	stop(&t);
}

void add_stop_tests(void)
{
	add(ALONE, run_parent, "fresh", "a stop at any moment of a call on a fresh thread is seen once by the target's parent, and its end");
	add(ALONE, run_parent, "borrowed", "a stop at any moment of a call on a borrowed thread is seen once by the target's parent, and its end");
	add(MIXED, run_suspended, NULL, "a roclatch that is suspended during a call gives the borrowed thread back first");
	add(MIXED, run_stopped, "fresh", "a stopped target stays stopped through a call on a fresh thread");
	add(MIXED, run_stopped, "borrowed", "a stopped target stays stopped through a call on its thread");
	add(MIXED, run_stop_meanwhile, NULL, "SIGSTOP and SIGCONT during a call keep their effect");
	add(MIXED, run_stop_for_good, NULL, "a target that stays stopped during a call is told, and goes on without a trace of it");
	add(MIXED, run_traced, NULL, "a target that is traced already is refused and left as it was");
}
