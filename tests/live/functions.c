// SPDX-License-Identifier: MIT
/* What the called function does: none of it harms the target. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "live.h"

static const struct start two_threads = { .state = "spinning", .settings = "threads=2" };

/* A function that returns: name, arguments, answer. */
struct returning {
	const char *function, *args, *answer, *words;
	bool fresh_only;
};

static const struct returning returning[] = {
	{ "called_sum", "1 2 3 4 5 6", "91\n", "gets its six arguments", false },
	{ "called_sum", "0x10 -1 0 0 0 0", "14\n", "gets hexadecimal and negative arguments", false },
	{ "called_sum", "4294967296 0 0 0 0 0", "4294967296\n", "answers with all 64 bits", false },
	{ "called_length", "twelve-bytes", "12\n", "gets text as an address in the target", false },
	{ "called_stack_offset", "", "0\n", "finds its stack aligned", false },
	{ "called_clobber", "", NULL, "may change every register and the rounding mode", false },
	{ "called_float", "1000", "1001000\n", "may compute with floating point", false },
	{ "called_errno", "", "123\n", "may change errno", false },
	{ "called_mask", "", "0\n", "may block signals", false },
	{ "called_locks", "", "1000\n", "may take locks and memory", false },
	{ "called_fork", "", "7\n", "may fork and wait for the child", false },
	{ "called_fork_back", "", "0\n", "may fork a child that comes back as well", false },
	{ "called_probe", "", "1\n", "may handle a signal that it raises", false },
	{ "called_rounding", "", "0\n", "rounds as a new thread does", false },
	{ "called_stack", "100", "100\n", "may use 100 KiB of stack", true },
	{ "called_tls", "", "12\n", "sees thread-local variables of its own", true },
	{ "called_thread", "", "23\n", "may start and join a thread", true },
	{ "called_load", "libplugin.so", "0\n", "may load and unload a library", true },
	{ "called_sleep", "1200", "0\n", "may sleep", true },
	{ "called_compute", "700", "700\n", "may compute for long", true },
};

struct variant {
	const struct returning *what;
	const char *on;
};

static void run_returning(const void *with)
{
	const struct variant *v = with;
	struct target t = start(&two_threads);
	struct snapshot before = look(&t, 0), after;
	struct outcome o = call(&t, v->on, v->what->function, v->what->args);

	expect(&o, 0, v->what->answer);
	/* a child's SIGCHLD, blocked meanwhile, is thrown away when the thread runs on */
	if (!strncmp(v->what->function, "called_fork", strlen("called_fork")))
		go_on(&t);
	after = look(&t, 0);
	compare(&before, &after, 0);
	go_on(&t);
	stop(&t);
}

static void run_failing(const void *on)
{
	struct target t = start(&two_threads);
	struct outcome o = call(&t, on, "called_fail", "");

	check(o.status == 0, "roclatch ended with %d: %s", o.status, o.err);
	check(!strcmp(o.out, "-1\n") || !strcmp(o.out, "18446744073709551615\n"), "it printed %s", o.out);
	go_on(&t);
	stop(&t);
}

struct crash {
	const char *function, *args, *signal, *words;
};

static const struct crash crashes[] = {
	{ "called_segv", "", "SIGSEGV", "writes to address 0x18" },
	{ "called_bad_jump", "", "SIGSEGV", "jumps to address 0x40" },
	{ "called_abort", "", "SIGABRT", "calls abort" },
	{ "called_break", "", "SIGTRAP", "runs into a breakpoint" },
	{ "called_raise", "4", "SIGILL", "raises SIGILL" },
	{ "called_raise", "8", "SIGFPE", "raises SIGFPE" },
	{ "called_raise", "7", "SIGBUS", "raises SIGBUS" },
};

static void crash_on(const struct crash *c, const char *on)
{
	struct target t = start(&two_threads);
	struct snapshot before = look(&t, 0), after;
	struct outcome o = call(&t, on, c->function, c->args);

	expect(&o, 5, NULL);
	expect_said(&o, c->signal);
	after = look(&t, 0);
	compare(&before, &after, 0);
	go_on(&t);
	o = call(&t, on, "called_sum", "1 1 1 1 1 1");
	expect(&o, 0, "21\n");
	go_on(&t);
	stop(&t);
}

static void run_crash(const void *with)
{
	crash_on(with, "fresh");
}

static void run_crash_borrowed(const void *with)
{
	crash_on(with, "borrowed");
}

/* The signal is blocked or default there; nobody is to die of it, and no handler is to be lost. */
static void run_raise(const void *signo)
{
	struct target t = start(&two_threads);
	struct snapshot before = look(&t, 0), after;
	struct outcome o = call(&t, "fresh", "called_raise", signo);

	check(o.status == 0 || o.status == 5, "roclatch ended with %d: %s", o.status, o.err);
	after = look(&t, 0);
	compare(&before, &after, 0);
	go_on(&t);
	stop(&t);
}

static void run_exit(const void *unused)
{
	struct target t = start(&two_threads);
	struct outcome o = call(&t, "fresh", "called_exit", "");
	int status = end_of(&t, 5000);

	(void)unused;
	check(o.status == 4 || o.status == 5, "roclatch ended with %d: %s", o.status, o.err);
	expect_said(&o, "exit");
	check(status != -1 && WIFEXITED(status) && WEXITSTATUS(status) == 43, "the target ended with %#x", status);
}

static void run_thread_exit(const void *unused)
{
	struct target t = start(&two_threads);
	struct snapshot before = look(&t, 0), after;
	struct outcome o = call(&t, "fresh", "called_thread_exit", "");

	(void)unused;
	check(o.status == 5 || o.status == 0, "roclatch ended with %d: %s", o.status, o.err);
	check(o.ns < 5000 * INT64_C(1000000), "it took %.0f ms", (double)o.ns / 1e6);
	after = look(&t, 0);
	/* glibc loads libgcc_s for this */
	compare(&before, &after, WITH_LIBRARY | WITH_ARENA);
	go_on(&t);
	stop(&t);
}

/* The thread that hangs cannot be undone for certain; but what stays must be told. */
static void run_hang(const void *function)
{
	struct target t = start(&two_threads);
	struct snapshot before = look(&t, 0), after;
	char pid[16];
	struct outcome o;

	snprintf(pid, sizeof(pid), "%d", (int)t.pid);
	o = roclatch(10000, "call", "--timeout-msec", "700", pid, "libcalled.so", function, NULL);
	expect(&o, 6, NULL);
	check(o.ns > 600 * INT64_C(1000000) && o.ns < 4000 * INT64_C(1000000), "it took %.0f ms", (double)o.ns / 1e6);
	after = look(&t, 0);
	if (!strcasestr(o.err, "left"))
		compare(&before, &after, 0);
	go_on(&t);
	o = call(&t, "fresh", "called_sum", "1 1 1 1 1 1");
	expect(&o, 0, "21\n");
	stop(&t);
}

static bool has_two_threads(const struct target *t)
{
	return threads_of(t) == 2;
}

/* Its roclatch has given up, the function has not: until it ends, its stack stays, and each run says so. */
static void run_still_going(const void *unused)
{
	static const char told[] = "stays in the target: a call of another roclatch";
	struct target t = start(&two_threads);
	struct snapshot before = look(&t, 0), after;
	char pid[16];
	struct outcome o;

	(void)unused;
	snprintf(pid, sizeof(pid), "%d", (int)t.pid);
	o = roclatch(patient(10000), "call", "--timeout-msec", slow_machine() ? "4000" : "300", pid, "libcalled.so",
		     "called_until_woken", NULL);
	expect(&o, 6, NULL);
	check(!strstr(o.err, told), "it takes its own call for another's: %s", o.err);
	for (unsigned on = 0; on < 2; on++) {
		o = call(&t, on ? "borrowed" : "fresh", "called_sum", "1 1 1 1 1 1");
		expect(&o, 0, "21\n");
		expect_said(&o, told);
		check(threads_of(&t) == 3, "the call did not go on: %u threads", threads_of(&t));
	}
	check(write(t.wake, "w", 1) == 1, "it cannot be woken");
	check(wait_until(has_two_threads, &t, 6000), "the call does not end");
	o = call(&t, "fresh", "called_sum", "1 1 1 1 1 1");
	expect(&o, 0, "21\n");
	check(!strstr(o.err, told), "it tells of what has ended: %s", o.err);
	after = look(&t, 0);
	compare(&before, &after, 0);
	go_on(&t);
	stop(&t);
}

static void run_hang_borrowed(const void *unused)
{
	struct target t = start(&(struct start){ .state = "spinning" });
	struct snapshot before = look(&t, 0), after;
	char pid[16];
	struct outcome o;

	(void)unused;
	snprintf(pid, sizeof(pid), "%d", (int)t.pid);
	o = roclatch(10000, "call", "--on", "borrowed", "--timeout-msec", "500", pid, "libcalled.so", "called_loop", NULL);
	expect(&o, 6, NULL);
	check(o.ns < 4000 * INT64_C(1000000), "it took %.0f ms", (double)o.ns / 1e6);
	after = look(&t, 0);
	compare(&before, &after, 0);
	go_on(&t);
	stop(&t);
}

/* Done, but not without a trace: the status says so, and the words what it is. */
static void run_kept(const void *on)
{
	struct target t = start(&two_threads);
	struct outcome o = call(&t, on, "called_keep", "");

	expect(&o, 7, NULL);
	check(strstr(o.err, "a mapping of"), "it does not say what was left behind: %s", o.err);
	go_on(&t);
	stop(&t);
}

static void run_code_page(const void *on)
{
	static char maps[1 << 18];
	struct target t = start(&two_threads);
	char pid[16];
	pid_t injector;
	int status = -1;
	bool seen = false;

	snprintf(pid, sizeof(pid), "%d", (int)t.pid);
	injector = roclatch_start("call", "--on", on, pid, "libcalled.so", "called_compute", "500", NULL);
	while (waitpid(injector, &status, WNOHANG) == 0) {
		read_text(maps, sizeof(maps), "/proc/%s/maps", pid);
		seen = seen || strstr(maps, " r-xp 00000000 00:00 0 \n");
		check(!strstr(maps, " rwx"), "memory is writable and executable at once");
		sleep_ms(1);
	}
	check(WIFEXITED(status) && !WEXITSTATUS(status), "roclatch ended with %#x", status);
	check(seen, "the code that it brought was not seen");
	go_on(&t);
	stop(&t);
}

static void run_dry(const void *unused)
{
	struct target t = start(&two_threads);
	struct snapshot before = look(&t, 0), after;
	char pid[16];
	struct outcome o;

	(void)unused;
	snprintf(pid, sizeof(pid), "%d", (int)t.pid);
	o = roclatch(10000, "call", "--dry-run", pid, "libcalled.so", "called_exit", NULL);
	expect(&o, 0, NULL);
	after = look(&t, 0);
	compare(&before, &after, 0);
	go_on(&t);
	stop(&t);
}

static void add_returning(const struct returning *what, const char *on)
{
	struct variant *v = malloc(sizeof(*v));

	if (!v)
		abort();
	*v = (struct variant){ what, on };
	add(MIXED, run_returning, v, "a function called on %s thread %s", strcmp(on, "fresh") ? "a borrowed" : "a fresh",
		what->words);
}

void add_function_tests(void)
{
	for (size_t i = 0; i < sizeof(returning) / sizeof(returning[0]); i++) {
		add_returning(&returning[i], "fresh");
		if (!returning[i].fresh_only)
			add_returning(&returning[i], "borrowed");
	}
	add(MIXED, run_failing, "fresh", "a function that fails has its value shown");
	for (size_t i = 0; i < sizeof(crashes) / sizeof(crashes[0]); i++)
		add(MIXED, run_crash, &crashes[i], "the target lives on when the called function %s on a fresh thread",
			crashes[i].words);
	for (size_t i = 0; i < 4; i++)
		add(MIXED, run_crash_borrowed, &crashes[i],
			"the target lives on when the called function %s on a borrowed thread", crashes[i].words);
	add(MIXED, run_raise, "5", "the target lives on when the called function raises SIGTRAP");
	add(MIXED, run_raise, "15", "the target lives on when the called function raises SIGTERM at itself");
	add(MIXED, run_exit, NULL, "the target ends as asked when the called function calls exit, and this is said");
	add(MIXED, run_thread_exit, NULL, "the target lives on when the called function ends its thread");
	add(MIXED, run_hang, "called_hang", "a called function that blocks for ever ends in a time-out");
	add(MIXED, run_hang, "called_loop", "a called function that computes for ever ends in a time-out");
	add(MIXED, run_hang_borrowed, NULL, "a borrowed thread comes back from a function that computes for ever");
	add(MIXED, run_still_going, NULL, "a call that its roclatch has given up is told by the next run, and taken away when it has ended");
	add(MIXED, run_kept, "fresh", "what a fresh thread could not unmap is told, with status 7");
	add(MIXED, run_kept, "borrowed", "what a borrowed thread could not unmap is told, with status 7");
	add(MIXED, run_code_page, "fresh", "no memory is writable and executable at once in a call on a fresh thread");
	add(MIXED, run_code_page, "borrowed", "no memory is writable and executable at once in a call on a borrowed thread");
	add(MIXED, run_dry, NULL, "a dry run touches nothing");
}
