// SPDX-License-Identifier: MIT
/* Loading and unloading libraries, and the names under which functions are found. */
#include <stdlib.h>
#include <string.h>

#include "live.h"

static void path_of(char *path, size_t size, const char *root, const char *name)
{
	snprintf(path, size, "%s/%s/%s", options.fixtures, root, name);
}

static struct outcome with_library(const struct target *t, const char *command, const char *path)
{
	char pid[16];

	snprintf(pid, sizeof(pid), "%d", (int)t->pid);
	return roclatch(20000, command, pid, path, NULL);
}

static void run_inject(const void *root)
{
	struct target t = start(&(struct start){ .root = root, .settings = "threads=2" });
	struct snapshot before = look(&t, 0), loaded, after;
	char path[4096];
	struct outcome o;

	path_of(path, sizeof(path), root, "libinjected.so");
	o = with_library(&t, "inject", path);
	expect(&o, 0, NULL);
	check(atomic_load(&t.record->loaded) == 1, "the constructor ran %u times", atomic_load(&t.record->loaded));
	loaded = look(&t, 0);
	compare(&before, &loaded, WITH_LIBRARY | WITH_ARENA);
	t.library = "libinjected.so";
	o = call(&t, "fresh", "injected_answer", "");
	expect(&o, 0, "4711\n");
	o = with_library(&t, "eject", path);
	/* musl keeps every library until the end, so that something is left */
	expect(&o, strcmp(root, "root-musl") ? 0 : 7, NULL);
	check(atomic_load(&t.record->unloaded) == 1 || !strcmp(root, "root-musl"), "the destructor ran %u times",
		atomic_load(&t.record->unloaded));
	after = look(&t, 0);
	compare(&before, &after, WITH_ARENA | (strcmp(root, "root-musl") ? 0 : WITH_LIBRARY));
	go_on(&t);
	stop(&t);
}

struct failure {
	const char *command, *library;
	int status;
	const char *says[2];
	unsigned leaves;
};

static void fails(const char *root, const struct failure *f)
{
	struct target t = start(&(struct start){ .root = root, .settings = "threads=2" });
	struct snapshot before = look(&t, 0), after;
	char path[4096];
	struct outcome o;

	path_of(path, sizeof(path), root, f->library);
	o = with_library(&t, f->command, path);
	expect(&o, f->status, NULL);
	expect_said(&o, f->says[0]);
	if (f->says[1])
		expect_said(&o, f->says[1]);
	after = look(&t, 0);
	compare(&before, &after, f->leaves);
	go_on(&t);
	stop(&t);
}

/* The program is linked to it. */
static void run_needed(const void *root)
{
	fails(root, &(struct failure){ "eject", "libcalled.so", 3,
		{ "was not loaded by dlopen", "remedy: eject what roclatch inject" }, WITH_ARENA });
}

static void run_unresolved(const void *root)
{
	fails(root, &(struct failure){ "inject", "libunresolved.so", 5, { "roclatch_test_nobody_has_this" }, WITH_ARENA });
}

static void run_missing(const void *root)
{
	struct target t = start(&(struct start){ .root = root, .settings = "threads=2" });
	struct snapshot before = look(&t, 0), after;
	struct outcome o = with_library(&t, "inject", "/nowhere/libnothing.so");

	check(o.status == 1 || o.status == 3 || o.status == 5, "roclatch ended with %d: %s", o.status, o.err);
	expect_said(&o, "/nowhere/libnothing.so");
	after = look(&t, 0);
	compare(&before, &after, WITH_ARENA);
	go_on(&t);
	stop(&t);
}

/* The loader's lock stays held after this, so nothing more is loaded here; what can be undone is undone. */
static void run_crash(const void *root)
{
	fails(root, &(struct failure){ "inject", "libcrash.so", 5, { "SIGSEGV", "lock" }, WITH_LIBRARY | WITH_ARENA });
}

static const struct { const char *library, *function, *args, *answer; } names[] = {
	{ "libcalled.so", "called_sum", "1 0 0 0 0 0", "1\n" },
	{ "exe", "blocked_known", "nothing", "0\n" },
	{ "target", "blocked_known", "nothing", "0\n" },
	{ "libc", "labs", "-5", "5\n" },
	{ "libc.so.6", "labs", "-5", "5\n" },
	{ "libc.so", "labs", "-5", "5\n" },
	{ "libc", "strlen", "four", "4\n" },
};

static void run_names(const void *unused)
{
	struct target t = start(&(struct start){ .settings = "threads=2" });
	static char path[4096];
	struct outcome o;

	(void)unused;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		t.library = names[i].library;
		o = call(&t, "fresh", names[i].function, names[i].args);
		expect(&o, 0, names[i].answer);
	}
	path_of(path, sizeof(path), "root-bookworm", "libcalled.so");
	t.library = path;
	o = call(&t, "fresh", "called_sum", "1 0 0 0 0 0");
	expect(&o, 0, "1\n");
	stop(&t);
}

static void run_unknown(const void *unused)
{
	struct target t = start(&(struct start){ .settings = "threads=2" });
	struct snapshot before = look(&t, 0), after;
	struct outcome o = call(&t, "fresh", "called_nothing", "");

	(void)unused;
	check(o.status == 1 || o.status == 3, "roclatch ended with %d: %s", o.status, o.err);
	expect_said(&o, "called_nothing");
	t.library = "libnothing.so";
	o = call(&t, "fresh", "called_sum", "");
	check(o.status == 1 || o.status == 3, "roclatch ended with %d: %s", o.status, o.err);
	expect_said(&o, "libnothing.so");
	after = look(&t, 0);
	compare(&before, &after, 0);
	stop(&t);
}

void add_library_tests(void)
{
	static const struct { const char *root, *words; } roots[] = {
		{ "root-bookworm", "glibc 2.36" },
		{ "root-bullseye", "glibc 2.31" },
		{ "root-sid", "the newest glibc" },
		{ "root-musl", "musl" },
	};

	for (size_t i = 0; i < sizeof(roots) / sizeof(roots[0]); i++) {
		add(MIXED, run_inject, roots[i].root, "a library is loaded and unloaded with %s", roots[i].words);
		add(MIXED, run_unresolved, roots[i].root, "dlerror's text is shown with %s", roots[i].words);
		add(MIXED, run_missing, roots[i].root, "a library that does not exist is named with %s", roots[i].words);
		add(MIXED, run_crash, roots[i].root, "a constructor's crash is contained with %s", roots[i].words);
	}
	add(MIXED, run_needed, "root-sid", "a library that the program is linked to is not unloaded, and why is told");
	add(MIXED, run_names, NULL, "functions are found by path, base name, version-less name, exe and libc");
	add(MIXED, run_unknown, NULL, "an unknown function or library is named and nothing is touched");
}
