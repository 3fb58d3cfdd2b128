/* SPDX-License-Identifier: MIT */
/* A thread is borrowed only where that does no harm, and nothing of it is another afterwards. */
#include <linux/futex.h>
#include <stdatomic.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include "borrow_case.h"
#include "loop_code.h"
#include "rseq_loop.h"

#define BELOW (ARCH_VECTOR_MAX + 8192u)

static struct shared {
	atomic_uint aborts;
	atomic_uint ended;      /* waits that did */
} *shared;

void setUp(void)
{
	memset(shared, 0, sizeof *shared);
	borrow_set_up();
}

void tearDown(void)
{
	borrow_tear_down();
}

/* Nobody reads it by the rules, but it is the program's memory: a fiber's, a debugger's, or the padding of a library. */
static void test_what_lies_below_the_stack_is_put_back(void)
{
	static uint8_t before[BELOW], after[BELOW];
	open_sleeper();
	raddr low = wait_blocked(target.pid, target.pid, -1).sp - ARCH_RED_ZONE - BELOW;
	memset(before, 0x5a, BELOW);
	TEST_ASSERT_EQUAL_MESSAGE(0, memory_write(&target.memory, low, before, BELOW, &err), err.text);
	begin_surely();
	TEST_ASSERT_EQUAL_MESSAGE(0, memory_read(&target.memory, low, after, BELOW, &err), err.text);
	TEST_ASSERT_TRUE_MESSAGE(memcmp(before, after, BELOW), "there is no frame there");
	divert();
	give_back();
	TEST_ASSERT_EQUAL_MESSAGE(0, memory_read(&target.memory, low, after, BELOW, &err), err.text);
	TEST_ASSERT_EQUAL_MEMORY(before, after, BELOW);
}

/* All that the calls on it changed of the thread itself. */
static void test_every_register_and_the_signal_mask_are_as_before(void)
{
	static struct borrow before;
	uint64_t *mask = mmap(NULL, sizeof *mask, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	TEST_ASSERT_TRUE(mask != MAP_FAILED);
	*mask = 1ull << (SIGUSR1 - 1) | 1ull << (SIGTERM - 1);
	open_sleeper();
	begin_surely();
	before = borrow;
	before.below = NULL;
	TEST_ASSERT_EQUAL(0, call_on_it(__NR_rt_sigprocmask, SIG_SETMASK, at(mask), 0, sizeof *mask));
#ifdef __NR_arch_prctl
	TEST_ASSERT_EQUAL(0, call_on_it(__NR_arch_prctl, 0x1002 /* ARCH_SET_FS */, at(mask), 0, 0));
#endif
	give_back();
	wait_blocked(target.pid, target.pid, -1);
	begin_surely();
	TEST_ASSERT_EQUAL_MEMORY_MESSAGE(&before.regs, &borrow.regs, sizeof before.regs, "general registers");
	TEST_ASSERT_EQUAL_MEMORY_MESSAGE(&before.vector, &borrow.vector, sizeof before.vector, "vector registers");
	TEST_ASSERT_EQUAL_HEX64_MESSAGE(before.mask, borrow.mask, "signal mask");
	give_back();
	munmap(mask, sizeof *mask);
}

static void sleep_and_note_the_rest(void)
{
	struct timespec t = { 1000, 0 };
	for (;;)
		syscall(SYS_nanosleep, &t, &t);
}

/* The kernel notes what is left of such a sleep when its thread has stopped, and where others have the CPUs that is long
 * after it was asked to. */
static void test_a_sleep_whose_rest_is_noted_is_made_shorter_by_what_passed_since_its_stop(void)
{
	uint64_t left[2];
	pid_t pid = child_run(sleep_and_note_the_rest);
	wait_blocked(pid, pid, -1);
	open_child(pid);
	begin_surely();
	TEST_ASSERT_EQUAL(ARCH_RESTART_BLOCK, borrow.how);
	divert();
	borrow.block_lost = true;
	borrow.slept_ns = 200000000000ull;
	borrow.since_ns -= 400000000000ull;
	give_back();
	struct proc_syscall call = wait_blocked(pid, pid, -1);
	TEST_ASSERT_EQUAL_HEX64(borrow.scratch, call.args[0]);
	TEST_ASSERT_EQUAL_MESSAGE(0, memory_read(&target.memory, call.args[0], left, sizeof left, &err), err.text);
	TEST_ASSERT_TRUE_MESSAGE(left[0] > 900, "it ends early");
	TEST_ASSERT_TRUE_MESSAGE(left[0] <= 1000, "it ends late");
}

static void test_a_process_that_was_stopped_meanwhile_is_left_stopped(void)
{
	static const int stops[] = { SIGSTOP, SIGTSTP, SIGTTIN, SIGTTOU };
	open_sleeper();
	for (size_t i = 0; i < sizeof stops / sizeof *stops; i++) {
		/* in a group of its own, whose parent is of the same session: an orphaned one would not stop */
		setpgid(target.pid, target.pid);
		kill(target.pid, stops[i]);
		await_state('T');
		TEST_ASSERT_EQUAL(1, begin());
		TEST_ASSERT_EQUAL_MESSAGE(ERR_NOT_POSSIBLE, err.code, err.text);
		EXPECT_HAS("is stopped", err.text);
		EXPECT_HAS("kill -CONT", err.remedy);
		expect_untraced();
		await_state('T');
		kill(target.pid, SIGCONT);
		await_state('S');
	}
}

static void test_a_stop_that_comes_while_it_is_borrowed_lasts(void)
{
	open_sleeper();
	begin_surely();
	kill(target.pid, SIGSTOP);
	divert();
	divert();
	give_back();
	expect_untraced();
	await_state('T');
	kill(target.pid, SIGCONT);
	await_state('S');
	begin_surely();
	give_back();
}

static void test_a_new_program_that_blocks_nothing_does_so_still(void)
{
	static const uint64_t ours[2] = { ~THREAD_SYNCHRONOUS };        /* no thread was made, which would have the other */
	struct proc_status status;
	open_sleeper();
	begin_surely();
	TEST_ASSERT_EQUAL_MESSAGE(0, thread_mask_set(&borrow.thread, 0, &err), err.text);
	TEST_ASSERT_EQUAL_MESSAGE(0, thread_detach_new(&borrow.thread, ours, 1ull << (SIGUSR1 - 1), &err), err.text);
	TEST_ASSERT_EQUAL_MESSAGE(0, proc_status(target.pid, target.pid, &status, &err), err.text);
	TEST_ASSERT_EQUAL_HEX64(0, status.sig_blocked);
	free(borrow.below);
}

static char *made;              /* a region in the child, as an earlier run would have left it */

static void run_what_is_in_the_region(void)
{
	char byte;
	if (read(wire[0], &byte, 1) == 1)
		((void (*)(void))(uintptr_t)(made + 4096 - sizeof(uint64_t)))();
}

static void test_one_on_its_way_back_from_an_earlier_run_is_left_to_it(void)
{
	static const uint8_t loop[] = CODE_OF_A_LOOP;
	struct region region;
	made = mmap(NULL, REGION_SIZE, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	TEST_ASSERT_TRUE(made != MAP_FAILED);
	open_child(child_run(run_what_is_in_the_region));
	wait_blocked(target.pid, target.pid, __NR_read);
	region_place(&region, at(made), target.page);
	TEST_ASSERT_EQUAL_MESSAGE(0, region_write_code(&region, &target.memory, &err), err.text);
	TEST_ASSERT_EQUAL(0, memory_write(&target.memory, at(made) + 4096 - sizeof(uint64_t), loop, sizeof loop, &err));
	TEST_ASSERT_EQUAL(1, write(wire[1], "x", 1));
	for (uint64_t limit = now_ns() + LIMIT_NS; begin() == 0;) {     /* it has not come there yet */
		TEST_ASSERT_FALSE(arch_pc(&borrow.regs) - at(made) < REGION_SIZE);
		TEST_ASSERT_TRUE(now_ns() < limit);
		give_back();
		nap_ms(1);
	}
	EXPECT_HAS("earlier run", err.text);
	expect_untraced();
	await_state('R');
	munmap(made, REGION_SIZE);
}

struct section { uint32_t version, flags; uint64_t start, length, abort; };
extern const char rseq_start[], rseq_end[], rseq_abort[];
extern const ptrdiff_t __rseq_offset __attribute__((weak));     /* a C library that has an area of its own */

static __attribute__((noinline, noclone)) void loop_in_sequence(void)
{
	static _Alignas(32) uint8_t area[32];
	static _Alignas(32) struct section section;
	section = (struct section){ .start = at(rseq_start), .length = (uint64_t)(rseq_end - rseq_start),
				    .abort = at(rseq_abort) };
	if (&__rseq_offset)
		syscall(__NR_rseq, (char *)__builtin_thread_pointer() + __rseq_offset, 32, 1 /* RSEQ_FLAG_UNREGISTER */,
			RSEQ_SIGNATURE);
	if (syscall(__NR_rseq, area, sizeof area, 0, RSEQ_SIGNATURE) < 0)
		_exit(1);
	__asm__ volatile(".globl rseq_start, rseq_end, rseq_abort\n.hidden rseq_start, rseq_end, rseq_abort\n" RSEQ_LOOP
			 :: [section] "r"(&section), [area] "r"(area), [aborts] "r"(&shared->aborts) : RSEQ_CLOBBERS);
}

static bool has_aborted_since(unsigned before)
{
	for (uint64_t limit = now_ns() + LIMIT_NS; atomic_load(&shared->aborts) == before && now_ns() < limit;)
		nap_ms(1);
	return atomic_load(&shared->aborts) != before;
}

/* It must be aborted for having been stopped; diverted, it would go on as if it had not been.  Where it is stopped
 * between its abortion and its next beginning, it may be borrowed. */
static void test_a_restartable_sequence_is_not_diverted_and_is_aborted(void)
{
	uint64_t limit = now_ns() + LIMIT_NS;
	open_child(child_run(loop_in_sequence));
	TEST_ASSERT_TRUE_MESSAGE(has_aborted_since(0), "the kernel aborts no sequence");
	for (int refused = 0; refused < 5;) {
		TEST_ASSERT_TRUE_MESSAGE(now_ns() < limit, "it is never stopped in its sequence");
		unsigned before = atomic_load(&shared->aborts);
		int rc = begin();
		if (rc == 0) {
			TEST_ASSERT_FALSE(arch_pc(&borrow.regs) - at(rseq_start) < (uint64_t)(rseq_end - rseq_start));
			give_back();
			continue;
		}
		TEST_ASSERT_EQUAL(1, rc);
		EXPECT_HAS("restartable sequence", err.text);
		TEST_ASSERT_TRUE_MESSAGE(has_aborted_since(before), "it was stopped and not aborted");
		expect_untraced();
		refused++;
	}
}

static void sleep_on_a_futex(void)
{
	static uint32_t word;   /* that nobody changes */
	for (;;)
		syscall(SYS_futex, &word, FUTEX_WAIT, 0, NULL, NULL, 0);
}

/* Only of such a one can pthread_create be taken away: it has not got the lock that it waits for. */
static void test_one_that_waits_on_a_futex_is_told_from_others(void)
{
	static void (*const body[])(void) = { sleep_on_a_futex, sleep_for_ever, loop_in_sequence };
	for (size_t i = 0; i < sizeof body / sizeof body[0]; i++) {
		pid_t pid = child_run(body[i]);
		if (i < 2)
			wait_blocked(pid, pid, i ? -1 : SYS_futex);
		open_child(pid);
		borrow = (struct borrow){ .images = &images };
		TEST_ASSERT_EQUAL_MESSAGE(0, thread_seize(&borrow.thread, pid, &err), err.text);
		TEST_ASSERT_FALSE_MESSAGE(borrow_waits_on_futex(&borrow), "it runs");
		TEST_ASSERT_EQUAL_MESSAGE(0, thread_stop(&borrow.thread, now_ns() + LIMIT_NS, &err), err.text);
		TEST_ASSERT_EQUAL(i == 0, borrow_waits_on_futex(&borrow));
		TEST_ASSERT_EQUAL_MESSAGE(0, thread_detach(&borrow.thread, 0, &err), err.text);
		close_target();
		target.pid = 0;
	}
}

static void wait_for_events(void)
{
	int events = epoll_create1(0);
	struct epoll_event event;
	for (;; atomic_fetch_add(&shared->ended, 1))
		syscall(SYS_epoll_pwait, events, &event, 1, -1, NULL, 8);
}

/* As it is left by an earlier run, and found by the next before it had a CPU. */
static void test_one_that_is_about_to_make_a_call_which_any_stop_ends_is_let_go_before_it(void)
{
	uint8_t code[ARCH_CODE_BEFORE + ARCH_CODE_BEHIND];
	const struct arch_seen unseen = { .blocked = false };
	pid_t pid = child_run(wait_for_events);
	wait_blocked(pid, pid, SYS_epoll_pwait);
	open_child(pid);
	begin_surely();
	TEST_ASSERT_EQUAL(ARCH_EINTR, borrow.how);
	arch_reissue(&borrow.regs, borrow.how, borrow.nr, borrow.arg0);
	TEST_ASSERT_EQUAL_MESSAGE(0, memory_read(&target.memory, arch_pc(&borrow.regs) - ARCH_CODE_BEFORE, code, sizeof code, &err),
				  err.text);
	borrow.how = arch_interrupted(&borrow.regs, code + ARCH_CODE_BEFORE, &unseen, &borrow.nr);
	divert();
	give_back();
	expect_untraced();
	for (int i = 0; i < 20; i++)
		nap_ms(5);
	wait_blocked(pid, pid, SYS_epoll_pwait);
	TEST_ASSERT_EQUAL_UINT(0, atomic_load(&shared->ended));
}

static size_t mappings(void)
{
	struct maps maps;
	TEST_ASSERT_EQUAL_MESSAGE(0, target_maps(&target, &maps, &err), err.text);
	size_t n = maps.n;
	maps_free(&maps);
	return n;
}

static void expect_no_region(int resource, const char *words)
{
	struct region region = { .base = 0 };
	open_sleeper();
	size_t before = mappings();
	TEST_ASSERT_EQUAL(0, prlimit(target.pid, resource, &(struct rlimit){ 4096, 4096 }, NULL));
	begin_surely();
	TEST_ASSERT_EQUAL(-1, borrow_map(&borrow, &region, &err));
	TEST_ASSERT_EQUAL(ERR_NOT_POSSIBLE, err.code);
	EXPECT_HAS(words, err.text);
	EXPECT_HAS("allow the process more memory", err.remedy);
	if (region.base)
		TEST_ASSERT_EQUAL_MESSAGE(0, borrow_unmap(&borrow, &region, &err), err.text);
	give_back();
	await_state('S');
	expect_untraced();
	TEST_ASSERT_EQUAL(before, mappings());
	close_target();
	target.pid = 0;
}

static void test_one_that_may_have_no_more_memory_is_refused_with_a_remedy(void)
{
	expect_no_region(RLIMIT_AS, "map 8128 KiB in the target");
	expect_no_region(RLIMIT_DATA, "make a stack in the target writable");
}

int main(void)
{
	shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED)
		return 1;
	UNITY_BEGIN();
	RUN_TEST(test_what_lies_below_the_stack_is_put_back);
	RUN_TEST(test_every_register_and_the_signal_mask_are_as_before);
	RUN_TEST(test_a_sleep_whose_rest_is_noted_is_made_shorter_by_what_passed_since_its_stop);
	RUN_TEST(test_a_process_that_was_stopped_meanwhile_is_left_stopped);
	RUN_TEST(test_a_stop_that_comes_while_it_is_borrowed_lasts);
	RUN_TEST(test_a_new_program_that_blocks_nothing_does_so_still);
	RUN_TEST(test_one_on_its_way_back_from_an_earlier_run_is_left_to_it);
	RUN_TEST(test_a_restartable_sequence_is_not_diverted_and_is_aborted);
	RUN_TEST(test_one_that_waits_on_a_futex_is_told_from_others);
	RUN_TEST(test_one_that_is_about_to_make_a_call_which_any_stop_ends_is_let_go_before_it);
	RUN_TEST(test_one_that_may_have_no_more_memory_is_refused_with_a_remedy);
	return UNITY_END();
}
