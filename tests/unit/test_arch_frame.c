/* SPDX-License-Identifier: MIT */
/* The signal frame on which a thread returns by itself, tried on the real kernel:
 * a child spins on one instruction with known values in every register; all are
 * overwritten, and rt_sigreturn on our frame must bring them back. */
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <time.h>

#include "child.h"
#include "frame_state.h"
#include "inject/gadgets.h"
#include "inject/thread.h"

#define LIMIT_NS 5000000000ull
#define MASK 0x0000000f00005000ull
#define OTHER_MASK 0x00000000000a0a00ull

static struct shared {
	volatile int spinning, done;
	stack_t before, after;
} *shared;
static char alternate[1 << 16];
static int wire[2];

static struct err err;
static struct target target;
static struct images images;
static struct gadgets gadgets;
static struct thread thread;
static struct regs original;
static sigset_t listening;

extern const char spin_at[], spin_end[];

/* Whoever moves pc to spin_end puts the registers back as well. */
static __attribute__((noinline, noclone)) void spin(void)
{
	__asm__ volatile(".globl spin_at, spin_end\n.hidden spin_at, spin_end\n"
			 "spin_at: " SPIN " spin_at\nspin_end:" ::: "memory");
}

static void be_the_child(void)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	stack_t mine = { .ss_sp = alternate, .ss_size = sizeof alternate };
	if (sigaltstack(&mine, NULL) < 0 || sigaltstack(NULL, &shared->before) < 0)
		_exit(1);
	shared->spinning = 1;
	spin();
	sigaltstack(NULL, &shared->after);
	shared->done = 1;
	for (;;)
		pause();
}

static void nap(void)
{
	nanosleep(&(struct timespec){ 0, 1000000 }, NULL);
}

static void stop(struct regs *regs)
{
	int rc = thread_stop(&thread, now_ns() + LIMIT_NS, &err);
	TEST_ASSERT_EQUAL_MESSAGE(0, rc, err.text);
	TEST_ASSERT_EQUAL(0, arch_regs_get(thread.tid, regs));
}

static void go(const struct regs *regs)
{
	TEST_ASSERT_EQUAL(0, arch_regs_set(thread.tid, regs));
	TEST_ASSERT_EQUAL_MESSAGE(0, thread_resume(&thread, PTRACE_CONT, 0, &err), err.text);
}

/* Let it run until it spins again. */
static void stop_spinning(struct regs *regs)
{
	for (uint64_t end = now_ns() + LIMIT_NS; now_ns() < end;) {
		if (thread.state != THREAD_RUNNING)
			thread_resume(&thread, PTRACE_CONT, 0, &err);
		nap();          /* stopped at once, it would not get on at all */
		stop(regs);
		if (arch_pc(regs) == (uintptr_t)spin_at)
			return;
	}
	TEST_FAIL_MESSAGE("the child does not come back to its own code");
}

void setUp(void)
{
	memset(&err, 0, sizeof err);
	shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	TEST_ASSERT_EQUAL(0, pipe(wire));
	thread_listen(&listening);
	pid_t child = fork();
	if (child == 0)
		be_the_child();
	while (!shared->spinning)
		nap();
	TEST_ASSERT_EQUAL_MESSAGE(0, target_open(&target, child, NULL, &err), err.text);
	TEST_ASSERT_EQUAL_MESSAGE(0, images_open(&images, &target, &err), err.text);
	TEST_ASSERT_EQUAL_MESSAGE(0, gadgets_find(&images, &gadgets, &err), err.text);
	TEST_ASSERT_EQUAL_MESSAGE(0, thread_seize(&thread, child, &err), err.text);
	stop_spinning(&original);
}

void tearDown(void)
{
	images_close(&images);
	target_close(&target);
	child_end(thread.tid);
	thread_unlisten(&listening);
	munmap(shared, sizeof *shared);
	close(wire[0]);
	close(wire[1]);
}

struct state {
	struct regs regs;
	struct vector_state vector;
	uint64_t mask;
};

static void read_state(struct state *state)
{
	TEST_ASSERT_EQUAL(0, arch_regs_get(thread.tid, &state->regs));
	TEST_ASSERT_EQUAL_MESSAGE(0, arch_vector_get(thread.tid, &state->vector, &err), err.text);
	TEST_ASSERT_EQUAL_MESSAGE(0, thread_mask_get(&thread, &state->mask, &err), err.text);
}

/* Give the stopped child values everywhere. */
static void fill(unsigned kind, uint8_t seed, uint64_t mask)
{
	static struct state state;
	read_state(&state);
	fill_regs(&state.regs, seed);
	fill_vector(&state.vector, kind, seed);
	TEST_ASSERT_EQUAL(0, arch_regs_set(thread.tid, &state.regs));
	TEST_ASSERT_EQUAL(0, arch_vector_set(thread.tid, &state.vector));
	TEST_ASSERT_EQUAL(0, thread_mask_set(&thread, mask, &err));
}

/* Put a frame that gives `state` back below its stack. */
static uint64_t put_frame(const struct state *state)
{
	static uint8_t buf[ARCH_VECTOR_MAX + 4096];
	size_t size = arch_frame_size(&state->vector);
	TEST_ASSERT_TRUE(size < sizeof buf);
	uint64_t frame = arch_frame_at(arch_sp(&state->regs) - ARCH_RED_ZONE, size);
	arch_frame_build(buf, frame, &state->regs, &state->vector, state->mask, gadgets.restore);
	TEST_ASSERT_EQUAL_MESSAGE(0, memory_write(&target.memory, frame, buf, size, &err), err.text);
	return frame;
}

static void expect_same(const struct state *wanted)
{
	static struct state now;
	read_state(&now);
	TEST_ASSERT_EQUAL_MEMORY_MESSAGE(&wanted->regs, &now.regs, sizeof now.regs, "general registers");
	TEST_ASSERT_TRUE_MESSAGE(same_vector(&wanted->vector, &now.vector), "vector registers");
	TEST_ASSERT_EQUAL_HEX64_MESSAGE(wanted->mask, now.mask, "signal mask");
}

static void test_rt_sigreturn_on_the_frame_restores_every_register(void)
{
	static struct state wanted, other;
	for (unsigned kind = 0; kind < vector_kinds(); kind++) {
		fill(kind, 0x11, MASK);
		read_state(&wanted);
		uint64_t frame = put_frame(&wanted);

		/* nothing of it is left but the frame */
		fill(0, 0x40, OTHER_MASK);
		read_state(&other);
		TEST_ASSERT_FALSE(same_vector(&wanted.vector, &other.vector));
		enter_restore(&other.regs, gadgets.restore, frame);
		go(&other.regs);
		stop_spinning(&other.regs);
		expect_same(&wanted);
	}
}

static void test_a_system_call_through_the_gadget_returns_through_the_frame(void)
{
	static struct state wanted, other;
	const uint64_t args[6] = { (uint64_t)wire[1], (uintptr_t)"roclatch", 8 };
	for (unsigned kind = 0; kind < vector_kinds(); kind++) {
		char got[9] = "";
		fill(kind, 0x21, MASK);
		read_state(&wanted);
		uint64_t frame = put_frame(&wanted);
		fill(0, 0x50, OTHER_MASK);
		read_state(&other);
		arch_divert_syscall(&other.regs, &gadgets, frame, SYS_write, args);
		go(&other.regs);
		stop_spinning(&other.regs);
		expect_same(&wanted);

		struct pollfd written = { .fd = wire[0], .events = POLLIN };
		TEST_ASSERT_EQUAL_MESSAGE(1, poll(&written, 1, 0), "the system call was not made");
		TEST_ASSERT_EQUAL(8, read(wire[0], got, 8));
		TEST_ASSERT_EQUAL_STRING("roclatch", got);
	}
}

static void test_the_alternate_stack_stays_what_it_was(void)
{
	static struct state wanted;
	read_state(&wanted);
	uint64_t frame = put_frame(&wanted);
	struct regs regs = original;
	enter_restore(&regs, gadgets.restore, frame);
	go(&regs);
	stop_spinning(&regs);

	regs = original;
	continue_at(&regs, (uintptr_t)spin_end);
	go(&regs);
	for (uint64_t end = now_ns() + LIMIT_NS; !shared->done && now_ns() < end;)
		nap();
	TEST_ASSERT_TRUE_MESSAGE(shared->done, "the child did not go on");
	TEST_ASSERT_EQUAL_PTR(alternate, shared->after.ss_sp);
	TEST_ASSERT_EQUAL(shared->before.ss_flags, shared->after.ss_flags);
	TEST_ASSERT_EQUAL(shared->before.ss_size, shared->after.ss_size);
}

static void test_a_frame_needs_no_more_room_than_it_says(void)
{
	static struct state state;
	static uint8_t buf[ARCH_VECTOR_MAX + 4096];
	for (unsigned kind = 0; kind < vector_kinds(); kind++) {
		fill(kind, 0x31, MASK);
		read_state(&state);
		size_t size = arch_frame_size(&state.vector);
		memset(buf, 0xa5, sizeof buf);
		arch_frame_build(buf, 0x10000, &state.regs, &state.vector, MASK, gadgets.restore);
		for (size_t at = size; at < sizeof buf; at++)
			TEST_ASSERT_EQUAL_HEX8(0xa5, buf[at]);
	}
}

static void test_frames_are_aligned_and_below_their_limit(void)
{
	for (uint64_t limit = 0x7fff0000; limit < 0x7fff0100; limit++)
		for (size_t size = 600; size < 700; size += 7) {
			uint64_t at = arch_frame_at(limit, size);
			TEST_ASSERT_EQUAL_HEX64(0, at % FRAME_ALIGNMENT);
			TEST_ASSERT_TRUE(at + size <= limit && at + size + FRAME_ALIGNMENT > limit);
		}
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_rt_sigreturn_on_the_frame_restores_every_register);
	RUN_TEST(test_a_system_call_through_the_gadget_returns_through_the_frame);
	RUN_TEST(test_the_alternate_stack_stays_what_it_was);
	RUN_TEST(test_a_frame_needs_no_more_room_than_it_says);
	RUN_TEST(test_frames_are_aligned_and_below_their_limit);
	return UNITY_END();
}
