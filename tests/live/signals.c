// SPDX-License-Identifier: MIT
/* Signals that arrive while roclatch is at work are delivered once each; stopped stays stopped. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "live.h"

static uint64_t alarms_due;

static bool has_counted(const struct target *target)
{
	return atomic_load(&target->record->alarms) >= alarms_due;
}

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
	alarms_due = (uint64_t)expected;
	wait_until(has_counted, &t, 2000);
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

static bool has_handled(const struct target *target)
{
	return atomic_load(&target->record->handled) > 0;
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
static void handle_during(const struct handled *kind, bool restart, bool stopped)
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
	if (stopped)
		kill(t.pid, SIGSTOP);
	syscall(SYS_tgkill, t.pid, t.tid, SIGUSR2);
	check(!atomic_load(&t.record->handled), "the signal came too early or too late for this test");
	waitpid(injector, &status, 0);
	check(WIFEXITED(status) && !WEXITSTATUS(status), "roclatch ended with %#x", status);
	check(!stopped || !atomic_load(&t.record->handled), "the handler ran in a stopped process");
	kill(t.pid, SIGCONT);
	wait_until(has_handled, &t, 3000);
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
	handle_during(kind, false, false);
}

static void run_restart(const void *kind)
{
	handle_during(kind, true, false);
}

static void run_interrupt_stopped(const void *kind)
{
	handle_during(kind, false, true);
}

static void run_restart_stopped(const void *kind)
{
	handle_during(kind, true, true);
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
		add(MIXED, run_interrupt_stopped, &handled[i],
			"a handler without SA_RESTART ends %s of a borrowed thread that was stopped meanwhile", handled[i].state);
		add(MIXED, run_restart_stopped, &handled[i],
			"a handler with SA_RESTART %s %s of a borrowed thread that was stopped meanwhile",
			handled[i].restarts ? "does not end" : "ends", handled[i].state);
	}
}
