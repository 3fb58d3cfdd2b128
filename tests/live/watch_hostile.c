// SPDX-License-Identifier: MIT
/* Processes that mislead, loop, end or belong to another tracer while they are looked at. */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "watch.h"

#define WAIT_MS (slow_machine() ? 90000u : 20000u)

static struct target start_hostile(const char *what)
{
	return start(&(struct start){ .program = "hostile", .state = what });
}

/* A reader of JSON, where there is one. */
static void check_json(const struct looked *l, const char *command)
{
	char path[64];
	int fd = memfd_create("json", 0), status = 0;
	pid_t pid;

	require(fd >= 0 && write(fd, l->out, l->out_n) == (ssize_t)l->out_n, "memfd: %s", strerror(errno));
	snprintf(path, sizeof(path), "/dev/fd/%d", fd);
	pid = fork();
	if (!pid) {
		execlp("python3", "python3", "-c", "import json, sys; json.loads(open(sys.argv[1], 'rb').read().decode('utf-8'))", path,
		       (char *)NULL);
		_exit(127);
	}
	waitpid(pid, &status, 0);
	close(fd);
	check(WIFEXITED(status) && (WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == 127), "%s is no JSON: %.2000s", command,
	      l->out);
}

static void check_list(const char *words)
{
	struct looked l = look_at(WAIT_MS, "%s", words);

	looked_well(&l, words);
	looked_harmless(&l, words);
	if (strstr(words, "json"))
		check_json(&l, words);
	looked_free(&l);
}

static void run_names(const void *unused)
{
	static const char *const commands[] = {
		"threads -p", "stack -p", "stack --verbose -p", "sample --duration-msec 300 -p",
		"sample -f folded --duration-msec 300 -p", "sample --stacks all --no-perf --duration-msec 300 -p",
		"threads --json -p", "stack --json -p", "sample --json --duration-msec 300 -p",
		"sample -f json --duration-msec 300 -p", "sample -f speedscope --duration-msec 300 -p",
	};
	struct target t = start_hostile("names");
	struct looked l;

	(void)unused;
	for (unsigned i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		l = look_at(WAIT_MS, "%s %d", commands[i], (int)t.pid);
		looked_well(&l, commands[i]);
		looked_harmless(&l, commands[i]);
		if (strstr(commands[i], "json") || strstr(commands[i], "speedscope"))
			check_json(&l, commands[i]);
		looked_free(&l);
	}
	check_list("list --all");
	check_list("list --all --json");
	l = look_at(WAIT_MS, "stack %d 1", (int)t.pid);
	check(l.status == 3, "stack of a thread that is not its own: status %d", l.status);
	looked_harmless(&l, "stack of no thread");
	looked_free(&l);
	not_held(t.pid, 7);
	stop(&t);
}

/* ---- unwind tables that lie ---- */

struct image { unsigned char *bytes; size_t n, from, to; };

static struct image read_image(const char *name)
{
	struct image image = { 0 };
	char path[4096];
	struct stat st;
	int fd;

	snprintf(path, sizeof(path), "%s/root-bookworm/%s", options.fixtures, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	require(fd >= 0 && !fstat(fd, &st), "%s: %s", path, strerror(errno));
	image.n = (size_t)st.st_size;
	image.bytes = malloc(image.n);
	require(image.bytes && read(fd, image.bytes, image.n) == (ssize_t)image.n, "cannot read %s", path);
	close(fd);
	return image;
}

/* .eh_frame by its name: a static program has no head of it among its segments. */
static void find_section(struct image *image)
{
	const Elf64_Ehdr *head = (const void *)image->bytes;
	const Elf64_Shdr *s = (const void *)(image->bytes + head->e_shoff);
	const char *names = (const char *)image->bytes + s[head->e_shstrndx].sh_offset;

	for (unsigned i = 0; i < head->e_shnum; i++)
		if (!strcmp(names + s[i].sh_name, ".eh_frame")) {
			image->from = s[i].sh_offset;
			image->to = s[i].sh_offset + s[i].sh_size;
		}
}

/* From the table's head to the end of its segment, where .eh_frame lies behind it. */
static void find_tables(struct image *image)
{
	const Elf64_Ehdr *head = (const void *)image->bytes;
	const Elf64_Phdr *p = (const void *)(image->bytes + head->e_phoff);

	for (unsigned i = 0; i < head->e_phnum; i++)
		if (p[i].p_type == PT_GNU_EH_FRAME)
			image->from = p[i].p_offset;
	for (unsigned i = 0; i < head->e_phnum; i++)
		if (p[i].p_type == PT_LOAD && p[i].p_offset <= image->from && image->from < p[i].p_offset + p[i].p_filesz)
			image->to = p[i].p_offset + p[i].p_filesz;
	if (!image->from)
		find_section(image);
	require(image->from && image->to > image->from + 16, "no unwind tables in the fixture");
}

static unsigned next_random(unsigned *seed)
{
	*seed = *seed * 1103515245 + 12345;
	return *seed >> 8;
}

/* A few bytes, a run of them, or nearly all. */
static void scribble(const struct image *image, unsigned char *copy, unsigned *seed)
{
	size_t room = image->to - image->from;
	unsigned n = next_random(seed) % 3 == 0 ? 1 + next_random(seed) % 8 : next_random(seed) % 2 ? 64 : (unsigned)room;
	size_t at = next_random(seed) % room;

	memcpy(copy, image->bytes, image->n);
	for (unsigned i = 0; i < n; i++) {
		if (n <= 64 && i % 4 == 0)
			at = next_random(seed) % room;
		copy[image->from + (at + i) % room] = (unsigned char)next_random(seed);
	}
}

/* The program says a line when it stands still. */
static pid_t start_lying(const unsigned char *bytes, size_t n)
{
	int memory = memfd_create("lies", MFD_CLOEXEC), pair[2];
	char root[4096], line[16], name[] = "lies", *argv[] = { name, NULL };
	char libraries[] = "LD_LIBRARY_PATH=lib", *environment[] = { libraries, NULL };
	pid_t pid;

	snprintf(root, sizeof(root), "%s/root-bookworm", options.fixtures);
	require(write(memory, bytes, n) == (ssize_t)n && !pipe2(pair, O_CLOEXEC), "memfd: %s", strerror(errno));
	pid = fork();
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		dup2(pair[1], 1);
		if (!chdir(root))
			syscall(SYS_execveat, memory, "", argv, environment, 0x1000 /* AT_EMPTY_PATH */);
		_exit(120);
	}
	close(memory);
	close(pair[1]);
	require(read(pair[0], line, sizeof(line)) > 0, "the target with other tables does not start");
	close(pair[0]);
	return pid;
}

static void run_lies(const void *program)
{
	struct image image = read_image(program);
	unsigned char *copy = malloc(image.n);
	unsigned seed = 7;

	find_tables(&image);
	for (unsigned i = 0; i < rounds(150) && !failed(); i++) {
		struct looked l;
		pid_t pid;

		scribble(&image, copy, &seed);
		pid = start_lying(copy, image.n);
		l = look_at(WAIT_MS, "%s %d", i % 8 == 7 ? "sample --stacks all --no-perf --duration-msec 100" : "stack", (int)pid);
		check(l.status >= 0 && l.status < 5, "round %u: status %d: %s", i, l.status, l.err);
		check(l.status == 0 || l.err_n, "round %u: status %d without a word", i, l.status);
		looked_harmless(&l, "stack");
		looked_free(&l);
		not_held(pid, 0);
		kill(pid, SIGKILL);     /* see stop() */
	}
	free(copy);
	free(image.bytes);
}

static void run_loops(const void *unused)
{
	struct target t = start_hostile("loops");
	struct looked l = look_at(WAIT_MS, "stack --depth 1024 %d", (int)t.pid);
	unsigned lines = 0;

	(void)unused;
	looked_well(&l, "stack");
	for (const char *c = l.out; *c; c++)
		lines += *c == '\n';
	check(strstr(l.out, "waits") && strstr(l.out, "spins") && strstr(l.out, "loop_and"), "stack: %.3000s", l.out);
	check(lines < 40, "a loop was followed for %u lines: %.3000s", lines, l.out);
	looked_free(&l);
	l = look_at(WAIT_MS, "sample --stacks all --no-perf --duration-msec 500 %d", (int)t.pid);
	looked_well(&l, "sample");
	looked_free(&l);
	not_held(t.pid, 3);
	stop(&t);
}

/* ---- ends, becomes another, is somebody else's ---- */

static void check_answer(const struct looked *l, const char *command)
{
	check(l->status == 0 || l->status == 3 || l->status == 4, "%s: status %d: %s", command, l->status, l->err);
	check(l->status == 0 || l->err_n, "%s: status %d without a word", command, l->status);
}

static const char *const looks[] = {
	"threads", "stack", "sample --duration-msec 150", "sample --stacks all --no-perf --duration-msec 150",
};
#define LOOKS (sizeof(looks) / sizeof(looks[0]))

static struct looked look_number(unsigned i, pid_t pid)
{
	return look_at(WAIT_MS, "%s %d", looks[i % LOOKS], (int)pid);
}

static void run_exits(const void *unused)
{
	(void)unused;
	for (unsigned i = 0; i < rounds(24) && !failed(); i++) {
		char ms[16];
		struct target t;
		int status = -1;

		snprintf(ms, sizeof(ms), "ms=%u", (slow_machine() ? 300 : 20) + i * 5);
		t = start(&(struct start){ .state = "exiting", .settings = ms });
		while (status == -1) {
			struct looked l = look_number(i, t.pid);

			check_answer(&l, looks[i % LOOKS]);
			looked_free(&l);
			status = end_of(&t, 0);
		}
		check(WIFEXITED(status) && WEXITSTATUS(status) == TARGET_END, "the target ended with %#x", status);
	}
}

static void run_execs(const void *unused)
{
	struct target t = start(&(struct start){ .state = "execing", .settings = slow_machine() ? "ms=50" : "ms=3" });
	unsigned before = atomic_load(&t.record->execs);

	(void)unused;
	for (unsigned i = 0; i < rounds(40) && !failed(); i++) {
		struct looked l = look_number(i, t.pid);

		check_answer(&l, looks[i % LOOKS]);
		looked_free(&l);
	}
	check_execs(&t, before);
	stop(&t);
}

static void let_go(pid_t tid)
{
	unharmed(!ptrace(PTRACE_INTERRUPT, tid, NULL, NULL) && waitpid(tid, NULL, __WALL) == tid &&
		 !ptrace(PTRACE_DETACH, tid, NULL, NULL), "the tracer cannot go on: %s", strerror(errno));
}

/* Everything that needs no stop is shown; the tracer keeps what it has. */
static void run_traced(const void *unused)
{
	struct target t = start_watched(NULL);
	pid_t spinner = thread_named(&t, "spinner"), sleeper = thread_named(&t, "sleeper");
	char status[4096], mine[32];

	(void)unused;
	require(!ptrace(PTRACE_SEIZE, spinner, NULL, NULL) && !ptrace(PTRACE_SEIZE, sleeper, NULL, NULL), "seize: %s",
		strerror(errno));
	for (unsigned i = 0; i < LOOKS; i++) {
		struct looked l = look_number(i, t.pid);

		looked_well(&l, looks[i]);
		if (i == 1)
			check(strstr(l.out, "watched_outer") && strstr(l.out, "no stack: "), "stack: %.3000s", l.out);
		looked_free(&l);
	}
	snprintf(mine, sizeof(mine), "TracerPid:\t%d\n", (int)getpid());
	read_text(status, sizeof(status), "/proc/%d/task/%d/status", (int)t.pid, (int)spinner);
	unharmed(strstr(status, mine), "the tracer has lost its thread: %s", status);
	let_go(spinner);
	let_go(sleeper);
	go_on(&t);
	stop(&t);
}

static void run_stopped(const void *unused)
{
	struct target t = start_watched(NULL);

	(void)unused;
	kill(t.pid, SIGSTOP);
	while (state_of(&t, t.pid) != 'T')
		sleep_ms(1);
	for (unsigned i = 0; i < LOOKS; i++) {
		struct looked l = look_number(i, t.pid);

		looked_well(&l, looks[i]);
		looked_free(&l);
		unharmed(state_of(&t, t.pid) == 'T', "%s let it go on", looks[i]);
	}
	kill(t.pid, SIGCONT);
	wait_until(is_free, &t, 5000);
	sleep_ms(patient(200));
	not_held(t.pid, 7);
	atomic_store(&t.record->wrong, 0);      /* SIGCONT itself interrupts epoll_wait (signal(7)) */
	go_on(&t);
	stop(&t);
}

void add_hostile_tests(void)
{
	add(MIXED, run_names, NULL, "names that a terminal would obey are shown harmlessly, in text and in JSON");
	add(SLEEPERS, run_lies, "chains-omit", "unwind tables full of lies end in a short stack or an error");
	add(SLEEPERS, run_lies, "chains-static", "unwind tables full of lies in a static program end in a short stack or an error");
	add(MIXED, run_loops, NULL, "frame pointers that lead to themselves are not followed for ever");
	add(MIXED, run_exits, NULL, "a process that ends while it is looked at gets a clear answer");
	add(MIXED, run_execs, NULL, "a process that execs while it is looked at gets a clear answer");
	add(MIXED, run_traced, NULL, "a process that another traces is looked at and stays with its tracer");
	add(MIXED, run_stopped, NULL, "a stopped process stays stopped whoever looks");
}
