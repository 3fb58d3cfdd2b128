/* SPDX-License-Identifier: MIT */
/* Many threads, few descriptors, and processes of others, followed from tick to tick. */
#include "followed.h"

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

static bool all_sleep(void)
{
	tick(false);
	for (size_t i = 0; i < tasks.n; i++)
		if (tasks.v[i].state != TASK_SLEEPING || !tasks.v[i].call_known)
			return false;
	return true;
}

/* On a busy machine the last of them come to their sleep long after they were made. */
static void start_many(void)
{
	child = child_start(be_many);
	follow(child);
	tick(true);
	WAIT_FOR(all_sleep());
	tasks_close(&tasks);
}

static void test_descriptors_are_bounded(void)
{
	struct rlimit old, few = { 100, 100 };
	start_many();
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
	start_many();
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

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_threads_that_come_and_go_leave_no_descriptor);
	RUN_TEST(test_a_birth_beside_a_death_is_noticed);
	RUN_TEST(test_an_idle_process_need_not_be_listed_again);
	RUN_TEST(test_descriptors_are_bounded);
	RUN_TEST(test_where_descriptors_run_out_fewer_are_kept);
	RUN_TEST(test_of_another_users_process_states_are_told);
	RUN_TEST(test_a_name_cannot_steer_a_terminal_or_pass_for_a_state);
	RUN_TEST(test_system_calls_have_names);
	return UNITY_END();
}
