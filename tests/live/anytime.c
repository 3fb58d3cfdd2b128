// SPDX-License-Identifier: MIT
/* What may happen to a target at any moment of a call, from before its first thread is held to the last look at it. */
#include <dirent.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "watch.h"

#define LATE_NS INT64_C(8000000000)     /* limits of roclatch's own are ten seconds */

struct anytime {
	const char *on;
	void (*happens)(const struct target *target, unsigned round);
	const char *settings;
	unsigned steps;                 /* moments of the call */
};

static void pause_ns(int64_t ns)
{
	nanosleep(&(struct timespec){ ns / 1000000000, ns % 1000000000 }, NULL);
}

/* Run by a process of its own, `into` ns after now. */
static pid_t let_happen(const struct target *t, const struct anytime *a, int64_t into, unsigned round)
{
	pid_t other = fork();

	if (other)
		return other;
	pause_ns(into);
	a->happens(t, round);
	_exit(0);
}

static struct outcome call_while(const struct target *t, const struct anytime *a, int64_t into, unsigned round)
{
	pid_t other = let_happen(t, a, into, round);
	/* where the main thread ends it is not to be insisted on */
	struct outcome o = (t->tid == t->pid ? call : call_any)(t, a->on, "called_sum", "1 2 3 4 5 6");

	waitpid(other, NULL, 0);
	return o;
}

static bool is_made(const struct outcome *o)
{
	return o->status == 0 && !strcmp(o->out, "91\n");
}

static void stop_a_while(const struct target *t, unsigned round)
{
	(void)round;
	kill(t->pid, SIGSTOP);
	sleep_ms(5);
	kill(t->pid, SIGCONT);
}

static void stop_often(const struct target *t, unsigned round)
{
	for (unsigned i = 0; i < 4; i++) {
		kill(t->pid, SIGSTOP);
		if (round % 2)
			pause_ns(50000 * (1 + round % 7));
		kill(t->pid, SIGCONT);
		if (round % 3)
			pause_ns(30000 * (1 + round % 5));
	}
}

static void stop_one(const struct target *t, unsigned round)
{
	(void)round;
	syscall(SYS_tgkill, t->pid, t->tid, SIGSTOP);
	sleep_ms(3);
	kill(t->pid, SIGCONT);
}

static void stop_by_terminal(const struct target *t, unsigned round)
{
	static const int stops[] = { SIGTSTP, SIGTTIN, SIGTTOU };

	kill(t->pid, stops[round % 3]);
	sleep_ms(3);
	kill(t->pid, SIGCONT);
}

static void trace_for_a_moment(const struct target *t, unsigned round)
{
	(void)round;
	if (ptrace(0x4206 /* PTRACE_SEIZE */, t->tid, NULL, NULL))
		return;
	ptrace(0x4207 /* PTRACE_INTERRUPT */, t->tid, NULL, NULL);
	waitpid(t->tid, NULL, __WALL);
	ptrace(PTRACE_DETACH, t->tid, NULL, NULL);
}

static char group[128];         /* a cgroup of the target's own */

static bool write_to(const char *file, const char *text)
{
	char path[192];
	snprintf(path, sizeof(path), "%s/%s", group, file);
	FILE *f = fopen(path, "w");
	bool ok = f && fputs(text, f) >= 0;

	return f && !fclose(f) && ok;
}

/* As a container is that is paused. */
static void freeze_for_a_moment(const struct target *t, unsigned round)
{
	(void)t;
	write_to("cgroup.freeze", "1");
	pause_ns(1000000 * (1 + round % 20));
	write_to("cgroup.freeze", "0");
}

/* The target lives on, and the call is made, or refused before anything was done. */
static void run_living(const void *with)
{
	const struct anytime *a = with;
	const unsigned steps = rounds(a->steps);
	struct target t = start(&(struct start){ .state = "spinning", .settings = a->settings });
	if (group[0] && !write_to("cgroup.procs", pid_text(t.pid))) {
		rmdir(group);
		skip("the target cannot be put into a cgroup here");
	}
	struct outcome o = call(&t, a->on, "called_sum", "1 2 3 4 5 6");
	unsigned made = 0;

	expect(&o, 0, "91\n");
	struct snapshot before = look(&t, 0), after;
	for (unsigned i = 0; i < steps && !failed(); i++) {
		struct outcome now = call_while(&t, a, o.ns * i / steps, i);

		made += is_made(&now);
		check(is_made(&now) || now.status == 3, "%u of %u into the call: roclatch ended with %d: %s", i, steps, now.status,
			now.err);
		go_on(&t);
	}
	check(made, "no call was made");
	after = look(&t, 0);
	compare(&before, &after, 0);
	stop(&t);
}

static void run_frozen(const void *with)
{
	bool both = !access("/sys/fs/cgroup/unified", F_OK);

	snprintf(group, sizeof(group), "/sys/fs/cgroup/%sroclatch-test-%d", both ? "unified/" : "", (int)getpid());
	if (mkdir(group, 0755))
		skip("no cgroup can be made here");
	run_living(with);
	rmdir(group);
}

/* Each is one that a crash would raise, too. */
static void send_crash(const struct target *t, unsigned round)
{
	static const int crashes[] = { SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGSYS };

	if (round % 2)
		kill(t->pid, crashes[round / 2 % 6]);
	else
		syscall(SYS_tgkill, t->pid, t->tid, crashes[round / 2 % 6]);
}

static void send_stop_or_continue(const struct target *t, unsigned round)
{
	kill(t->pid, round % 2 ? SIGCONT : SIGTSTP);
}

static unsigned wanted;

static bool all_handled(const struct target *t)
{
	return atomic_load(&t->record->handled) >= wanted;
}

/* The call is made, and each signal comes to its handler once. */
static void run_handled(const void *with)
{
	const struct anytime *a = with;
	const unsigned steps = rounds(a->steps);
	struct target t = start(&(struct start){ .state = "spinning", .settings = a->settings });
	struct outcome o = call(&t, a->on, "called_sum", "1 2 3 4 5 6");

	expect(&o, 0, "91\n");
	struct snapshot before = look(&t, 0), after;
	for (unsigned i = 0; i < steps && !failed(); i++) {
		struct outcome now = call_while(&t, a, o.ns * i / steps, i);

		check(is_made(&now), "%u of %u into the call: roclatch ended with %d: %s", i, steps, now.status, now.err);
		wanted = i + 1;
		unharmed(wait_until(all_handled, &t, 10000), "%u of %u into the call: the signal was lost", i, steps);
		go_on(&t);
	}
	unharmed(failed() || atomic_load(&t.record->handled) == steps, "%u signals came, %u were sent",
		atomic_load(&t.record->handled), steps);
	after = look(&t, 0);
	compare(&before, &after, 0);
	stop(&t);
}

static void end_itself(const struct target *t, unsigned round)
{
	(void)round;
	atomic_store(&t->record->stop, 1);
}

static void end_by_force(const struct target *t, unsigned round)
{
	(void)round;
	kill(t->pid, SIGKILL);
}

static void tell(const struct target *t, unsigned round)
{
	(void)round;
	atomic_store(&t->record->wake, 1);
	syscall(SYS_futex, &t->record->wake, 1 /* FUTEX_WAKE */, 1000, NULL, NULL, 0);
}

/* As where a driver is slow to let go of a process: a traced thread is not gone before its tracer is. */
static void end_by_force_slowly(const struct target *t, unsigned round)
{
	char path[64];
	struct dirent *entry;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)t->pid);
	DIR *dir = opendir(path);
	while (dir && (entry = readdir(dir)))
		if (atoi(entry->d_name) > 0 && atoi(entry->d_name) != t->pid)
			ptrace(0x4206 /* PTRACE_SEIZE */, atoi(entry->d_name), NULL, NULL);
	end_by_force(t, round);
	sleep_ms(150);
}

/* A target for each round, as each is the last of that one; few are late, on the most crowded machine. */
static void each_round(const struct anytime *a, const char *state, void (*judge)(struct target *, const struct outcome *))
{
	const unsigned steps = rounds(a->steps);
	int64_t whole = 0;
	unsigned late = 0;

	for (unsigned i = 0; i < steps && !failed(); i++) {
		struct target t = start(&(struct start){ .state = state, .settings = a->settings });
		if (atomic_load(&t.record->tid))
			t.tid = atomic_load(&t.record->tid);
		if (!whole)
			whole = call_any(&t, a->on, "called_sum", "1 2 3 4 5 6").ns;
		struct outcome o = call_while(&t, a, whole * i / steps, i);

		late += o.ns > LATE_NS;
		judge(&t, &o);
		if (failed())
			fail("%u of %u into the call", i, steps);
		close(t.wake);
	}
	check(slow_machine() || late <= 2, "%u of %u calls were late", late, steps);
}

static void judge_end(struct target *t, const struct outcome *o)
{
	int status = end_of(t, 60000);

	unharmed(WIFEXITED(status) ? WEXITSTATUS(status) == TARGET_END : WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL,
		"the target ended with %#x", status);
	/* before it was opened there was none, or a zombie, or the tracer of end_by_force_slowly */
	bool never = o->status == 3 && (strstr(o->err, "no process") || strstr(o->err, "zombie") || strstr(o->err, "exiting") ||
		strstr(o->err, "already traced"));
	unharmed(o->status != 1 && (o->status != 3 || never) && !strstr(o->err, "(exec)"), "roclatch blames something else, with %d: %s", o->status, o->err);
	check(is_made(o) || o->status == 4 || never, "roclatch ended with %d: %s", o->status, o->err);
}

static void run_ending(const void *with)
{
	each_round(with, "spinning", judge_end);
}

static bool has_execed(const struct target *t)
{
	return atomic_load(&t->record->execs) > 0;
}

static void judge_exec(struct target *t, const struct outcome *o)
{
	char text[8192], *blocked;

	/* the new program may not have its libraries yet when it is opened */
	unharmed(o->status != 1 && !strstr(o->err, "more processes"), "roclatch blames something else, with %d: %s", o->status,
		o->err);
	check(is_made(o) || o->status == 4 || o->status == 3, "roclatch ended with %d: %s", o->status, o->err);
	unharmed(wait_until(has_execed, t, 60000), "the target did not exec");
	go_on(t);
	read_text(text, sizeof(text), "/proc/%d/status", (int)t->pid);
	blocked = strstr(text, "SigBlk:");
	unharmed(strstr(text, "TracerPid:\t0\n") && blocked && !strtoull(blocked + 7, NULL, 16),
		"the new program is traced or has signals blocked: %s", text);
	stop(t);
}

static void run_exec(const void *with)
{
	each_round(with, "exec-beside-spinning", judge_exec);
}

static void judge_main_end(struct target *t, const struct outcome *o)
{
	check(is_made(o), "roclatch ended with %d: %s", o->status, o->err);
	go_on(t);
	stop(t);
}

static void run_main_ends(const void *with)
{
	each_round(with, "main-ends-spinning", judge_main_end);
}

/* Where its threads are only looked at, by stops, too. */
static void run_glances(const void *with)
{
	const struct anytime *a = with;
	const unsigned steps = rounds(a->steps);
	struct target t = start(&(struct start){ .state = "spinning", .settings = a->settings });
	int64_t whole = roclatch(60000, "stack", pid_text(t.pid), NULL).ns;
	struct snapshot before = look(&t, 0), after;

	for (unsigned i = 0; i < steps && !failed(); i++) {
		pid_t other = let_happen(&t, a, whole * i / steps, i);
		struct outcome o = roclatch(60000, "stack", pid_text(t.pid), NULL);

		waitpid(other, NULL, 0);
		check(o.status == 0, "%u of %u into the look: roclatch ended with %d: %s", i, steps, o.status, o.err);
		wanted = i + 1;
		unharmed(a->happens != send_crash || wait_until(all_handled, &t, 10000), "%u of %u into the look: the signal was lost", i,
			steps);
		go_on(&t);
	}
	after = look(&t, 0);
	compare(&before, &after, 0);
	stop(&t);
}

#define ADD(name, run, words, ...) \
	static const struct anytime name[] = { { "fresh", __VA_ARGS__ }, { "borrowed", __VA_ARGS__ } }; \
	for (unsigned i = 0; i < 2; i++) \
		add(MIXED, run, &name[i], "%s at any moment of a call on a %s thread %s", words, name[i].on, effects[run == run_handled])

static const char *const effects[] = { "does no harm", "comes to its handler" };

static void add_same_everywhere(void)
{
	static const struct anytime look_stop = { "", stop_often, "threads=3 others=spin", 60 };
	static const struct anytime look_crash = { "", send_crash, "threads=1 load=sent", 60 };

	ADD(one, run_living, "SIGSTOP to the only thread", stop_one, "threads=1", 60);
	ADD(terminal, run_living, "a stop by the terminal", stop_by_terminal, "threads=2", 60);
	ADD(frozen, run_frozen, "a pause of the target's container", freeze_for_a_moment, "threads=2", 60);
	ADD(tracer, run_living, "another tracer", trace_for_a_moment, "threads=2", 60);
	ADD(caught, run_handled, "SIGTSTP or SIGCONT", send_stop_or_continue, "threads=1 load=sent", 72);
	ADD(ends, run_ending, "the end of the target", end_itself, "threads=2", 48);
	ADD(killed, run_ending, "SIGKILL", end_by_force, "threads=2", 48);
	ADD(killed_slowly, run_ending, "SIGKILL that takes long", end_by_force_slowly, "threads=3", 48);
	ADD(main_ends, run_main_ends, "the end of the main thread", tell, "threads=1", 48);
	add(MIXED, run_glances, &look_stop, "SIGSTOP and SIGCONT at any moment of a look at stacks do no harm");
	add(MIXED, run_glances, &look_crash, "a signal of a crash that somebody sent at any moment of a look at stacks is not lost");
}

void add_anytime_tests(void)
{
	ADD(stopped, run_living, "SIGSTOP", stop_a_while, "threads=2", 160);
	ADD(often, run_living, "SIGSTOP and SIGCONT in quick succession", stop_often, "threads=2", 60);
	ADD(crash, run_handled, "a signal of a crash that somebody sent", send_crash, "threads=1 load=sent", 72);
	ADD(exec, run_exec, "an exec of another thread", tell, "threads=2", 48);
	add_native(add_same_everywhere);
}
