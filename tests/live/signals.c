// SPDX-License-Identifier: MIT
/* Signals that arrive while roclatch is at work are delivered once each; stopped stays stopped. */
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "live.h"
#include "watch.h"

static void run_alarm(const void *on)
{
	struct target t = start(&(struct start){ .state = "spinning", .settings = "load=alarm threads=2" });
	struct snapshot before = look(&t, WITHOUT_PENDING), after;
	int64_t expected, counted;

	for (unsigned i = 0; i < rounds(20); i++) {
		struct outcome o = call(&t, on, i % 4 ? "called_sum" : "called_clobber", i % 4 ? "1 2 3 4 5 6" : "");
		expect(&o, 0, i % 4 ? "91\n" : NULL);
	}
	after = look(&t, WITHOUT_PENDING);
	compare(&before, &after, 0);
	expected = (now_ns() - t.record->alarm_start_ns) / t.record->alarm_period_ns;
	sleep_ms(20);
	counted = (int64_t)atomic_load(&t.record->alarms);
	check(counted >= expected, "%lld of %lld timer signals arrived", (long long)counted, (long long)expected);
	expected = (now_ns() - t.record->alarm_start_ns) / t.record->alarm_period_ns;
	check(counted <= expected, "%lld timer signals arrived, %lld were sent", (long long)counted, (long long)expected);
	go_on(&t);
	stop(&t);
}

static bool all_reaped(const struct target *target)
{
	return atomic_load(&target->record->reaped) == atomic_load(&target->record->forked);
}

static void run_children(const void *on)
{
	struct target t = start(&(struct start){ .state = "spinning", .settings = "load=children" });

	for (unsigned i = 0; i < rounds(20); i++) {
		struct outcome o = call(&t, on, "called_sum", "1 2 3 4 5 6");
		expect(&o, 0, "91\n");
	}
	atomic_store(&t.record->wake, 1);
	sleep_ms(50);
	check(wait_until(all_reaped, &t, 3000), "%llu of %llu children were seen to end",
		(unsigned long long)atomic_load(&t.record->reaped), (unsigned long long)atomic_load(&t.record->forked));
	go_on(&t);
	stop(&t);
}

static bool all_queued(const struct target *target)
{
	return atomic_load(&target->record->queued) >= RECORD_QUEUE;
}

/* While the call is under way; to the process, or to the borrowed thread alone. */
static void send_queue(const struct target *t, bool to_thread)
{
	for (int i = 0; i < RECORD_QUEUE; i++) {
		siginfo_t info;

		memset(&info, 0, sizeof(info));
		info.si_signo = RECORD_QUEUE_SIGNAL;
		info.si_code = SI_QUEUE;
		info.si_value.sival_int = i;
		if (to_thread)
			syscall(SYS_rt_tgsigqueueinfo, t->pid, t->tid, RECORD_QUEUE_SIGNAL, &info);
		else
			syscall(SYS_rt_sigqueueinfo, t->pid, RECORD_QUEUE_SIGNAL, &info);
		if (i % 16 == 0)
			sleep_ms(1);
	}
}

static void queue_during(const char *on, const char *function, const char *ms, bool to_thread)
{
	struct target t = start(&(struct start){ .state = "spinning", .settings = "load=queue threads=2" });
	struct snapshot before = look(&t, 0), after;
	char pid[16], tid[16];
	pid_t injector;
	int status;

	snprintf(pid, sizeof(pid), "%d", (int)t.pid);
	snprintf(tid, sizeof(tid), "%d", (int)t.tid);
	injector = roclatch_start("call", "--on", on, "--thread", tid, pid, "libcalled.so", function, ms, NULL);
	sleep_ms(slow_machine() ? 60 : 8);
	send_queue(&t, to_thread);
	waitpid(injector, &status, 0);
	check(WIFEXITED(status) && !WEXITSTATUS(status), "roclatch ended with %#x", status);
	check(wait_until(all_queued, &t, 3000), "%u of %d queued signals arrived", atomic_load(&t.record->queued),
		RECORD_QUEUE);
	sleep_ms(20);
	check(atomic_load(&t.record->queued) == RECORD_QUEUE, "%u queued signals arrived", atomic_load(&t.record->queued));
	for (int i = 0; i < RECORD_QUEUE; i++)
		if (t.record->queue[i] != i) {
			fail("queued signal %d carried %d", i, t.record->queue[i]);
			break;
		}
	after = look(&t, 0);
	compare(&before, &after, 0);
	go_on(&t);
	stop(&t);
}

static void run_queue_fresh(const void *unused)
{
	(void)unused;
	queue_during("fresh", "called_sleep", "200", false);
}

static void run_queue_borrowed(const void *unused)
{
	(void)unused;
	queue_during("borrowed", "called_compute", "60", true);
}

static bool awaited_came(const struct target *target)
{
	return atomic_load(&target->record->left);
}

static bool is_pending(const struct target *target, int signo)
{
	char text[8192], *found;

	read_text(text, sizeof(text), "/proc/%d/status", (int)target->pid);
	found = strstr(text, "ShdPnd:");
	return found && strtoull(found + 7, NULL, 16) >> (signo - 1) & 1;
}

/* Every thread of the target blocks the one that it waits for and the one that it will ask for later.  That of the call
 * must have neither, though it may be the only one that does not block the second: it would be ignored there. */
static void run_awaited(const void *on)
{
	struct target t = start(&(struct start){ .state = "sigwait-children" });
	bool fresh = !strcmp(on, "fresh");
	unsigned alone = threads_of(&t);
	char pid[16];
	pid_t injector;
	int status;

	wait_blocked(&t, 0);
	snprintf(pid, sizeof(pid), "%d", (int)t.pid);
	injector = roclatch_start("call", "--on", on, pid, "libcalled.so", fresh ? "called_sleep" : "called_compute", "700", NULL);
	for (int i = 0; i < 5000 && (fresh ? threads_of(&t) == alone : state_of(&t, t.tid) != 'R'); i++)
		sleep_ms(1);
	sleep_ms(50);
	kill(t.pid, SIGCHLD);
	wake(&t);
	waitpid(injector, &status, 0);
	check(WIFEXITED(status) && !WEXITSTATUS(status), "roclatch ended with %#x", status);
	unharmed(is_pending(&t, SIGCHLD), "SIGCHLD is lost");
	unharmed(wait_until(awaited_came, &t, 3000), "the signal did not come to the target");
	unharmed(t.record->call[0].result == t.record->call[0].expected, "it got %lld", (long long)t.record->call[0].result);
	stop(&t);
}

struct handled {
	const char *state;
	bool restarts;          /* goes on after a handler that was installed with SA_RESTART; without, none does */
};

static const struct handled handled[] = {
	{ "read-pipe", true }, { "recv", true }, { "accept", true }, { "futex", true },
	{ "ppoll", false }, { "msgrcv", false }, { "epoll_wait", false }, { "semop", false },
};

/* A handler that runs when the borrowed thread is given back ends its call, or does not, as it would without us. */
static void handle_during(const struct handled *kind, bool restart)
{
	char settings[32], pid[16], tid[16];
	bool goes_on = restart && kind->restarts;
	int status;

	snprintf(settings, sizeof(settings), "load=%s", restart ? "restart" : "interrupt");
	struct target t = start(&(struct start){ .state = kind->state, .settings = settings });
	wait_blocked(&t, 0);
	snprintf(pid, sizeof(pid), "%d", (int)t.pid);
	snprintf(tid, sizeof(tid), "%d", (int)t.tid);
	pid_t injector = roclatch_start("call", "--on", "borrowed", "--thread", tid, pid, "libcalled.so", "called_compute", "300",
		NULL);
	for (int i = 0; i < 5000 && state_of(&t, t.tid) != 'R'; i++)
		sleep_ms(1);
	sleep_ms(50);
	syscall(SYS_tgkill, t.pid, t.tid, SIGUSR2);
	check(!atomic_load(&t.record->handled), "the signal came too early or too late for this test");
	waitpid(injector, &status, 0);
	check(WIFEXITED(status) && !WEXITSTATUS(status), "roclatch ended with %#x", status);
	sleep_ms(100);
	unharmed(atomic_load(&t.record->handled) == 1, "the handler ran %u times", atomic_load(&t.record->handled));
	if (!strcmp(kind->state, "ppoll") || !strcmp(kind->state, "epoll_wait"))
		wake(&t);       /* these read what woke them in any case */
	if (goes_on) {
		unharmed(!awaited_came(&t), "the call ended with %lld", (long long)t.record->call[0].result);
		wake(&t);
	}
	unharmed(wait_until(awaited_came, &t, 3000), "the call did not end");
	int64_t expected = goes_on ? t.record->call[0].expected : -EINTR;
	unharmed(t.record->call[0].result == expected, "the call answered %lld, not %lld", (long long)t.record->call[0].result,
		(long long)expected);
	stop(&t);
}

static void run_interrupt(const void *kind)
{
	handle_during(kind, false);
}

static void run_restart(const void *kind)
{
	handle_during(kind, true);
}

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
	for (int i = 0; i < 500 && threads_of(&t) == alone; i++)
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
	check(all_stopped(&t), "the target no longer is stopped");
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

/* A stop at any moment of a call, from before the first thread is held to the last look, and its end a little later: the
 * call is made, or refused before anything was done. */
static void run_stop_anytime(const void *on)
{
	const unsigned steps = rounds(160);
	struct target t = start(&(struct start){ .state = "spinning", .settings = "threads=2" });
	struct outcome o = call(&t, on, "called_sum", "1 2 3 4 5 6");
	unsigned refused = 0;

	expect(&o, 0, "91\n");
	struct snapshot before = look(&t, 0), after;
	for (unsigned i = 0; i < steps ; i++) {
		pid_t stopper = fork();
		if (!stopper) {
			int64_t into = o.ns * i / steps;
			nanosleep(&(struct timespec){ into / 1000000000, into % 1000000000 }, NULL);
			kill(t.pid, SIGSTOP);
			sleep_ms(5);
			kill(t.pid, SIGCONT);
			_exit(0);
		}
		struct outcome stopped = call(&t, on, "called_sum", "1 2 3 4 5 6");
		waitpid(stopper, NULL, 0);
		refused += stopped.status == 3;
		check((stopped.status == 0 && !strcmp(stopped.out, "91\n")) || stopped.status == 3,
			"stopped %u of %u into the call: roclatch ended with %d: %s", i, steps, stopped.status, stopped.err);
		go_on(&t);
	}
	check(refused < steps, "no call was made");
	after = look(&t, 0);
	compare(&before, &after, 0);
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

void add_signal_tests(void)
{
	add(ALONE, run_alarm, "fresh", "a timer signal of 1 kHz is never lost through calls on fresh threads");
	add(ALONE, run_alarm, "borrowed", "a timer signal of 1 kHz is never lost through calls on its thread");
	add(MIXED, run_children, "fresh", "bursts of SIGCHLD are handled through calls on fresh threads");
	add(MIXED, run_children, "borrowed", "bursts of SIGCHLD are handled through calls on the thread that handles them");
	add(MIXED, run_queue_fresh, NULL, "64 queued real-time signals arrive once and in order during a call");
	add(MIXED, run_queue_borrowed, NULL, "64 queued real-time signals of a borrowed thread arrive once and in order");
	add(MIXED, run_awaited, "fresh", "signals that every thread blocks are kept through a call on a fresh thread");
	add(MIXED, run_awaited, "borrowed",
		"signals that every thread blocks are kept through a call on the thread that waits for them");
	for (size_t i = 0; i < sizeof(handled) / sizeof(handled[0]); i++) {
		add(MIXED, run_interrupt, &handled[i], "a handler without SA_RESTART ends %s of a borrowed thread with EINTR",
			handled[i].state);
		add(MIXED, run_restart, &handled[i], "a handler with SA_RESTART %s %s of a borrowed thread",
			handled[i].restarts ? "does not end" : "ends", handled[i].state);
	}
	add(MIXED, run_stopped, "fresh", "a stopped target stays stopped through a call on a fresh thread");
	add(MIXED, run_stopped, "borrowed", "a stopped target stays stopped through a call on its thread");
	add(MIXED, run_stop_meanwhile, NULL, "SIGSTOP and SIGCONT during a call keep their effect");
	add(MIXED, run_stop_for_good, NULL, "a target that stays stopped during a call is told, and goes on without a trace of it");
	add(ALONE, run_stop_anytime, "fresh", "SIGSTOP at any moment of a call on a fresh thread keeps its effect and does no harm");
	add(ALONE, run_stop_anytime, "borrowed", "SIGSTOP at any moment of a call on a borrowed thread keeps its effect and does no harm");
	add(MIXED, run_traced, NULL, "a target that is traced already is refused and left as it was");
}
