// SPDX-License-Identifier: MIT
/* Targets with many threads, in handlers, or without their first one. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "live.h"

static void run_many(const void *number)
{
	char settings[64];
	struct target t;
	struct snapshot before, after;

	snprintf(settings, sizeof(settings), "threads=%s", (const char *)number);
	t = start(&(struct start){ .state = "spinning", .settings = settings });
	before = look(&t, 0);
	for (unsigned i = 0; i < rounds(4); i++) {
		struct outcome o = call_any(&t, i % 2 ? "borrowed" : "fresh", "called_sum", "1 2 3 4 5 6");
		expect(&o, 0, "91\n");
	}
	after = look(&t, 0);
	compare(&before, &after, 0);
	go_on(&t);
	stop(&t);
}

static void run_many_spinning(const void *unused)
{
	struct target t = start(&(struct start){ .state = "spinning", .settings = "threads=4 others=spin" });
	struct snapshot before = look(&t, 0), after;

	(void)unused;
	for (unsigned i = 0; i < rounds(10); i++) {
		struct outcome o = call_any(&t, i % 2 ? "borrowed" : "fresh", "called_clobber", "");
		expect(&o, 0, NULL);
	}
	after = look(&t, 0);
	compare(&before, &after, 0);
	go_on(&t);
	stop(&t);
}

/* The longest gap of a thread that is not borrowed, with calls and without. */
static void run_heartbeat(const void *unused)
{
	struct target t = start(&(struct start){ .state = "futex", .settings = "threads=4 beat=1" });
	int64_t quiet, busy;

	(void)unused;
	wait_blocked(&t, 0);
	atomic_store(&t.record->longest_gap_ns, 0);
	for (unsigned i = 0; i < rounds(10); i++) {
		char *argv[] = { strdup("/proc/self/exe"), strdup("--list"), NULL };
		roclatch_argv(5000, argv);
	}
	quiet = atomic_load(&t.record->longest_gap_ns);
	atomic_store(&t.record->longest_gap_ns, 0);
	for (unsigned i = 0; i < rounds(10); i++) {
		struct outcome o = call(&t, "fresh", "called_sleep", "100");
		expect(&o, 0, "0\n");
	}
	busy = atomic_load(&t.record->longest_gap_ns);
	/* a machine of two processors lets others in for some milliseconds; a stop for the call would be 100 */
	check(busy < quiet * 3 + 20 * INT64_C(1000000), "another thread paused for %.1f ms (%.1f ms without calls)",
		(double)busy / 1e6, (double)quiet / 1e6);
	stop(&t);
}

static void run_in_handler(const void *state)
{
	struct target t = start(&(struct start){ .state = state, .settings = "ms=600" });
	struct snapshot before, after;

	if (!strstr(state, "spinning"))
		wait_blocked(&t, 0);
	before = look(&t, 0);
	for (unsigned i = 0; i < rounds(4); i++) {
		struct outcome o = call(&t, i % 2 ? "borrowed" : "fresh", "called_sum", "1 2 3 4 5 6");
		expect(&o, 0, "91\n");
	}
	after = look(&t, 0);
	compare(&before, &after, 0);
	for (unsigned i = 0; i < atomic_load(&t.record->left); i++)
		unharmed(t.record->call[i].result == t.record->call[i].expected, "a call in the handler answered %lld",
			(long long)t.record->call[i].result);
	go_on(&t);
	stop(&t);
}

/* No room for a frame there: to refuse is right, to overrun the stack is not. */
static void run_tiny_stack(const void *unused)
{
	struct target t = start(&(struct start){ .state = "handler-tiny" });
	struct snapshot before, after;
	struct outcome o;

	(void)unused;
	wait_blocked(&t, 0);
	before = look(&t, 0);
	o = call(&t, "fresh", "called_sum", "1 2 3 4 5 6");
	check(o.status == 0 || o.status == 3, "roclatch ended with %d: %s", o.status, o.err);
	after = look(&t, 0);
	compare(&before, &after, 0);
	go_on(&t);
	stop(&t);
}

static bool main_is_dead(const struct target *target)
{
	return atomic_load(&target->record->tid) && state_of(target, target->pid) == 'Z';
}

static void run_main_gone(const void *state)
{
	struct target t = start(&(struct start){ .state = state });
	struct snapshot before, after;

	require(wait_until(main_is_dead, &t, 5000), "the main thread did not end");
	t.tid = atomic_load(&t.record->tid);
	if (!strstr(state, "spinning"))
		wait_blocked(&t, 0);
	before = look(&t, 0);
	for (unsigned i = 0; i < rounds(4); i++) {
		struct outcome o = call_any(&t, i % 2 ? "borrowed" : "fresh", "called_sum", "1 2 3 4 5 6");
		expect(&o, 0, "91\n");
	}
	after = look(&t, 0);
	compare(&before, &after, 0);
	go_on(&t);
	stop(&t);
}

/* With glibc 2.31 the kernel puts a page of shared memory into the hole that the loader's image has: a word in it is none of the
 * loader's locks. */
static void run_shared_futex(const void *root)
{
	struct target t = start(&(struct start){ .root = root, .state = "futex" });
	struct outcome o;

	wait_blocked(&t, 0);
	o = call_any(&t, "fresh", "called_sum", "1 2 3 4 5 6");
	expect(&o, 0, "91\n");
	stop(&t);
}

void add_thread_tests(void)
{
	static const char *const numbers[] = { "1", "4", "64", "512" };

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		add(MIXED, run_many, numbers[i], "a target with %s thread%s is called and left as it was", numbers[i],
			i ? "s" : "");
	add(MIXED, run_many_spinning, NULL, "a target whose every thread computes is called and left as it was");
	add(ALONE, run_heartbeat, NULL, "threads that are not borrowed do not pause");
	add(MIXED, run_in_handler, "handler-waiting", "a thread waiting in a signal handler on an alternate stack goes on");
	add(MIXED, run_in_handler, "handler-sleeping", "a thread asleep in a signal handler on an alternate stack goes on");
	add(MIXED, run_in_handler, "handler-spinning",
		"a thread computing in a signal handler on an alternate stack keeps its registers");
	add(MIXED, run_tiny_stack, NULL, "a thread on a tiny alternate stack is not overrun");
	add(MIXED, run_main_gone, "main-gone", "a target whose main thread has ended is called and left as it was");
	add(MIXED, run_main_gone, "main-gone-spinning", "a target without main thread that computes keeps its registers");
	add(MIXED, run_shared_futex, "root-bullseye", "a thread that waits for a futex in shared memory is borrowed, wherever that lies");
}
