// SPDX-License-Identifier: MIT
/* roclatch sample: what ends it, and what is there then. */
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "watch.h"

#define WAIT_MS (slow_machine() ? 60000u : 15000u)

/* With stdin in our hands and stdout in a file of no name. */
struct sampled {
	pid_t pid;
	int in;                 /* the other end of its stdin; -1: closed */
	int out, err;
};

static struct sampled begin(const struct target *target, const char *option, const char *value, bool closed)
{
	struct sampled s = { .out = memfd_create("out", MFD_CLOEXEC), .err = memfd_create("err", MFD_CLOEXEC) };
	int pair[2];
	char *argv[] = { (char *)options.roclatch, (char *)"sample", (char *)pid_text(target->pid), (char *)option,
			 (char *)value, NULL };

	require(!pipe2(pair, O_CLOEXEC), "pipe");
	s.in = pair[1];
	s.pid = fork();
	if (!s.pid) {
		dup2(pair[0], 0);
		dup2(s.out, 1);
		dup2(s.err, 2);
		execv(argv[0], argv);
		_exit(127);
	}
	close(pair[0]);
	if (closed) {
		close(s.in);
		s.in = -1;
	}
	return s;
}

static struct outcome finish(struct sampled *s)
{
	struct outcome o = { .status = -1 };
	int status;

	for (unsigned i = 0; i < WAIT_MS / 2; i++) {
		if (waitpid(s->pid, &status, WNOHANG) == s->pid) {
			o.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
			break;
		}
		sleep_ms(2);
	}
	if (o.status == -1) {
		kill(s->pid, SIGKILL);
		waitpid(s->pid, &status, 0);
	}
	o.out[pread(s->out, o.out, sizeof(o.out) - 1, 0)] = 0;
	o.err[pread(s->err, o.err, sizeof(o.err) - 1, 0)] = 0;
	if (s->in >= 0)
		close(s->in);
	return o;
}

/* It has begun to look: one that ends at once would have nothing to tell. */
static void let_it_look(void)
{
	sleep_ms(slow_machine() ? 3000 : 500);
}

static void check_chain(const struct outcome *o)
{
	check(strstr(o->out, "sleeper") && strstr(o->out, "watched_outer;watched_middle;watched_inner"),
	      "the sleeper's stack is not in: %s", o->out);
}

static void run_duration(const void *closed)
{
	struct target t = start_watched(NULL);
	struct sampled s = begin(&t, "--duration-msec=500", "-ffolded", closed != NULL);
	struct outcome o = finish(&s);

	expect(&o, 0, NULL);
	check_chain(&o);
	check(strstr(o.err, "self   total  function"), "no summary but: %s", o.err);
	check(!strstr(o.err, " by stops (") && strstr(o.err, ", 0 by stops"), "it stopped threads: %s", o.err);
	go_on(&t);
	stop(&t);
}

static void run_enter(const void *unused)
{
	struct target t = start_watched(NULL);
	struct sampled s = begin(&t, "-ffolded", NULL, false);
	struct outcome o;

	(void)unused;
	let_it_look();
	require(write(s.in, "\n", 1) == 1, "cannot press Enter");
	o = finish(&s);
	expect(&o, 0, NULL);
	check_chain(&o);
	go_on(&t);
	stop(&t);
}

static void run_interrupt(const void *unused)
{
	struct target t = start_watched(NULL);
	struct sampled s = begin(&t, "-ffolded", NULL, false);
	struct outcome o;

	(void)unused;
	let_it_look();
	kill(s.pid, SIGINT);
	o = finish(&s);
	expect(&o, 0, NULL);
	check_chain(&o);
	go_on(&t);
	stop(&t);
}

static void run_exit(const void *unused)
{
	struct target t = start_watched(NULL);
	struct sampled s = begin(&t, "-ffolded", NULL, false);
	struct outcome o;

	(void)unused;
	let_it_look();
	let_it_look();          /* names are asked for once a second */
	kill(t.pid, SIGKILL);
	waitpid(t.pid, NULL, 0);
	o = finish(&s);
	expect(&o, 4, NULL);
	check_chain(&o);
	check(strstr(o.err, "exited") || strstr(o.err, "ended"), "it did not say why: %s", o.err);
}

static void run_exec(const void *unused)
{
	struct target t = start(&(struct start){ .program = "watched", .state = "watched", .settings = "execs=1" });
	struct sampled s = begin(&t, "-ffolded", NULL, false);
	struct outcome o;

	(void)unused;
	let_it_look();
	let_it_look();
	atomic_store(&t.record->wake, 1);
	o = finish(&s);
	expect(&o, 4, NULL);
	check_chain(&o);
	expect_said(&o, "another program");
	go_on(&t);
	kill(t.pid, SIGKILL);
	waitpid(t.pid, NULL, 0);
}

/* A folder of its own: formats that are files are made there, never over another. */
static void run_files(const void *unused)
{
	struct target t = start_watched(NULL);
	char folder[] = "/tmp/roclatch-sample-XXXXXX", name[64];
	struct stat st;

	(void)unused;
	require(mkdtemp(folder) && !chdir(folder), "no folder");
	for (int i = 0; i < 2; i++) {
		struct outcome o = roclatch(WAIT_MS, "sample", pid_text(t.pid), "--duration-msec", "200", "-f", "html", NULL);

		expect(&o, 0, "");
		snprintf(name, sizeof(name), "%d_sample%s.html", (int)t.pid, i ? "_1" : "");
		expect_said(&o, name);
		check(!stat(name, &st) && st.st_size > 1000, "%s is not there", name);
		unlink(name);
		if (!i) {
			int fd = open(name, O_CREAT | O_WRONLY, 0600);

			check(fd >= 0 && write(fd, "mine", 4) == 4, "cannot write");
			close(fd);
		}
	}
	snprintf(name, sizeof(name), "%d_sample.html", (int)t.pid);
	check(!stat(name, &st) && st.st_size == 4, "another file was written over");
	struct outcome o = roclatch(WAIT_MS, "sample", pid_text(t.pid), "--duration-msec", "200", "-o", name, NULL);
	expect(&o, 1, "");
	unlink(name);
	o = roclatch(WAIT_MS, "sample", pid_text(t.pid), "--duration-msec", "200", "--json", NULL);
	expect(&o, 0, NULL);
	check(strstr(o.out, "\"ended_by\":\"duration\"") && strstr(o.out, "\"status\":0}"), "JSON: %s", o.out);
	check(!chdir("/") && !rmdir(folder), "something was left in %s", folder);
	stop(&t);
}

/* With --stacks all the running one is seen, too, and nobody notices. */
static void run_all(const void *way)
{
	struct target t = start_watched(NULL);
	struct outcome o = roclatch(WAIT_MS, "sample", pid_text(t.pid), "--duration-msec", "1000", "--stacks", "all", "-f",
				    "folded", way, NULL);

	expect(&o, 0, NULL);
	check_chain(&o);
	check(strstr(o.out, "watched_inner;watched_spins"), "the spinner's stack is not in: %s", o.out);
	go_on(&t);
	stop(&t);
}

void add_sample_tests(void)
{
	add(MIXED, run_duration, NULL, "sample ends by its duration, with stacks, and stops nothing");
	add(MIXED, run_duration, "closed", "sample goes on for its duration when stdin is at its end");
	add(MIXED, run_enter, NULL, "sample ends by Enter");
	add(MIXED, run_interrupt, NULL, "sample ends by Ctrl-C as if asked");
	add(MIXED, run_exit, NULL, "sample writes what it saw of a process that ends, with status 4");
	add(MIXED, run_exec, NULL, "sample writes what it saw of a process that execs, with status 4");
	add(MIXED, run_files, NULL, "sample makes new files, never over others");
	add(MIXED, run_all, NULL, "sample --stacks all sees running threads");
	add(MIXED, run_all, "--no-perf", "sample --stacks all --no-perf sees running threads by stops");
}
