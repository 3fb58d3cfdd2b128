/* SPDX-License-Identifier: MIT */
/* The threads of a process, followed from tick to tick. */
#include "followed.h"

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
	return UNITY_END();
}
