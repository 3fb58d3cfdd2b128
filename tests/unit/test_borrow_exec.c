/* SPDX-License-Identifier: MIT */
/* A process that becomes another program: what was borrowed of it is gone, the new program is left alone, and not
 * kept from beginning. */
#include <sched.h>
#include <sys/mman.h>

#include "borrow_case.h"

#define STACK 65536
#define LOST_NS 1800000000ull    /* what is gone for good is seen at once */

static char *program;           /* this one */
static pid_t *other;            /* threads of the child, which tells them */

void setUp(void)
{
	other[0] = other[1] = 0;
	borrow_set_up();
}

void tearDown(void)
{
	borrow_tear_down();
}

static void become_another_program(void)
{
	char byte;
	if (read(wire[0], &byte, 1) == 1)
		execl(program, program, "sleep", NULL);
}

static void await_exec(void)
{
	for (uint64_t limit = now_ns() + LIMIT_NS; !memory_is_gone(&target.memory) && now_ns() < limit;)
		nap_ms(1);
	TEST_ASSERT_TRUE_MESSAGE(memory_is_gone(&target.memory), "the child did not exec");
	wait_blocked(target.pid, target.pid, -1);
}

static void test_a_process_that_became_another_program_is_left_alone(void)
{
	pid_t pid = child_run(become_another_program);
	wait_blocked(pid, pid, __NR_read);
	open_child(pid);
	TEST_ASSERT_EQUAL(1, write(wire[1], "x", 1));
	await_exec();
	TEST_ASSERT_EQUAL(-1, begin());
	TEST_ASSERT_EQUAL_MESSAGE(ERR_FAILED, err.code, err.text);
	EXPECT_HAS("another program", err.text);
	expect_untraced();
	await_state('S');
}

static int exec_when_told(void *unused)
{
	(void)unused;
	become_another_program();
	return 1;
}

static int sleep_beside(void *unused)
{
	(void)unused;
	sleep_for_ever();
	return 1;
}

/* Its id; in the child. */
static pid_t another_thread(int (*run)(void *))
{
	char *guard = mmap(NULL, 2 * STACK, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (mprotect(guard + STACK, STACK, PROT_READ | PROT_WRITE))
		return -1;
	return clone(run, guard + 2 * STACK, CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM, NULL);
}

static void sleep_beside_one_that_execs(void)
{
	if (another_thread(exec_when_told) > 0)
		sleep_for_ever();
}

static void exec_beside_one_that_sleeps(void)
{
	*other = another_thread(sleep_beside);
	become_another_program();
}

/* The held thread dies with the program that it ran; the one that then has its id is not ours. */
static void test_an_exec_while_it_is_borrowed_ends_the_borrowing(void)
{
	static const uint64_t none[6];
	long result;
	pid_t pid = child_run(sleep_beside_one_that_execs);
	wait_blocked(pid, pid, -1);
	open_child(pid);
	begin_surely();
	divert();
	TEST_ASSERT_EQUAL(1, write(wire[1], "x", 1));
	await_exec();
	TEST_ASSERT_EQUAL(-1, borrow_syscall(&borrow, __NR_getpid, none, &result, &err));
	const uint64_t since = now_ns();
	TEST_ASSERT_EQUAL(-1, borrow_give_back(&borrow, NULL, &err));
	TEST_ASSERT_TRUE_MESSAGE(now_ns() - since < LOST_NS, "it was waited for");
	free(borrow.below);     /* kept for another try, as its id lives on */
	expect_untraced();
	await_state('S');
}

/* One that is not the main thread holds up the exec until it was waited for. */
static void test_an_exec_goes_on_when_the_thread_that_it_ended_is_given_back(void)
{
	pid_t pid = child_run(exec_beside_one_that_sleeps);
	wait_blocked(pid, pid, __NR_read);
	wait_blocked(pid, *other, -1);
	open_child(pid);
	TEST_ASSERT_EQUAL_MESSAGE(0, begin_on(*other), err.text);
	divert();
	TEST_ASSERT_EQUAL_MESSAGE(0, borrow_halt(&borrow, &err), err.text);
	TEST_ASSERT_EQUAL(1, write(wire[1], "x", 1));
	for (uint64_t limit = now_ns() + LIMIT_NS; thread_lives(*other) && now_ns() < limit;)
		nap_ms(1);
	TEST_ASSERT_EQUAL(-1, borrow_give_back(&borrow, NULL, &err));
	TEST_ASSERT_EQUAL_MESSAGE(ERR_TARGET_EXITED, err.code, err.text);
	TEST_ASSERT_EQUAL(THREAD_GONE, borrow.thread.state);
	await_exec();
	expect_untraced();
	await_state('S');
}

static int spin(void *unused)
{
	(void)unused;
	for (volatile bool more = true; more;)
		;
	return 1;
}

/* So that who looks and who execs run at the same time. */
static void stay_on(int cpu)
{
	cpu_set_t one;
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	sched_setaffinity(0, sizeof one, &one);
}

static void exec_beside_one_that_spins(void)
{
	stay_on(1);
	other[1] = another_thread(spin);
	exec_beside_one_that_sleeps();
}

/* As a killed run leaves it: its steps are done, and the thread that they ran on has gone on. */
static void leave_region(char *made, pid_t user)
{
	const struct mailbox done = { .tid = (uint32_t)user, .done = 1 };
	struct region region;
	region_place(&region, at(made), target.page);
	TEST_ASSERT_EQUAL_MESSAGE(0, region_write_code(&region, &target.memory, &err), err.text);
	TEST_ASSERT_EQUAL_MESSAGE(0, memory_write(&target.memory, region.mailbox, &done, sizeof done, &err), err.text);
}

/* To stop another thread for a look would wait for the exec, and that for the one that is held. */
static void test_an_exec_does_not_wait_for_a_look_at_what_a_killed_run_left(void)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *made = mmap(NULL, REGION_SIZE, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	struct leftover left;
	TEST_ASSERT_EQUAL(0, mprotect(made + page, REGION_SIZE - page, PROT_READ | PROT_WRITE));
	pid_t pid = child_run(exec_beside_one_that_spins);
	stay_on(0);
	wait_blocked(pid, pid, __NR_read);
	wait_blocked(pid, *other, -1);
	open_child(pid);
	leave_region(made, other[1]);
	size_t seen = region_leftovers(&images, &images.maps, NULL, 0, &left, 1);
	TEST_ASSERT_EQUAL(1, seen);
	TEST_ASSERT_EQUAL_MESSAGE(0, begin_on(*other), err.text);
	TEST_ASSERT_EQUAL(1, region_leftovers(&images, &images.maps, &left, seen, &left, 1));
	TEST_ASSERT_EQUAL(0, region_leftovers(&images, &images.maps, NULL, 0, &left, 1));
	TEST_ASSERT_EQUAL(1, write(wire[1], "x", 1));
	for (uint64_t limit = now_ns() + LIMIT_NS; thread_lives(*other) && now_ns() < limit;)
		region_leftovers(&images, &images.maps, &left, 1, &left, 1);
	TEST_ASSERT_EQUAL(-1, borrow_give_back(&borrow, NULL, &err));
	await_exec();
	munmap(made, REGION_SIZE);
}

int main(int argc, char **argv)
{
	if (argc > 1)
		sleep_for_ever();
	program = argv[0];
	other = mmap(NULL, 2 * sizeof *other, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (other == MAP_FAILED)
		return 1;
	UNITY_BEGIN();
	RUN_TEST(test_a_process_that_became_another_program_is_left_alone);
	RUN_TEST(test_an_exec_while_it_is_borrowed_ends_the_borrowing);
	RUN_TEST(test_an_exec_goes_on_when_the_thread_that_it_ended_is_given_back);
	RUN_TEST(test_an_exec_does_not_wait_for_a_look_at_what_a_killed_run_left);
	return UNITY_END();
}
