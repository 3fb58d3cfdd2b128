/* SPDX-License-Identifier: MIT */
#include "inject/borrow.h"

#include <asm/unistd.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>

#include "arch/restart.h"
#include "inject/stack.h"
#include "inject/timed.h"

#define STOP_LIMIT_NS 1000000000ull
#define SYSCALL_LIMIT_NS 10000000000ull /* on a machine so crowded that the thread gets no CPU */
#define SETTLE_TURNS 8
#define BACK_TRIES 5            /* of two seconds each */
#define SCRATCH 16              /* below the frame: a time, for timed_shorten */

static struct memory *memory_of(struct borrow *borrow)
{
	return &borrow->images->target->memory;
}

static int read_code(struct borrow *borrow, uint8_t code[ARCH_CODE_BEFORE + ARCH_CODE_BEHIND])
{
	memset(code, 0, ARCH_CODE_BEFORE + ARCH_CODE_BEHIND);
	raddr pc = arch_pc(&borrow->regs);
	if (memory_read(memory_of(borrow), pc - ARCH_CODE_BEFORE, code,
			ARCH_CODE_BEFORE + ARCH_CODE_BEHIND, NULL) == 0)
		return 0;
	/* pc is close to an edge of its mapping */
	memory_read(memory_of(borrow), pc - ARCH_SYSCALL_SIZE, code + ARCH_CODE_BEFORE - ARCH_SYSCALL_SIZE,
		    ARCH_SYSCALL_SIZE, NULL);
	return memory_read(memory_of(borrow), pc, code + ARCH_CODE_BEFORE, ARCH_SYSCALL_SIZE, NULL);
}

/* Walk a call that may go on through the restart block to its entry, where the
 * kernel shows its number, and stop it again.  After that x8 tells the truth. */
static int settle(struct borrow *borrow, struct err *err)
{
	struct thread *thread = &borrow->thread;
	if (thread_resume(thread, PTRACE_SYSCALL, 0, err) < 0)
		return -1;
	thread_wait(thread, borrow->deadline_ns);
	return thread_stop_patiently(thread, borrow->deadline_ns, err);
}

static int read_rest(struct borrow *borrow, struct err *err)
{
	if (arch_vector_get(borrow->thread.tid, &borrow->vector, err) < 0 ||
	    thread_mask_get(&borrow->thread, &borrow->mask, err) < 0)
		return -1;
	return 0;
}

static int read_state(struct borrow *borrow, struct arch_seen *seen, struct err *err)
{
	uint8_t code[ARCH_CODE_BEFORE + ARCH_CODE_BEHIND];
	for (int turn = 0;; turn++) {
		if (thread_regs_get(&borrow->thread, &borrow->regs, err) < 0)
			return -1;
		read_code(borrow, code);
		long nr = arch_must_settle(&borrow->regs, code + ARCH_CODE_BEFORE);
		if (!nr)
			break;
		seen->settled = nr;
		if (turn == SETTLE_TURNS)
			return err_set(err, ERR_NOT_POSSIBLE, 0, "thread %d is too busy", borrow->thread.tid);
		int rc = settle(borrow, err);
		if (rc)
			return rc < 0 ? -1 : err_set(err, ERR_NOT_POSSIBLE, 0, "the target was stopped");
	}
	borrow->stopped_ns = now_ns();
	borrow->how = arch_interrupted(&borrow->regs, code + ARCH_CODE_BEFORE, seen, &borrow->nr);
	borrow->arg0 = seen->arg0;
	borrow->was_blocked = seen->blocked && seen->nr == borrow->nr && seen->sp == arch_sp(&borrow->regs);
	borrow->resume = borrow->regs;
	arch_reissue(&borrow->resume, borrow->how, borrow->nr, borrow->arg0);
	return read_rest(borrow, err);
}

bool borrow_waits_on_futex(struct borrow *borrow)
{
	uint8_t code[ARCH_CODE_BEFORE + ARCH_CODE_BEHIND];
	const struct arch_seen unseen = { .blocked = false };
	struct borrow now = *borrow;
	long nr = -1;
	if (borrow->thread.state != THREAD_STOPPED || thread_regs_get(&now.thread, &now.regs, NULL) < 0 ||
	    read_code(&now, code) < 0)
		return false;
	return arch_interrupted(&now.regs, code + ARCH_CODE_BEFORE, &unseen, &nr) == ARCH_RESTARTS && nr == __NR_futex;
}

/* A restartable sequence that is diverted would neither commit nor abort. */
static bool in_restartable_sequence(struct borrow *borrow)
{
	struct thread_rseq rseq;
	uint64_t section, descriptor[4];        /* version+flags, start, length, abort */
	if (thread_rseq(&borrow->thread, &rseq) != 1)
		return false;
	if (memory_read(memory_of(borrow), rseq.area + 8, &section, sizeof section, NULL) < 0 || !section)
		return false;
	if (memory_read(memory_of(borrow), section, descriptor, sizeof descriptor, NULL) < 0)
		return true;
	return arch_pc(&borrow->regs) - descriptor[1] < descriptor[2];
}

/* Put the frame below the stack pointer and keep what was there. */
static int write_frame(struct borrow *borrow, struct err *err)
{
	borrow->frame_size = arch_frame_size(&borrow->vector);
	const size_t size = borrow->frame_size + 64 + SCRATCH;
	if (stack_room(borrow->images, arch_sp(&borrow->regs) - ARCH_RED_ZONE, size, &borrow->scratch, err) < 0)
		return -1;
	borrow->frame = arch_frame_at(borrow->scratch + size, borrow->frame_size);
	if (borrow->how == ARCH_EINTR && borrow->slept_ns)
		timed_shorten(memory_of(borrow), &borrow->resume, borrow->nr, borrow->slept_ns,
			      borrow->scratch);

	uint8_t *buf = malloc(borrow->frame_size);
	borrow->below = malloc(borrow->frame_size);
	int rc = -1;
	if (!buf || !borrow->below) {
		err_set(err, ERR_FAILED, ENOMEM, "build a frame");
		goto out;
	}
	arch_frame_build(buf, borrow->frame, &borrow->resume, &borrow->vector, borrow->mask,
			 borrow->gadgets->restore);
	if (memory_read(memory_of(borrow), borrow->frame, borrow->below, borrow->frame_size, err) < 0 ||
	    memory_write(memory_of(borrow), borrow->frame, buf, borrow->frame_size, err) < 0)
		goto out;
	rc = 0;
out:
	free(buf);
	return rc;
}

int borrow_save(struct borrow *borrow, struct err *err)
{
	borrow->how = ARCH_NOT_IN_CALL;
	borrow->since_ns = now_ns();
	if (thread_regs_get(&borrow->thread, &borrow->regs, err) < 0 || read_rest(borrow, err) < 0)
		return -1;
	borrow->resume = borrow->regs;
	return write_frame(borrow, err);
}

/* Asked to stop, it cannot be let go before it has: it would stop later, and stay so as long as we live.  And what that stop
 * has cut must be known by then, to be made again. */
static int await_late(struct borrow *borrow)
{
	int rc = -1;
	for (int tries = 0; rc < 0 && tries < BACK_TRIES && thread_lives(borrow->thread.tid); tries++)
		rc = borrow_halt(borrow, NULL);
	return rc == 0 && borrow->thread.state == THREAD_GROUP_STOP ? 1 : rc;
}

int borrow_begin(struct borrow *borrow, struct images *images, const struct gadgets *gadgets,
		 pid_t tid, const struct proc_syscall *known, bool may_sleep, uint64_t deadline_ns,
		 struct err *err)
{
	struct proc_syscall call = { .running = true };
	*borrow = (struct borrow){ .images = images, .gadgets = gadgets };
	borrow->deadline_ns = now_ns() + STOP_LIMIT_NS;
	if (deadline_ns < borrow->deadline_ns)
		borrow->deadline_ns = deadline_ns;

	uint64_t whole, before = 0, after = 1;
	proc_switches(images->target->pid, tid, &before);
	if (proc_syscall(images->target->pid, tid, &call, NULL) < 0 || (call.running && known))
		call = known ? *known : call;
	struct arch_seen seen = { !call.running && call.nr >= 0, call.nr, call.args[0], call.sp, 0 };
	if (seen.blocked && (may_sleep || restart_may_repeat(call.nr)) &&
	    timed_length(memory_of(borrow), call.nr, call.args, &whole))
		timed_slept(tid, &borrow->slept_ns);
	/* it has begun anew meanwhile */
	if (borrow->slept_ns && (proc_switches(images->target->pid, tid, &after) < 0 || after != before))
		borrow->slept_ns = 0;

	borrow->since_ns = now_ns();
	if (thread_seize(&borrow->thread, tid, err) < 0)
		return 1;       /* it ends, or is none of the program's */
	int rc = thread_stop_patiently(&borrow->thread, borrow->deadline_ns, err);
	bool late = rc < 0 && borrow->thread.state == THREAD_RUNNING;
	if (late && (rc = await_late(borrow)) < 0)
		return thread_lives(tid) ? -1 : 1;
	if (rc < 0)
		goto other;
	if (rc > 0) {
		thread_detach(&borrow->thread, 0, NULL);
		err_set(err, ERR_NOT_POSSIBLE, 0, "process %d is stopped", images->target->pid);
		err_remedy(err, "continue it first: kill -CONT %d", images->target->pid);
		return 1;       /* until it goes on */
	}
	images->target->memory.held = tid;
	if (borrow_is_replaced(borrow)) {
		borrow_give_back(borrow, NULL, NULL);
		err_set(err, ERR_FAILED, 0, "process %d has become another program (exec) meanwhile; "
			"it is untouched", images->target->pid);
		return err_remedy(err, "run roclatch again");
	}
	if (read_state(borrow, &seen, err) < 0)
		goto other;
	if (region_covers(images, arch_pc(&borrow->regs))) {
		err_set(err, ERR_NOT_POSSIBLE, 0, "thread %d is on its way back from an earlier run", tid);
		goto other;
	}
	if (in_restartable_sequence(borrow)) {
		err_set(err, ERR_NOT_POSSIBLE, 0, "thread %d is in a restartable sequence", tid);
		goto other;
	}
	if (arch_pc(&borrow->regs) == gadgets->syscall) {
		err_set(err, ERR_NOT_POSSIBLE, 0, "thread %d is at our system call instruction", tid);
		goto other;
	}
	if (write_frame(borrow, err) == 0 && !late)
		return 0;
other:
	for (int tries = 1; borrow_give_back(borrow, NULL, NULL) < 0 && thread_lives(tid); tries++)
		if (tries == BACK_TRIES)
			return -1;
	return 1;
}

/* A handler would run on top of what we do there, and be lost when its thread is put back.  (kernel/signal.c,
 * ptrace_signal: what is blocked by then is queued again, as it was sent.) */
bool borrow_puts_off(struct borrow *borrow)
{
	const struct thread *thread = &borrow->thread;
	uint64_t bit = 1ull << (thread->signo - 1);
	if (!borrow->diverted || borrow->restored || !(THREAD_CRASHES & bit) ||
	    !thread_signal_is_sent(thread, target_self(borrow->images->target)))
		return false;
	borrow->blocked[0] |= bit;
	return thread_mask_set(thread, borrow->blocked[0], NULL) == 0;
}

/* Resume until one of the system call's stops.  SIGSTOP cannot be blocked: it is
 * given to the thread, which we then move on alone; its process stays stopped. */
static int to_syscall_stop(struct borrow *borrow, enum thread_state wanted, struct err *err)
{
	struct thread *thread = &borrow->thread;
	int signo = 0;
	for (;;) {
		if (thread_resume(thread, PTRACE_SYSCALL, signo, err) < 0)
			return -1;
		thread_wait(thread, now_ns() + SYSCALL_LIMIT_NS);
		if (thread->state == wanted)
			return 0;
		signo = thread->state == THREAD_SIGNAL ? thread->signo : 0;
		if (thread->state == THREAD_GONE)
			return err_set(err, ERR_TARGET_EXITED, 0, "thread %d has ended", thread->tid);
		if (thread->state == THREAD_RUNNING)
			return err_set(err, ERR_TIMEOUT, 0, "thread %d does not come to a system call",
				       thread->tid);
		if (signo && (THREAD_SYNCHRONOUS >> (signo - 1) & 1) && !borrow_puts_off(borrow))
			return err_set(err, ERR_FAILED, 0, "signal %d hit thread %d in a system call of ours",
				       signo, thread->tid);
	}
}

bool borrow_is_replaced(const struct borrow *borrow)
{
	/* not by a failure to read it: it would be let go diverted */
	return memory_is_gone(&borrow->images->target->memory);
}

/* Registers first: from then on its end is rt_sigreturn, which puts the mask back. */
static int divert(struct borrow *borrow, const struct regs *regs, struct err *err)
{
	if (borrow_is_replaced(borrow))
		return err_set(err, ERR_TARGET_EXITED, 0, "process %d has become another program (exec)",
			       borrow->images->target->pid);
	if (thread_regs_set(&borrow->thread, regs, err) < 0)
		return -1;
	if (borrow->diverted)
		return 0;
	borrow->diverted = true;
	borrow->blocked[0] = ~THREAD_SYNCHRONOUS;
	return thread_mask_set(&borrow->thread, borrow->blocked[0], err);
}

int borrow_syscall(struct borrow *borrow, long nr, const uint64_t args[6], long *result, struct err *err)
{
	struct regs regs = borrow->regs;
	long entered = -1;
	arch_divert_syscall(&regs, borrow->gadgets, borrow->frame, nr, args);
	if (divert(borrow, &regs, err) < 0 || to_syscall_stop(borrow, THREAD_ENTRY, err) < 0)
		return -1;
	if (thread_regs_get(&borrow->thread, &regs, err) < 0)
		return -1;
	if (arch_entry_nr(borrow->thread.tid, &regs, &entered) == 0 && entered != nr)
		return err_set(err, ERR_FAILED, 0, "thread %d entered system call %ld instead of %ld",
			       borrow->thread.tid, entered, nr);
	if (to_syscall_stop(borrow, THREAD_EXIT, err) < 0)
		return -1;
	if (thread_regs_get(&borrow->thread, &regs, err) < 0)
		return -1;
	*result = (long)arch_result(&regs);
	borrow->syscalls++;
	return 0;
}

static bool is_error(long result)
{
	return result < 0 && result > -4096;
}

/* What the target may have is bounded by a policy, or in size. */
static int say_who_forbids(long result, struct err *err)
{
	if (result == -ENOMEM)
		return err_remedy(err, "allow the process more memory (prlimit --as, --data) or mappings (sysctl vm.max_map_count)");
	if (result == -EACCES || result == -EPERM)
		return err_remedy(err, "a security policy forbids executable memory there (SELinux execmem, seccomp)");
	return -1;
}

int borrow_map(struct borrow *borrow, struct region *region, struct err *err)
{
	size_t page = borrow->images->target->page;
	long result;
	const uint64_t map[6] = { 0, REGION_SIZE, PROT_READ | PROT_EXEC,
				  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, (uint64_t)-1, 0 };
	if (borrow_syscall(borrow, __NR_mmap, map, &result, err) < 0)
		return -1;
	if (is_error(result)) {
		err_set(err, ERR_NOT_POSSIBLE, (int)-result, "map %u KiB in the target", REGION_SIZE >> 10);
		return say_who_forbids(result, err);
	}
	region_place(region, (raddr)result, page);
	if (region_write_code(region, memory_of(borrow), err) < 0)
		return -1;
	const uint64_t protect[6] = { region->base + page, region->size - page, PROT_READ | PROT_WRITE };
	if (borrow_syscall(borrow, __NR_mprotect, protect, &result, err) < 0)
		return -1;
	if (is_error(result)) {
		err_set(err, ERR_NOT_POSSIBLE, (int)-result, "make a stack in the target writable");
		return say_who_forbids(result, err);
	}
	return 0;
}

int borrow_unmap(struct borrow *borrow, struct region *region, struct err *err)
{
	long result;
	const uint64_t args[6] = { region->base, region->size };
	if (borrow_syscall(borrow, __NR_munmap, args, &result, err) < 0)
		return -1;
	if (is_error(result))
		return err_set(err, ERR_FAILED, (int)-result, "unmap our region");
	region->base = 0;
	return 0;
}

int borrow_put_frame(struct borrow *borrow, struct region *region, raddr *at, struct err *err)
{
	raddr room;
	uint8_t *buf = calloc(1, borrow->frame_size);
	int rc = -1;
	if (!buf) {
		err_set(err, ERR_FAILED, ENOMEM, "build a frame");
	} else if (region_reserve(region, borrow->frame_size + 64, &room, err) == 0) {
		*at = arch_frame_at(room + borrow->frame_size + 64, borrow->frame_size);
		arch_frame_build(buf, *at, &borrow->resume, &borrow->vector, borrow->mask,
				 borrow->gadgets->restore);
		rc = memory_write(memory_of(borrow), *at, buf, borrow->frame_size, err);
	}
	free(buf);
	return rc;
}

int borrow_start(struct borrow *borrow, const struct region *region, raddr stack, raddr mailbox,
		 uint64_t open_signals, struct err *err)
{
	struct regs regs = borrow->regs;
	/* at the marker of an earlier round, whose call would still set its result */
	if (borrow->diverted && borrow_halt(borrow, err) < 0)
		return -1;
	arch_divert_call(&regs, region_code(region, trampoline_borrowed), stack, mailbox);
	if (divert(borrow, &regs, err) < 0)
		return -1;
	borrow->blocked[0] = ~open_signals;
	return thread_mask_set(&borrow->thread, borrow->blocked[0], err);
}
