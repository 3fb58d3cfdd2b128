/* SPDX-License-Identifier: MIT */
/* quiet --fixtures DIR: the core in a program that is not ours; what thread_quiet promises. */
#include "inject/quiet.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>

#include "child.h"
#include "inject/call.h"
#include "inject/region.h"
#include "inject/thread.h"

#define ROUNDS 20
#define TRIES 3

static char root[4096];
static pid_t child[2];
static atomic_int taken, handled;
static atomic_bool enough;

/* In the folder that its loader is named from. */
static pid_t start_resident(void)
{
	int ready[2];
	char byte = 0;
	TEST_ASSERT_EQUAL(0, pipe(ready));
	pid_t pid = fork();
	if (pid == 0) {
		dup2(ready[1], 1);
		if (chdir(root) == 0)
			execl("./resident", "resident", (char *)NULL);
		_exit(1);
	}
	close(ready[1]);
	ssize_t n = read(ready[0], &byte, 1);
	close(ready[0]);
	TEST_ASSERT_EQUAL_MESSAGE(1, n, "resident does not start");
	return pid;
}

void setUp(void)
{
	thread_quiet = true;
	for (int i = 0; i < 2; i++)
		child[i] = start_resident();
	taken = handled = 0;
	enough = false;
}

void tearDown(void)
{
	signal(SIGCHLD, SIG_DFL);
	for (int i = 0; i < 2; i++)
		child_end(child[i]);
}

static int call_once(pid_t pid, enum call_on on, uint64_t n, struct err *err)
{
	struct target target;
	struct images images;
	struct elf_symbol symbol;
	struct call call = { .on = on, .timeout_ms = 20000, .steps = 1,
			     .step = { { .nargs = 1, .arg = { { .value = n } } } } };
	if (target_open(&target, pid, NULL, err) < 0)
		return -1;
	int rc = images_open(&images, &target, err);
	if (rc == 0) {
		rc = images_symbol(&images, images_exe(&images), "resident_triple", &symbol, err);
		call.step[0].fn = symbol.addr;
		if (rc == 0)
			rc = call_run(&images, &call, err);
		images_close(&images);
	}
	target_close(&target);
	if (rc == 0 && call.step[0].result != n * 3)
		return err_set(err, ERR_FAILED, 0, "answered %llu", (unsigned long long)call.step[0].result);
	return rc;
}

/* On a machine that has no time for us a limit may be reached, which is no fault of the waiting. */
static int call_patiently(pid_t pid, enum call_on on, uint64_t n, struct err *err)
{
	int rc = -1;
	for (int i = 0; i < TRIES && rc < 0; i++) {
		rc = call_once(pid, on, n, err);
		if (rc < 0 && err->code != ERR_TIMEOUT)
			return -1;
	}
	return rc;
}

static void expect_calls(enum call_on on)
{
	struct err err = { 0 };
	for (uint64_t i = 0; i < ROUNDS; i++)
		TEST_ASSERT_EQUAL_MESSAGE(0, call_patiently(child[0], on, i, &err), err.text);
}

static void on_child(int signo, siginfo_t *info, void *context)
{
	(void)signo;
	(void)info;
	(void)context;
	handled++;
	/* as many programs do */
	int before = errno;
	while (waitpid(-1, NULL, WNOHANG) > 0)
		taken++;
	errno = before;
}

static void *take_all(void *unused)
{
	while (!enough) {
		while (waitpid(-1, NULL, WNOHANG | __WALL) > 0)
			taken++;
		nanosleep(&(struct timespec){ 0, 50000 }, NULL);
	}
	return unused;
}

static void test_calls_without_a_word_from_the_host(void)
{
	expect_calls(CALL_ON_FRESH);
	expect_calls(CALL_ON_BORROWED);
}

static void test_a_handler_that_takes_every_stop(void)
{
	struct sigaction action = { .sa_sigaction = on_child, .sa_flags = SA_SIGINFO }, after;
	sigset_t before, mask;
	sigaction(SIGCHLD, &action, NULL);
	pthread_sigmask(SIG_SETMASK, NULL, &before);
	expect_calls(CALL_ON_FRESH);
	expect_calls(CALL_ON_BORROWED);
	sigaction(SIGCHLD, NULL, &after);
	pthread_sigmask(SIG_SETMASK, NULL, &mask);
	TEST_ASSERT_EQUAL_PTR(on_child, after.sa_sigaction);
	TEST_ASSERT_EQUAL_MEMORY(&before, &mask, 8);
	TEST_ASSERT_TRUE_MESSAGE(handled > 0 && taken > 0, "the handler took nothing, so nothing is shown");
}

static void test_a_thread_that_takes_every_stop(void)
{
	pthread_t taker;
	TEST_ASSERT_EQUAL(0, pthread_create(&taker, NULL, take_all, NULL));
	expect_calls(CALL_ON_FRESH);
	expect_calls(CALL_ON_BORROWED);
	enough = true;
	pthread_join(taker, NULL);
	TEST_ASSERT_TRUE_MESSAGE(taken > 0, "nothing was taken, so nothing is shown");
}

static void test_children_that_the_host_ignores(void)
{
	signal(SIGCHLD, SIG_IGN);
	expect_calls(CALL_ON_FRESH);
	TEST_ASSERT_EQUAL_PTR(SIG_IGN, signal(SIGCHLD, SIG_DFL));
}

static void test_a_pending_signal_stays_the_hosts(void)
{
	sigset_t set, old;
	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	pthread_sigmask(SIG_BLOCK, &set, &old);
	raise(SIGCHLD);
	expect_calls(CALL_ON_FRESH);
	struct timespec none = { 0 };
	int got = sigtimedwait(&set, NULL, &none);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	TEST_ASSERT_EQUAL(SIGCHLD, got);
}

static void test_the_priority_of_the_host_is_as_it_was(void)
{
	int before = getpriority(PRIO_PROCESS, 0);
	setpriority(PRIO_PROCESS, 0, before + 1);
	expect_calls(CALL_ON_FRESH);
	TEST_ASSERT_EQUAL(before + 1, getpriority(PRIO_PROCESS, 0));
	setpriority(PRIO_PROCESS, 0, before);
}

struct caller { pid_t pid; struct err err; int failures; };

static void *call_often(void *with)
{
	struct caller *caller = with;
	for (uint64_t i = 0; i < ROUNDS; i++)
		caller->failures += call_patiently(caller->pid, CALL_ON_FRESH, i, &caller->err) < 0;
	return NULL;
}

static void test_two_threads_on_two_processes(void)
{
	struct caller callers[2] = { { .pid = child[0] }, { .pid = child[1] } };
	pthread_t thread[2];
	for (int i = 0; i < 2; i++)
		TEST_ASSERT_EQUAL(0, pthread_create(&thread[i], NULL, call_often, &callers[i]));
	for (int i = 0; i < 2; i++)
		pthread_join(thread[i], NULL);
	for (int i = 0; i < 2; i++)
		TEST_ASSERT_EQUAL_MESSAGE(0, callers[i].failures, callers[i].err.text);
}

/* One after the other, and none is told that the process is traced. */
static void test_two_threads_on_one_process(void)
{
	struct caller callers[2] = { { .pid = child[0] }, { .pid = child[0] } };
	pthread_t thread[2];
	for (int i = 0; i < 2; i++)
		TEST_ASSERT_EQUAL(0, pthread_create(&thread[i], NULL, call_often, &callers[i]));
	for (int i = 0; i < 2; i++)
		pthread_join(thread[i], NULL);
	for (int i = 0; i < 2; i++)
		TEST_ASSERT_EQUAL_MESSAGE(0, callers[i].failures, callers[i].err.text);
}

/* As a run leaves it that is killed between two calls; the child has it from us. */
static char *leave_region(void)
{
	char *made = mmap(NULL, REGION_SIZE, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	TEST_ASSERT_TRUE(made != MAP_FAILED);
	return made;
}

static bool is_mapped(pid_t pid, const char *at)
{
	struct err err = { 0 };
	struct target target;
	struct maps maps;
	TEST_ASSERT_EQUAL_MESSAGE(0, target_open(&target, pid, NULL, &err), err.text);
	TEST_ASSERT_EQUAL_MESSAGE(0, target_maps(&target, &maps, &err), err.text);
	bool mapped = maps_at(&maps, (raddr)(uintptr_t)at) != NULL;
	maps_free(&maps);
	target_close(&target);
	return mapped;
}

static long triple(long n)
{
	return 3 * n;
}

/* In a child by fork functions are where ours are. */
static void *call_own(void *with)
{
	struct caller *caller = with;
	struct target target;
	struct images images;
	struct call call = { .on = CALL_ON_BORROWED, .timeout_ms = 20000, .steps = 1,
			     .step = { { .fn = (raddr)(uintptr_t)triple, .nargs = 1, .arg = { { .value = 2 } } } } };
	caller->failures = 1;
	if (target_open(&target, caller->pid, NULL, &caller->err) < 0)
		return NULL;
	if (images_open(&images, &target, &caller->err) == 0) {
		caller->failures = call_run(&images, &call, &caller->err) < 0 || call.step[0].result != 6;
		images_close(&images);
	}
	target_close(&target);
	return NULL;
}

/* The kernel names the thread as tracer, not its process. */
static void test_a_thread_removes_what_a_killed_run_left(void)
{
	char *made = leave_region();
	pid_t pid = child_start(NULL);
	munmap(made, REGION_SIZE);
	struct caller caller = { .pid = pid };
	pthread_t thread;
	bool before = is_mapped(pid, made);
	TEST_ASSERT_EQUAL(0, pthread_create(&thread, NULL, call_own, &caller));
	pthread_join(thread, NULL);
	bool after = is_mapped(pid, made);
	child_end(pid);
	TEST_ASSERT_EQUAL_MESSAGE(0, caller.failures, caller.err.text);
	TEST_ASSERT_TRUE(before);
	TEST_ASSERT_FALSE(after);
}

int main(int argc, char **argv)
{
	for (int i = 1; i + 1 < argc; i++)
		if (!strcmp(argv[i], "--fixtures"))
			snprintf(root, sizeof root, "%s/root-bookworm", argv[i + 1]);
	UNITY_BEGIN();
	RUN_TEST(test_calls_without_a_word_from_the_host);
	RUN_TEST(test_a_handler_that_takes_every_stop);
	RUN_TEST(test_a_thread_that_takes_every_stop);
	RUN_TEST(test_children_that_the_host_ignores);
	RUN_TEST(test_a_pending_signal_stays_the_hosts);
	RUN_TEST(test_the_priority_of_the_host_is_as_it_was);
	RUN_TEST(test_two_threads_on_two_processes);
	RUN_TEST(test_two_threads_on_one_process);
	RUN_TEST(test_a_thread_removes_what_a_killed_run_left);
	return UNITY_END();
}
