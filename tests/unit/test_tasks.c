/* SPDX-License-Identifier: MIT */
/* The threads of a process, followed from tick to tick. */
#include "inject/watch/tasks.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/resource.h>

#include "inject/thread.h"
#include "watched_child.h"

static struct tasks tasks;
static pid_t child;

void setUp(void)
{
	shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	child = 0;
}

void tearDown(void)
{
	if (child > 0)
		child_end(child);
	munmap(shared, sizeof *shared);
}

static void follow(pid_t pid)
{
	memset(&err, 0, sizeof err);
	TEST_ASSERT_EQUAL_MESSAGE(0, tasks_open(&tasks, pid, &err), err.text);
}

static void tick(bool list)
{
	TEST_ASSERT_EQUAL_MESSAGE(0, tasks_tick(&tasks, list, &err), err.text);
}

static struct task *task_of(pid_t tid)
{
	for (size_t i = 0; i < tasks.n; i++)
		if (tasks.v[i].tid == tid)
			return &tasks.v[i];
	TEST_FAIL_MESSAGE("a thread is not in the list");
	return NULL;
}

static void spin_and_sleep(void)
{
	begin_thread(spin, (void *)&shared->tid[0]);
	begin_thread(sleep_long, (void *)&shared->tid[1]);
}

static void start_spin_and_sleep(void)
{
	child = child_start(spin_and_sleep);
	WAIT_FOR(shared->tid[0] && shared->tid[1]);
	wait_blocked(child, shared->tid[1], -1);
	wait_blocked(child, child, -1);
}

static void test_states_and_calls_are_told(void)
{
	char buf[32];
	start_spin_and_sleep();
	follow(child);
	tick(true);
	TEST_ASSERT_EQUAL(3, tasks.n);
	struct task *spins = task_of(shared->tid[0]), *sleeps = task_of(shared->tid[1]);
	TEST_ASSERT_EQUAL(TASK_RUNNING, spins->state);
	TEST_ASSERT_EQUAL('R', spins->letter);
	TEST_ASSERT_FALSE(spins->call_known);
	TEST_ASSERT_EQUAL(TASK_SLEEPING, sleeps->state);
	TEST_ASSERT_TRUE(sleeps->call_known);
	TEST_ASSERT_NOT_NULL(strstr(task_syscall_name(sleeps->call.nr, buf, sizeof buf), "nanosleep"));
	TEST_ASSERT_TRUE(sleeps->call.sp && sleeps->call.pc);
	TEST_ASSERT_TRUE(sleeps->is_new && sleeps->changed && spins->is_new);
	TEST_ASSERT_EQUAL_STRING("test_tasks", sleeps->name);
	tasks_close(&tasks);
}

static void test_one_that_has_not_run_is_unchanged(void)
{
	start_spin_and_sleep();
	follow(child);
	tick(true);
	uint64_t since = task_of(shared->tid[1])->since_ns, ran = task_of(shared->tid[0])->run_ns;
	for (int i = 0; i < 20; i++) {
		nap_ms(10);
		tick(false);
		TEST_ASSERT_FALSE(task_of(shared->tid[1])->changed);
		TEST_ASSERT_FALSE(task_of(shared->tid[1])->is_new);
		TEST_ASSERT_TRUE(task_of(shared->tid[0])->changed);
	}
	TEST_ASSERT_EQUAL_UINT64(since, task_of(shared->tid[1])->since_ns);
	TEST_ASSERT_TRUE(task_of(shared->tid[1])->call_known);
	TEST_ASSERT_TRUE(task_stood_still(&tasks, task_of(shared->tid[1])));
	TEST_ASSERT_TRUE(task_of(shared->tid[0])->run_ns > ran);
	WAIT_FOR(!task_stood_still(&tasks, task_of(shared->tid[0])));
	tasks_close(&tasks);
}

static void test_without_schedstat_the_same_is_told(void)
{
	start_spin_and_sleep();
	follow(child);
	tasks.sched_known = false;
	tick(true);
	tick(false);
	TEST_ASSERT_FALSE(task_of(shared->tid[1])->changed);
	TEST_ASSERT_EQUAL(TASK_SLEEPING, task_of(shared->tid[1])->state);
	TEST_ASSERT_EQUAL(TASK_RUNNING, task_of(shared->tid[0])->state);
	TEST_ASSERT_TRUE(task_stood_still(&tasks, task_of(shared->tid[1])));
	tasks_close(&tasks);
}

static void wake_sometimes(void)
{
	for (;;) {
		nap_ms(5);
		shared->count++;
	}
}

static void test_one_that_waits_anew_is_changed(void)
{
	child = child_run(wake_sometimes);
	WAIT_FOR(shared->count > 2);
	follow(child);
	tick(true);
	uint64_t before = shared->count;
	WAIT_FOR(shared->count > before + 2);
	tick(false);
	TEST_ASSERT_TRUE(tasks.v[0].changed);
	tasks_close(&tasks);
}

static void stop_self(void)
{
	raise(SIGSTOP);
	_exit(0);
}

/* One CPU for all: who is woken must wait. */
static void wake_where_others_run(void)
{
	cpu_set_t one;
	CPU_ZERO(&one);
	CPU_SET(0, &one);
	sched_setaffinity(0, sizeof one, &one);
	for (int i = 0; i < 3; i++)
		begin_thread(spin, NULL);
	setpriority(PRIO_PROCESS, 0, 19);
	wake_sometimes();
}

static void test_a_woken_thread_that_waits_for_a_cpu_runs(void)
{
	child = child_run(wake_where_others_run);
	WAIT_FOR(count_threads(child) == 4);
	follow(child);
	tick(true);
	bool woken = false, came = false;
	for (int i = 0; i < 20000 && !(woken && came); i++) {
		tick(false);
		const struct task *task = task_of(child);
		if (task->woken) {
			TEST_ASSERT_EQUAL(TASK_RUNNING, task->state);
			TEST_ASSERT_FALSE_MESSAGE(task->changed || task->runs_on || task->call_known, "it has not run yet");
		}
		came = came || (woken && task->woken_ns);
		woken = woken || task->woken;
		nap_ms(1);
	}
	TEST_ASSERT_TRUE(woken);
	TEST_ASSERT_TRUE_MESSAGE(came, "how long it waited is told");
	tasks_close(&tasks);
}

static void test_a_stopped_process_is_told(void)
{
	child = child_run(stop_self);
	waitpid(child, NULL, WUNTRACED);
	follow(child);
	tick(true);
	TEST_ASSERT_EQUAL(TASK_STOPPED, tasks.v[0].state);
	TEST_ASSERT_EQUAL_STRING("stopped", task_state_text(tasks.v[0].state));
	tasks_close(&tasks);
}

/* vfork's parent waits, not to be interrupted, until its child is done. */
static void wait_in_vfork(void)
{
	pid_t pid = (pid_t)syscall(SYS_clone, 0x4000 /* CLONE_VFORK */ | SIGCHLD, 0, 0, 0, 0);
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			nap_ms(1000);
	}
	_exit(1);
}

static void test_uninterruptible_waiting_is_told_from_sleep(void)
{
	child = child_run(wait_in_vfork);
	follow(child);
	bool found = false;
	for (int i = 0; i < 5000 && !found; i++, nap_ms(1)) {
		tick(true);
		found = tasks.v[0].state == TASK_WAITING;
	}
	TEST_ASSERT_TRUE(found);
	TEST_ASSERT_EQUAL('D', tasks.v[0].letter);
	tasks_close(&tasks);
}

static void test_a_process_that_ends_is_told(void)
{
	child = child_start(NULL);
	follow(child);
	tick(true);
	kill(child, SIGKILL);
	siginfo_t info;
	waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT);
	TEST_ASSERT_EQUAL(-1, tasks_tick(&tasks, false, &err));
	TEST_ASSERT_EQUAL(ERR_TARGET_EXITED, err.code);
	child_end(child);
	TEST_ASSERT_EQUAL(-1, tasks_tick(&tasks, true, &err));
	TEST_ASSERT_EQUAL(ERR_TARGET_EXITED, err.code);
	tasks_close(&tasks);
	TEST_ASSERT_EQUAL(-1, tasks_open(&tasks, child, &err));
	TEST_ASSERT_EQUAL(ERR_NOT_POSSIBLE, err.code);
	child = 0;
}

static void end_leader(void)
{
	begin_thread(sleep_long, (void *)&shared->tid[0]);
	while (!shared->tid[0])
		nap_ms(1);
	syscall(SYS_exit, 0);
}

static void test_a_process_lives_on_without_its_leader(void)
{
	child = child_run(end_leader);
	WAIT_FOR(shared->tid[0]);
	struct proc_stat stat;
	WAIT_FOR(proc_stat(child, child, &stat, NULL) == 0 && stat.state == 'Z');
	follow(child);
	tick(true);
	TEST_ASSERT_EQUAL(TASK_GONE, task_of(child)->state);
	TEST_ASSERT_EQUAL(TASK_SLEEPING, task_of(shared->tid[0])->state);
	tick(false);
	TEST_ASSERT_EQUAL(1, tasks.n);
	TEST_ASSERT_FALSE(tasks_may_differ(&tasks));
	tasks_close(&tasks);
}

/* ---- coming and going ---- */

#define CROWD 2000
static void *live_shortly(void *arg)
{
	(void)arg;
	nap_ms(5 + own_tid() % 40);
	__atomic_add_fetch(&shared->count, 1, __ATOMIC_RELAXED);
	return NULL;
}

static void come_and_go(void)
{
	for (uint64_t begun = 0; begun < CROWD; begun++) {
		while (begun - shared->count > 200)
			nap_ms(1);
		begin_thread(live_shortly, NULL);
	}
	while (shared->count < CROWD)
		nap_ms(1);
	shared->go = 1;
	for (;;)
		pause();
}

static size_t marked, ended;
static void count_ended(void *ctx, struct task *task)
{
	(void)ctx;
	if (task->user)
		ended++;
}

static void mark_all(void)
{
	for (size_t i = 0; i < tasks.n; i++) {
		TEST_ASSERT_TRUE(i == 0 || tasks.v[i - 1].tid < tasks.v[i].tid);
		if (!tasks.v[i].user)
			marked++;
		tasks.v[i].user = &marked;
	}
}

static void test_threads_that_come_and_go_leave_no_descriptor(void)
{
	int fds = count_own_fds();
	marked = ended = 0;
	child = child_run(come_and_go);
	follow(child);
	tasks.gone = count_ended;
	bool last = false;
	while (!last) {
		last = shared->go;
		if (last)
			WAIT_FOR(count_threads(child) == 1);
		tick(tasks_may_differ(&tasks));
		mark_all();
		TEST_ASSERT_TRUE(tasks.fds <= TASKS_FDS_MAX);
		nap_ms(2);
	}
	tick(true);
	tick(true);
	TEST_ASSERT_EQUAL(1, tasks.n);
	TEST_ASSERT_TRUE_MESSAGE(marked > CROWD / 4, "hardly any thread was seen");
	TEST_ASSERT_EQUAL(marked - 1, ended);
	TEST_ASSERT_TRUE(tasks.fds <= 3);
	tasks_close(&tasks);
	TEST_ASSERT_EQUAL(fds, count_own_fds());
}

static void *one_follows_another(void *arg)
{
	(void)arg;
	nap_ms(3);
	if (!shared->go)
		begin_thread(one_follows_another, NULL);
	nap_ms(3);
	return NULL;
}

static void relay(void)
{
	begin_thread(one_follows_another, NULL);
}

/* The number of threads hardly changes; who they are does. */
static void test_a_birth_beside_a_death_is_noticed(void)
{
	child = child_start(relay);
	follow(child);
	size_t seen = 0;
	for (int i = 0; i < 400; i++) {
		tick(tasks_may_differ(&tasks));
		for (size_t j = 0; j < tasks.n; j++)
			seen += tasks.v[j].is_new;
		nap_ms(1);
	}
	TEST_ASSERT_TRUE_MESSAGE(seen > 20, "births were missed");
	tasks_close(&tasks);
}

static void test_an_idle_process_need_not_be_listed_again(void)
{
	start_spin_and_sleep();
	follow(child);
	TEST_ASSERT_TRUE(tasks_may_differ(&tasks));
	tick(true);
	TEST_ASSERT_FALSE(tasks_may_differ(&tasks));
	tasks_close(&tasks);
}

static void be_many(void)
{
	for (int i = 0; i < 600; i++)
		begin_thread(sleep_long, NULL);
}

static void test_descriptors_are_bounded(void)
{
	struct rlimit old, few = { 100, 100 };
	child = child_start(be_many);
	follow(child);
	tick(true);
	tick(false);
	TEST_ASSERT_EQUAL(601, tasks.n);
	TEST_ASSERT_EQUAL(tasks.fds_max, tasks.fds);
	TEST_ASSERT_TRUE(tasks.fds <= TASKS_FDS_MAX);
	tasks_close(&tasks);
	getrlimit(RLIMIT_NOFILE, &old);
	few.rlim_max = old.rlim_max;
	setrlimit(RLIMIT_NOFILE, &few);
	follow(child);
	tick(true);
	nap_ms(10);
	tick(false);
	setrlimit(RLIMIT_NOFILE, &old);
	TEST_ASSERT_TRUE(tasks.fds <= 25);
	TEST_ASSERT_EQUAL(601, tasks.n);
	for (size_t i = 0; i < tasks.n; i++)
		TEST_ASSERT_TRUE(tasks.v[i].state == TASK_SLEEPING && tasks.v[i].call_known);
	tasks_close(&tasks);
}

/* More are asked for than there are: some are given back, and nobody counts as gone for that. */
static void test_where_descriptors_run_out_fewer_are_kept(void)
{
	struct rlimit old, few;
	child = child_start(be_many);
	getrlimit(RLIMIT_NOFILE, &old);
	few = (struct rlimit){ 100, old.rlim_max };
	setrlimit(RLIMIT_NOFILE, &few);
	follow(child);
	tasks.fds_max = 1000;
	tick(true);
	nap_ms(10);
	tick(false);
	setrlimit(RLIMIT_NOFILE, &old);
	TEST_ASSERT_TRUE(tasks.fds < 100);
	TEST_ASSERT_EQUAL(601, tasks.n);
	for (size_t i = 0; i < tasks.n; i++)
		TEST_ASSERT_TRUE(tasks.v[i].state == TASK_SLEEPING && tasks.v[i].call_known);
	tasks_close(&tasks);
}

static int look_from_outside(pid_t pid, struct err *why)
{
	struct tasks theirs;
	if (tasks_open(&theirs, pid, why) < 0 || tasks_tick(&theirs, true, why) < 0)
		return -1;
	int answer = theirs.n == 1 && theirs.v[0].state == TASK_SLEEPING && !theirs.v[0].call_known &&
		     theirs.calls_refused;
	tasks_close(&theirs);
	return answer;
}

static void test_of_another_users_process_states_are_told(void)
{
	if (geteuid() != 0)
		TEST_IGNORE_MESSAGE("only root can become somebody else");
	child = child_start(NULL);
	wait_blocked(child, child, -1);
	struct seen seen = seen_as(become_somebody, look_from_outside, child);
	TEST_ASSERT_EQUAL_MESSAGE(1, seen.result, seen.err.text);
}

static void name_badly(void)
{
	prctl(PR_SET_NAME, "a) R \033[31m");
}

static void test_a_name_cannot_steer_a_terminal_or_pass_for_a_state(void)
{
	child = child_start(name_badly);
	wait_blocked(child, child, -1);
	follow(child);
	tick(true);
	TEST_ASSERT_EQUAL_STRING("a) R ?[31m", tasks.v[0].name);
	TEST_ASSERT_EQUAL(TASK_SLEEPING, tasks.v[0].state);
	tasks_close(&tasks);
}

static void test_system_calls_have_names(void)
{
	char buf[32], channel[64];
	TEST_ASSERT_EQUAL_STRING("read", task_syscall_name(SYS_read, buf, sizeof buf));
	TEST_ASSERT_EQUAL_STRING("futex", task_syscall_name(SYS_futex, buf, sizeof buf));
	TEST_ASSERT_EQUAL_STRING("process_vm_readv", task_syscall_name(SYS_process_vm_readv, buf, sizeof buf));
	TEST_ASSERT_EQUAL_STRING("syscall 99999", task_syscall_name(99999, buf, sizeof buf));
	TEST_ASSERT_EQUAL_STRING("syscall -1", task_syscall_name(-1, buf, sizeof buf));
	task_wait_channel(getpid(), 0x7fffffff, channel, sizeof channel);
	TEST_ASSERT_EQUAL_STRING("", channel);
}

/* Told, not asserted. */
static void test_what_a_tick_costs(void)
{
	struct timespec from, to;
	enum { ROUNDS = 200 };
	char text[96];
	child = child_start(be_many);
	for (unsigned fds = 0; fds <= 2048; fds += 2048) {
		follow(child);
		tasks.fds_max = fds;
		tick(true);
		tick(false);
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &from);
		for (int i = 0; i < ROUNDS; i++)
			tick(tasks_may_differ(&tasks));
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &to);
		double us = ((double)(to.tv_sec - from.tv_sec) * 1e6 + (double)(to.tv_nsec - from.tv_nsec) / 1e3) /
			    ROUNDS / (double)tasks.n;
		snprintf(text, sizeof text, "%.2f us for a sleeping thread and tick, %u descriptors", us, tasks.fds);
		TEST_MESSAGE(text);
		TEST_ASSERT_EQUAL(601, tasks.n);
		tasks_close(&tasks);
	}
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_states_and_calls_are_told);
	RUN_TEST(test_one_that_has_not_run_is_unchanged);
	RUN_TEST(test_without_schedstat_the_same_is_told);
	RUN_TEST(test_one_that_waits_anew_is_changed);
	RUN_TEST(test_a_woken_thread_that_waits_for_a_cpu_runs);
	RUN_TEST(test_a_stopped_process_is_told);
	RUN_TEST(test_uninterruptible_waiting_is_told_from_sleep);
	RUN_TEST(test_a_process_that_ends_is_told);
	RUN_TEST(test_a_process_lives_on_without_its_leader);
	RUN_TEST(test_threads_that_come_and_go_leave_no_descriptor);
	RUN_TEST(test_a_birth_beside_a_death_is_noticed);
	RUN_TEST(test_an_idle_process_need_not_be_listed_again);
	RUN_TEST(test_descriptors_are_bounded);
	RUN_TEST(test_where_descriptors_run_out_fewer_are_kept);
	RUN_TEST(test_of_another_users_process_states_are_told);
	RUN_TEST(test_a_name_cannot_steer_a_terminal_or_pass_for_a_state);
	RUN_TEST(test_system_calls_have_names);
	RUN_TEST(test_what_a_tick_costs);
	return UNITY_END();
}
