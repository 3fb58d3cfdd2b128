/* SPDX-License-Identifier: MIT */
/* Processes that end, change, come in crowds or may not be read, looked at again and again. */
#include <fcntl.h>
#include <sys/resource.h>

#include "sampled.h"

#define FILES_MAX 100000

static void exec_when_told(void)
{
	while (!shared->go)
		nap_ms(1);
	char *argv[] = { (char *)(uintptr_t)"test_sampler", (char *)(uintptr_t)"sleep", NULL };
	execv("/proc/self/exe", argv);
	_exit(96);
}

static void tick_until_error(void)
{
	int rc = 0;
	for (int i = 0; i < 5000 && rc == 0; i++) {
		wait_next();
		rc = sampler_tick(sampler, &err);
	}
	TEST_ASSERT_EQUAL(-1, rc);
	TEST_ASSERT_EQUAL_MESSAGE(ERR_TARGET_EXITED, err.code, err.text);
}

static void test_another_program_is_not_taken_for_the_same(void)
{
	open_target(child_run(exec_when_told));
	begin_sampling();
	sample(5);
	shared->go = 1;
	tick_until_error();
	EXPECT_HAS("exec", err.text);
}

static void test_the_end_is_told(void)
{
	start_spin_and_sleep();
	begin_sampling();
	sample(5);
	kill(target.pid, SIGKILL);
	tick_until_error();
	EXPECT_HAS("ended", err.text);
	TEST_ASSERT_TRUE(profile->samples >= 15);
}

static void have_many_files(void)
{
	struct rlimit limit;
	if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
		_exit(95);
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
	for (int i = 0; i < FILES_MAX && open("/dev/null", O_RDONLY) >= 0; i++)
		;
}

/* Its files are closed after its memory is gone and before it is a zombie (kernel/exit.c, do_exit). */
static void test_an_end_that_takes_long_is_not_taken_for_another_program(void)
{
	open_target(child_start(have_many_files));
	begin_sampling();
	sample(2);
	kill(target.pid, SIGKILL);
	tick_until_error();
	EXPECT_HAS("ended", err.text);
}

static void test_ticks_whose_time_has_passed_are_dropped_and_stood_for(void)
{
	start_spin_and_sleep();
	begin_sampling();
	sample(2);
	nap_ms(100);
	sample(1);
	TEST_ASSERT_TRUE(profile->dropped >= 15);
	TEST_ASSERT_TRUE(profile->late >= 1);
	TEST_ASSERT_EQUAL_UINT64(3, profile->ticks);
	TEST_ASSERT_EQUAL_UINT64(3 * (profile->ticks + profile->dropped), profile->samples);
	TEST_ASSERT_TRUE(sampler_next_ns(sampler) + 5000000 > now_ns() || profile->dropped > 18);
}

/* ---- the callback ---- */
static size_t batches, in_batches, changed;
static void count_batch(void *ctx, const struct sample *samples, size_t n)
{
	TEST_ASSERT_EQUAL_PTR(&batches, ctx);
	batches++;
	in_batches += n;
	for (size_t i = 0; i < n; i++)
		changed += samples[i].changed && samples[i].state == TASK_SLEEPING;
}

static void test_each_tick_goes_to_the_callback(void)
{
	options.batch = count_batch;
	options.ctx = &batches;
	options.no_profile = true;
	start_spin_and_sleep();
	begin_sampling();
	sample(10);
	TEST_ASSERT_EQUAL(10, batches);
	TEST_ASSERT_EQUAL(30, in_batches);
	TEST_ASSERT_EQUAL_MESSAGE(2, changed, "once, when they were new");
	TEST_ASSERT_EQUAL_UINT64(0, profile->samples);
	TEST_ASSERT_EQUAL(0, profile->stretches_n);
}

/* ---- odd targets ---- */
static void test_threads_that_come_and_go_leave_nothing_behind(void)
{
	int fds = count_own_fds();
	options.stacks = STACKS_ALL;
	open_target(child_run(come_and_go));
	begin_sampling();
	while (!shared->go)
		sample(1);
	WAIT_FOR(count_threads(target.pid) == 1);
	sample(3);
	TEST_ASSERT_TRUE_MESSAGE(profile->threads_n > CROWD / 8, "hardly any thread was seen");
	TEST_ASSERT_EQUAL(1, sampler_tasks(sampler)->n);
	TEST_ASSERT_TRUE(profile->by_outside > 0);
	TEST_ASSERT_TRUE(profile->stacks_taken + profile->stacks_missed > CROWD / 8);
	sampler_close(sampler);
	sampler = NULL;
	close_target();
	memset(&target, 0, sizeof target);
	TEST_ASSERT_EQUAL(fds, count_own_fds());
	TEST_ASSERT_EQUAL(-1, waitpid(-1, NULL, WNOHANG | __WALL));
}

static int sample_from_outside(pid_t pid, struct err *why)
{
	struct sampler *theirs = sampler_open(pid, NULL, &options, why);
	if (!theirs || sampler_tick(theirs, why) < 0 || sampler_tick(theirs, why) < 0)
		return -1;
	const struct profile *p = sampler_profile(theirs);
	int answer = p->samples == 2 + p->dropped && p->buckets_n == 1 && p->buckets[0].state == TASK_SLEEPING &&
		     p->buckets[0].call == -1 && p->buckets[0].stack == NO_STACK && p->why_no_stacks[0];
	sampler_close(theirs);
	return answer;
}

static void test_of_another_users_process_states_are_sampled(void)
{
	if (geteuid() != 0)
		TEST_IGNORE_MESSAGE("only root can become somebody else");
	pid_t child = child_start(NULL);
	wait_blocked(child, child, -1);
	struct seen seen = seen_as(become_somebody, sample_from_outside, child);
	child_end(child);
	TEST_ASSERT_EQUAL_MESSAGE(1, seen.result, seen.err.text);
}

static void forbid_ptrace(void) { without_call(SYS_ptrace); }

static int sample_without_ptrace(pid_t pid, struct err *why)
{
	struct target theirs;
	struct images seen;
	if (target_open(&theirs, pid, NULL, why) < 0 || images_open(&seen, &theirs, why) < 0)
		return -1;
	struct sampler *without = sampler_open(pid, &seen, &options, why);
	for (int i = 0; without && i < 40; i++)
		if (sampler_tick(without, why) < 0)
			return -2;
	const struct profile *p = sampler_profile(without);
	snprintf(why->text, sizeof why->text, "%s", p->why_no_stacks);
	return p->samples == 40 + p->dropped && p->by_stop == 0 && strstr(p->why_no_stacks, "of running threads") != NULL;
}

static void test_where_threads_may_not_be_stopped_it_says_so(void)
{
	options.stacks = STACKS_ALL;
	options.no_perf = true;
	pid_t child = child_run(spin_alone);
	WAIT_FOR(shared->count);
	struct seen seen = seen_as(forbid_ptrace, sample_without_ptrace, child);
	child_end(child);
	TEST_ASSERT_EQUAL_MESSAGE(1, seen.result, seen.err.text);
}

/* Code that came after the mappings were read. */
static void run_new_code(void)
{
	static const uint8_t code[] = CODE_OF_A_LOOP;
	while (!shared->go)
		nap_ms(1);
	char *page = mmap(NULL, 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	memcpy(page, code, sizeof code);
	mprotect(page, 65536, PROT_READ | PROT_EXEC);
	__builtin___clear_cache(page, page + sizeof code);
	shared->count = (uintptr_t)page;
	((void (*)(void))(uintptr_t)page)();
}

static void test_new_code_is_noticed_and_mappings_are_not_read_often(void)
{
	options.stacks = STACKS_ALL;
	options.no_perf = true;
	open_target(child_run(run_new_code));
	begin_sampling();
	sample(3);
	TEST_ASSERT_EQUAL(0, sampler_renewed(sampler));
	shared->go = 1;
	WAIT_FOR(shared->count);
	uint64_t from = now_ns();
	for (int i = 0; i < 200 && !sampler_renewed(sampler); i++)
		sample(1);
	TEST_ASSERT_EQUAL(1, sampler_renewed(sampler));
	TEST_ASSERT_NOT_NULL(maps_at(&images.maps, shared->count));
	sample(50);
	TEST_ASSERT_TRUE(sampler_renewed(sampler) <= 1 + (now_ns() - from) / 1000000000u);
}

static void test_rates_out_of_reason_are_refused(void)
{
	const double bad[] = { 0, -1, 0.01, 1001, 1e300, 0.0 / 1e300 };
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		options.rate = bad[i];
		TEST_ASSERT_NULL(sampler_open(getpid(), NULL, &options, &err));
		TEST_ASSERT_EQUAL(ERR_USAGE, err.code);
	}
	options.rate = 10;
	TEST_ASSERT_NULL(sampler_open(0x3fffff, NULL, &options, &err));
	TEST_ASSERT_EQUAL(ERR_NOT_POSSIBLE, err.code);
}

int main(int argc, char **argv)
{
	if (argc > 1 && strcmp(argv[1], "sleep") == 0)
		for (;;)
			pause();
	UNITY_BEGIN();
	RUN_TEST(test_another_program_is_not_taken_for_the_same);
	RUN_TEST(test_the_end_is_told);
	RUN_TEST(test_an_end_that_takes_long_is_not_taken_for_another_program);
	RUN_TEST(test_ticks_whose_time_has_passed_are_dropped_and_stood_for);
	RUN_TEST(test_each_tick_goes_to_the_callback);
	RUN_TEST(test_threads_that_come_and_go_leave_nothing_behind);
	RUN_TEST(test_of_another_users_process_states_are_sampled);
	RUN_TEST(test_where_threads_may_not_be_stopped_it_says_so);
	RUN_TEST(test_new_code_is_noticed_and_mappings_are_not_read_often);
	RUN_TEST(test_rates_out_of_reason_are_refused);
	return UNITY_END();
}
