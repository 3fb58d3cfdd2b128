/* SPDX-License-Identifier: MIT */
/*
 * killat: kill a program at, or fail, any of its system calls, from outside.
 * With --suite: do that to roclatch at every point and look at its target.
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "subject.h"
#include "suite.h"
#include "trace.h"

static const char usage[] =
	"usage: killat [WHAT] [--without NAME,...|all] [--limit-msec N] [--slow USEC] [--list] [--result-first] -- PROGRAM [ARG...]\n"
	"       killat --suite --roclatch FILE --fixtures FOLDER [--rounds N[:FIRST]] [--every N]\n"
	"              [--within SECONDS] [--jobs N] [--thorough] [--only TEXT] [--patience TIMES] [--enough BAD]\n"
	"\n"
	"WHAT, counting the program's system calls from 1:\n"
	"  --count               only count them (the default)\n"
	"  --kill N              SIGKILL at the entry of the N-th\n"
	"  --kill-after N        SIGKILL right after it\n"
	"  --kill-during N:USEC  SIGKILL USEC after its entry\n"
	"  --stall N:USEC        let it wait for USEC before that one\n"
	"  --fail N[:ERRNO]      do not execute it and let it fail; --rounds chooses among the ways\n"
	"--result-first: what the program says is shown behind the result, and only its beginning\n"
	"--without (or --enosys) takes features away, as on an old kernel:\n ";

static int usage_error(void)
{
	fputs(usage, stderr);
	for (unsigned i = 0; fault_feature_name(i); i++)
		fprintf(stderr, " %s", fault_feature_name(i));
	fputc('\n', stderr);
	return 2;
}

/* "N" or "N:MORE"; false if that is not what it is */
static bool two_numbers(const char *text, unsigned long *n, unsigned long *more)
{
	char *end;

	errno = 0;
	*n = strtoul(text, &end, 10);
	if (end == text || errno != 0)
		return false;
	if (*end == ':')
		*more = strtoul(end + 1, &end, 10);
	return *end == '\0';
}

static bool features(char *names, uint64_t *set)
{
	for (char *name = strtok(names, ","); name; name = strtok(NULL, ",")) {
		uint64_t one = strcmp(name, "all") == 0 ? FAULT_FEATURES_ALL : fault_feature(name);

		if (one == 0) {
			fprintf(stderr, "killat: no feature is called %s\n", name);
			return false;
		}
		*set |= one;
	}
	return true;
}

static int run_one(char **argv, struct trace *t)
{
	if (trace_run(argv, t) != 0) {
		fprintf(stderr, "killat: cannot trace %s: %s\n", argv[0], strerror(errno));
		return 1;
	}
	printf("calls %lu wall_us %llu", t->calls, (unsigned long long)t->wall_ns / 1000);
	if (t->at[0])
		printf(" at %s", t->at);
	if (t->failed_with)
		printf(" failed with %s", strerror(t->failed_with));
	if (WIFSIGNALED(t->status))
		printf(" ended by signal %d\n", WTERMSIG(t->status));
	else
		printf(" status %d\n", WEXITSTATUS(t->status));
	if (!t->show)
		printf("%s%s", t->output, t->errors);
	return t->over_limit ? 1 : 0;
}

enum { COUNT = 256, KILL_AT, KILL_AFTER, KILL_DURING, FAIL, STALL, WITHOUT, LIMIT, SLOW, LIST, RESULT_FIRST, SUITE, ROCLATCH, FIXTURES,
	ROUNDS, EVERY, WITHIN, JOBS, THOROUGH, ONLY, PATIENCE, ENOUGH };

static const struct option options[] = {
	{ "count", no_argument, NULL, COUNT }, { "kill", required_argument, NULL, KILL_AT },
	{ "kill-after", required_argument, NULL, KILL_AFTER }, { "kill-during", required_argument, NULL, KILL_DURING },
	{ "stall", required_argument, NULL, STALL }, { "fail", required_argument, NULL, FAIL }, { "without", required_argument, NULL, WITHOUT },
	{ "enosys", required_argument, NULL, WITHOUT }, { "limit-msec", required_argument, NULL, LIMIT },
	{ "slow", required_argument, NULL, SLOW },
	{ "list", no_argument, NULL, LIST }, { "result-first", no_argument, NULL, RESULT_FIRST },
	{ "suite", no_argument, NULL, SUITE },
	{ "roclatch", required_argument, NULL, ROCLATCH }, { "fixtures", required_argument, NULL, FIXTURES },
	{ "rounds", required_argument, NULL, ROUNDS }, { "every", required_argument, NULL, EVERY },
	{ "within", required_argument, NULL, WITHIN }, { "jobs", required_argument, NULL, JOBS },
	{ "thorough", no_argument, NULL, THOROUGH },
	{ "only", required_argument, NULL, ONLY }, { "patience", required_argument, NULL, PATIENCE },
	{ "enough", required_argument, NULL, ENOUGH }, { NULL, 0, NULL, 0 },
};

int main(int argc, char **argv)
{
	struct trace t = { .what = TRACE_COUNT, .limit_ms = 60000, .show = true };
	struct suite suite = { .rounds = 1, .every = 1, .jobs = 1 };
	bool whole = false;
	int c;

	setvbuf(stdout, NULL, _IOLBF, 0);
	while ((c = getopt_long(argc, argv, "+", options, NULL)) != -1) {
		unsigned long n = 0, more = 0;
		bool good = true;

		switch (c) {
		case COUNT: t.what = TRACE_COUNT; break;
		case KILL_AT: t.what = TRACE_KILL_AT; good = two_numbers(optarg, &t.n, &more); break;
		case KILL_AFTER: t.what = TRACE_KILL_AFTER; good = two_numbers(optarg, &t.n, &more); break;
		case KILL_DURING: t.what = TRACE_KILL_DURING; good = two_numbers(optarg, &t.n, &more); break;
		case FAIL: t.what = TRACE_FAIL; good = two_numbers(optarg, &t.n, &more); break;
		case STALL: t.what = TRACE_STALL; good = two_numbers(optarg, &t.n, &more); t.stall_us = (unsigned)more; break;
		case WITHOUT: good = features(optarg, &t.without); break;
		case LIMIT: good = two_numbers(optarg, &n, &more); t.limit_ms = (unsigned)n; break;
		case SLOW: good = two_numbers(optarg, &n, &more); t.slow_us = (unsigned)n; break;
		case LIST: t.list = true; break;
		case RESULT_FIRST: t.show = false; break;
		case SUITE: whole = true; break;
		case ROCLATCH: suite.roclatch = optarg; break;
		case FIXTURES: suite.fixtures = optarg; break;
		case ROUNDS: good = two_numbers(optarg, &n, &more); suite.rounds = (unsigned)n; suite.first = (unsigned)more; break;
		case EVERY: good = two_numbers(optarg, &n, &more) && n > 0; suite.every = (unsigned)n; break;
		case WITHIN: good = two_numbers(optarg, &n, &more); suite.within_s = (unsigned)n; break;
		case JOBS: good = two_numbers(optarg, &n, &more) && n > 0; suite.jobs = (unsigned)n; break;
		case THOROUGH: suite.thorough = true; break;
		case ONLY: suite.only = optarg; break;
		case PATIENCE: good = two_numbers(optarg, &n, &more) && n > 0; subject_patience = (unsigned)n; break;
		case ENOUGH: good = two_numbers(optarg, &n, &more); suite.enough = (unsigned)n; break;
		default: good = false;
		}
		if (!good)
			return usage_error();
		if (c == KILL_DURING)
			t.delay_us = (unsigned)more;
		if (c == FAIL)
			t.fail_errno = (int)more;
	}
	if (whole && suite.roclatch && suite.fixtures && optind == argc)
		return suite_run(&suite);
	if (whole || optind == argc)
		return usage_error();
	t.round = suite.rounds - 1;
	return run_one(argv + optind, &t);
}
