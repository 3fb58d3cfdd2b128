// SPDX-License-Identifier: MIT
/* roclatch threads and roclatch stack: what they say of threads in known states. */
#include <dirent.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "watch.h"

struct target start_watched(const char *root)
{
	return start(&(struct start){ .program = "watched", .state = "watched", .root = root });
}

const char *pid_text(pid_t pid)
{
	static char text[4][16];
	static unsigned next;
	char *at = text[next++ % 4];

	snprintf(at, sizeof(text[0]), "%d", (int)pid);
	return at;
}

pid_t thread_named(const struct target *target, const char *name)
{
	char path[64], comm[64];
	struct dirent *entry;
	pid_t found = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)target->pid);
	dir = opendir(path);
	require(dir, "cannot list %s", path);
	while (!found && (entry = readdir(dir))) {
		pid_t tid = (pid_t)strtol(entry->d_name, NULL, 10);

		if (tid && read_text(comm, sizeof(comm), "/proc/%d/task/%d/comm", (int)target->pid, (int)tid) &&
		    !strcmp(comm, name))
			found = tid;
		else if (tid && !strncmp(comm, name, strlen(name)) && comm[strlen(name)] == '\n')
			found = tid;
	}
	closedir(dir);
	require(found, "the target has no thread %s", name);
	return found;
}

/* The line of a thread, or what follows its TID line up to the next. */
static const char *part_of(const char *out, const char *begin, const char *end)
{
	static char part[8192];
	const char *at = strstr(out, begin), *to = at ? strstr(at + 1, end) : NULL;

	if (!at)
		return NULL;
	snprintf(part, sizeof(part), "%.*s", (int)(to ? to - at : (long)strlen(at)), at);
	return part;
}

static void expect_line(const struct outcome *o, const char *name, const char *const *words)
{
	char begin[40];
	const char *line;

	snprintf(begin, sizeof(begin), " %s ", name);
	line = part_of(o->out, begin, "\n");
	if (!line) {
		fail("no line for %s in: %s", name, o->out);
		return;
	}
	for (; *words; words++)
		check(strstr(line, *words), "the line of %s has no %s: %s", name, *words, line);
}

static void run_threads(const void *root)
{
	struct target t = start_watched(root);
	struct outcome o = roclatch(20000, "threads", pid_text(t.pid), NULL);

	expect(&o, 0, NULL);
	expect_said(&o, "7 threads");
	expect_line(&o, "sleeper", (const char *const[]){ "sleeping", "nanosleep", "s ", NULL });
	expect_line(&o, "reader", (const char *const[]){ "sleeping", "read", NULL });
	expect_line(&o, "waiter", (const char *const[]){ "sleeping", "futex", NULL });
	expect_line(&o, "poller", (const char *const[]){ "sleeping", "epoll_", NULL });
	expect_line(&o, "spinner", (const char *const[]){ "running", NULL });
	check(strstr(o.out, "x?[2J?]0;y?"), "the hostile name is not there: %s", o.out);
	check(!strchr(o.out, '\033'), "an escape sequence was printed");
	go_on(&t);
	stop(&t);
}

static void run_threads_json(const void *unused)
{
	struct target t = start_watched(NULL);
	struct outcome o = roclatch(20000, "threads", "--json", pid_text(t.pid), NULL);
	const char *one;

	(void)unused;
	expect(&o, 0, NULL);
	one = part_of(o.out, "\"name\":\"waiter\"", "}");
	check(one && strstr(one, "\"state\":\"sleeping\"") && strstr(one, "\"call\":\"futex\"") && strstr(one, "\"blocked_ns\":"),
	      "the waiter in JSON: %s", one ? one : o.out);
	check(strstr(o.out, "\"status\":0}"), "no verdict: %s", o.out);
	stop(&t);
}

static void expect_chain(const struct outcome *o, const char *name)
{
	char begin[40];
	const char *part, *inner, *middle, *outer;

	snprintf(begin, sizeof(begin), "\"%s\"", name);
	part = part_of(o->out, begin, "\nTID ");
	if (!part) {
		fail("no stack of %s in: %s", name, o->out);
		return;
	}
	inner = strstr(part, "watched_inner+0x");
	middle = strstr(part, "watched_middle+0x");
	outer = strstr(part, "watched_outer+0x");
	check(inner && middle && outer && inner < middle && middle < outer, "the stack of %s: %s", name, part);
	check(!strstr(part, "[no stack"), "the stack of %s: %s", name, part);
}

/* This musl has no unwind tables: a stack may end in it, with the reason. */
static void run_stacks_musl(const void *unused)
{
	static const char *const names[] = { "sleeper", "reader", "waiter", "poller" };
	struct target t = start_watched("root-musl");
	struct outcome o = roclatch(30000, "stack", pid_text(t.pid), NULL);

	(void)unused;
	expect(&o, 0, NULL);
	expect_chain(&o, "spinner");
	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		char begin[40];
		const char *part;

		snprintf(begin, sizeof(begin), "\"%s\"", names[i]);
		part = part_of(o.out, begin, "\nTID ");
		check(part && (strstr(part, "watched_outer+0x") || strstr(part, "[goes no further: ld-musl")),
		      "the stack of %s: %s", names[i], part ? part : o.out);
	}
	go_on(&t);
	stop(&t);
}

static void run_stacks(const void *root)
{
	static const char *const names[] = { "sleeper", "reader", "waiter", "poller", "spinner" };
	struct target t = start_watched(root);
	struct snapshot before = look(&t, 0), after;
	struct outcome o = roclatch(30000, "stack", pid_text(t.pid), NULL);

	expect(&o, 0, NULL);
	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		expect_chain(&o, names[i]);
	check(part_of(o.out, "\"spinner\"", "\nTID ") && strstr(part_of(o.out, "\"spinner\"", "\nTID "), "watched_spins+0x"),
	      "the spinner is elsewhere: %s", o.out);
	check(!strchr(o.out, '\033'), "an escape sequence was printed");
	after = look(&t, 0);
	compare(&before, &after, 0);
	go_on(&t);
	stop(&t);
}

static void run_one_stack(const void *unused)
{
	struct target t = start_watched(NULL);
	struct outcome o = roclatch(20000, "stack", pid_text(t.pid), pid_text(thread_named(&t, "waiter")), NULL);

	(void)unused;
	expect(&o, 0, NULL);
	expect_chain(&o, "waiter");
	check(!strstr(o.out, "\"sleeper\""), "another stack was shown: %s", o.out);
	o = roclatch(20000, "stack", pid_text(t.pid), "1", NULL);
	expect(&o, 3, "");
	expect_said(&o, "has no thread 1");
	o = roclatch(20000, "stack", pid_text(t.pid), "x", NULL);
	expect(&o, 2, "");
	o = roclatch(20000, "stack", "--depth", "2", pid_text(t.pid), pid_text(thread_named(&t, "waiter")), NULL);
	expect(&o, 0, NULL);
	check(strstr(o.out, "#1") && !strstr(o.out, "#2") && strstr(o.out, "goes no further"), "two frames: %s", o.out);
	stop(&t);
}

static void run_stacks_json(const void *unused)
{
	struct target t = start_watched(NULL);
	struct outcome o = roclatch(20000, "stack", "--json", pid_text(t.pid), pid_text(thread_named(&t, "spinner")), NULL);

	(void)unused;
	expect(&o, 0, NULL);
	check(strstr(o.out, "\"function\":\"watched_spins\"") && strstr(o.out, "\"way\":\"stop\"") &&
	      strstr(o.out, "\"how\":\"top\"") && strstr(o.out, "\"longest_stop_ns\":"), "JSON: %s", o.out);
	stop(&t);
}

/* A stack of many stops: nothing must notice. */
static void run_stacks_again(const void *unused)
{
	struct target t = start_watched(NULL);

	(void)unused;
	for (unsigned i = 0; i < rounds(20) && !failed(); i++) {
		struct outcome o = roclatch(20000, "stack", pid_text(t.pid), NULL);

		expect(&o, 0, NULL);
	}
	go_on(&t);
	stop(&t);
}

/* No such process, a zombie, a thread of the kernel, ourselves. */
static void run_refused(const void *unused)
{
	static const char *const commands[] = { "threads", "stack", "sample" };
	pid_t zombie = fork();

	(void)unused;
	if (!zombie)
		_exit(0);
	waitid(P_PID, (id_t)zombie, &(siginfo_t){ 0 }, WEXITED | WNOWAIT);
	for (unsigned i = 0; i < 3; i++) {
		struct outcome o = roclatch(20000, commands[i], "4194304", NULL);

		expect(&o, 3, "");
		expect_said(&o, "there is no process");
		o = roclatch(20000, commands[i], pid_text(zombie), NULL);
		expect(&o, 3, "");
		expect_said(&o, "zombie");
		if (!kill(2, 0) && !access("/proc/2/stat", R_OK)) {
			char stat[512];

			read_text(stat, sizeof(stat), "/proc/2/stat");
			if (!strstr(stat, "kthreadd"))
				continue;
			o = roclatch(20000, commands[i], "2", NULL);
			expect(&o, 3, "");
			expect_said(&o, "thread of the kernel");
		}
	}
	waitpid(zombie, NULL, 0);
}

/* What may be seen of it is shown, and why there is no more. */
static void run_foreign(const void *unused)
{
	struct target t;
	struct outcome o;

	(void)unused;
	if (getuid())
		skip("only root can have targets of two users");
	t = start_watched(NULL);
	roclatch_uid = 65534;
	o = roclatch(20000, "threads", pid_text(t.pid), NULL);
	expect(&o, 0, NULL);
	expect_line(&o, "spinner", (const char *const[]){ "running", NULL });
	expect_line(&o, "waiter", (const char *const[]){ "sleeping", NULL });
	expect_said(&o, "are not to be seen");
	o = roclatch(20000, "stack", pid_text(t.pid), NULL);
	expect(&o, 3, "");
	o = roclatch(20000, "sample", "--duration-msec", "200", pid_text(t.pid), NULL);
	expect(&o, 0, NULL);
	expect_said(&o, "without system calls and stacks");
	roclatch_uid = 0;
	stop(&t);
}

/* Stopped by a signal: to be looked at all the same. */
static void run_stopped(const void *unused)
{
	struct target t = start_watched(NULL);
	struct outcome o;

	(void)unused;
	kill(t.pid, SIGSTOP);
	while (state_of(&t, t.pid) != 'T')
		sleep_ms(1);
	o = roclatch(20000, "threads", pid_text(t.pid), NULL);
	expect(&o, 0, NULL);
	expect_line(&o, "waiter", (const char *const[]){ "stopped", NULL });
	o = roclatch(20000, "stack", pid_text(t.pid), NULL);
	expect(&o, 0, NULL);
	check(state_of(&t, t.pid) == 'T', "it is no more stopped");
	unharmed(!atomic_load(&t.record->wrong), "while it was stopped: %s", t.record->wrong_text);
	kill(t.pid, SIGCONT);
	/* SIGCONT itself interrupts epoll_wait (signal(7)) */
	wait_until(is_free, &t, 5000);
	sleep_ms(patient(200));
	atomic_store(&t.record->wrong, 0);
	go_on(&t);
	stop(&t);
}

void add_watch_tests(void)
{
	add(MIXED, run_threads, NULL, "threads tells states, calls and harmless names");
	add(MIXED, run_threads, "root-musl", "threads tells states, calls and harmless names with musl");
	add(MIXED, run_threads_json, NULL, "threads tells the same in JSON");
	add(MIXED, run_stacks, NULL, "stack shows every thread's call chain and leaves the process as it was");
	add(MIXED, run_stacks_musl, NULL, "stack shows call chains with musl, or why not");
	add(MIXED, run_one_stack, NULL, "stack shows threads that are named, to a depth");
	add(MIXED, run_stacks_json, NULL, "stack tells the same in JSON");
	add(MIXED, run_stacks_again, NULL, "stack again and again is not noticed by the process");
	add(MIXED, run_refused, NULL, "what is no process to look at is refused with the reason");
	add(MIXED, run_foreign, NULL, "of another user's process is told what may be seen");
	add(MIXED, run_stopped, NULL, "a stopped process is looked at and stays stopped");
}
