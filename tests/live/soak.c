// SPDX-License-Identifier: MIT
/* Random products of kind, state, threads, signals, function and way to call, for a given time. */
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "live.h"

static const char *const roots[] = { "root-bookworm", "root-bullseye", "root-sid", "root-musl" };
static const char *const states[] = { "spinning", "futex", "nanosleep", "clock_nanosleep", "ppoll", "ppoll-timed",
	"select-timed", "epoll_wait", "epoll_wait-timed", "read-pipe", "recv-timed", "sigtimedwait", "semtimedop",
	"futex-timed", "futex-deadline", "handler-spinning", "handler-sleeping", "handler-waiting" };
static const char *const threads[] = { "1", "2", "4", "64", "512" };
static const char *const loads[] = { "", "load=alarm", "load=children", "load=queue" };
static const char *const others[] = { "futex", "spin" };
static const struct { const char *function, *args, *answer; int status; } functions[] = {
	{ "called_sum", "1 2 3 4 5 6", "91\n", 0 },
	{ "called_sleep", "50", "0\n", 0 },
	{ "called_locks", "", "1000\n", 0 },
	{ "called_clobber", "", NULL, 0 },
	{ "called_float", "1000", "1001000\n", 0 },
	{ "called_fork", "", "7\n", 0 },
	{ "called_segv", "", NULL, 5 },
	{ "called_abort", "", NULL, 5 },
};

#define PICK(table) table[(unsigned)rand() % (sizeof(table) / sizeof(table[0]))]
#define COUNT(table) (sizeof(table) / sizeof(table[0]))

struct product {
	const char *root, *state, *on;
	char settings[96];
	unsigned calls, seed;
};

static struct product pick(void)
{
	struct product p = { .root = PICK(roots), .state = PICK(states), .on = rand() % 3 ? "fresh" : "borrowed" };
	const char *number = PICK(threads);

	/* an alarm would end sleeps by itself, and that many computing threads only wait for each other */
	snprintf(p.settings, sizeof(p.settings), "ms=400 threads=%s others=%s %s", number,
		strlen(number) > 1 ? "futex" : PICK(others), strcmp(p.state, "spinning") ? "" : PICK(loads));
	p.calls = 1 + (unsigned)rand() % 10;
	p.seed = (unsigned)rand();
	return p;
}

static void run_product(const void *with)
{
	const struct product *p = with;
	struct target t = start(&(struct start){ .root = p->root, .state = p->state, .settings = p->settings });
	unsigned how = strstr(p->settings, "load=") ? WITHOUT_PENDING | WITHOUT_TASKS : 0;
	struct snapshot before, after;
	unsigned left;

	srand(p->seed);
	if (!strstr(p->state, "spinning"))
		wait_blocked(&t, 0);
	before = look(&t, how);
	for (unsigned i = 0; i < p->calls; i++) {
		unsigned f = (unsigned)rand() % COUNT(functions);
		struct outcome o;

		/* abort may leave a lock of its own behind, which a second one and fork would wait for */
		if (functions[f].status == 5 && i + 1 < p->calls)
			f = 0;
		/* a handler of SIGCHLD in the target waits for that child first */
		if (strstr(p->settings, "load=children") && !strcmp(functions[f].function, "called_fork"))
			f = 0;
		/* sleeping or forking there is what the fresh thread is for */
		if (!strcmp(p->on, "borrowed") && f)
			f = 3;
		o = call(&t, p->on, functions[f].function, functions[f].args);
		expect(&o, functions[f].status, functions[f].answer);
	}
	after = look(&t, how);
	compare(&before, &after, WITH_ARENA);
	left = atomic_load(&t.record->left);
	for (unsigned i = 0; i < left && i < RECORD_CALLS; i++)
		unharmed(t.record->call[i].result == t.record->call[i].expected, "system call %u answered %lld and not %lld", i,
			(long long)t.record->call[i].result, (long long)t.record->call[i].expected);
	go_on(&t);
	stop(&t);
}

bool soak(unsigned seconds)
{
	int64_t end = now_ns() + seconds * INT64_C(1000000000);
	unsigned seed = (unsigned)now_ns(), products = 0;
	bool good = true;

	printf("# seed %u\n", seed);
	srand(seed);
	while (now_ns() < end) {
		struct product p[12];
		struct test tests[12];

		for (size_t i = 0; i < COUNT(tests); i++) {
			p[i] = pick();
			tests[i] = (struct test){ .batch = MIXED, .run = run_product, .with = &p[i] };
			snprintf(tests[i].name, sizeof(tests[i].name), "%s %s %s: %u calls, %s, seed %u", p[i].root, p[i].state,
				p[i].settings, p[i].calls, p[i].on, p[i].seed);
		}
		good &= run_tests(tests, COUNT(tests));
		products += COUNT(tests);
	}
	printf("# %u random products\n", products);
	return good;
}
