/* SPDX-License-Identifier: MIT */
/* A child that goes down a chain of calls, notes each return address on its way, and sleeps there; and its
 * stack, copied. */
#ifndef ROCLATCH_TESTS_STACK_CASE_H
#define ROCLATCH_TESTS_STACK_CASE_H

#include <stdio.h>
#include <sys/mman.h>
#include <sys/ptrace.h>

#include "arch/arch.h"
#include "inject/watch/unwind.h"
#include "live_target.h"

#define TRUTH_MAX 1024
#define COPY_MAX (256u << 10)
#define NOINLINE __attribute__((noinline, noclone))

struct truth { unsigned n; uint64_t ra[TRUTH_MAX]; };
static struct truth *truth;     /* shared with the child */

#define NOTE_CALLER() \
	(truth->ra[truth->n++] = arch_unwind_strip((uintptr_t)__builtin_extract_return_addr(__builtin_return_address(0))))

static struct unwinder *unwinder;
static struct stack_copy copy;
static struct frame frame[UNWIND_DEPTH_MAX];
static struct frames frames;

static inline void stack_start(void (*body)(void))
{
	if (!truth)
		truth = mmap(NULL, sizeof *truth, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	truth->n = 0;
	pid_t pid = child_run(body);
	wait_blocked(pid, pid, -1);
	open_target(pid);
	unwinder = unwinder_open(&images, &err);
	TEST_ASSERT_NOT_NULL_MESSAGE(unwinder, err.text);
	if (!copy.bytes)
		copy.bytes = malloc(COPY_MAX);
	frames = (struct frames){ .v = frame, .room = UNWIND_DEPTH_MAX };
}

static inline void stack_end(void)
{
	unwinder_close(unwinder);
	close_target();
}

/* What is between sp and the end of its mapping. */
static inline void copy_bytes(size_t most)
{
	raddr sp = copy.regs.v[UNWIND_SP];
	const struct mapping *m = maps_at(&images.maps, sp);
	TEST_ASSERT_NOT_NULL(m);
	copy.low = sp - ARCH_RED_ZONE;
	copy.size = m->end - copy.low;
	copy.whole = copy.size <= most;
	if (!copy.whole)
		copy.size = most;
	TEST_ASSERT_EQUAL_MESSAGE(0, memory_read(&target.memory, copy.low, copy.bytes, copy.size, &err), err.text);
}

static inline void copy_all_registers(size_t most)
{
	struct regs regs;
	int status;
	TEST_ASSERT_EQUAL(0, ptrace(PTRACE_SEIZE, target.pid, 0L, 0L));
	TEST_ASSERT_EQUAL(0, ptrace(PTRACE_INTERRUPT, target.pid, 0L, 0L));
	TEST_ASSERT_EQUAL(target.pid, waitpid(target.pid, &status, __WALL));
	TEST_ASSERT_EQUAL(0, arch_regs_get(target.pid, &regs));
	arch_unwind_regs(&regs, &copy.regs);
	copy_bytes(most);
	TEST_ASSERT_EQUAL(0, ptrace(PTRACE_DETACH, target.pid, 0L, 0L));
	copy.way = COPY_STOP;
}

static inline void copy_from_outside(size_t most)
{
	struct proc_syscall call = wait_blocked(target.pid, target.pid, -1);
	copy.regs.known = 0;
	frame_set(&copy.regs, UNWIND_SP, call.sp);
	frame_set(&copy.regs, UNWIND_PC, call.pc);
	copy_bytes(most);
	copy.way = COPY_OUTSIDE;
}

/* What was found, for messages. */
static inline const char *stack_text(void)
{
	static char text[4096];
	size_t used = 0;
	for (size_t i = 0; i < frames.n && used < 3900; i++) {
		char name[160];
		images_describe(&images, frame[i].exact ? frame[i].pc : frame[i].pc - 1, name, sizeof name);
		used += (size_t)snprintf(text + used, sizeof text - used, "%s (%s) <- ", name, frame_how_text(frame[i].how));
	}
	snprintf(text + used, sizeof text - used, "%s", unwind_end_text(frames.end));
	return text;
}

static inline long find_frame(uint64_t pc, size_t from)
{
	for (size_t i = from; i < frames.n; i++)
		if (frame[i].pc == pc)
			return (long)i;
	return -1;
}

/* Naming a stack takes long, so only where it is wrong. */
static inline void expect(bool right)
{
	TEST_ASSERT_TRUE_MESSAGE(right, right ? "" : stack_text());
}

/* The last `n` notes are frames one behind the other. */
static inline void expect_chain(unsigned n)
{
	TEST_ASSERT_TRUE(truth->n >= n && n > 0);
	long at = find_frame(truth->ra[truth->n - 1], 0);
	expect(at > 0);
	for (unsigned i = 0; i < n; i++, at++)
		expect((size_t)at < frames.n && truth->ra[truth->n - 1 - i] == frame[at].pc);
}

/* All notes are there in their order, with frames of others between them. */
static inline void expect_order(void)
{
	long at = -1;
	for (unsigned i = truth->n; i-- > 0;) {
		at = find_frame(truth->ra[i], (size_t)(at + 1));
		expect(at >= 0);
	}
}

static inline void expect_end(enum unwind_end end)
{
	expect(frames.end == end);
}

static inline void take(bool outside)
{
	if (outside)
		copy_from_outside(COPY_MAX);
	else
		copy_all_registers(COPY_MAX);
	unwind(unwinder, &copy, &target.memory, &frames);
}

#endif
