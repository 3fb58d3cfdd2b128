/* SPDX-License-Identifier: MIT */
/* The end of the fresh thread, which takes its stack with it. */
#include <asm/unistd.h>
#include <errno.h>
#include <sys/ptrace.h>

#include "inject/run.h"

#define RELEASE_STEPS 4

/* What the kernel would write into the thread's memory when it ends.  musl's
 * clear_child_tid is its lock of the list of threads and must stay.  -1: an area
 * of restartable sequences may be there, but the kernel does not tell where. */
static int release_steps(struct run *run, struct call_step steps[RELEASE_STEPS])
{
	struct thread_rseq rseq;
	int n = 0, registered = thread_rseq(&run->fresh, &rseq);
	if (registered < 0)
		return -1;
	if (run->images->target->libc != LIBC_MUSL)
		steps[n++] = (struct call_step){ .nargs = 2,
			.arg = { { .value = __NR_set_tid_address }, { .value = 0 } } };
	steps[n++] = (struct call_step){ .nargs = 3,
		.arg = { { .value = __NR_set_robust_list }, { .value = 0 }, { .value = 24 } } };
	if (registered)
		steps[n++] = (struct call_step){ .nargs = 5,
			.arg = { { .value = __NR_rseq }, { .value = rseq.area }, { .value = rseq.size },
				 { .value = 1 /* RSEQ_FLAG_UNREGISTER */ }, { .value = rseq.signature } } };
	for (int i = 0; i < n; i++)
		steps[i].fn = run->libc.syscall;
	return n;
}

/* Before 2.34, glibc gives a thread that ends without ever having allocated an
 * arena for good: freeing its TLS sets up malloc's cache after that was shut down.
 * So let it allocate now.  (In later ones the cache stays shut.) */
static int allocate_once(struct run *run, struct call_step *release, int n, struct err *err)
{
	struct call_step step = { .fn = run->libc.malloc, .nargs = 1, .arg = { { .value = 16 } } };
	if (!run->libc.malloc || !run->libc.free || n < 0 || run->call->report.crash.signo)
		return n;
	if (fresh_round(run, &step, 1, err) < 0)
		return -1;
	release[n] = (struct call_step){ .fn = run->libc.free, .nargs = 1, .arg = { { .value = step.result } } };
	return n + 1;
}

/* At the entry of exit(): unmap the region instead, and let the C library's loop
 * come to exit() again, which needs no stack. */
static int unmap_at_exit(struct run *run, struct err *err)
{
	struct thread *fresh = &run->fresh;
	struct regs regs, after;
	uint8_t text[128];
	if (thread_regs_get(fresh, &regs, err) < 0)
		return -1;
	raddr from = arch_pc(&regs) - sizeof text / 2;
	if (memory_read(&run->images->target->memory, from, text, sizeof text, err) < 0)
		return -1;
	after = regs;
	arch_after_syscall(&after, run->region.base, run->region.size);
	if (!arch_leads_to_exit(&after, text, sizeof text, from))
		return err_set(err, ERR_FAILED, 0, "its exit does not loop");
	if (arch_entry_replace(fresh->tid, &regs, __NR_munmap, run->region.base, run->region.size) < 0)
		return err_set(err, ERR_FAILED, errno, "replace exit by munmap");
	if (thread_resume(fresh, PTRACE_SYSCALL, 0, err) < 0 ||
	    thread_wait(fresh, now_ns() + END_LIMIT_NS) != THREAD_EXIT)
		return err_set(err, ERR_FAILED, 0, "the fresh thread did not return from munmap");
	run->call->report.remote_syscalls++;
	if (thread_regs_get(fresh, &regs, err) == 0 && arch_result(&regs) == 0)
		run->region.base = 0;
	return thread_resume(fresh, PTRACE_CONT, 0, err);
}

static bool enters_exit(struct run *run)
{
	struct regs regs;
	long nr = -1;
	return thread_regs_get(&run->fresh, &regs, NULL) == 0 &&
	       arch_entry_nr(run->fresh.tid, &regs, &nr) == 0 && nr == __NR_exit;
}

/* Let it end, and unmap the region on the way if that can be done. */
static int see_off(struct run *run, bool unmap, struct err *err)
{
	struct thread *fresh = &run->fresh;
	uint64_t limit = now_ns() + END_LIMIT_NS;
	int signo = 0, request = PTRACE_SYSCALL;
	if (fresh_answer(run, MB_ACK_END, err) < 0)
		return -1;
	for (;;) {
		if (fresh->state == THREAD_GROUP_STOP) {
			if (fresh_await_continue(run, err) < 0)
				return fresh->state == THREAD_GONE ? 0 : -1;
			limit = now_ns() + END_LIMIT_NS;
		}
		if (fresh->state != THREAD_RUNNING && thread_resume(fresh, request, signo, err) < 0)
			return fresh->state == THREAD_GONE ? 0 : -1;
		thread_wait(fresh, limit);
		signo = fresh->state == THREAD_SIGNAL ? fresh->signo : 0;
		if (fresh->state == THREAD_GONE)
			return 0;
		if (fresh->state == THREAD_RUNNING)
			return err_set(err, ERR_TIMEOUT, 0, "the fresh thread %d does not end", fresh->tid);
		if (fresh->state != THREAD_ENTRY || !enters_exit(run))
			continue;
		struct err why = { 0 };
		if (unmap && unmap_at_exit(run, &why) < 0)
			say(&run->images->target->say, "thread %d cannot unmap its own stack: %s",
			    fresh->tid, why.text);
		request = PTRACE_CONT;
		unmap = false;
		run->fresh_exits = fresh->state != THREAD_GONE;
	}
}

int fresh_finish(struct run *run, struct err *err)
{
	struct call_step steps[RELEASE_STEPS];
	bool clean = false;
	int n = run->libc.syscall && run->fresh.state == THREAD_STOPPED ? release_steps(run, steps) : -1;
	int all = allocate_once(run, steps, n, err);
	if (all < 0 && n >= 0)
		return -1;
	if (all >= 0) {
		if (fresh_round(run, steps, (unsigned)all, err) < 0)
			return -1;
		clean = true;
		for (int i = 0; i < all; i++)
			clean = clean && steps[i].returned && (i >= n || (int)steps[i].result >= 0);
	}
	/* a stranded borrowed thread needs the region for its own way back */
	return see_off(run, clean && !run->stranded, err);
}
