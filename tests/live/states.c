// SPDX-License-Identifier: MIT
/* What a thread is doing when it is borrowed: it must go on as if nothing had happened. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "live.h"

#define SLEEP_MS (slow_machine() ? 4000u : 1000u)
#define ATTEMPTS 4

struct blocked_test {
	const char *state, *words, *on;
	bool timed;
};

static const struct { const char *state, *words; bool timed; } blocked[] = {
	{ "futex", "a futex", false },
	{ "futex-timed", "a futex with a timeout", true },
	{ "futex-deadline", "a futex with a deadline", true },
	{ "nanosleep", "nanosleep", true },
	{ "clock_nanosleep", "a relative clock_nanosleep", true },
	{ "clock_nanosleep-absolute", "an absolute clock_nanosleep", true },
	{ "ppoll", "ppoll", false },
	{ "ppoll-timed", "ppoll with a timeout", true },
	{ "poll-timed", "poll with a timeout", true },
	{ "select", "select", false },
	{ "select-timed", "select with a timeout", true },
	{ "epoll_wait", "epoll_wait", false },
	{ "epoll_wait-timed", "epoll_wait with a timeout", true },
	{ "read-pipe", "read on a pipe", false },
	{ "accept", "accept", false },
	{ "recv", "recv", false },
	{ "recv-timed", "recv with SO_RCVTIMEO", true },
	{ "waitpid", "waitpid", false },
	{ "sigwait", "sigwaitinfo", false },
	{ "sigtimedwait", "sigtimedwait", true },
	{ "sigsuspend", "sigsuspend", false },
	{ "msgrcv", "msgrcv", false },
	{ "semop", "semop", false },
	{ "semtimedop", "semtimedop", true },
	{ "io_getevents-timed", "io_getevents with a timeout", true },
	{ "io_uring_enter", "io_uring_enter", false },
};

static bool one_done(const struct target *target)
{
	return atomic_load(&target->record->left);
}

/*
 * How late it may end, in ms.  Socket timeouts run on the kernel's timer wheel,
 * which is up to 8 % late by itself (kernel/time/timer.c).  A loaded machine is
 * late for everybody.  What the thread was held for, a fraction of a
 * millisecond on a real CPU, is not part of ppoll's and select's time
 * (fs/select.c restarts with what was left).
 */
static double allowance(const struct target *target, int64_t jitter, double held)
{
	double wanted = (double)target->record->wanted_ns / 1e6;

	return (double)jitter / 1e6 + held + wanted * (strcmp(target->state, "recv-timed") ? 0.02 : 0.1);
}

static double late_by(const struct target *target)
{
	return (double)(target->record->call[0].ns - target->record->wanted_ns) / 1e6;
}

static void check_answer(const struct target *target, double allowed, double held)
{
	const struct record_call *call0 = &target->record->call[0];
	double wanted = (double)target->record->wanted_ns / 1e6, late = late_by(target);

	unharmed(call0->result == call0->expected, "the system call answered %lld and not %lld", (long long)call0->result,
		(long long)call0->expected);
	if (target->record->wanted_ns)
		check(late >= wanted * -0.005 && late <= allowed, "it lasted %.1f ms and not %.0f ms, to which %.1f may be added",
			wanted + late, wanted, allowed);
	check(held < (slow_machine() ? 20000 : 100), "the thread was held for %.1f ms", held);
}

/* A function of 300 ms on a fresh thread, a short one on a borrowed thread, which may sleep itself. */
static struct outcome call_meanwhile(const struct target *target, const char *on)
{
	struct outcome o;

	if (!strcmp(on, "fresh")) {
		o = call(target, on, "called_sleep", "300");
		expect(&o, 0, "0\n");
	} else if (!strcmp(on, "forking")) {
		o = call(target, "fresh", "called_fork", "");
		expect(&o, 0, "7\n");
	} else if (!strcmp(on, "asleep")) {
		o = call(target, "borrowed", "called_sleep", "5");
		expect(&o, 0, "0\n");
	} else {
		o = call(target, on, "called_sum", "1 2 3 4 5 6");
		expect(&o, 0, "91\n");
	}
	return o;
}

/* By roclatch's own word. */
static double held_ms(const struct outcome *o)
{
	const char *words = strstr(o->err, "borrowed for ");

	return words ? strtod(words + strlen("borrowed for "), NULL) : 0;
}

/* Where it waits, by stack pointer and program counter. */
static void where(const struct target *target, char *text, size_t size)
{
	char line[256], *word, *last = NULL, *before = NULL, *rest = NULL;

	read_text(line, sizeof(line), "/proc/%d/task/%d/syscall", (int)target->pid, (int)target->tid);
	for (word = strtok_r(line, " \n", &rest); word; word = strtok_r(NULL, " \n", &rest)) {
		before = last;
		last = word;
	}
	snprintf(text, size, "%s %s", before ? before : "-", last ? last : "-");
}

static void check_waiting_again(const struct target *target, const char *there)
{
	char now[128];

	for (int i = 0; i < 100; i++) {
		where(target, now, sizeof(now));
		if (!strcmp(now, there))
			return;
		sleep_ms(1);
	}
	check(atomic_load(&target->record->left), "it waits elsewhere: %s and not %s", now, there);
}

/* It came to its end by itself while roclatch was at work. */
static bool ended_by_itself(const struct target *target)
{
	const struct record_call *call0 = &target->record->call[0];

	return one_done(target) && target->record->wanted_ns && call0->result == call0->expected &&
		call0->ns >= target->record->wanted_ns;
}

enum verdict { DECIDED, TOO_SLOW };

/* A little late may be the machine; a call that began anew is later than that, and every time. */
static enum verdict judge(const struct target *t, double held, bool last)
{
	double allowed = allowance(t, jitter_end(), held);

	if (!last && t->record->wanted_ns && late_by(t) > allowed && late_by(t) < (double)t->record->wanted_ns / 1e7) {
		kill(t->pid, SIGKILL);
		return TOO_SLOW;
	}
	check_answer(t, allowed, held);
	stop(t);
	return DECIDED;
}

/*
 * Nobody can shorten a socket's own timeout: to wait until that call is over,
 * and leave it alone, is right too.
 */
static bool waited_out(const struct target *target, const struct outcome *o)
{
	return !strcmp(target->state, "recv-timed") && o->status == 0;
}

static bool rests(const struct target *target)
{
	return state_of(target, target->tid) == 'S';
}

static enum verdict disturb(const struct blocked_test *test, unsigned ms, bool last)
{
	struct target t;
	struct snapshot before, after;
	struct outcome o;
	char there[128], settings[32];

	snprintf(settings, sizeof(settings), "ms=%u", ms);
	t = start(&(struct start){ .state = test->state, .settings = settings });
	wait_blocked(&t, 0);
	if (test->timed)
		sleep_ms(ms / 4);
	where(&t, there, sizeof(there));
	before = look(&t, 0);
	if (ended_by_itself(&t))
		return TOO_SLOW;
	jitter_begin();
	o = call_meanwhile(&t, test->on);
	/* let go, it enters its call again as soon as it has a CPU */
	wait_until(rests, &t, 2000);
	after = look(&t, 0);
	bool ended = one_done(&t);
	if (ended && ended_by_itself(&t) && !waited_out(&t, &o)) {
		jitter_end();
		return TOO_SLOW;
	}
	compare(&before, &after, 0);
	check(!ended || waited_out(&t, &o), "the system call ended during the call, answering %lld",
		(long long)t.record->call[0].result);
	check_waiting_again(&t, there);
	if (!test->timed)
		wake(&t);
	require(wait_until(one_done, &t, 10000), "the system call did not end; state %c", state_of(&t, t.tid));
	return judge(&t, held_ms(&o), last);
}

static void run_blocked(const void *with)
{
	unsigned ms = SLEEP_MS;

	for (int i = 1; i <= ATTEMPTS; i++, ms *= 2)
		if (disturb(with, ms, i == ATTEMPTS) == DECIDED || failed())
			return;
	fail("the machine is too slow");
}

static void spin_through(const char *state, const char *on)
{
	struct target t = start(&(struct start){ .state = state });
	struct snapshot before = look(&t, 0), after;

	for (unsigned i = 0; i < rounds(30); i++) {
		struct outcome o = call(&t, on, "called_sum", "1 2 3 4 5 6");
		expect(&o, 0, "91\n");
		o = call(&t, on, "called_clobber", "");
		expect(&o, 0, NULL);
		go_on(&t);
		if (failed())
			end_failed();
	}
	after = look(&t, 0);
	compare(&before, &after, 0);
	stop(&t);
}

static void run_spinning(const void *on)
{
	spin_through("spinning", on);
}

static void run_tiles(const void *on)
{
	spin_through("spinning-tiles", on);
}

/* Tests for what only some CPUs have stand in the list only there. */
static bool has_cpu_flag(const char *flag)
{
	static char text[1 << 16];

	read_text(text, sizeof(text), "/proc/cpuinfo");
	return strstr(text, flag);
}

static bool any(const char *state)
{
	return state;
}

/* Those that the kernel goes on with by what it remembers of them, of which there is one for each thread. */
static bool is_remembered(const char *state)
{
	return !strcmp(state, "nanosleep") || !strcmp(state, "clock_nanosleep") || !strcmp(state, "futex-timed") ||
	       !strcmp(state, "poll-timed");
}

/* A signal ends it, also one that is ignored then: that of a child of the called function, say. */
static bool ends_at_any_signal(const char *state)
{
	return !strcmp(state, "epoll_wait");
}

void add_state_tests(void)
{
	static const struct { const char *on, *words; bool (*takes)(const char *state); } ways[] = {
		{ "fresh", "a fresh thread", any },
		{ "borrowed", "itself", any },
		{ "asleep", "itself that sleeps", is_remembered },
		{ "forking", "a fresh thread that forks", ends_at_any_signal },
	};

	for (size_t k = 0; k < sizeof(ways) / sizeof(ways[0]); k++)
		for (size_t i = 0; i < sizeof(blocked) / sizeof(blocked[0]); i++) {
			if (!ways[k].takes(blocked[i].state))
				continue;
			struct blocked_test *test = malloc(sizeof(*test));
			if (!test)
				abort();
			*test = (struct blocked_test){ blocked[i].state, blocked[i].words, ways[k].on, blocked[i].timed };
			add(SLEEPERS, run_blocked, test, "a thread blocked in %s goes on through a call on %s", test->words,
				ways[k].words);
		}
	add(MIXED, run_spinning, "fresh", "a thread computing on all registers keeps them through calls on fresh threads");
	add(MIXED, run_spinning, "borrowed", "a thread computing on all registers keeps them through calls on itself");
	if (!has_cpu_flag(" amx_tile"))
		return;
	add(MIXED, run_tiles, "fresh", "a thread computing on AMX tiles keeps them through calls on fresh threads");
	add(MIXED, run_tiles, "borrowed", "a thread computing on AMX tiles keeps them through calls on itself");
}
