/* SPDX-License-Identifier: MIT */
#include "suite.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "sweep.h"

/* How many share the time. */
#define SWEEPS (4 * 3 + 1 + 2)
#define SWEEPS_THOROUGH (4 * 6 + 2)
#define JOBS_MAX 64

static const char *const states[] = { "spinning", "blocked" };
static const char *const ways[] = { "fresh", "borrowed" };

/* A long function on each kind of thread, so that the points fall into the call
 * too.  One that sleeps does not belong on a borrowed thread. */
static const char *long_function(const char *on)
{
	return strcmp(on, "fresh") == 0 ? "victim_slow" : "victim_busy";
}

static void report(const struct sweep *w, const char *name, int trouble)
{
	bool good = trouble == 0 && w->bad == 0 && w->points > 0;

	if (w->what != TRACE_COUNT)
		printf("# %s: %u points, %u after the first touch, of %lu calls; %u bad, %u left something for the next call "
		       "to remove, slowest recovery %u ms\n", name, w->points, w->full_points, w->calls, w->bad,
		       w->left_behind, (unsigned)(w->subject.slowest_ns / 1000000));
	if (w->what == TRACE_FAIL) {
		printf("# %s: ended with status", name);
		for (unsigned i = 0; i < 8; i++)
			if (w->by_status[i])
				printf(" %u (%u times)", i, w->by_status[i]);
		printf("%s\n", w->by_status[8] ? " or another" : "");
	}
	printf("%s %s\n", good ? "ok" : "not ok", name);
	if (!good)
		printf("# %s\n", w->first[0] ? w->first : "nothing was tried");
}

/* Sweeps run in processes of their own; what one says is kept and told at its end. */
static struct job { pid_t pid; int said; } job[JOBS_MAX];
static unsigned jobs;

/* Wait for any.  0: all was ok. */
static int finish_one(void)
{
	char text[4096];
	ssize_t n;
	int status = -1;
	pid_t pid = waitpid(-1, &status, 0);
	struct job *ended = job;

	if (pid < 0)
		abort();
	while (ended->pid != pid)
		ended++;
	for (off_t at = 0; (n = pread(ended->said, text, sizeof text, at)) > 0; at += n)
		fwrite(text, 1, (size_t)n, stdout);
	fflush(stdout);
	close(ended->said);
	*ended = job[--jobs];
	return status != 0;
}

static int sweep_and_report(struct sweep *w, const char *name, int (*how)(struct sweep *))
{
	int trouble = how(w);

	subject_end(&w->subject);
	report(w, name, trouble);
	return trouble != 0 || w->bad != 0;
}

/* How many sweeps failed of those that ended meanwhile. */
static int run(const struct suite *suite, struct sweep *w, const char *name, int (*how)(struct sweep *))
{
	int bad = 0, said;

	if (suite->only && !strstr(name, suite->only))
		return 0;
	w->suite = suite;
	w->within_ms = suite->within_s * 1000 * suite->jobs / (suite->thorough ? SWEEPS_THOROUGH : SWEEPS);
	if (suite->jobs == 1)
		return sweep_and_report(w, name, how);
	while (jobs == suite->jobs || jobs == JOBS_MAX)
		bad += finish_one();
	said = memfd_create("said", MFD_CLOEXEC);
	job[jobs] = (struct job){ fork(), said };
	if (job[jobs].pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		dup2(said, 1);
		srand((unsigned)time(NULL) ^ (unsigned)getpid());
		exit(sweep_and_report(w, name, how));
	}
	jobs++;
	return bad;
}

static int interfere(const struct suite *suite, const char *state, const char *on)
{
	const struct { const char *name; enum trace_what what; const char *function; bool thorough; } kinds[] = {
		{ "killed_before_each_system_call", TRACE_KILL_AT, "victim_bump", false },
		{ "killed_after_each_system_call", TRACE_KILL_AFTER, long_function(on), false },
		{ "killed_during_each_system_call", TRACE_KILL_DURING, long_function(on), true },
		{ "each_system_call_fails_once", TRACE_FAIL, "victim_bump", false },
		{ "stalled_before_each_system_call", TRACE_STALL, "victim_bump", strcmp(state, "blocked") || strcmp(on, "fresh") },
	};
	int bad = 0;

	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		struct sweep w = { .state = state, .on = on, .what = kinds[i].what, .function = kinds[i].function };
		char name[128];

		if (kinds[i].thorough && !suite->thorough)
			continue;
		snprintf(name, sizeof name, "%s_%s_target_%s_thread", kinds[i].name, state, on);
		bad += run(suite, &w, name, sweep_run);
	}
	return bad;
}

static int take_away(const struct suite *suite, const char *state, const char *on)
{
	int bad = 0;

	for (unsigned bit = 0;; bit++) {
		struct sweep w = { .state = state, .on = on, .what = TRACE_COUNT, .function = "victim_bump" };
		const char *feature = fault_feature_name(bit);
		char name[128];

		/* Each by itself, unless time is short. */
		if (feature && suite->within_s != 0)
			continue;
		w.without = feature ? 1ull << bit : FAULT_FEATURES_ALL;
		snprintf(name, sizeof name, "works_without_%s_%s_target_%s_thread",
			 feature ? feature : "all_that_is_newer_than_4_18", state, on);
		bad += run(suite, &w, name, sweep_once);
		if (!feature)
			return bad;
	}
}

/* On a busy machine roclatch may not run for long, at any point, while the target does. */
static int slow_down(const struct suite *suite, const char *state, const char *on)
{
	static const unsigned ms[] = { 1, 5, 20 };
	int bad = 0;

	for (size_t i = 0; i < sizeof ms / sizeof *ms; i++) {
		struct sweep w = { .state = state, .on = on, .what = TRACE_COUNT, .function = "victim_bump",
			.slow_us = ms[i] * 1000 };
		char name[128];

		snprintf(name, sizeof name, "works_when_%u_ms_pass_before_each_call_%s_target_%s_thread", ms[i], state, on);
		bad += run(suite, &w, name, sweep_once);
	}
	return bad;
}

/* The ways around what an old kernel lacks must hold as well. */
static int killed_on_old_kernel(const struct suite *suite, const char *state, const char *on)
{
	struct sweep w = { .state = state, .on = on, .what = TRACE_KILL_AT, .function = "victim_bump",
		.without = FAULT_FEATURES_ALL };
	char name[128];

	snprintf(name, sizeof name, "killed_before_each_system_call_on_an_old_kernel_%s_target_%s_thread", state, on);
	return run(suite, &w, name, sweep_run);
}

/* musl has a lock for all that begins and ends threads, and pthread_create holds it over several system calls. */
static int interfere_with_musl(const struct suite *suite)
{
	struct sweep killed = { .root = "root-musl", .state = "blocked", .on = "fresh", .what = TRACE_KILL_AT, .function = "victim_bump" };
	struct sweep fails = killed;

	fails.what = TRACE_FAIL;
	return run(suite, &killed, "killed_before_each_system_call_blocked_target_with_musl_fresh_thread", sweep_run) +
	       run(suite, &fails, "each_system_call_fails_once_blocked_target_with_musl_fresh_thread", sweep_run);
}

int suite_run(const struct suite *suite)
{
	int bad = 0;

	srand((unsigned)time(NULL));
	for (unsigned i = 0; i < 4; i++) {
		bad += take_away(suite, states[i / 2], ways[i % 2]);
		bad += slow_down(suite, states[i / 2], ways[i % 2]);
		bad += interfere(suite, states[i / 2], ways[i % 2]);
		if (suite->thorough)
			bad += killed_on_old_kernel(suite, states[i / 2], ways[i % 2]);
	}
	bad += interfere_with_musl(suite);
	while (jobs > 0)
		bad += finish_one();
	return bad != 0;
}
