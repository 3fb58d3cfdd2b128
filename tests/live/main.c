// SPDX-License-Identifier: MIT
/* live --roclatch PATH --fixtures DIR and, see usage, which tests. */
#include <ftw.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "live.h"
#include "watch.h"

struct options options;

static struct test *tests;
static unsigned count, room, left_out;
static unsigned same_most = UINT_MAX;    /* of the tests that are being added */

void add(enum batch batch, void (*run)(const void *), const void *with, const char *name, ...)
{
	va_list ap;

	if (count == room) {
		room = room ? room * 2 : 64;
		tests = realloc(tests, room * sizeof(*tests));
		if (!tests)
			abort();
	}
	tests[count] = (struct test){ .batch = batch, .run = run, .with = with };
	va_start(ap, name);
	vsnprintf(tests[count].name, sizeof(tests[count].name), name, ap);
	va_end(ap);
	if (options.filter && !strstr(tests[count].name, options.filter))
		return;
	if (!same_most) {
		left_out++;
		return;
	}
	same_most--;
	count++;
}

static void add_some(void (*add_tests)(void), unsigned most)
{
	same_most = options.brief ? most : UINT_MAX;
	add_tests();
	same_most = UINT_MAX;
}

void add_same(void (*add_tests)(void))
{
	add_some(add_tests, 1);
}

void add_native(void (*add_tests)(void))
{
	add_some(add_tests, 0);
}

static int usage(void)
{
	fputs("usage: live --roclatch PATH --fixtures DIR [--filter TEXT] [--brief] [--part N/OF] [--times] [--list] [--at-length]\n"
		"            [--soak SECONDS [--seed N] [--rounds N] [--jobs N]]\n", stderr);
	return 2;
}

static bool number(const char *text, unsigned *into)
{
	char *end;
	unsigned long n = strtoul(text, &end, 10);

	*into = (unsigned)n;
	return end != text && !*end && n && n <= UINT_MAX;
}

/* "N/OF" */
static bool part(const char *text)
{
	char end;

	return sscanf(text, "%u/%u%c", &options.part, &options.parts, &end) == 2 && options.part && options.part <= options.parts;
}

static bool parse(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		const char *value = i + 1 < argc ? argv[i + 1] : NULL;

		bool *flag = !strcmp(argv[i], "--list") ? &options.list : !strcmp(argv[i], "--brief") ? &options.brief :
			!strcmp(argv[i], "--times") ? &options.times :
			!strcmp(argv[i], "--at-length") ? &options.at_length : NULL;
		if (flag) {
			*flag = true;
			continue;
		}
		if (!value)
			return false;
		if (!strcmp(argv[i], "--roclatch"))
			options.roclatch = realpath(value, NULL);
		else if (!strcmp(argv[i], "--fixtures"))
			options.fixtures = realpath(value, NULL);
		else if (!strcmp(argv[i], "--filter"))
			options.filter = value;
		else if (!(!strcmp(argv[i], "--soak") ? number(value, &options.soak) :
			   !strcmp(argv[i], "--seed") ? number(value, &options.seed) :
			   !strcmp(argv[i], "--part") ? part(value) :
			   !strcmp(argv[i], "--rounds") ? number(value, &options.rounds) :
			   !strcmp(argv[i], "--jobs") && number(value, &options.jobs)))
			return false;
		i++;
	}
	return options.list || (options.roclatch && options.fixtures);
}

/* Every so-manieth, so that each part has of every kind. */
static void keep_part(void)
{
	unsigned kept = 0;

	for (unsigned i = options.part - 1; options.parts && i < count; i += options.parts)
		tests[kept++] = tests[i];
	if (options.parts)
		count = kept;
}

static char folder[] = "/tmp/roclatch-live-XXXXXX";

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *where)
{
	(void)st;
	(void)kind;
	(void)where;
	return remove(path);
}

/* What is fetched from targets in other roots goes where roclatch is started: not into the tree. */
static bool begin_elsewhere(void)
{
	return mkdtemp(folder) && !chmod(folder, 0777) && !chdir(folder);
}

static void end_elsewhere(void)
{
	if (!chdir("/"))
		nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

int main(int argc, char **argv)
{
	if (!parse(argc, argv))
		return usage();
	setvbuf(stdout, NULL, _IOLBF, 0);
	signal(SIGPIPE, SIG_IGN);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	add_state_tests();
	add_function_tests();
	add_kind_tests();
	add_thread_tests();
	add_signal_tests();
	add_stop_tests();
	add_library_tests();
	add_life_tests();
	add_native(add_dump_tests);
	add_anytime_tests();
	add_loop_tests();
	add_rocm_tests();
	add_watch_tests();
	add_same(add_sample_tests);
	add_same(add_top_tests);
	add_native(add_hostile_tests);
	add_native(add_huge_tests);
	add_native(add_killed_tests);
	keep_part();
	if (options.list) {
		for (unsigned i = 0; i < count; i++)
			puts(tests[i].name);
		return 0;
	}
	if (!begin_elsewhere()) {
		perror(folder);
		return 1;
	}
	if (left_out)
		printf("# a brief run: %u tests of what is the same on every CPU are left out\n", left_out);
	bool good = options.soak ? soak() : run_tests(tests, count);
	end_elsewhere();
	return good ? 0 : 1;
}
