// SPDX-License-Identifier: MIT
/* Rounds at random, for a given time, several at once; the report. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>

#include "soak.h"

#define ROUND_LIMIT_S (patient(300000) / 1000)
#define SKIPPED 77

struct tally *tally;
static uint64_t chance;
static unsigned done, violations, left_out;

static const char *const disturbances[DISTURBANCES] = { "calm", "load", "signals", "SIGINT/TERM", "kill -9", "kill at call",
	"failing call", "target ends" };

void dice_seed(unsigned seed)
{
	chance = seed;
}

/* splitmix64: neighbouring seeds have nothing in common */
unsigned dice(unsigned below)
{
	uint64_t z = (chance += UINT64_C(0x9e3779b97f4a7c15));

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return (unsigned)((z ^ (z >> 31)) >> 11) % below;
}

static void report_round(const struct running *r, int status, bool late)
{
	const struct slot *slot = r->test->with;
	bool good = !late && WIFEXITED(status) && !WEXITSTATUS(status);
	bool skipped = !late && WIFEXITED(status) && WEXITSTATUS(status) == SKIPPED;

	done++;
	left_out += skipped;
	violations += !good && !skipped;
	printf("%s %u %s (%.1f s)\n", good ? "ok" : skipped ? "skip" : "VIOLATION", slot->seed, tally->words[slot->number],
		(double)(now_ns() - r->begun) / 1e9);
	if (late)
		printf("# the round did not end within %u s\n", ROUND_LIMIT_S);
	else if (WIFSIGNALED(status))
		printf("# the round was ended by signal %d\n", WTERMSIG(status));
	test_show(r->out);
}

static unsigned sum(const _Atomic unsigned *numbers, unsigned n)
{
	unsigned all = 0;

	for (unsigned i = 0; i < n; i++)
		all += numbers[i];
	return all;
}

static void report_table(void)
{
	printf("\n%-22s", "rounds");
	for (unsigned d = 0; d < DISTURBANCES; d++)
		printf(" %13s", disturbances[d]);
	printf(" %8s\n", "sum");
	for (unsigned i = 0; i < deeds_count; i++) {
		printf("%-22s", deeds[i].name);
		for (unsigned d = 0; d < DISTURBANCES; d++)
			printf(" %13u", tally->rounds[i][d]);
		printf(" %8u\n", sum(tally->rounds[i], DISTURBANCES));
	}
	printf("%-22s", "sum");
	for (unsigned d = 0; d < DISTURBANCES; d++) {
		unsigned all = 0;

		for (unsigned i = 0; i < deeds_count; i++)
			all += tally->rounds[i][d];
		printf(" %13u", all);
	}
	printf("\n%-22s", "came while at work");
	for (unsigned d = 0; d < DISTURBANCES; d++)
		printf(" %13u", tally->hits[d]);
	printf("\n\nended with status:");
	for (unsigned i = 0; i < 256; i++)
		if (tally->by_status[i])
			printf(" %u: %u", i, tally->by_status[i]);
	printf("\n");
}

static void report(int64_t begun, unsigned jobs)
{
	double s = (double)(now_ns() - begun) / 1e9;

	report_table();
	printf("something was there until the next roclatch removed it: %u times\n", tally->left);
	printf("signals sent to targets: %u; answers of blocking system calls checked: %u\n", tally->signals, tally->calls);
	printf("soak: %u rounds, %u kills, %u failing calls, %u violations, %u left out; %.0f s of %u jobs, %.0f s in sum\n", done,
		tally->hits[KILLED] + tally->hits[KILLED_AT], tally->hits[FAILING], violations, left_out, s, jobs, s * jobs);
}

static bool more(int64_t end, unsigned begun)
{
	return now_ns() < end && (!options.rounds || begun < options.rounds);
}

bool soak(void)
{
	unsigned jobs = options.jobs ? options.jobs : 2, seed = options.seed ? options.seed : (unsigned)now_ns(), begun = 0, n = 0;
	struct running running[TESTS_AT_ONCE];
	struct slot slots[TESTS_AT_ONCE];
	struct test tests[TESTS_AT_ONCE];
	bool used[TESTS_AT_ONCE] = { false };
	int64_t start = now_ns(), end = start + options.soak * INT64_C(1000000000);

	jobs = jobs > TESTS_AT_ONCE ? TESTS_AT_ONCE : jobs;
	tally = mmap(NULL, sizeof(*tally), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (tally == MAP_FAILED)
		return false;
	printf("# seed %u, %u at a time\n", seed, jobs);
	while (more(end, begun) || n) {
		for (unsigned i = 0; i < jobs && more(end, begun); i++) {
			if (used[i])
				continue;
			used[i] = true;
			slots[i] = (struct slot){ .seed = seed + begun++, .number = i };
			tests[i] = (struct test){ .run = soak_round, .with = &slots[i] };
			snprintf(tally->words[i], sizeof(tally->words[i]), "nothing yet");
			running[n++] = test_begin(&tests[i], 0);
		}
		for (unsigned i = 0; i < n; i++) {
			const struct slot *slot = running[i].test->with;
			int status;
			bool late;

			if (!test_over(&running[i], ROUND_LIMIT_S, &status, &late))
				continue;
			report_round(&running[i], status, late);
			used[slot->number] = false;
			running[i--] = running[--n];
		}
		reap_strangers(running, n);
		await_any(running, n);
	}
	report(start, jobs);
	munmap(tally, sizeof(*tally));
	return !violations;
}
