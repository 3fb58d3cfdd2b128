// SPDX-License-Identifier: MIT
/* Starting a fixture, waiting for its state, waking it, and ending it. */
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "live.h"

#define READY_MS 20000
#define WORDS 16

int64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

void sleep_ms(unsigned ms)
{
	struct timespec t = { ms / 1000, ms % 1000 * 1000000L };

	while (nanosleep(&t, &t) && errno == EINTR)
		;
}

/* Looking every millisecond takes an emulated machine a good part of its time. */
void await_end(pid_t child, int64_t until_ns)
{
	int64_t left = (until_ns - now_ns()) / 1000000 + 1;
	struct pollfd ended = { .fd = (int)syscall(SYS_pidfd_open, child, 0), .events = POLLIN };

	if (ended.fd >= 0 && left > 0)
		poll(&ended, 1, (int)left);
	/* one that is traced has ended for its tracer first */
	if (ended.fd < 0 || !has_ended(child))
		sleep_ms(1);
	if (ended.fd >= 0)
		close(ended.fd);
}

static void die(const char *what)
{
	dprintf(STDERR_FILENO, "live: cannot start a target: %s: %s\n", what, strerror(errno));
	_exit(120);
}

static int copy_to_memory(const char *path)
{
	int from = open(path, O_RDONLY | O_CLOEXEC), to = memfd_create("target", MFD_CLOEXEC);
	char buffer[65536];
	ssize_t n;

	while ((n = read(from, buffer, sizeof(buffer))) > 0)
		if (write(to, buffer, (size_t)n) != n)
			return -1;
	close(from);
	return n ? -1 : to;
}

/* Descriptors first: 0 to 2 go nowhere, 3 is the record, 4 the wake-up socket, and no more. */
static void arrange_files(int record, int socket)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	record = fcntl(record, F_DUPFD_CLOEXEC, 10);
	socket = fcntl(socket, F_DUPFD_CLOEXEC, 10);
	for (int fd = 0; fd < 3; fd++)
		if (fd != 2 && dup2(null, fd) < 0)
			die("/dev/null");
	if (dup2(record, RECORD_FD) < 0 || dup2(socket, WAKE_FD) < 0)
		die("dup2");
	for (int fd = 5; fd < 64; fd++)
		fcntl(fd, F_SETFD, FD_CLOEXEC);
}

/* In a mount namespace of its own the target's folder lies where others see another one. */
static void misname(void)
{
	if (mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) || mount(".", "../root-static", NULL, MS_BIND, NULL) ||
	    chdir("../root-static"))
		die("mount");
}

static void run_through_loader(char *path, char **argv, char **environment)
{
	char *words[WORDS + 1] = { argv[0], path };
	glob_t found;

	for (unsigned i = 1; argv[i]; i++)
		words[i + 1] = argv[i];
	if (glob("lib/ld-*", 0, NULL, &found))
		die("no loader");
	execve(found.gl_pathv[0], words, environment);
}

static char **make_environment(const char *further)
{
	/* so that they are found in a chroot without /proc and from a memfd, too */
	static char libraries[] = "LD_LIBRARY_PATH=.:lib", text[1024], *environment[WORDS];
	char *rest = NULL;
	unsigned n = 0;

	if (!further || !strstr(further, "LD_LIBRARY_PATH="))
		environment[n++] = libraries;
	snprintf(text, sizeof(text), "%s", further ? further : "");
	for (char *word = strtok_r(text, " ", &rest); word && n < WORDS - 1; word = strtok_r(NULL, " ", &rest))
		environment[n++] = word;
	environment[n] = NULL;
	return environment;
}

static void become(const struct start *how, char **argv)
{
	char **environment = make_environment(how->environment);
	char path[4096];

	if (how->copy)
		snprintf(path, sizeof(path), "%s", how->copy);
	else
		snprintf(path, sizeof(path), "%s/%s", options.fixtures, how->root ? how->root : "root-bookworm");
	if (chdir(path))
		die(path);
	if (how->new_namespaces && !how->arrange)
		misname();
	if (how->arrange && how->arrange())
		die("arrange");
	if (how->change_root && chroot("."))
		die("chroot");
	if (how->uid && (syscall(SYS_setgid, how->uid) || syscall(SYS_setuid, how->uid)))
		die("setuid");
	snprintf(path, sizeof(path), "./%s", how->program ? how->program : "target");
	if (how->through_loader) {
		run_through_loader(path, argv, environment);
	} else if (how->from_memory) {
		int memory = copy_to_memory(path);
		syscall(SYS_execveat, memory, "", argv, environment, 0x1000 /* AT_EMPTY_PATH */);
	} else {
		execve(path, argv, environment);
	}
	die("exec");
}

static pid_t spawn(const struct start *how, int record, int socket)
{
	char copy[256], *rest = NULL, *argv[WORDS] = { NULL };
	char name[] = "target", state[32];
	unsigned n = 2;
	pid_t pid;

	snprintf(state, sizeof(state), "%s", how->state ? how->state : "spinning");
	argv[0] = name;
	argv[1] = state;
	snprintf(copy, sizeof(copy), "%s", how->settings ? how->settings : "");
	for (char *word = strtok_r(copy, " ", &rest); word && n < WORDS - 1; word = strtok_r(NULL, " ", &rest))
		argv[n++] = word;
	/* vfork's child shares our memory, so a plain clone for the namespaces */
	if (how->new_namespaces)
		pid = (pid_t)syscall(SYS_clone, CLONE_NEWNS | CLONE_NEWPID | SIGCHLD, 0, 0, 0, 0);
	else
		pid = fork();
	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	signal(SIGPIPE, SIG_DFL);
	/* what only computes is to leave an emulated machine to those who look */
	if (slow_machine() && (strstr(state, "spinning") || strstr(state, "busy")))
		setpriority(PRIO_PROCESS, 0, 10);
	arrange_files(record, socket);
	become(how, argv);
	_exit(120);
}

/* One that computes has done a round, so that it has all the memory it wants. */
static bool is_ready(const struct target *target)
{
	bool computes = strstr(target->state, "spinning") || !strcmp(target->state, "busy");
	uint32_t ready = atomic_load(&target->record->ready);

	return ready == 2 || (ready && (!computes || atomic_load(&target->record->spins) ||
		atomic_load(&target->record->work)));
}

bool wait_until(bool (*done)(const struct target *), const struct target *target, unsigned ms)
{
	int64_t end = now_ns() + patient(ms) * INT64_C(1000000);

	while (!done(target)) {
		if (now_ns() > end)
			return false;
		sleep_ms(1);
	}
	return true;
}

struct target start(const struct start *how)
{
	struct target t = { .wake = -1 };
	int memory = memfd_create("record", 0), pair[2];

	require(memory >= 0 && !ftruncate(memory, sizeof(struct record)), "memfd: %s", strerror(errno));
	require(!socketpair(AF_UNIX, SOCK_STREAM, 0, pair), "socketpair: %s", strerror(errno));
	t.record = mmap(NULL, sizeof(struct record), PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0);
	require(t.record != MAP_FAILED, "mmap: %s", strerror(errno));
	t.library = how->library ? how->library : "libcalled.so";
	snprintf(t.state, sizeof(t.state), "%s", how->state ? how->state : "spinning");
	t.pid = t.tid = spawn(how, memory, pair[1]);
	require(t.pid > 0, "cannot start a target: %s", strerror(errno));
	close(memory);
	close(pair[1]);
	t.wake = pair[0];
	if (!wait_until(is_ready, &t, READY_MS)) {
		fail("the target did not become ready in %u ms; wait status %#x", patient(READY_MS), end_of(&t, 0));
		end_failed();
	}
	remember(&t);
	if (atomic_load(&t.record->ready) == 2)
		skip("not to be had here: %s", t.record->wrong_text);
	return t;
}

bool has_ended(pid_t child)
{
	siginfo_t info = { 0 };

	return waitid(P_PID, (id_t)child, &info, WEXITED | WNOHANG | WNOWAIT) || info.si_pid;
}

static bool ends(const struct target *target, unsigned ms)
{
	int64_t end = now_ns() + patient(ms) * INT64_C(1000000);

	while (!has_ended(target->pid)) {
		if (now_ns() > end)
			return false;
		await_end(target->pid, end);
	}
	return true;
}

int end_of(const struct target *target, unsigned ms)
{
	int status = -1;

	if (ends(target, ms))
		waitpid(target->pid, &status, 0);
	return status;
}

/*
 * What has ended is left to the runner (reap_strangers): the threads take what /proc has of them with them, and who takes away the
 * rest meanwhile spins until they have got a CPU and done so (fs/dcache.c, shrink_dcache_parent).
 */
void stop(const struct target *target)
{
	siginfo_t info = { 0 };

	/* one that would sleep on for a while: it is enough that it lives */
	if (target->record->wanted_ns) {
		go_on(target);
		kill(target->pid, SIGKILL);
		return;
	}
	atomic_store(&target->record->stop, 1);
	if (!target->record->wanted_ns && atomic_load(&target->record->entered))
		wake(target);
	if (!ends(target, 60000)) {
		fail("the target did not end when asked; state %c", state_of(target, target->tid));
		kill(target->pid, SIGKILL);
	} else if (waitid(P_PID, (id_t)target->pid, &info, WEXITED | WNOWAIT)) {
		harm("the target is gone");
	} else if (info.si_code != CLD_EXITED) {
		harm("the target was killed by signal %d", info.si_status);
	} else if (info.si_status != TARGET_END) {
		harm("the target ended with status %d", info.si_status);
	}
	unharmed(!atomic_load(&target->record->wrong), "the target found %u things wrong; the first: %s",
		atomic_load(&target->record->wrong), target->record->wrong_text);
}
