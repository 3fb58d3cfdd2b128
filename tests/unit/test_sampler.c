/* SPDX-License-Identifier: MIT */
/* Looking at a process again and again. */
#include "inject/watch/sampler.h"

#include <errno.h>
#include <sys/mman.h>

#include "inject/thread.h"
#include "loop_code.h"
#include "watched_child.h"

static struct sampler *sampler;
static struct profile *profile;
static struct sampler_options options;

void setUp(void)
{
	shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	options = (struct sampler_options){ .rate = 200, .stacks = STACKS_BLOCKED };
	memset(&err, 0, sizeof err);
}

void tearDown(void)
{
	sampler_close(sampler);
	sampler = NULL;
	if (target.pid)
		close_target();
	memset(&target, 0, sizeof target);
	munmap(shared, sizeof *shared);
}

static void begin_sampling(void)
{
	sampler = sampler_open(target.pid, &images, &options, &err);
	TEST_ASSERT_NOT_NULL_MESSAGE(sampler, err.text);
	profile = sampler_profile(sampler);
}

static void wait_next(void)
{
	while (now_ns() < sampler_next_ns(sampler))
		nanosleep(&(struct timespec){ 0, 200000 }, NULL);
}

static void sample(int ticks)
{
	for (int i = 0; i < ticks; i++) {
		wait_next();
		TEST_ASSERT_EQUAL_MESSAGE(0, sampler_tick(sampler, &err), err.text);
	}
}

static uint32_t thread_of(pid_t tid)
{
	for (uint32_t i = 0; i < profile->threads_n; i++)
		if (profile->threads[i].tid == tid)
			return i;
	TEST_FAIL_MESSAGE("a thread is not in the profile");
	return 0;
}

/* Samples of a thread in a state with a stack, or without. */
static uint64_t samples_of(pid_t tid, enum task_state state, bool with_stack)
{
	uint64_t sum = 0;
	for (size_t i = 0; i < profile->buckets_n; i++) {
		const struct bucket *b = &profile->buckets[i];
		if (b->thread == thread_of(tid) && b->state == state && (b->stack != NO_STACK) == with_stack)
			sum += b->samples;
	}
	return sum;
}

static void spin_alone(void) { spin(NULL); }

static void spin_and_sleep(void)
{
	begin_thread(spin, (void *)&shared->tid[0]);
	begin_thread(sleep_long, (void *)&shared->tid[1]);
}

static void start_spin_and_sleep(void)
{
	pid_t child = child_start(spin_and_sleep);
	WAIT_FOR(shared->tid[0] && shared->tid[1] && shared->count);
	wait_blocked(child, shared->tid[1], -1);
	wait_blocked(child, child, -1);
	open_target(child);
}

static void test_blocked_threads_are_copied_once_and_counted_each_tick(void)
{
	start_spin_and_sleep();
	begin_sampling();
	TEST_ASSERT_EQUAL_STRING("", sampler_way(sampler));
	sample(20);
	TEST_ASSERT_EQUAL_UINT64(20, profile->ticks);
	uint64_t periods = 20 + profile->dropped;
	TEST_ASSERT_EQUAL_UINT64(3 * periods, profile->samples);
	TEST_ASSERT_EQUAL_UINT64(2, profile->by_outside);
	TEST_ASSERT_EQUAL_UINT64(0, profile->by_stop + profile->by_perf);
	TEST_ASSERT_EQUAL_UINT64(periods, samples_of(shared->tid[1], TASK_SLEEPING, true));
	TEST_ASSERT_EQUAL_UINT64(periods, samples_of(shared->tid[0], TASK_RUNNING, false));
	TEST_ASSERT_EQUAL(3, profile->stretches_n);
	TEST_ASSERT_EQUAL_STRING("test_sampler", profile->name);
	TEST_ASSERT_TRUE(profile->threads[thread_of(shared->tid[0])].run_ns > 0);
	TEST_ASSERT_EQUAL_STRING("", profile->why_no_stacks);
	TEST_ASSERT_TRUE(sampler_tasks(sampler)->n == 3);
}

static void expect_spin_on_top(void)
{
	bool found = false;
	for (size_t i = 0; i < profile->buckets_n; i++) {
		const struct bucket *b = &profile->buckets[i];
		if (b->thread != thread_of(shared->tid[0]) || b->stack == NO_STACK)
			continue;
		const struct place *place = &profile->places[profile->nodes[b->stack].place];
		found = found || place->pc - at((void *)(uintptr_t)spin) < 256;
	}
	TEST_ASSERT_TRUE_MESSAGE(found, "the loop that spins was not seen");
}

static void sleep_in_handler(int number)
{
	pause();
	shared->count = (uint64_t)number;       /* or pause would be jumped to */
}

static __attribute__((noinline, noclone)) void be_interrupted(void)
{
	stack_t stack = { .ss_size = 65536 };
	stack.ss_sp = mmap(NULL, stack.ss_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct sigaction action = { .sa_handler = sleep_in_handler, .sa_flags = SA_ONSTACK };
	sigaltstack(&stack, NULL);
	sigaction(SIGUSR1, &action, NULL);
	raise(SIGUSR1);
	_exit(1);
}

static bool is_on_stack(uint32_t node, void (*function)(void))
{
	for (; node != NO_STACK; node = profile->nodes[node].parent)
		if (profile->places[profile->nodes[node].place].pc - at((void *)(uintptr_t)function) < 512)
			return true;
	return false;
}

/* The handler is on a stack of its own: what it has interrupted is read from the process. */
static void test_what_a_handler_has_interrupted_is_seen(void)
{
	pid_t pid = child_run(be_interrupted);
	wait_blocked(pid, pid, -1);
	open_target(pid);
	begin_sampling();
	sample(3);
	TEST_ASSERT_EQUAL_UINT64(1, profile->by_outside);
	TEST_ASSERT_EQUAL(1, profile->buckets_n);
	TEST_ASSERT_TRUE(is_on_stack(profile->buckets[0].stack, be_interrupted));
}

static void test_running_threads_are_copied_by_stops(void)
{
	char text[64];
	options.stacks = STACKS_ALL;
	options.no_perf = true;
	start_spin_and_sleep();
	begin_sampling();
	TEST_ASSERT_EQUAL_STRING("stops", sampler_way(sampler));
	for (int i = 0; i < 50 && profile->by_stop < 5; i++)
		sample(10);
	TEST_ASSERT_TRUE(profile->by_stop >= 5);
	TEST_ASSERT_TRUE(profile->stop_longest_ns > 0);
	expect_spin_on_top();
	snprintf(text, sizeof text, "%u of %u stops", (unsigned)profile->by_stop, (unsigned)profile->ticks);
	TEST_MESSAGE(text);
}

static void test_running_threads_are_seen_by_perf_where_it_is_allowed(void)
{
	options.stacks = STACKS_ALL;
	start_spin_and_sleep();
	begin_sampling();
	bool perf = strcmp(sampler_way(sampler), "perf") == 0;
	TEST_MESSAGE(perf ? "by perf" : "by stops");
	uint64_t *by = perf ? &profile->by_perf : &profile->by_stop;
	for (int i = 0; i < 50 && *by < 5; i++)
		sample(10);
	TEST_ASSERT_TRUE(*by >= 5);
	TEST_ASSERT_EQUAL_UINT64(0, perf ? profile->by_stop : profile->by_perf);
	expect_spin_on_top();
}

static void spin_six(void)
{
	for (int i = 0; i < 6; i++)
		begin_thread(spin, (void *)&shared->tid[i]);
}

static void test_stops_are_few_and_go_round(void)
{
	options.stacks = STACKS_ALL;
	options.no_perf = true;
	options.stops_max = 2;
	options.rate = 50;
	pid_t child = child_start(spin_six);
	for (int i = 0; i < 6; i++)
		WAIT_FOR(shared->tid[i]);
	open_target(child);
	begin_sampling();
	int seen = 0;
	for (int round = 0; round < 100 && seen < 6; round++) {
		sample(3);
		seen = 0;
		for (int i = 0; i < 6; i++)
			seen += samples_of(shared->tid[i], TASK_RUNNING, true) > 0;
	}
	TEST_ASSERT_EQUAL_MESSAGE(6, seen, "one was never visited");
	TEST_ASSERT_TRUE(profile->by_stop <= 2 * profile->ticks);
	uint64_t with = 0, without = 0;
	for (int i = 0; i < 6; i++) {
		with += samples_of(shared->tid[i], TASK_RUNNING, true);
		without += samples_of(shared->tid[i], TASK_RUNNING, false);
	}
	TEST_ASSERT_TRUE_MESSAGE(with > profile->by_stop, "a stack stands for the looks next to it, too");
	TEST_ASSERT_TRUE_MESSAGE(without <= profile->stacks_missed, "what has no stack is told");
}

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
	int answer = p->samples == 2 && p->buckets_n == 1 && p->buckets[0].state == TASK_SLEEPING &&
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
	return p->samples == 40 && p->by_stop == 0 && strstr(p->why_no_stacks, "of running threads") != NULL;
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

/* ---- told, not asserted ---- */
static void *nap_shortly(void *arg)
{
	for (;;)
		nap_ms(1);
	return arg;
}

static void sixty_four_sleep(void)
{
	for (int i = 0; i < 64; i++)
		begin_thread(sleep_long, NULL);
}

static void sixty_four_nap(void)
{
	for (int i = 0; i < 64; i++)
		begin_thread(nap_shortly, NULL);
}

static void tell_cost(const char *what, void (*body)(void))
{
	struct timespec from, to;
	char text[128];
	enum { TICKS = 300 };
	options.rate = 100;
	open_target(child_start(body));
	begin_sampling();
	sample(3);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &from);
	uint64_t samples = profile->samples, dropped = profile->dropped;
	for (int i = 0; i < TICKS; i++) {
		nanosleep(&(struct timespec){ 0, 3000000 }, NULL);
		TEST_ASSERT_EQUAL_MESSAGE(0, sampler_tick(sampler, &err), err.text);
	}
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &to);
	double us = ((double)(to.tv_sec - from.tv_sec) * 1e6 + (double)(to.tv_nsec - from.tv_nsec) / 1e3);
	samples = profile->samples - samples;
	snprintf(text, sizeof text, "%s: %.2f us for a thread and tick; %.2f %% of a CPU at 100 per second; %u stacks, %u missed",
		 what, us / (65 * TICKS), us / TICKS / 1e4 * 100, (unsigned)profile->stacks_taken,
		 (unsigned)profile->stacks_missed);
	TEST_MESSAGE(text);
	TEST_ASSERT_EQUAL_UINT64(65 * (TICKS + profile->dropped - dropped), samples);
	sampler_close(sampler);
	sampler = NULL;
	close_target();
	memset(&target, 0, sizeof target);
}

static void test_what_sampling_costs(void)
{
	tell_cost("64 that sleep", sixty_four_sleep);
	tell_cost("64 that run between all looks", sixty_four_nap);
}

int main(int argc, char **argv)
{
	if (argc > 1 && strcmp(argv[1], "sleep") == 0)
		for (;;)
			pause();
	UNITY_BEGIN();
	RUN_TEST(test_blocked_threads_are_copied_once_and_counted_each_tick);
	RUN_TEST(test_what_a_handler_has_interrupted_is_seen);
	RUN_TEST(test_running_threads_are_copied_by_stops);
	RUN_TEST(test_running_threads_are_seen_by_perf_where_it_is_allowed);
	RUN_TEST(test_stops_are_few_and_go_round);
	RUN_TEST(test_another_program_is_not_taken_for_the_same);
	RUN_TEST(test_the_end_is_told);
	RUN_TEST(test_ticks_whose_time_has_passed_are_dropped_and_stood_for);
	RUN_TEST(test_each_tick_goes_to_the_callback);
	RUN_TEST(test_threads_that_come_and_go_leave_nothing_behind);
	RUN_TEST(test_of_another_users_process_states_are_sampled);
	RUN_TEST(test_where_threads_may_not_be_stopped_it_says_so);
	RUN_TEST(test_new_code_is_noticed_and_mappings_are_not_read_often);
	RUN_TEST(test_rates_out_of_reason_are_refused);
	RUN_TEST(test_what_sampling_costs);
	return UNITY_END();
}
