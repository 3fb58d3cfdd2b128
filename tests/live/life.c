// SPDX-License-Identifier: MIT
/* Targets that end or become another program, and an injector that is told to stop. */
#include <dirent.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "watch.h"

static void check_honest(const struct outcome *o)
{
	bool known = o->status == 1 || o->status == 3 || o->status == 4 ||
		     (o->status == 7 && strstr(o->err, "left behind"));

	check(known || (o->status == 0 && !strcmp(o->out, "91\n")), "roclatch ended with %d, printed %s and said: %s",
		o->status, o->out, o->err);
}

static void run_exiting(const void *on)
{
	for (unsigned i = 0; i < rounds(12) && !failed(); i++) {
		struct target t = start(&(struct start){ .state = "exiting", .settings = slow_machine() ? "ms=500" : "ms=40" });
		int status = -1;

		while (status == -1) {
			struct outcome o = call_any(&t, on, "called_sum", "1 2 3 4 5 6");
			check_honest(&o);
			status = end_of(&t, 0);
		}
		check(WIFEXITED(status) && WEXITSTATUS(status) == TARGET_END, "the target ended with %#x", status);
	}
}

void check_execs(const struct target *target, unsigned before)
{
	int64_t limit = now_ns() + INT64_C(20000000000);

	while (atomic_load(&target->record->execs) == before && now_ns() < limit)
		sleep_ms(5);
	check(atomic_load(&target->record->execs) > before, "the target no longer execs");
}

static void run_execing(const void *on)
{
	struct target t = start(&(struct start){ .state = "execing", .settings = slow_machine() ? "ms=50" : "ms=3" });
	unsigned before = atomic_load(&t.record->execs);

	for (unsigned i = 0; i < rounds(40) && !failed(); i++) {
		struct outcome o = call_any(&t, on, "called_sum", "1 2 3 4 5 6");
		check_honest(&o);
	}
	check_execs(&t, before);
	stop(&t);
}

static void run_dies(const void *unused)
{
	struct target t = start(&(struct start){ .settings = "threads=2" });
	unsigned alone = threads_of(&t);
	pid_t injector;
	int status;

	(void)unused;
	injector = roclatch_start("call", pid_text(t.pid), "libcalled.so", "called_sleep", "30000", NULL);
	for (unsigned i = 0; i < patient(500) && threads_of(&t) == alone; i++)
		sleep_ms(10);
	kill(t.pid, SIGKILL);
	waitpid(t.pid, NULL, 0);
	waitpid(injector, &status, 0);
	check(WIFEXITED(status) && WEXITSTATUS(status) == 4, "roclatch ended with %#x", status);
}

static bool ended(pid_t pid, int *status, unsigned ms)
{
	for (unsigned i = 0; i < ms; i += 2) {
		if (waitpid(pid, status, WNOHANG) == pid)
			return true;
		sleep_ms(2);
	}
	kill(pid, SIGKILL);
	waitpid(pid, status, 0);
	return false;
}

unsigned threads_of(const struct target *t)
{
	char text[8192], *found;

	read_text(text, sizeof(text), "/proc/%d/status", (int)t->pid);
	found = strstr(text, "Threads:");
	return found ? (unsigned)strtoul(found + 8, NULL, 10) : 0;
}

/* A safe end: the status says the signal, the function goes on to its end, and what cannot be unmapped
 * without roclatch, the stack that it runs on, is gone after the next call. */
static void run_interrupted(const void *signal_name)
{
	struct target t = start(&(struct start){ .settings = "threads=2" });
	struct snapshot before = look(&t, 0), after;
	unsigned alone = threads_of(&t);
	int signo = !strcmp(signal_name, "SIGINT") ? SIGINT : SIGTERM, status;
	char pid[16];
	pid_t injector;

	snprintf(pid, sizeof(pid), "%d", (int)t.pid);
	injector = roclatch_start("call", pid, "libcalled.so", "called_sleep", "1000", NULL);
	for (unsigned i = 0; i < patient(500) && threads_of(&t) == alone; i++)
		sleep_ms(10);
	kill(injector, signo);
	check(ended(injector, &status, 5000), "roclatch did not end");
	check(WIFEXITED(status) && WEXITSTATUS(status) == 128 + signo, "roclatch ended with %#x", status);
	go_on(&t);
	for (unsigned i = 0; i < patient(500) && threads_of(&t) != alone; i++)
		sleep_ms(10);
	injector = roclatch_start("call", pid, "libcalled.so", "called_sleep", "1", NULL);
	check(ended(injector, &status, 20000) && WIFEXITED(status) && !WEXITSTATUS(status),
	      "the next call ended with %#x", status);
	after = look(&t, 0);
	compare(&before, &after, 0);
	stop(&t);
}

/* A roclatch that gets no CPU for seconds: the function was done long before, and its thread has waited in vain. */
static void run_starved(const void *unused)
{
	struct target t = start(&(struct start){ .state = "ppoll", .settings = "threads=2" });
	struct snapshot before = look(&t, 0), after;
	unsigned alone = threads_of(&t);
	int status;
	pid_t injector;

	(void)unused;
	injector = roclatch_start("call", pid_text(t.pid), "libcalled.so", "called_sleep", "1000", NULL);
	for (unsigned i = 0; i < patient(500) && threads_of(&t) == alone; i++)
		sleep_ms(10);
	sleep_ms(300);          /* it has made its thread, and only waits */
	kill(injector, SIGSTOP);
	sleep_ms(slow_machine() ? 12000 : 4000);        /* a thousand naps of a millisecond */
	kill(injector, SIGCONT);
	check(ended(injector, &status, 20000), "roclatch did not end");
	check(WIFEXITED(status) && !WEXITSTATUS(status), "roclatch ended with %#x", status);
	after = look(&t, 0);
	compare(&before, &after, 0);
	stop(&t);
}

/* At a random time of a call, on a crowded machine: what runs on the borrowed thread then, pthread_create above all,
 * must not be torn apart, and the thread must get its own registers back, once. */
static void run_interrupted_often(const void *root)
{
	struct target t = start(&(struct start){ .root = root, .settings = "threads=4 others=spin" });
	unsigned alone = threads_of(&t), seed = (unsigned)getpid();
	pid_t crowd[3];
	struct outcome o;

	for (unsigned i = 0; i < 3; i++) {
		crowd[i] = fork();
		for (; !crowd[i];)
			prctl(PR_SET_PDEATHSIG, SIGKILL);
	}
	for (unsigned i = 0; i < rounds(80) && !failed(); i++) {
		pid_t injector = roclatch_start("call", pid_text(t.pid), "libcalled.so", "called_locks", NULL);
		int status;

		seed = seed * 1103515245 + 12345;
		usleep((seed >> 8) % (slow_machine() ? 400000 : 30000));
		kill(injector, i % 2 ? SIGINT : SIGTERM);
		check(ended(injector, &status, 30000), "roclatch did not end");
		unharmed(!atomic_load(&t.record->wrong), "the target found something wrong: %s", t.record->wrong_text);
	}
	for (unsigned i = 0; i < 3; i++) {
		kill(crowd[i], SIGKILL);
		waitpid(crowd[i], NULL, 0);
	}
	for (int i = 0; i < 1000 && threads_of(&t) != alone; i++)
		sleep_ms(10);
	o = call_any(&t, "fresh", "called_locks", "");
	expect(&o, 0, "1000\n");
	go_on(&t);
	stop(&t);
}

static uint64_t blocked_signals(const struct target *target, pid_t tid)
{
	char text[8192], *found;

	read_text(text, sizeof(text), "/proc/%d/task/%d/status", (int)target->pid, (int)tid);
	check(strstr(text, "TracerPid:\t0\n"), "thread %d is traced", (int)tid);
	found = strstr(text, "SigBlk:");
	return found ? strtoull(found + 7, NULL, 16) : 1;
}

/* Beside the main one if there is any: it blocks signals that the main one does not. */
static pid_t parked_or_main(const struct target *target)
{
	char path[64];
	struct dirent *entry;
	pid_t found = target->pid;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)target->pid);
	DIR *dir = opendir(path);
	while (dir && (entry = readdir(dir)))
		if (atoi(entry->d_name) > 0 && atoi(entry->d_name) != target->pid)
			found = atoi(entry->d_name);
	if (dir)
		closedir(dir);
	return found;
}

/* The thread that made the exec is the new program's, with its registers and a mask that it may keep for ever. */
static void called_exec(const char *on, const char *settings)
{
	struct target t = start(&(struct start){ .state = "spinning", .settings = settings });
	uint64_t before, after = 0;
	struct outcome o;

	t.tid = parked_or_main(&t);
	before = blocked_signals(&t, t.tid);
	o = call(&t, on, "called_exec", "");
	t.tid = t.pid;
	expect(&o, 4, NULL);
	expect_said(&o, "exec");
	check(!strstr(o.out, "stays in the target") && !strstr(o.err, "stays in the target"), "what the new program has is told as left behind:\n%s%s", o.out, o.err);
	/* as it begins, it blocks them for a while itself */
	for (int i = 0; i < 100 && (after = blocked_signals(&t, t.pid)) != before; i++)
		sleep_ms(patient(50));
	unharmed(after == before, "the new program has signals %#llx blocked", (unsigned long long)after);
	go_on(&t);
	stop(&t);
}

static void run_called_exec(const void *on)
{
	called_exec(on, "threads=1");
}

static void run_called_exec_beside(const void *on)
{
	called_exec(on, "threads=2");
}

static void add_other_systems(void)
{
	add(MIXED, run_interrupted_often, "root-bullseye", "a signal to roclatch at any time of a call harms nothing in glibc 2.31");
	add(MIXED, run_interrupted_often, "root-musl", "a signal to roclatch at any time of a call harms nothing with musl");
}

void add_life_tests(void)
{
	add(MIXED, run_called_exec, "fresh", "a function called on a fresh thread may exec");
	add(MIXED, run_called_exec_beside, "fresh", "a function called on a fresh thread may exec beside others");
	add(MIXED, run_called_exec, "borrowed", "a function called on a borrowed thread may exec");
	add(MIXED, run_called_exec_beside, "borrowed", "a function called on a borrowed thread may exec beside others");
	add(MIXED, run_exiting, "fresh", "a target whose threads and life end is never harmed by calls on fresh threads");
	add(MIXED, run_exiting, "borrowed", "a target whose threads and life end is never harmed by calls on its threads");
	add(MIXED, run_execing, "fresh", "a target that execs all the time is never harmed by calls on fresh threads");
	add(MIXED, run_execing, "borrowed", "a target that execs all the time is never harmed by calls on its thread");
	add(MIXED, run_dies, NULL, "a target killed during a call is reported as gone");
	add(MIXED, run_interrupted, "SIGINT", "SIGINT ends roclatch during a call, and the next call leaves no trace of it");
	add(MIXED, run_interrupted, "SIGTERM", "SIGTERM ends roclatch during a call, and the next call leaves no trace of it");
	add(MIXED, run_starved, NULL, "a roclatch that gets no CPU until its thread has ended tells what the function returned");
	add(MIXED, run_interrupted_often, "root-bookworm", "a signal to roclatch at any time of a call harms nothing");
	add_native(add_other_systems);
}
