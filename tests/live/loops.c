// SPDX-License-Identifier: MIT
/* Very many calls: no deadlock in a target that allocates, loads and forks; no leak in a quiet one. */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "live.h"

struct loop {
	unsigned calls, at_least, at_least_slow;        /* as many as fit into the time, but these at least */
	unsigned seconds;
	const char *on, *root;
};

static unsigned long status_number(const struct target *t, const char *key)
{
	char text[8192], *found;

	read_text(text, sizeof(text), "/proc/%d/status", (int)t->pid);
	found = strstr(text, key);
	return found ? strtoul(found + strlen(key), NULL, 10) : 0;
}

static uint64_t work_from;

static bool works(const struct target *t)
{
	return atomic_load(&t->record->work) > work_from + 2;
}

static bool more(const struct loop *loop, unsigned done, int64_t begun)
{
	bool slow = slow_machine() && !options.at_length;
	unsigned seconds = !slow ? loop->seconds : options.brief ? 0 : loop->seconds / 4;

	if (done < (slow ? loop->at_least_slow : loop->at_least))
		return true;
	return done < loop->calls && now_ns() - begun < seconds * INT64_C(1000000000);
}

/* How long it takes until a thread is outside of malloc is not what is tested. */
static struct outcome call_patiently(const struct target *t, const char *on)
{
	char pid[16];

	snprintf(pid, sizeof(pid), "%d", (int)t->pid);
	return roclatch(70000, "call", pid, "--timeout-msec", "60000", "--on", on, t->library, "called_locks", NULL);
}

static void run_busy(const void *with)
{
	const struct loop *loop = with;
	/* emulated, a round of 50 batches takes its threads a second, and each forks in every eighth */
	const char *settings = slow_machine() ? "threads=4 others=busy batches=3" : "threads=4 others=busy";
	struct target t = start(&(struct start){ .root = loop->root, .state = "busy", .settings = settings });
	int64_t begun = now_ns();
	unsigned done = 0;

	while (more(loop, done, begun) && !failed()) {
		struct outcome o = call_patiently(&t, loop->on);
		expect(&o, 0, "1000\n");
		done++;
	}
	work_from = atomic_load(&t.record->work);
	check(wait_until(works, &t, 60000), "the target is stuck after %u calls", done);
	stop(&t);
}

static void run_flat(const void *with)
{
	const struct loop *loop = with;
	struct target t = start(&(struct start){ .root = loop->root, .state = "spinning", .settings = "threads=2" });
	int64_t begun;
	unsigned done = 0;
	unsigned long rss, rss_after;
	struct snapshot before, after;

	for (unsigned i = 0; i < rounds(20); i++)
		call(&t, loop->on, "called_locks", "");
	rss = status_number(&t, "RssAnon:");
	before = look(&t, 0);
	begun = now_ns();
	while (more(loop, done, begun) && !failed()) {
		struct outcome o = call(&t, loop->on, "called_locks", "");
		expect(&o, 0, "1000\n");
		done++;
	}
	after = look(&t, 0);
	compare(&before, &after, 0);
	rss_after = status_number(&t, "RssAnon:");
	check(rss_after <= rss + 128, "memory of its own grew from %lu to %lu KiB in %u calls", rss, rss_after, done);
	go_on(&t);
	stop(&t);
}

static const struct loop busy_fresh = { 1000, 60, 5, 4, "fresh", "root-bookworm" };
static const struct loop busy_borrowed = { 200, 20, 5, 3, "borrowed", "root-bookworm" };
static const struct loop busy_musl = { 200, 20, 5, 3, "fresh", "root-musl" };
static const struct loop flat_fresh = { 500, 100, 15, 8, "fresh", "root-bookworm" };
static const struct loop flat_borrowed = { 500, 60, 15, 5, "borrowed", "root-bookworm" };
static const struct loop flat_musl = { 200, 40, 10, 4, "fresh", "root-musl" };
static const struct loop flat_long = { 10000, 10000, 10000, 100, "fresh", "root-bookworm" };
static const struct loop busy_long = { 1000, 1000, 1000, 100, "fresh", "root-bookworm" };

void add_loop_tests(void)
{
	add(ALONE, run_busy, &busy_fresh, "threads that only allocate, load and fork survive calls on fresh threads");
	add(ALONE, run_busy, &busy_borrowed, "threads that only allocate, load and fork survive calls on themselves");
	add(ALONE, run_busy, &busy_musl, "threads that only allocate, load and fork survive calls with musl");
	add(ALONE, run_flat, &flat_fresh, "many calls on fresh threads leak nothing");
	add(ALONE, run_flat, &flat_borrowed, "many calls on a borrowed thread leak nothing");
	add(ALONE, run_flat, &flat_musl, "many calls with musl leak nothing");
	if (!options.at_length)
		return;
	add(ALONE, run_flat, &flat_long, "10,000 calls leak nothing");
	add(ALONE, run_busy, &busy_long, "threads that only allocate, load and fork survive 1,000 calls");
}
